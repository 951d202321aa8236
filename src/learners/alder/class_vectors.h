#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "kernel/turns.h"
#include "simd/matrix.h"
#include "simd/simd.h"

namespace alder {

/// A vector of n numbers for each class, or one alone for two classes, whose functions are one another's negatives.
template <class T>
class ClassVectors {
 public:
  /// One vector without numbers. New numbers are `fill`.
  explicit ClassVectors(double fill = 0.0) : fill_(static_cast<T>(fill)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The vector of a class, which has room for padded(size()) numbers.
  [[nodiscard]] const T* operator[](std::size_t c) const { return numbers_.data() + c * stride_; }
  /// The same, to be changed: products with it that were made ahead no longer count.
  [[nodiscard]] T* change(std::size_t c) {
    if (c < is_ahead_.size()) is_ahead_[c] = false;
    return numbers_.data() + c * stride_;
  }

  /// From now on they have n numbers, which is not less than before.
  void resize(std::size_t n) {
    if (n > stride_) {
      const std::size_t stride = padded(std::max(n, count_ > 1 ? stride_ + stride_ / 8 : 0));
      AlignedVector<T> numbers(count_ * stride, fill_);
      for (std::size_t c = 0; c < count_; ++c) std::copy_n((*this)[c], size_, numbers.data() + c * stride);
      numbers_ = std::move(numbers);
      stride_ = stride;
    }
    size_ = n;
  }

  /// Of one vector w makes two, −w/2 and w/2, which differ by w.
  void halve() {
    numbers_.resize(2 * stride_, fill_);
    for (std::size_t i = 0; i < size_; ++i) {
      const T half = (*this)[0][i] / 2;
      change(0)[i] = -half;
      change(1)[i] = half;
    }
    count_ = 2;
  }
  /// Of one vector makes two that are equal.
  void copy() {
    numbers_.resize(2 * stride_, fill_);
    std::copy_n((*this)[0], size_, change(1));
    count_ = 2;
  }
  /// One more class.
  void append() {
    ++count_;
    numbers_.resize(count_ * stride_, fill_);
  }

  /// The numbers from `before` on are turned, as sums of squares if that is what they are, and then the last one of
  /// each is a new one.
  void turn(const Turns& turns, std::size_t before, bool are_squares = false) {
    for (std::size_t c = 0; c < count_; ++c) {
      T* const numbers = change(c);
      are_squares ? turns.apply_to_squares(numbers + before) : turns.apply(numbers + before);
      numbers[size_ - 1] = fill_;
    }
  }

  /// The products with a z of padded(size()) numbers, 0 beyond size(): one for each vector.
  void times(const T* z, std::span<double> out) const {
    for (std::size_t c = 0; c < count_; ++c) out[c] = static_cast<double>(product(c, z));
  }

  /// The same to the bit for `count` rows, up to simd::kTogether: that at z + r·room gives out[r·stride + c].
  void times(const T* z, std::size_t room, std::size_t count, double* out, std::size_t stride) const {
    std::array<T, simd::kTogether> products;
    for (std::size_t c = 0; c < count_; ++c) {
      multiply(c, z, room, count, products.data());
      for (std::size_t r = 0; r < count; ++r) out[r * stride + c] = static_cast<double>(products[r]);
    }
  }

  /// Multiplies them with simd::kTogether rows at z + r·room, for `times_ahead`, until their size or number changes.
  void look_ahead(const T* z, std::size_t room) {
    ahead_.resize(count_ * simd::kTogether);
    is_ahead_.assign(count_, true);
    for (std::size_t c = 0; c < count_; ++c) multiply(c, z, room, simd::kTogether, ahead_.data() + c * simd::kTogether);
  }
  /// What `times` gives for row r of these, z: only vectors that have changed are multiplied again.
  void times_ahead(std::size_t r, const T* z, std::span<double> out) const {
    for (std::size_t c = 0; c < count_; ++c) {
      out[c] = static_cast<double>(is_ahead_[c] ? ahead_[c * simd::kTogether + r] : product(c, z));
    }
  }

  /// Writes them one after the other.
  void save(Archive& archive, const std::string& name) const {
    if (count_ == 1) {
      save_numbers(archive, name, numbers_, size_);
      return;
    }
    std::vector<T> all;
    for (std::size_t c = 0; c < count_; ++c) all.insert(all.end(), (*this)[c], (*this)[c] + size_);
    archive.put(name, all);
  }
  /// Takes over what `save` wrote of as many vectors as there are; no number is below `least`.
  void load(const Archive& archive, const std::string& name, double least) {
    AlignedVector<T> all(count_ * size_);
    load_numbers(archive, name, all, all.size(), least);
    for (std::size_t c = 0; c < count_; ++c) std::copy_n(all.data() + c * size_, size_, change(c));
  }

  [[nodiscard]] std::size_t bytes() const { return (numbers_.capacity() + ahead_.capacity()) * sizeof(T); }

 private:
  [[nodiscard]] T product(std::size_t c, const T* z) const {
    return size_ == 0 ? T{0} : simd::dot((*this)[c], z, size_);
  }
  void multiply(std::size_t c, const T* z, std::size_t room, std::size_t count, T* out) const {
    if (count == simd::kTogether && size_ > 0) {
      simd::dot_together((*this)[c], z, room, size_, out);
    } else {
      for (std::size_t r = 0; r < count; ++r) out[r] = product(c, z + r * room);
    }
  }

  T fill_;
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::size_t count_ = 1;
  AlignedVector<T> numbers_;    // vector c begins at c·stride_
  std::vector<T> ahead_;        // products with rows to come, class by class
  std::vector<bool> is_ahead_;  // of which classes these still count
};

}  // namespace alder
