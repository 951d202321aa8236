#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "kernel/kernel_values.h"
#include "learners/core/many_class_learner.h"
#include "simd/simd.h"

namespace alder {

/// The weights w of scores wᵀz, for vectors z of the same padded length whose padding is 0: one w for up to two
/// classes, else one for each.
class LinearWeights {
 public:
  explicit LinearWeights(std::size_t length = 0) : w_(1, AlignedVector<double>(length)) {}

  /// How many there are.
  [[nodiscard]] std::size_t count() const { return w_.size(); }
  [[nodiscard]] const AlignedVector<double>& operator[](std::size_t c) const { return w_[c]; }
  /// For another w of the same length as the others have, or are about to have.
  void set(std::size_t c, AlignedVector<double> w) { w_[c] = std::move(w); }
  /// Makes all of them longer.
  void resize(std::size_t length) {
    for (AlignedVector<double>& w : w_) w.resize(length);
  }
  /// As ManyClassLearner::add_class.
  void add_class() {
    if (count() == 1) {
      for (double& number : w_[0]) number /= 2;
      w_.push_back(w_[0]);
      for (double& number : w_[0]) number = 0.0 - number;  // a 0, as in padding, stays what it is
    }
    w_.emplace_back(w_[0].size());
  }

  /// wᵀz, for each w.
  void times(const AlignedVector<double>& z, std::span<double> scores) const {
    for (std::size_t c = 0; c < count(); ++c) scores[c] = simd::dot(w_[c].data(), z.data(), w_[c].size());
  }
  /// Σ_c direction[c] w_c.
  [[nodiscard]] AlignedVector<double> combined(std::span<const double> direction) const {
    AlignedVector<double> sum(w_[0].size());
    for (std::size_t c = 0; c < count(); ++c) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += direction[c] * w_[c][i];
    }
    return sum;
  }
  /// Σ_i w_i κ_i over kernel values, for each w.
  void times(const KernelValues& row, std::span<double> scores) const {
    for (std::size_t c = 0; c < count(); ++c) scores[c] = alder::add(row.weighted_sum(w_[c]), {});
  }

  /// w += factor·z, for one of them.
  void add(std::size_t c, double factor, const AlignedVector<double>& z) {
    simd::add_scaled(factor, z.data(), w_[c].size(), w_[c].data());
  }
  /// A step of this size along z: w += size·z, or half of that for `up` and the negative half for `down`.
  void move(const ClassStep& step, double size, const AlignedVector<double>& z) {
    if (count() == 1) {
      add(0, size, z);
    } else {
      add(step.up, size / 2, z);
      add(step.down, -size / 2, z);
    }
  }
  /// The same for the i-th number alone, which is 0.
  void move(const ClassStep& step, double size, std::size_t i) {
    if (count() == 1) {
      w_[0][i] = size;
    } else {
      w_[step.up][i] = size / 2;
      w_[step.down][i] = -size / 2;
    }
  }

  /// The root of the sum of all squares.
  [[nodiscard]] double norm() const {
    double squares = 0.0;
    for (const AlignedVector<double>& w : w_) squares += simd::dot(w.data(), w.data(), w.size());
    return std::sqrt(squares);
  }

  /// Writes the first n numbers of each w, one w after the other.
  void save(Archive& archive, const std::string& name, std::size_t n) const {
    std::vector<double> all;
    for (const AlignedVector<double>& w : w_)
      all.insert(all.end(), w.begin(), w.begin() + static_cast<std::ptrdiff_t>(n));
    archive.put(name, all);
  }
  void save(Archive& archive, const std::string& name) const { save(archive, name, w_[0].size()); }
  /// Takes over `count` vectors of n numbers, which get zeros behind them up to padded(n).
  void load(const Archive& archive, const std::string& name, std::size_t count, std::size_t n) {
    const auto numbers = archive.get<double>(name, count * n);
    for (const double number : numbers) {
      if (!(std::fabs(number) <= kLargestSum)) throw_bad_archive("a number of " + name + " is out of range");
    }
    w_.assign(count, AlignedVector<double>(padded(n)));
    for (std::size_t c = 0; c < count; ++c) std::copy_n(numbers.data() + c * n, n, w_[c].data());
  }

  [[nodiscard]] std::size_t bytes() const {
    return w_.capacity() * sizeof(w_[0]) + count() * w_[0].capacity() * sizeof(double);
  }

 private:
  std::vector<AlignedVector<double>> w_;
};

}  // namespace alder
