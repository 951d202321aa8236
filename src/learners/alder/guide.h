#pragma once

#include <cstddef>
#include <string>

#include "archive/tensors.h"
#include "simd/matrix.h"
#include "simd/simd.h"

namespace alder {

/// The guide of ALDER: linear in the coordinates φ, learned by AdaGrad with step 1. Its steps do not get smaller in a
/// direction that has only just appeared, so that where it violates the margin is where the dictionary has to grow.
template <class T>
class Guide {
 public:
  /// From now on there are n coordinates.
  void resize(std::size_t n) {
    size_ = n;
    weights_.resize(padded(n));
    squares_.resize(padded(n), static_cast<T>(kFirstSquare));
  }

  [[nodiscard]] double score(const T* phi) const {
    return size_ == 0 ? 0.0 : static_cast<double>(simd::dot(weights_.data(), phi, size_));
  }
  /// One step for a violated margin. (A weight would multiply the gradient, which AdaGrad divides by its size again.)
  void learn(double label, const T* phi) {
    if (size_ > 0) simd::adagrad_step(static_cast<T>(label), phi, size_, squares_.data(), weights_.data());
  }

  void save(Archive& archive, const std::string& name) const {
    save_numbers(archive, name + ".weights", weights_, size_);
    save_numbers(archive, name + ".squares", squares_, size_);
  }
  void load(const Archive& archive, const std::string& name, std::size_t n) {
    resize(n);
    load_numbers(archive, name + ".weights", weights_, n, -kLargestNumber<T>);
    load_numbers(archive, name + ".squares", squares_, n, kFirstSquare / 2);
  }

  [[nodiscard]] std::size_t bytes() const { return (weights_.capacity() + squares_.capacity()) * sizeof(T); }

 private:
  static constexpr double kFirstSquare = 1e-3;

  std::size_t size_ = 0;
  AlignedVector<T> weights_;
  AlignedVector<T> squares_;  // Σ of squared gradients
};

}  // namespace alder
