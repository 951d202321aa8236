#pragma once

#include <span>

#include "alder/outputs.h"
#include "alder/row.h"

namespace alder {

/// Predicts a number by the mean target of the five nearest rows, as a score: 0 if there is none. Where the score is
/// the logarithm of that, a mean of 0 counts as less than one in as many rows. Beside it, if there is room, the
/// standard deviation of all targets.
void predict_by_nearest(const Row& row, std::span<const Row> rows, std::span<const double> targets, bool is_logarithm,
                        Outputs out);

}  // namespace alder
