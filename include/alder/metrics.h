#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "alder/confusion.h"
#include "alder/predictions.h"
#include "alder/reliability.h"
#include "alder/task.h"

namespace alder {

class Archive;

/// What Metrics adds up. Weights are w, rows are counted as such. Sums that would exceed 1e300 stay there.
struct MetricSums {
  std::uint64_t rows = 0;
  double weight = 0.0;  ///< Σ w

  // Classification.
  std::uint64_t mistakes = 0;  ///< rows
  double mistaken = 0.0;       ///< their weight
  std::uint64_t hinge_rows = 0;
  double hinge_loss = 0.0;  ///< Σ w·max(0, 1 − y·score), y = +1 for the positive class and −1 for the other
  std::uint64_t probability_rows = 0;
  double probability_weight = 0.0;
  double log_loss = 0.0;       ///< Σ −w·ln p of the true class; p below 2^−52 counts as 2^−52
  double brier = 0.0;          ///< Σ w·½Σ_k (p_k − [k is true])²: for two classes Σ w·(p_1 − [1 is true])²
  std::uint64_t auc_rows = 0;  ///< rows with probabilities of two classes; 0 once there were more classes

  // Regression. The arrays are of the intervals of 80, 90 and 95 %.
  double squared_error = 0.0;   ///< Σ w·(value − target)²
  double absolute_error = 0.0;  ///< Σ w·|value − target|
  double target_mean = 0.0;
  double target_spread = 0.0;  ///< Σ w·(target − mean)², updated with the mean (Welford 1962)
  std::uint64_t interval_rows = 0;
  double interval_weight = 0.0;
  std::array<double, 3> covered = {};         ///< the weight of the rows whose target is in the interval
  std::array<double, 3> interval_width = {};  ///< Σ w·width
  /// Σ w·(the mean over kLevels of a·(target − q) or, if q is above it, (1 − a)·(q − target)), q being the quantile of
  /// the level a.
  double pinball = 0.0;
};

/// What predictions are worth. Memory does not grow with the rows: 64 KB for the AUC, if there are probabilities of two
/// classes, a confusion matrix of the largest entries, and three numbers for each class.
///
/// How rows are cut into batches does not matter, to the bit, and neither do the ids of more than two classes.
class Metrics {
 public:
  /// The AUC is computed from the probabilities of the second class in so many bins of equal width; within a bin all
  /// are taken as equal.
  static constexpr std::size_t kBins = 4096;

  explicit Metrics(Task task) : task_(task) {}

  [[nodiscard]] Task task() const { return task_; }

  /// Adds rows that were predicted. Those without a target (kNoTarget) or with weight 0 are skipped; empty weights are
  /// all 1.
  ///
  /// Classification: targets are class ids. Of `made` there must be classes, or else scores, from which they follow.
  /// Hinge loss needs scores with one output and is 0 once there were more classes than 0 and 1: which two of them came
  /// first does not matter then. Log loss, Brier score, AUC and calibration error are those of rows that have
  /// probabilities; a row whose class the model cannot have known is left out of them: it has no column, or it has
  /// probability 0 and was not met before.
  /// Regression: there must be values. A row whose value is NaN has no prediction and is skipped: a model gives none
  /// before it has learned a row. Intervals are counted if there are quantiles of all kLevels, of rows that have them.
  ///
  /// Throws Error if sizes do not fit each other, for numbers that are not finite where they must be, for class ids
  /// that are none and for probabilities that are none or do not sum to 1. Nothing has changed then.
  void add(const Predictions& made, std::span<const double> targets, std::span<const double> weights = {});

  /// Adds what another one has counted on other rows. Throws Error if its task is another.
  void merge(const Metrics& another);

  /// Gives classes other ids: i becomes ids[i], which has every number below its size once.
  void renumber(std::span<const std::uint32_t> ids);

  [[nodiscard]] const MetricSums& sums() const { return sums_; }
  [[nodiscard]] std::uint64_t rows() const { return sums_.rows; }
  [[nodiscard]] std::uint64_t mistakes() const { return sums_.mistakes; }
  [[nodiscard]] const Confusion& confusion() const { return confusion_; }
  /// How many class ids there are, from 0 on, and the weight of the rows of one.
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }
  [[nodiscard]] double weight_of_class(std::uint32_t id) const {
    return id < classes_.size() ? classes_[id].actual : 0.0;
  }
  /// The share of the rows of a class, by weight, that were predicted so; empty without such rows.
  [[nodiscard]] std::optional<double> recall(std::uint32_t id) const;
  /// How often what was told with a probability was right, in bins of equal width: for two classes of that of class 1,
  /// otherwise of the largest of each row. Empty before there were probabilities.
  [[nodiscard]] std::vector<Reliability::Bin> reliability() const { return reliability_.bins(is_of_two()); }

  /// Names and values of all that is defined by the rows so far.
  ///
  /// Classification: rows, weight, mistakes, error (by weight), balanced_error (the mean of 1 − recall over all classes
  /// that occurred), kappa (Cohen's, by weight), hinge_loss (a sum) and hinge_rows, f1 (two classes: that of the
  /// positive one), macro_f1 (the mean over all classes that occurred or were predicted), log_loss, brier,
  /// calibration_error (the expected one, in the bins of reliability()), auc (two classes) and probability_rows.
  /// Regression, all in units of the target but for shares: rows, weight, rmse, nrmse, mae, nmae (both as parts of the
  /// standard deviation of the targets that were counted), r2, coverage_80, coverage_90 and coverage_95 (the share of
  /// targets in their intervals), width_80, width_90 and width_95 (the mean), pinball (the mean) and interval_rows.
  [[nodiscard]] std::vector<std::pair<std::string_view, double>> values() const;

  /// Writes the settings `metrics` and tensors `metrics.*`, and back, exactly. `load` throws Error for content that
  /// `save` cannot have written.
  void save(Archive& archive) const;
  static Metrics load(const Archive& archive);

 private:
  // Weights of one class.
  struct OfClass {
    double actual = 0.0;
    double predicted = 0.0;
    double hits = 0.0;  // both
  };

  void check_predictions(const Predictions& made, std::size_t rows) const;
  void add_classes(const Predictions& made, std::span<const double> targets, std::span<const double> weights);
  void add_values(const Predictions& made, std::span<const double> targets, std::span<const double> weights);
  void add_two(const Predictions& made, std::span<const double> targets, std::span<const double> weights);
  void add_many(const Predictions& made, std::span<const double> targets, std::span<const double> weights);
  [[nodiscard]] bool is_new(std::span<const double> targets, std::span<const double> weights, std::size_t row) const;
  // Whether all probabilities so far were of two classes.
  [[nodiscard]] bool is_of_two() const { return sums_.auc_rows == sums_.probability_rows; }
  [[nodiscard]] std::vector<std::pair<std::string_view, double>> values_of_numbers() const;
  void limit_sums();
  void load_classes(const Archive& archive);
  [[nodiscard]] bool is_sound() const;

  Task task_;
  std::uint32_t positive_ = 1;  // of the latest batch
  MetricSums sums_;
  std::vector<OfClass> classes_;
  Confusion confusion_;
  std::vector<double> bins_;  // empty, or kBins pairs: the weight of class 0, then of class 1
  Reliability reliability_;
};

}  // namespace alder
