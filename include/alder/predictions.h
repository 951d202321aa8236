#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alder/task.h"

namespace alder {

/// What was predicted of some rows, row by row. Meant to be reused; what was not wanted is empty.
struct Predictions {
  std::size_t outputs = 0;            ///< numbers in a score: 1 for a value and up to two classes, else one a class
  std::vector<double> scores;         ///< rows × outputs
  std::vector<double> probabilities;  ///< rows × classes, by class id; a NaN first: this row has none
  std::vector<double> values;         ///< regression: what is predicted
  std::vector<double> quantiles;      ///< regression: rows × levels, levels rising; first to last is the interval, and
                                      ///< one that is not finite means that this row has none
  std::vector<std::uint32_t> classes;  ///< class ids; kNoClass before anything was learned
  std::uint32_t positive = 1;          ///< 0 or 1: the class that a score >= 0 means when outputs is 1
};

}  // namespace alder
