#pragma once

#include <span>
#include <vector>

#include "alder/learner.h"

namespace alder {

/// How much each feature matters to the scores of a learner: the mean change of a score, over pairs of these rows, when
/// a row gets the feature's value from another one, as a share of what all features change together; those that change
/// something, by feature.
std::vector<FeatureShare> importances_by_swaps(const Learner& learner, std::span<const Row> rows);

}  // namespace alder
