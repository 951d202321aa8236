#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "alder/row.h"

namespace alder {

/// What a number made of a row's scores, Σ_c direction_c·score_c, consists of, and how it changes with the row:
///   number = Σ rows[i].contribution + rest.
struct ScoreParts {
  struct Stored {
    double contribution = 0.0;
    double similarity = 0.0;  ///< the kernel value of the row and the stored row that its contribution is made with
  };

  /// Parts of nothing, to be added to. The features, ascending, are those that the gradient is asked of.
  explicit ScoreParts(std::vector<FeatureIndex> wanted) : features(std::move(wanted)), gradient(features.size()) {}

  std::vector<FeatureIndex> features;
  std::vector<double> gradient;  ///< the derivative by the value of each of these features
  std::vector<Stored> rows;      ///< of all stored rows, in the order in which the learner has them
  double rest = 0.0;             ///< what is not made with stored rows
};

}  // namespace alder
