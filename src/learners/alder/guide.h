#pragma once

#include <cstddef>

#include "learners/alder/adagrad.h"
#include "learners/core/margin.h"

namespace alder {

/// The guide of ALDER: AdaGrad on the hinge loss, with step 1. Its steps do not get smaller in a direction that has
/// only just appeared, so that where it violates the margin is where the dictionary has to grow.
template <class T>
class Guide : public AdaGrad<T> {
 public:
  /// One step for a violated margin; of many classes, the right one and its rival share it. (A weight would multiply
  /// the gradient, which AdaGrad divides by its size again.)
  void learn(double target, const Margin& margin, const T* phi) {
    if (this->size() == 0) return;
    if (this->count() == 1) {
      this->step(0, sign_of(target), phi);
    } else {
      this->step(static_cast<std::size_t>(target), 0.5, phi);
      this->step(margin.rival, -0.5, phi);
    }
  }
};

}  // namespace alder
