#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "learners/alder/class_candidate.h"

namespace alder::testing {

/// A candidate of ALDER and its geometry, through which rows go in blocks. A Stream has rows_of, targets and weights.
template <class T>
struct DrivenCandidate {
  /// Linear inputs are fitted on the first 100 rows.
  template <class Stream>
  DrivenCandidate(const AlderOptions& options, const Stream& stream, std::size_t classes, const Kernel& kernel,
                  double ratio, std::size_t kept = 0)
      : geometry({}, LinearInputs::fit(std::span(stream.rows_of).first(100)), kernel, kept),
        candidate(options, classes, std::vector{0.0, 1e-5, 1e-3}, geometry, ratio) {}

  /// Calls what(t) for each row after its forecast, before it is learned.
  template <class Stream, class What>
  void run(const Stream& stream, std::size_t first, std::size_t last, std::size_t block, const What& what) {
    for (std::size_t begin = first; begin < last; begin += block) {
      geometry.begin_block(std::span(stream.rows_of).subspan(begin, std::min(block, last - begin)));
      for (std::size_t t = begin; t < std::min(last, begin + block); ++t) {
        geometry.begin();
        if (t % 8 == 0) candidate.begin_block();
        candidate.forecast(geometry, forecast);
        what(t);
        std::optional<std::size_t> joined;
        candidate.learn(geometry, forecast, stream.targets[t], stream.weights[t], joined);
        geometry.end(1.0);
      }
      geometry.end_block();
      candidate.forget_ahead();
    }
  }

  Geometry<T> geometry;
  ClassCandidate<T> candidate;
  typename ClassCandidate<T>::Forecast forecast;
};

}  // namespace alder::testing
