#include "kernel/kernel_row.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace alder {
namespace {

double plain(double sum, double shift) {
  const double total = sum * std::exp(-shift);
  return total == 0.0 && sum != 0.0 ? std::copysign(std::numeric_limits<double>::min(), sum) : total;
}

}  // namespace

double add(const ScaledSum& a, const ScaledSum& b) {
  if (a.sum == 0.0 || b.sum == 0.0) {
    const ScaledSum& only = a.sum == 0.0 ? b : a;
    return plain(only.sum, only.shift);
  }
  const double shift = std::min(a.shift, b.shift);
  const double sum = a.sum * std::exp(shift - a.shift) + b.sum * std::exp(shift - b.shift);
  return plain(sum, shift);
}

std::size_t KernelRow::most_similar(std::size_t count) const {
  assert(count > 0 && count <= size_);
  // By the exponents where there are any: they order elements whose values all underflow.
  const auto least = [count](const auto& exponents) {
    return static_cast<std::size_t>(
        std::min_element(exponents.begin(), exponents.begin() + static_cast<std::ptrdiff_t>(count)) -
        exponents.begin());
  };
  if (exponents_ == Exponents::kFloat) return least(float_exponents_);
  if (exponents_ == Exponents::kDouble) return least(double_exponents_);
  return static_cast<std::size_t>(
      std::max_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count)) - values_.begin());
}

void KernelRow::resize(std::size_t size) {
  size_ = size;
  const std::size_t room = padded(size);
  if (values_.size() < room) {
    values_.resize(room);
    double_exponents_.resize(room);
    float_exponents_.resize(room);
  }
}

}  // namespace alder
