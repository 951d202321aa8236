#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <type_traits>

#include <Eigen/Core>

#include "alder/kernel.h"

#include "simd/aligned.h"

namespace alder {

/// A sum of kernel values with its magnitude apart: sum · e^(−shift). With a narrow kernel all values of a row can be
/// far below what a number can hold, while their sum still has a sign worth predicting.
struct ScaledSum {
  double sum = 0.0;
  double shift = 0.0;

  [[nodiscard]] double value() const { return shift == 0.0 ? sum : sum * std::exp(-shift); }
};

/// a + b as a plain number, where a shift is not 0.
double add_shifted(const ScaledSum& a, const ScaledSum& b);
/// a + b as a plain number. A result too small for a double keeps its sign, as the smallest normal number.
inline double add(const ScaledSum& a, const ScaledSum& b) {
  return a.shift == 0.0 && b.shift == 0.0 ? a.sum + b.sum : add_shifted(a, b);
}

/// γ of a radial kernel as the exponents of 2 have it: e^(−γd²) = 2^(−binary_gamma·d²).
inline double binary_gamma(const Kernel& kernel) {
  return std::min(std::numbers::log2e * kernel.gamma(), std::numeric_limits<double>::max());
}

/// The kernel values of one row with the scratch rows and the elements of a dictionary, filled in by the dictionary.
/// Those of radial kernels are κ = e^(−q), and the exponents q still tell them apart where all values underflow. (They
/// are stored as those of 2.)
class KernelValues {
 public:
  /// The number of elements.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// κ of the row and element i; it may have underflowed.
  [[nodiscard]] double kernel(std::size_t i) const { return at(front_ + i); }
  /// κ of the row and a scratch row.
  [[nodiscard]] double scratch(std::size_t g) const { return at(g); }

  /// The exponent q of κ = e^(−q), of a radial kernel, likewise.
  [[nodiscard]] double exponent(std::size_t i) const { return exponent_at(front_ + i); }
  [[nodiscard]] double scratch_exponent(std::size_t g) const { return exponent_at(g); }
  /// κ with the first `count` elements.
  template <class T>
  void copy_kernel(std::size_t count, T* out) const {
    with_numbers([&](const auto& numbers) {
      const auto* values = numbers.values.data() + front_;
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(values[i]);
    });
  }
  /// κ^ratio, that is e^(−ratio·q), of a radial kernel, with these elements: out[i] is that of elements[i]. `ratio` is
  /// above 0. Values below the limit of `simd::powers` are 0; computed in the arithmetic of this row.
  template <class T>
  void copy_powers(double ratio, std::span<const std::uint32_t> elements, T* out) const;
  /// The same for the first `count` elements.
  template <class T>
  void copy_powers(double ratio, std::size_t count, T* out) const;

  /// Σ_i weights[i] κ_i over the elements. `weights` has room for padded(size()) numbers, zero beyond size().
  [[nodiscard]] ScaledSum weighted_sum(const AlignedVector<double>& weights) const {
    return sums(weights, {}).elements;
  }
  struct Sums {
    ScaledSum elements;
    ScaledSum scratch_rows;
  };
  /// The same, and also over the scratch rows, each with a weight of its own, unless there are no such weights.
  [[nodiscard]] Sums sums(const AlignedVector<double>& weights, const AlignedVector<double>& scratch_weights) const;
  /// The element with the largest κ among the first `count` (at least 1); the first of them on a tie.
  [[nodiscard]] std::size_t most_similar(std::size_t count) const;

  /// Σ_i weights[i] κ_i over the elements, as plain numbers, for as many elements as there are weights.
  [[nodiscard]] double dot(const Eigen::VectorXd& weights) const;

  /// The row's own value with element i, which has just been stored in this place, is that of `other`, computed in the
  /// same arithmetic, with scratch row g.
  void take(std::size_t i, const KernelValues& other, std::size_t g) {
    const std::size_t slot = front_ + i;
    if (slot >= (is_float_ ? float_.values.size() : double_.values.size())) grow(padded(2 * slot + 1));
    if (is_float_) {
      float_.take(slot, other.float_, g, other);
    } else {
      double_.take(slot, other.double_, g, other);
    }
    if (i >= size_) size_ = i + 1;
  }
  /// Only the first `count` elements are left.
  void truncate(std::size_t count);
  /// Takes over values with the elements, in double and without exponents.
  void restore(std::size_t scratch_rows, std::span<const double> values);

  [[nodiscard]] std::size_t bytes() const;

 private:
  template <class T>
  friend class Dictionary;

  template <class A>
  struct Numbers {
    AlignedVector<A> values;
    AlignedVector<A> exponents;

    void take(std::size_t slot, const Numbers& from, std::size_t g, const KernelValues& row) {
      values[slot] = from.values[g];
      if (row.has_exponents_) exponents[slot] = from.exponents[g];
    }
  };

  [[nodiscard]] double at(std::size_t slot) const {
    return is_float_ ? static_cast<double>(float_.values[slot]) : double_.values[slot];
  }
  [[nodiscard]] double exponent_at(std::size_t slot) const {
    return std::numbers::ln2 * (is_float_ ? static_cast<double>(float_.exponents[slot]) : double_.exponents[slot]);
  }
  template <class A>
  Numbers<A>& prepare(std::size_t front, std::size_t size, bool has_exponents);
  void grow(std::size_t slots);
  template <class A>
  Numbers<A>& numbers() {
    if constexpr (std::is_same_v<A, float>) {
      return float_;
    } else {
      return double_;
    }
  }
  template <class A>
  void clear(Numbers<A>& numbers, std::size_t begin, std::size_t end) const;
  template <class Body>
  auto with_numbers(const Body& body) const {
    return is_float_ ? body(float_) : body(double_);
  }

  std::size_t front_ = 0;  // places for scratch rows, before the elements
  std::size_t size_ = 0;
  bool is_float_ = false;       // which of the two below is filled in
  bool has_exponents_ = false;  // a radial kernel has
  Numbers<float> float_;
  Numbers<double> double_;
};

}  // namespace alder
