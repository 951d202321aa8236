#pragma once

#include <cstddef>
#include <span>

#include "alder/task.h"

namespace alder {

/// Sums of losses and weights stay at this instead of growing further, so that they can be saved, and still be added
/// to.
inline constexpr double kMostSum = 1e300;
/// Counts of rows in a model file are at most this, so that they can be counted on.
inline constexpr std::uint64_t kMostCountedRows = std::uint64_t{1} << 62U;
/// Two sums of the same weights, added in another order, differ by less than this part.
inline constexpr double kRoundingOfSums = 1e-6;

/// Throws Error unless there is a finite weight >= 0 for every target, or none at all, and every target is a class id,
/// for classification, or a finite number, for regression, or kNoTarget.
void check_targets(Task task, std::span<const double> targets, std::span<const double> weights);

/// The weight of row i; empty weights are all 1.
inline double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1.0 : weights[i];
}

/// Whether the row counts: it has a target and a weight above 0.
inline bool is_counted(double target, double weight) {
  return weight > 0.0 && target == target;
}

/// Whether a sum that a file has is one: 0 … kMostSum, and 0 exactly if it is one of no rows.
inline bool is_sum(double sum, std::uint64_t rows) {
  return rows == 0 ? sum == 0.0 : sum >= 0.0 && sum <= kMostSum;
}

/// Whether a file's sum of weights, each above 0, is one of so many rows.
inline bool is_weight(double sum, std::uint64_t rows) {
  return is_sum(sum, rows) && (rows == 0 || sum > 0.0);
}

}  // namespace alder
