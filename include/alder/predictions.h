#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "alder/task.h"

namespace alder {

/// The levels of the quantiles that a model of numbers keeps track of: the ends of intervals of 95, 90, 80 and 50 %,
/// and the median.
inline constexpr std::array<double, 9> kLevels = {0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975};

/// What was predicted of some rows, row by row. Meant to be reused; what was not wanted is empty.
struct Predictions {
  std::size_t outputs = 0;             ///< numbers in a score: 1 for a value and up to two classes, else one a class
  std::vector<double> scores;          ///< rows × outputs
  std::vector<double> probabilities;   ///< rows × classes, by class id; a NaN first: this row has none
  std::vector<double> values;          ///< regression: what is predicted; NaN before anything was learned
  std::vector<double> deviations;      ///< regression: the standard deviation of the target; NaN: it is not known
  std::vector<double> levels;          ///< regression: those of the quantiles, each between 0 and 1
  std::vector<double> quantiles;       ///< regression: rows × levels; NaN: this row has none
  std::vector<std::uint32_t> classes;  ///< class ids; kNoClass before anything was learned
  std::uint32_t positive = 1;          ///< 0 or 1: the class that a score >= 0 means when outputs is 1
};

}  // namespace alder
