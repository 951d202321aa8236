#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alder/model.h"
#include "alder/row_buffer.h"

#include "model/calibration.h"
#include "model/class_table.h"
#include "model/quantiles.h"

namespace alder {

/// How many classes the scores of a learner tell apart.
inline std::size_t classes_of(std::size_t outputs) {
  return std::max<std::size_t>(outputs, 2);
}

/// What a model consists of.
class Model::Pipeline {
 public:
  explicit Pipeline(std::unique_ptr<Learner> its_learner) : learner(std::move(its_learner)), metrics(learner->task()) {
    if (!is_of_numbers()) return;
    calibration.reset();
    quantiles.emplace();
  }

  std::shared_ptr<const Encoding> encoding;  ///< null: rows have no columns
  bool is_zero_based = false;
  std::optional<Scaling> scaling;
  std::unique_ptr<Learner> learner;
  ClassTable classes;
  std::optional<Calibration> calibration = Calibration();  ///< empty: there are no probabilities
  std::optional<TrackedQuantiles> quantiles;               ///< of numbers; empty: it predicts classes
  std::optional<double> threshold;
  ClassWeights class_weights;
  Metrics metrics;
  Counts earlier;  ///< of rows before `metrics` began: those that a file of version 1 knew of
  std::size_t features = 0;

  [[nodiscard]] bool is_of_numbers() const { return learner->task() == Task::kRegression; }
  /// Throws Error if it predicts numbers; `what` is for classes alone.
  void expect_classes(const char* what) const;

  void load_threshold(const Archive& archive);
  std::span<const double> weigh(const Examples& examples);
  void calibrate(const Examples& learned, std::span<const double> scores, std::span<const double> extras,
                 std::span<double> probabilities);
  void apply_threshold(std::span<const double> probabilities, std::size_t outputs,
                       std::span<std::uint32_t> predicted) const;
  /// Turns the scores of the learner into those that are shown, and classes.
  void name_classes(std::size_t outputs, std::span<double> scores, std::span<std::uint32_t> predicted) const;
  /// Probabilities by class id, of those by number. Of two classes one may not have been met: the other is certain
  /// then.
  void spread_probabilities(std::span<const double> by_number, std::span<double> by_id) const;

  /// The first examples as they are learned, scaled: up to one that is not sound, and at most kAtOnce.
  Examples prepare(const Examples& examples);
  void count_features(std::size_t count) { features = std::max(features, count); }
  void count_features(const Examples& learned);
  /// Model::learn of numbers, of prepared examples; `examples` are those as they were given.
  std::size_t learn_numbers(const Examples& examples, const Examples& prepared, Predictions& out);
  /// What is predicted of a row of this score, as Predictions::values.
  [[nodiscard]] double value_of(double score) const;

  /// Scores rows in parts, on several threads, and has `finish(first, count, scores, extras)` make of each part what
  /// else is wanted. Extras are empty unless `has_extras`.
  using Finish = std::function<void(std::size_t first, std::size_t count, std::span<double> scores,
                                    std::span<const double> extras)>;
  void score(std::span<const Row> rows, unsigned threads, bool has_extras, std::vector<double>& scores,
             const Finish& finish) const;
  void predict_numbers(std::span<const Row> rows, Predictions& out, const Wanted& wanted) const;

  /// How many rows are scaled and scored at once: they stay in the nearest caches.
  static constexpr std::size_t kAtOnce = 64;

  // Of the examples in hand:
  RowBuffer scaled;
  std::vector<double> numbers;
  std::vector<double> weights;
  std::vector<double> logits;
  std::vector<double> by_number;  // probabilities of a row
  Predictions made;
};

}  // namespace alder
