#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "alder/learner.h"
#include "alder/stream.h"

namespace alder::cli {

/// The progressive table on standard error: a line at every power of two rounds.
class ProgressTable {
 public:
  ProgressTable();

  /// To be called after every round with the learner that made it.
  void after_round(const Learner& learner, const Example& example, double score);

 private:
  std::chrono::steady_clock::time_point start_;
  std::uint64_t round_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t last_round_ = 0;
  std::uint64_t last_mistakes_ = 0;
};

}  // namespace alder::cli
