#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alder/row.h"

namespace alder {

/// A factor for each feature, by which it is multiplied before distances are taken: the larger, the more it matters.
struct FeatureScales {
  std::vector<FeatureIndex> features;  ///< ascending
  std::vector<double> factors;
  double other = 1.0;  ///< of all other features: the geometric mean
};

/// How the scales are searched for. With 30 larger steps of 192 rows, in a third of the time, ALDER made 0.03 to 0.08
/// points more mistakes on ijcnn1.
struct ScaleSearch {
  std::size_t steps = 50;
  std::size_t rows = 256;  ///< of one step, drawn at random; all if there are fewer
  double step = 0.1;       ///< of the logarithms, by Adam; in the last 30 %, which are averaged, 0.4 of it
};

/// Scales that make the labels likely under a Gaussian process with the kernel exp(−½ Σ_j (s_j (x_j − x'_j))²), whose
/// amplitude and noise are searched for too. `targets` are class numbers below `classes`, one for each row, or any
/// numbers if `classes` is 0; `median` is the median distance of the rows, from which it starts: all s_j = 1/median, to
/// which the scales are also pulled. The features are those that vary and are not 0 in at least 3 rows. The same input
/// gives the same scales. None if there are fewer than 2 or more than 400 such features, if all labels are of one
/// class, if the median is not a positive number, or if the rows are so far apart that nothing finite comes out.
std::optional<FeatureScales> likely_scales(std::span<const Row> rows, std::span<const double> targets,
                                           std::size_t classes, double median, const ScaleSearch& search = {});

}  // namespace alder
