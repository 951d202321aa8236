#pragma once

#include <span>

#include "alder/examples.h"

#include "learners/alder/arow.h"

namespace alder::testing {

/// An update of two classes, the label being −1 or +1.
template <class T>
void learn(Arow<T>& arow, double label, double score, const T* z, double weight = 1.0) {
  arow.learn(class_of(label), std::span(&score, 1), z, weight);
}

/// The weights of two classes.
template <class T>
std::span<const T> weights_of(const Arow<T>& arow) {
  return {arow.weights()[0], arow.size()};
}

}  // namespace alder::testing
