#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace alder {

/// Where the numbers go that a learner makes of rows, row by row; borrowed for one call.
struct Outputs {
  std::span<double> scores;    ///< Learner::outputs() numbers a row
  std::span<double> extras{};  ///< Learner::extras() numbers a row; empty: they are not wanted

  Outputs(std::span<double> its_scores, std::span<double> its_extras) : scores(its_scores), extras(its_extras) {}
  /// Scores alone.
  Outputs(std::span<double> its_scores) : scores(its_scores) {}  // NOLINT: meant to be implicit
  template <class Scores>
  requires std::convertible_to<Scores&, std::span<double>> Outputs(Scores& its_scores)
      : scores(its_scores) {}  // NOLINT: meant to be implicit

  /// Those of `count` rows from row `first` on, with `width` scores a row and as many extras, if there are any.
  [[nodiscard]] Outputs from(std::size_t first, std::size_t count, std::size_t width) const {
    return {scores.subspan(first * width, count * width),
            extras.empty() ? extras : extras.subspan(first * width, count * width)};
  }
};

}  // namespace alder
