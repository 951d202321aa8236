#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alder/learner.h"
#include "alder/loss.h"

#include "archive/archive.h"
#include "learners/core/loss_learner.h"
#include "learners/core/margin.h"

namespace alder {

/// How an example moves the functions of classes.
struct ClassStep {
  /// Of the loss: with one function by its score (LossLearner::slope); else by the margin, and never positive.
  double slope = 0.0;
  std::size_t up = 1;              ///< of several functions, that of the example's class
  std::size_t down = 0;            ///< and the one of the others with the largest score
  std::span<const double> scores;  ///< of the example, also for its class if it is new; until the next step
};

/// A learner of any number of classes that steps along the slope of a margin loss. Two classes have one function f. The
/// third makes of it f_0 = −f/2, f_1 = f/2 and f_2 = 0, which differ as before; every later one begins with 0. The loss
/// is then that of the margin f_y − f_r, r being the class with the largest score but for y, and half of the step goes
/// to f_y, the other half, with the other sign, to f_r: what it does to f_1 − f_0 if there are only those. Numbers have
/// one function.
class ManyClassLearner : public LossLearner {
 public:
  [[nodiscard]] std::size_t outputs() const override { return classes_ > 2 ? classes_ : 1; }
  [[nodiscard]] std::size_t most_classes() const override { return kMostClasses; }

 protected:
  using LossLearner::LossLearner;

  /// Changes the functions as the third class wants it, or a later one.
  virtual void add_class() = 0;

  /// What an example with these scores has to change. A class that is new is added first.
  ClassStep step_for(std::span<const double> scores, double target) {
    if (learns_numbers()) return {slope(scores[0], target), 1, 0, scores};
    if (target >= static_cast<double>(classes_)) {
      add_class();
      ++classes_;
      if (scores.size() == 1) {
        grown_ = {-scores[0] / 2, scores[0] / 2};
      } else {
        grown_.assign(scores.begin(), scores.end());
      }
      grown_.push_back(0.0);
      scores = grown_;
    }
    if (scores.size() == 1) return {slope(scores[0], target), 1, 0, scores};
    const Margin margin = margin_of(scores, target);
    return {loss().slope(margin.value, 1.0), static_cast<std::size_t>(target), margin.rival, scores};
  }

  /// Writes state.classes, if there are more than two.
  void save_classes(Archive& archive) const {
    if (classes_ > 2) archive.set("state", "classes", std::uint64_t{classes_});
  }
  /// Takes it over, after the rounds: outputs() is right from then on.
  void restore_classes(const Archive& archive) {
    if (!archive.has_setting("state", "classes")) return;
    const auto classes = archive.setting<std::uint64_t>("state", "classes");
    if (learns_numbers() || classes < 3 || classes > kMostClasses || classes > 2 + rounds()) {
      throw_bad_archive("its number of classes is out of range");
    }
    classes_ = classes;
  }

 private:
  std::size_t classes_ = 2;    // met, or two
  std::vector<double> grown_;  // the scores of a round in which a class is new
};

}  // namespace alder
