#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "learners/alder/adagrad.h"

namespace alder {

/// The head of ALDER that is learned for probabilities: log-odds by AdaGrad on the logistic loss. Two classes have one
/// function, the log-odds of class 1; K have one each, and their softmax is the probability. Beside scores whose
/// margins are pushed to 1 it tells how sure one can be beyond that.
template <class T>
class Head : public AdaGrad<T> {
 public:
  /// One step, for what `score` found of φ.
  void learn(double target, double weight, std::span<const double> logits, const T* phi) {
    if (this->size() == 0) return;
    if (this->count() == 1) {
      step_along((target > 0.0 ? 1.0 : 0.0) - 1.0 / (1.0 + std::exp(-logits[0])), weight, 0, 1.0, phi);
      return;
    }
    const double most = *std::max_element(logits.begin(), logits.end());
    odds_.resize(logits.size());
    double sum = 0.0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      odds_[c] = std::exp(logits[c] - most);
      sum += odds_[c];
    }
    least_slope_ = kLeastSlope * std::max(1.0, static_cast<double>(logits.size()) / kManyClasses);
    for (std::size_t c = 0; c < logits.size(); ++c) {
      step_along((static_cast<double>(c) == target ? 1.0 : 0.0) - odds_[c] / sum, weight, c, 0.5, phi);
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    return AdaGrad<T>::bytes() + gradient_.capacity() * sizeof(T) + odds_.capacity() * sizeof(double);
  }

 private:
  // Smaller slopes are left out: with many classes nearly all would take a step in every round. With more than
  // kManyClasses the limit grows with their number, since all begin with the probability 1/K.
  static constexpr double kLeastSlope = 1e-3;
  static constexpr double kManyClasses = 100.0;

  void step_along(double slope, double weight, std::size_t c, double size, const T* phi) {
    if (!(std::fabs(slope) > least_slope_)) return;
    const T factor = static_cast<T>(weight * slope);
    gradient_.resize(padded(this->size()));
    for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = factor * phi[i];
    this->step(c, size, gradient_.data());
  }

  double least_slope_ = kLeastSlope;
  AlignedVector<T> gradient_;
  std::vector<double> odds_;
};

}  // namespace alder
