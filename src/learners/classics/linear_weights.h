#pragma once

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "kernel/expansion.h"
#include "simd/simd.h"

namespace alder {

/// The weights w of a score wᵀz, for vectors z of the same padded length whose padding is 0.
class LinearWeights {
 public:
  explicit LinearWeights(std::size_t length = 0) : w_(length) {}
  explicit LinearWeights(AlignedVector<double> w) : w_(std::move(w)) {}

  [[nodiscard]] double dot(const AlignedVector<double>& z) const { return simd::dot(w_.data(), z.data(), w_.size()); }
  /// w += factor·z.
  void add(double factor, const AlignedVector<double>& z) { simd::add_scaled(factor, z.data(), w_.size(), w_.data()); }
  [[nodiscard]] double norm() const { return std::sqrt(simd::dot(w_.data(), w_.data(), w_.size())); }
  [[nodiscard]] const AlignedVector<double>& values() const { return w_; }

  void save(Archive& archive, const std::string& name) const { archive.put(name, std::span<const double>(w_)); }
  /// Takes over `length` numbers.
  void load(const Archive& archive, const std::string& name, std::size_t length) {
    const auto numbers = archive.get<double>(name, length);
    for (const double number : numbers) {
      if (!(std::fabs(number) <= kLargestSum)) throw_bad_archive("a weight is out of range");
    }
    w_.assign(numbers.begin(), numbers.end());
  }

  [[nodiscard]] std::size_t bytes() const { return w_.capacity() * sizeof(double); }

 private:
  AlignedVector<double> w_;
};

}  // namespace alder
