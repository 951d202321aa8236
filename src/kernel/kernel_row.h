#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "simd/aligned.h"
#include "simd/simd.h"

namespace alder {

/// A sum of kernel values with its magnitude apart: sum · e^(−shift). With a narrow kernel all values of a row can be
/// far below what a number can hold, while their sum still has a sign worth predicting.
struct ScaledSum {
  double sum = 0.0;
  double shift = 0.0;

  [[nodiscard]] double value() const { return sum * std::exp(-shift); }
};

/// a + b as a plain number. A result too small for a double keeps its sign, as the smallest normal number.
double add(const ScaledSum& a, const ScaledSum& b);

/// The kernel values of one row against the elements of a dictionary, filled in by Dictionary::kernel_row. Values of
/// radial kernels are stored relative to the largest of them: κ_i = values[i] · e^(−shift), the largest value being 1.
class KernelRow {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  /// κ of the row and element i, as a plain number (it may underflow to 0).
  [[nodiscard]] double kernel(std::size_t i) const { return values_[i] * scale_; }
  /// Σ_i weights[i] κ_i. `weights` has room for padded(size()) numbers, zero beyond size().
  [[nodiscard]] ScaledSum weighted_sum(const AlignedVector<double>& weights) const {
    return {simd::dot(weights.data(), values_.data(), size_), shift_};
  }
  /// The element with the largest κ among the first `count` (at least 1); the first of them on a tie.
  [[nodiscard]] std::size_t most_similar(std::size_t count) const;

 private:
  template <class T>
  friend class Dictionary;

  enum class Exponents { kNone, kFloat, kDouble };  // which array has the exponents of a radial kernel

  void resize(std::size_t size);
  void set_shift(double shift) {
    shift_ = shift;
    scale_ = std::exp(-shift);
  }

  std::size_t size_ = 0;
  double shift_ = 0.0;
  double scale_ = 1.0;  // e^(−shift)
  Exponents exponents_ = Exponents::kNone;
  AlignedVector<float> float_exponents_;
  AlignedVector<double> double_exponents_;
  AlignedVector<double> values_;
};

}  // namespace alder
