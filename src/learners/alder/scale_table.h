#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "alder/row.h"

#include "learners/alder/feature_scales.h"

namespace alder {

/// The features of some rows that are given scales, and their values.
struct ScaleTable {
  /// Those that vary and are not 0 in at least 3 rows, ascending.
  std::vector<FeatureIndex> features;
  /// Divided by the rows' median distance and centred, which floats like better; feature by feature, for every row. By
  /// magnitude at most kLargest.
  std::vector<float> values;

  static constexpr std::size_t kFewestFeatures = 2;
  static constexpr std::size_t kMostFeatures = 400;
  static constexpr double kLargest = 1e15;
};

/// None if there are too few or too many such features, or the median is not a positive number.
std::optional<ScaleTable> scale_table(std::span<const Row> rows, double median);

/// The scales whose logarithms, before they are divided by the median, are given. None if one is not finite.
std::optional<FeatureScales> scales_of(const ScaleTable& table, std::span<const double> logs, double median);

}  // namespace alder
