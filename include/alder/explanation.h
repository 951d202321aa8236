#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alder/examples.h"
#include "alder/model.h"
#include "alder/row.h"

namespace alder {

/// What a feature of a row does to its score.
struct FeatureEffect {
  FeatureIndex feature = 0;
  double value = 0.0;     ///< in the row, or in the column of a table
  double gradient = 0.0;  ///< by how much the score changes with the value, for small changes
  double effect = 0.0;    ///< the score less that of the row without the feature, its value being 0 then, or the
                          ///< middle one that a column of numbers counts from
};

/// What a stored row adds to the score.
struct RowEffect {
  std::size_t row = 0;        ///< its place among the stored rows, from 0
  double contribution = 0.0;  ///< what it adds
  double similarity = 0.0;    ///< the kernel value of it and the row
};

/// Why a model predicts what it does of one row. The score is explained that tells two classes apart: a positive one
/// speaks for `towards`, a negative one for `against`. Of numbers it is the score that the value is made of, mostly the
/// value itself (Learner::response), and there are no classes.
struct Explanation {
  std::optional<double> value;         ///< of numbers what is predicted; empty: classes are
  std::uint32_t predicted = kNoClass;  ///< class ids
  std::uint32_t towards = 1;           ///< of two classes the positive one; else the one with the largest score
  /// Of two classes the other one; else the one with the next largest score, or the most probable of several.
  std::uint32_t against = 0;
  double score = 0.0;                 ///< of two classes that of `predict`; else the difference of these two
  std::optional<double> probability;  ///< of the predicted class; empty if the model has no probabilities

  /// The features of the row that are not 0, the largest effects first. With more than kMostFeatures of them, only
  /// those with the largest values were looked at.
  std::vector<FeatureEffect> features;
  /// The stored rows with the largest contributions first. The contributions of all `stored` rows and `rest` add up to
  /// the score, but for rounding. None for a learner whose function is not made of stored rows.
  std::vector<RowEffect> rows;
  std::size_t stored = 0;
  double rest = 0.0;
  /// Whether gradients are derivatives of the learner's function; otherwise they are differences of scores.
  bool has_exact_gradients = false;

  static constexpr std::size_t kMostFeatures = 1000;
};

struct ExplainOptions {
  std::size_t top = 5;  ///< how many features and how many stored rows are given; 0: all
};

/// Explains what the model predicts of a row. Costs as much as to predict the row once for each of its features.
/// Throws Error for a bad row.
Explanation explain(const Model& model, const Row& row, const ExplainOptions& options = {});

/// As the text of one JSON object, without a line break: members by their names, classes by theirs, null if unknown.
/// Features and stored rows are counted from 1; a feature has a "name" if `name_of` is given.
std::string to_json(const Explanation& explanation, const std::vector<std::string>& classes,
                    const std::function<std::string(FeatureIndex)>& name_of = {});

}  // namespace alder
