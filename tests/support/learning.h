#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "alder/learner.h"
#include "alder/metrics.h"

namespace alder::testing {

/// The class of the label −1 or +1: 0 or 1. Of any other label, something that is no class.
inline double target_of(double label) {
  return 0.5 * (label + 1.0);
}

/// Learns one example, alone in its call, and returns the score made before; with several outputs that of class 0.
inline double learn_one(Learner& learner, const Example& example, double weight = 1.0) {
  std::vector<double> scores(learner.outputs());
  learner.learn({std::span(&example.row, 1), std::span(&example.target, 1), std::span(&weight, 1)}, scores);
  return scores[0];
}

/// The same for a label of −1 or +1.
inline double learn_one(Learner& learner, const Row& row, double label) {
  return learn_one(learner, Example{row, target_of(label)});
}

/// Learns examples one at a time, and counts what their scores were worth.
class Tally {
 public:
  double learn(Learner& learner, const Example& example) {
    made_.outputs = 1;
    made_.scores = {learn_one(learner, example)};
    metrics_.add(made_, std::span(&example.target, 1));
    return made_.scores[0];
  }
  double learn(Learner& learner, const Row& row, double label) {
    return learn(learner, Example{row, target_of(label)});
  }

  [[nodiscard]] std::uint64_t mistakes() const { return metrics_.mistakes(); }
  [[nodiscard]] double hinge_loss() const { return metrics_.sums().hinge_loss; }

 private:
  Metrics metrics_{Task::kClassification};
  Predictions made_;
};

}  // namespace alder::testing
