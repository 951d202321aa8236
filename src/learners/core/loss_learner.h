#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/learner.h"
#include "alder/loss.h"

namespace alder {

/// A learner that steps along the slope of a loss, by which it learns two classes or numbers.
class LossLearner : public Learner {
 public:
  [[nodiscard]] Task task() const override { return loss_.task(); }
  [[nodiscard]] double response(double score) const override {
    return loss_.kind() == Loss::Kind::kPoisson ? loss_.response(std::min(score, kLargestLogarithm)) : score;
  }

 protected:
  explicit LossLearner(const Loss& loss) : loss_(loss) {}

  void check_number(double target) const override {
    if (loss_.accepts(target)) return;
    throw Error(Error::Kind::kTarget, fmt::format("the target is {}; expected a number from 0 on, since the loss is {}",
                                                  target, loss_.name()));
  }

  [[nodiscard]] const Loss& loss() const { return loss_; }
  [[nodiscard]] bool learns_numbers() const { return task() == Task::kRegression; }

  /// The slope of the loss by the score of one function. That of "squared" is 2(score − target), the slope of
  /// (score − target)², as the first-order learners were published with it: their step sizes mean what they meant
  /// there.
  [[nodiscard]] double slope(double score, double target) const {
    if (!learns_numbers()) return loss_.slope(score, sign_of(target));
    const double slope = loss_.slope(score, target);
    return std::clamp(loss_.kind() == Loss::Kind::kSquared ? 2.0 * slope : slope, -kLargestSlope, kLargestSlope);
  }

  /// What a step adds times a vector z of the squared length `squared_length`, the score being wᵀz: −slope·weight·rate,
  /// with the weight of the example and the step size.
  ///
  /// Losses whose slope has a bound, and steps of the others that are not too long, are taken as they are. A step of
  /// "squared" that would take the score farther from the target than it was ends at the target: a stream of such steps
  /// grows without bound. One of "poisson" moves the score, a logarithm, by 1 at most.
  [[nodiscard]] double step_along(double slope, double weight, double rate, double squared_length) const {
    const double step = -slope * weight * rate;
    if (loss_.kind() == Loss::Kind::kSquared && weight * rate * squared_length > 1.0) {
      return -slope / (2.0 * squared_length);
    }
    if (loss_.kind() == Loss::Kind::kPoisson && std::fabs(step) * squared_length > 1.0) {
      return std::copysign(1.0 / squared_length, step);
    }
    return step;
  }

 private:
  static constexpr double kLargestSlope = 1e100;
  static constexpr double kLargestLogarithm = 700.0;

  Loss loss_;
};

}  // namespace alder
