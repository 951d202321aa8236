#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/input.h"
#include "alder/learner.h"
#include "alder/model.h"
#include "alder/yardsticks.h"

#include "holdout.h"
#include "names.h"

namespace alder::cli {

/// The hypothesis that was kept instead of the learner.
struct Kept {
  std::string choice;
  std::uint64_t first_round = 0;
  std::uint64_t last_round = 0;
  std::size_t support = 0;
};

/// One pass of a learner over the rows.
struct Run {
  Report report;                           // the learner's, at the end
  Metrics metrics{Task::kClassification};  // of this pass; the learner may have had earlier ones
  std::uint64_t learned = 0;               // rows of this pass
  ClassNames classes;                      // that the metrics are of
  // What predictors would have done that always say the commoner class so far, or the last label:
  std::uint64_t commoner_class_mistakes = 0;
  std::uint64_t last_label_mistakes = 0;
  NumberYardsticks number_yardsticks{};  // the same of numbers
  double seconds = 0.0;                  // learning, without waiting for rows
  double elapsed = 0.0;                  // learning and waiting
  std::uint64_t seed = 0;                // of the permutation
  std::optional<Kept> kept;
  std::optional<Heldout> heldout;
  std::vector<std::string> warnings;  // what would make these figures mislead

  /// The rows that were learned. The first number of all has no prediction, and is not among those of the metrics.
  [[nodiscard]] std::uint64_t rows() const { return metrics.task() == Task::kRegression ? learned : metrics.rows(); }
  [[nodiscard]] Counts counts() const { return {metrics.rows(), metrics.mistakes(), metrics.sums().hinge_loss}; }
  [[nodiscard]] double mistake_rate() const { return counts().mistake_rate(); }
};

/// What `train` has to tell.
struct Training {  // NOLINT(bugprone-exception-escape): moving a map, which may allocate in theory
  Task task = Task::kClassification;
  std::string task_in_words;  // empty: it goes without saying
  std::string learner;
  nlohmann::ordered_json options;  // the learner's
  std::vector<Run> runs;           // more than one with --repeat
  ClassNames classes;
  ClassWeights class_weights;
  std::size_t features = 0;
  std::uint64_t seed = 0;
  double read_seconds = 0.0;
  std::string model;                           // where it was saved; empty: nowhere
  std::optional<LabelColumn> label_column;     // of a table
  std::shared_ptr<const Encoding> encoding{};  // of a table; null: it was none
};

/// What a model that uses recent labels has to say of that.
inline constexpr const char* kRecentLabels =
    "inputs too: a prediction depends on the labels of the rows learned last, and is good only if these come just "
    "before";

/// On standard error: what it came to, and what the numbers mean.
void print_summary(const Training& training);
/// On standard output: one JSON object.
void print_json(const Training& training);

}  // namespace alder::cli
