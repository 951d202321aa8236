#include "kernel/kernel_values.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include "simd/simd.h"

namespace alder {
namespace {

// If all values of a row are below e^−16, they are summed relative to the largest of them. Up to there, values of
// 1e-24 times the largest are still normal floats.
constexpr double kPlainExponent = 16.0;
const double kPlain = std::exp(-kPlainExponent);

double plain(double sum, double shift) {
  if (shift == 0.0) return sum;
  const double total = sum * std::exp(-shift);
  return total == 0.0 && sum != 0.0 ? std::copysign(std::numeric_limits<double>::min(), sum) : total;
}

}  // namespace

double add_shifted(const ScaledSum& a, const ScaledSum& b) {
  if (a.sum == 0.0 || b.sum == 0.0) {
    const ScaledSum& only = a.sum == 0.0 ? b : a;
    return plain(only.sum, only.shift);
  }
  const double shift = std::min(a.shift, b.shift);
  const double sum = a.sum * std::exp(shift - a.shift) + b.sum * std::exp(shift - b.shift);
  return plain(sum, shift);
}

// These slots are free.
template <class A>
void KernelValues::clear(Numbers<A>& numbers, std::size_t begin, std::size_t end) const {
  std::fill(numbers.values.data() + begin, numbers.values.data() + end, A{0});
  if (has_exponents_) {
    std::fill(numbers.exponents.data() + begin, numbers.exponents.data() + end, std::numeric_limits<A>::infinity());
  }
}

KernelValues::Sums KernelValues::sums(const AlignedVector<double>& weights,
                                      const AlignedVector<double>& scratch_weights) const {
  const bool has_scratch_rows = !scratch_weights.empty() && front_ > 0;
  assert(weights.size() >= padded(size_) && (!has_scratch_rows || scratch_weights.size() == front_));
  return with_numbers([&](const auto& numbers) -> Sums {
    const auto* values = numbers.values.data();
    using A = std::remove_cvref_t<decltype(*values)>;
    const simd::RowSums plain = simd::row_sums(scratch_weights.data(), values, has_scratch_rows ? front_ : 0,
                                               weights.data(), values + front_, size_, static_cast<A>(kPlain));
    Sums sums = {{plain.sum, 0.0}, {plain.front, 0.0}};
    if (!has_exponents_) return sums;
    if (size_ > 0 && plain.is_small) {
      const simd::ShiftedSum shifted = simd::shifted_sum(weights.data(), numbers.exponents.data() + front_, size_);
      sums.elements = {shifted.sum, std::numbers::ln2 * shifted.least};
    }
    if (has_scratch_rows && plain.front_is_small) {
      const simd::ShiftedSum shifted = simd::shifted_sum(scratch_weights.data(), numbers.exponents.data(), front_);
      sums.scratch_rows = {shifted.sum, std::numbers::ln2 * shifted.least};
    }
    return sums;
  });
}

std::size_t KernelValues::most_similar(std::size_t count) const {
  assert(count > 0 && count <= size_);
  // By the exponents where there are any: they order elements whose values all underflow.
  if (has_exponents_) {
    return with_numbers(
        [&](const auto& numbers) { return simd::index_of_least(numbers.exponents.data() + front_, count); });
  }
  const double* values = double_.values.data() + front_;
  return static_cast<std::size_t>(std::max_element(values, values + count) - values);
}

namespace {

// Powers in the arithmetic of the exponents, then rounded or widened.
template <class A, class T>
void powers_as(const A* exponents, double ratio, std::size_t count, T* out) {
  const A own_ratio = static_cast<A>(ratio);
  if constexpr (std::is_same_v<A, T>) {
    simd::powers(exponents, own_ratio, count, out);
  } else {
    static thread_local std::vector<A> powers;
    if (powers.size() < count) powers.resize(count);
    simd::powers(exponents, own_ratio, count, powers.data());
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(powers[i]);
  }
}

}  // namespace

template <class T>
void KernelValues::copy_powers(double ratio, std::span<const std::uint32_t> elements, T* out) const {
  assert(has_exponents_ && ratio > 0.0);
  with_numbers([&](const auto& numbers) {
    const auto* exponents = numbers.exponents.data() + front_;
    static thread_local std::vector<std::remove_cvref_t<decltype(*exponents)>> gathered;
    if (gathered.size() < elements.size()) gathered.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      assert(elements[i] < size_);
      gathered[i] = exponents[elements[i]];
    }
    powers_as(gathered.data(), ratio, elements.size(), out);
  });
}

template <class T>
void KernelValues::copy_powers(double ratio, std::size_t count, T* out) const {
  assert(has_exponents_ && ratio > 0.0 && count <= size_);
  with_numbers([&](const auto& numbers) { powers_as(numbers.exponents.data() + front_, ratio, count, out); });
}

template void KernelValues::copy_powers(double, std::span<const std::uint32_t>, float*) const;
template void KernelValues::copy_powers(double, std::span<const std::uint32_t>, double*) const;
template void KernelValues::copy_powers(double, std::size_t, float*) const;
template void KernelValues::copy_powers(double, std::size_t, double*) const;

void KernelValues::grow(std::size_t slots) {
  const auto resize = [slots](auto& numbers) {
    numbers.values.resize(slots);
    numbers.exponents.resize(slots);
  };
  if (is_float_) {
    resize(float_);
  } else {
    resize(double_);
  }
}

void KernelValues::truncate(std::size_t count) {
  if (count >= size_) return;
  if (is_float_) {
    clear(float_, front_ + count, front_ + size_);
  } else {
    clear(double_, front_ + count, front_ + size_);
  }
  size_ = count;
}

void KernelValues::restore(std::size_t scratch_rows, std::span<const double> values) {
  prepare<double>(scratch_rows, values.size(), false);
  std::copy(values.begin(), values.end(), double_.values.begin() + static_cast<std::ptrdiff_t>(front_));
}

double KernelValues::dot(const Eigen::VectorXd& weights) const {
  assert(static_cast<std::size_t>(weights.size()) <= size_);
  if (!is_float_) return weights.dot(Eigen::Map<const Eigen::VectorXd>(double_.values.data() + front_, weights.size()));
  double sum = 0.0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) sum += weights[i] * kernel(static_cast<std::size_t>(i));
  return sum;
}

std::size_t KernelValues::bytes() const {
  return (float_.values.capacity() + float_.exponents.capacity()) * sizeof(float) +
         (double_.values.capacity() + double_.exponents.capacity()) * sizeof(double);
}

// Makes room for so many values. One vector more than the elements fill: what is taken over goes there, and it has to
// be 0 before.
template <class A>
KernelValues::Numbers<A>& KernelValues::prepare(std::size_t front, std::size_t size, bool has_exponents) {
  front_ = front;
  size_ = size;
  is_float_ = std::is_same_v<A, float>;
  has_exponents_ = has_exponents;
  Numbers<A>& numbers = this->numbers<A>();
  const std::size_t filled = padded(front + size);
  if (numbers.values.size() < filled + kLanes) {
    numbers.values.resize(filled + kLanes);
    numbers.exponents.resize(filled + kLanes);
  }
  std::fill_n(numbers.values.data() + filled, kLanes, A{0});
  std::fill_n(numbers.exponents.data() + filled, kLanes, std::numeric_limits<A>::infinity());
  return numbers;
}

template KernelValues::Numbers<float>& KernelValues::prepare<float>(std::size_t, std::size_t, bool);
template KernelValues::Numbers<double>& KernelValues::prepare<double>(std::size_t, std::size_t, bool);

}  // namespace alder
