#pragma once

#include <cstddef>
#include <span>

#include "alder/row.h"
#include "alder/task.h"

namespace alder {

/// No weight is larger: what they are multiplied with stays finite.
inline constexpr double kMostWeight = 1e6;

/// One row with its target.
struct Example {
  Row row;
  double target = kNoTarget;  ///< a class number 0, 1, … or a value; kNoTarget: unknown
  double weight = 1.0;        ///< from 0 to kMostWeight
};

/// Rows with their targets and weights, borrowed for one call. All arrays have the same length; `weights` may be empty,
/// and then all weights are 1.
struct Examples {
  std::span<const Row> rows;
  std::span<const double> targets;
  std::span<const double> weights{};  ///< from 0 to kMostWeight; a row with the weight 0 changes nothing

  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] bool empty() const { return rows.empty(); }
  [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  [[nodiscard]] Example operator[](std::size_t i) const { return {rows[i], targets[i], weight(i)}; }

  /// `count` of them from `first` on.
  [[nodiscard]] Examples from(std::size_t first, std::size_t count) const {
    return {rows.subspan(first, count), targets.subspan(first, count),
            weights.empty() ? weights : weights.subspan(first, count)};
  }
};

/// The label of the paper's formulas: −1 for class 0, +1 for class 1.
inline double sign_of(double target) {
  return target > 0.0 ? 1.0 : -1.0;
}

/// The class that one score predicts: 1 if it is not negative, else 0.
inline double class_of(double score) {
  return score >= 0.0 ? 1.0 : 0.0;
}

/// Whether a score predicts the other class than the label −1 or +1.
inline bool is_mistake(double score, double label) {
  return (score >= 0.0) != (label > 0.0);
}

}  // namespace alder
