#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel_values.h"

namespace alder {

/// Some elements of a dictionary, as a kernel sees them that has the γ of the dictionary's own one times `ratio`: so
/// kernels of several widths share the distances, and each has elements of its own.
///
/// A kernel that is not radial is divided by sqrt(κ(x,x) κ(s,s)), so that every row has length 1; its ratio is 1.
template <class T>
class Basis {
 public:
  explicit Basis(bool is_radial, double ratio = 1.0) : is_radial_(is_radial), ratio_(ratio) {}

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] double ratio() const { return ratio_; }
  [[nodiscard]] const std::vector<std::uint32_t>& elements() const { return elements_; }

  /// 1/sqrt(κ(s,s)) of the element at a place.
  [[nodiscard]] double scale(std::size_t place) const { return scales_[place]; }

  /// Adds an element, with its κ(s,s).
  void append(std::size_t element, double self);
  /// The element at a place leaves; those behind it move up.
  void remove(std::size_t place);
  /// The dictionary is another one: element e of the old one is places[e] there, and the ratio is this.
  void move(std::span<const std::uint32_t> places, double ratio);

  /// The kernel values k of a row, with this κ(x,x): size() numbers.
  void copy(const KernelValues& row, double self, T* k) const;

  [[nodiscard]] std::size_t bytes() const {
    return elements_.capacity() * sizeof(std::uint32_t) + scales_.capacity() * sizeof(double);
  }

 private:
  bool is_radial_;
  double ratio_;
  std::vector<std::uint32_t> elements_;
  bool is_all_ = true;          // whether these are the first size() elements, in order
  std::vector<double> scales_;  // 1/sqrt(κ(s,s)) of each
};

}  // namespace alder
