#pragma once

#include <algorithm>
#include <cstddef>

#include "simd/aligned.h"

namespace alder {

/// A square matrix in columns, as the primitives of simd/matrix.h want them, that grows by rows and columns of zeros.
template <class T>
class ColumnMatrix {
 public:
  /// Makes room for n rows and columns: half as much again as there was, or what is needed, if that is more. A column
  /// has an odd number of cache lines, so that the beginnings of columns are spread over the whole cache.
  void grow(std::size_t n) {
    if (n <= stride_) return;
    std::size_t stride = padded(std::max(n, stride_ + stride_ / 2));
    if (stride / kLanes % 2 == 0) stride += kLanes;
    AlignedVector<T> numbers(stride * stride);
    for (std::size_t j = 0; j < stride_; ++j) std::copy_n(column(j), stride_, numbers.data() + j * stride);
    numbers_ = std::move(numbers);
    stride_ = stride;
  }

  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] T* column(std::size_t j) { return numbers_.data() + j * stride_; }
  [[nodiscard]] const T* column(std::size_t j) const { return numbers_.data() + j * stride_; }
  [[nodiscard]] std::size_t bytes() const { return numbers_.capacity() * sizeof(T); }

 private:
  std::size_t stride_ = 0;
  AlignedVector<T> numbers_;
};

}  // namespace alder
