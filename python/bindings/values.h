#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "shared_model.h"

namespace alder::python {

/// Of numbers: values, quantiles of these levels, and deviations if there is room for them.
inline void predict_values(const SharedModel& model, const RowSource& rows, const Doubles& values,
                           const std::vector<double>& levels, const DoubleMatrix& quantiles, const Doubles& deviations,
                           unsigned threads) {
  const bool has_deviations = deviations.shape(0) > 0;
  if (values.shape(0) != rows.size() || quantiles.shape(0) != rows.size() || quantiles.shape(1) != levels.size() ||
      (has_deviations && deviations.shape(0) != rows.size())) {
    throw Error("the array that receives results has another shape than these");
  }
  Wanted wanted;
  wanted.threads = threads;
  wanted.quantiles = levels;
  wanted.deviations = has_deviations;
  model.predict_rows(rows, wanted, [&](std::size_t first, const Predictions& made) {
    std::copy(made.values.begin(), made.values.end(), values.data() + first);
    std::copy(made.quantiles.begin(), made.quantiles.end(), quantiles.data() + first * levels.size());
    if (has_deviations) std::copy(made.deviations.begin(), made.deviations.end(), deviations.data() + first);
  });
}

/// The value of one row of named features, and the quantiles of these levels.
inline std::pair<double, std::vector<double>> predict_value(const SharedModel& model, const nb::dict& features,
                                                            const nb::dict& index, const std::vector<double>& levels) {
  Wanted wanted;
  wanted.quantiles = levels;
  return model.predict_named(features, index, wanted,
                             [](const Predictions& made) { return std::pair(made.values[0], made.quantiles); });
}

}  // namespace alder::python
