#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "learners/alder/class_vectors.h"
#include "simd/matrix.h"

namespace alder {

/// Functions that are linear in the coordinates φ, one for two classes and else one for each, learned by AdaGrad: every
/// weight has a step of its own, divided by the root of the sum of its squared gradients.
template <class T>
class AdaGrad {
 public:
  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  /// How many functions there are.
  [[nodiscard]] std::size_t count() const { return weights_.count(); }
  /// From now on there are n coordinates.
  void resize(std::size_t n) {
    weights_.resize(n);
    squares_.resize(n);
  }
  /// One more class than before.
  void add_class() {
    if (count() == 1) {
      weights_.halve();
      squares_.copy();
    }
    weights_.append();
    squares_.append();
  }

  /// Their values for a φ of padded(size()) numbers, 0 beyond size().
  void score(const T* phi, std::span<double> scores) const { weights_.times(phi, scores); }
  /// The same for rows in blocks, as ClassVectors has it.
  void score(const T* phi, std::size_t room, std::size_t count, double* scores, std::size_t stride) const {
    weights_.times(phi, room, count, scores, stride);
  }
  void look_ahead(const T* phi, std::size_t room) { weights_.look_ahead(phi, room); }
  void score_ahead(std::size_t r, const T* phi, std::span<double> scores) const {
    weights_.times_ahead(r, phi, scores);
  }
  /// Coordinates are turned, and then the last one is a new one.
  void turn(const Turns& turns) {
    weights_.turn(turns, 0);
    squares_.turn(turns, 0, true);
  }
  /// One step of function c, of this size, along a gradient.
  void step(std::size_t c, double size, const T* gradient) {
    simd::adagrad_step(static_cast<T>(size), gradient, weights_.size(), squares_.change(c), weights_.change(c));
  }

  /// Writes tensors name.*, and takes over what was written for n coordinates and as many functions.
  void save(Archive& archive, const std::string& name) const {
    weights_.save(archive, name + ".weights");
    squares_.save(archive, name + ".squares");
  }
  void load(const Archive& archive, const std::string& name, std::size_t n) {
    resize(n);
    weights_.load(archive, name + ".weights", -kLargestNumber<T>);
    squares_.load(archive, name + ".squares", kFirstSquare / 2);
  }

  [[nodiscard]] std::size_t bytes() const { return weights_.bytes() + squares_.bytes(); }

 private:
  static constexpr double kFirstSquare = 1e-3;

  ClassVectors<T> weights_;
  ClassVectors<T> squares_{kFirstSquare};  // Σ of squared gradients
};

}  // namespace alder
