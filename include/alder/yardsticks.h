#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alder/task.h"

namespace alder {

class Archive;

/// What two predictors that look at no features would have scored on a stream of classes, each row being predicted
/// before its class is known: always the class with the largest weight so far (of equal ones that with the smaller id),
/// and always the class of the row before. Both are wrong about the first row. A learner that is no better than these
/// has learned nothing.
class Yardsticks {
 public:
  /// The next rows of the stream. Targets are class ids; rows without a target (kNoTarget) or with weight 0 are
  /// skipped. Empty weights are all 1. Throws Error for other targets, and for weights that are negative or not finite;
  /// nothing has changed then. How the stream is cut into batches does not matter.
  void add(std::span<const double> targets, std::span<const double> weights = {});

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t majority_mistakes() const { return majority_mistakes_; }
  [[nodiscard]] std::uint64_t last_label_mistakes() const { return last_label_mistakes_; }
  /// The weight of the mistakes as a share of all weight; 0 without rows.
  [[nodiscard]] double majority_error() const { return share(majority_mistaken_); }
  [[nodiscard]] double last_label_error() const { return share(last_label_mistaken_); }

  /// Writes the settings `yardsticks` and the tensor `yardsticks.classes`, and back, exactly. `load` throws Error for
  /// content that `save` cannot have written.
  void save(Archive& archive) const;
  static Yardsticks load(const Archive& archive);

 private:
  [[nodiscard]] double share(double weight) const { return rows_ == 0 ? 0.0 : weight / weight_; }
  [[nodiscard]] bool is_sound() const;

  std::uint64_t rows_ = 0;
  std::uint64_t majority_mistakes_ = 0;
  std::uint64_t last_label_mistakes_ = 0;
  double weight_ = 0.0;               // of all rows
  double majority_mistaken_ = 0.0;    // of those with a mistake
  double last_label_mistaken_ = 0.0;  // the same
  std::uint32_t majority_ = kNoClass;
  std::uint32_t last_ = kNoClass;
  std::vector<double> classes_;  // the weight of each class so far
};

/// The same on a stream of numbers: always the mean of the targets so far, by weight, and always the target of the row
/// before. Neither predicts the first row, which is not counted.
class NumberYardsticks {
 public:
  /// What one of them is worth.
  struct Errors {
    double squared = 0.0;   ///< Σ w·(prediction − target)²; at most 1e300
    double absolute = 0.0;  ///< Σ w·|prediction − target|; at most 1e300
  };

  /// As Yardsticks::add, for targets that are finite numbers.
  void add(std::span<const double> targets, std::span<const double> weights = {});

  /// The rows that were counted, and their weight.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] double weight() const { return weight_; }
  [[nodiscard]] const Errors& of_mean() const { return of_mean_; }
  [[nodiscard]] const Errors& of_last() const { return of_last_; }
  /// The root of the mean square and the mean of the errors; 0 without rows.
  [[nodiscard]] double rmse(const Errors& errors) const;
  [[nodiscard]] double mae(const Errors& errors) const { return rows_ == 0 ? 0.0 : errors.absolute / weight_; }

  /// Writes the settings `number_yardsticks`, and back, exactly. `load` throws Error for content that `save` cannot
  /// have written.
  void save(Archive& archive) const;
  static NumberYardsticks load(const Archive& archive);

 private:
  [[nodiscard]] bool is_sound() const;

  bool has_last_ = false;  // whether there was a row
  std::uint64_t rows_ = 0;
  double weight_ = 0.0;
  double met_ = 0.0;   // the weight of all rows, the first among them
  double mean_ = 0.0;  // of their targets; like the next at most 1e300 to either side
  double last_ = 0.0;
  Errors of_mean_;
  Errors of_last_;
};

}  // namespace alder
