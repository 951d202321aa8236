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

}  // namespace alder
