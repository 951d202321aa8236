#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"

#include "simd/simd.h"

namespace alder {

/// What a kernel looks at of a row beside its features.
enum class Norm {
  kSquared,   ///< ‖x‖²
  kAbsolute,  ///< |x|₁
};
inline Norm norm_of(const Kernel& kernel) {
  return kernel.kind() == Kernel::Kind::kLaplacianL1 ? Norm::kAbsolute : Norm::kSquared;
}

/// The row of a round, rounded to the learner's scalar type and without its zeros, with what every kernel row needs
/// of it: made once, used against the support set and the window.
template <class T>
class PreparedRow {
 public:
  /// Takes over a checked row. Throws Error for values outside the scalar type's or the kernel's range.
  void assign(const Row& row, const Kernel& kernel);

  /// The same, for as long as the row's arrays are there: they may be looked at instead of being copied.
  void borrow(const Row& row, const Kernel& kernel);

  /// The same in two steps, so that the norms of several rows can be computed together: first all but the norms (throws
  /// Error for values out of range), then these. The second returns whether they are in the kernel's range.
  void borrow_values(const Row& row);
  bool take_norms(const simd::SquaredNorms& norms, const Kernel& kernel);
  /// What the second step is given if they are not computed together.
  [[nodiscard]] simd::SquaredNorms compute_norms(Norm norm = Norm::kSquared) const;

  [[nodiscard]] std::span<const FeatureIndex> features() const {
    return {borrowed_ != nullptr ? borrowed_ : features_.data(), size_};
  }
  [[nodiscard]] std::span<const T> values() const { return {values_.data(), size_}; }
  /// Those with zeros behind them, so that there are at least `size`.
  const T* padded_values(std::size_t size) {
    if (values_.size() < size) values_.resize(size);
    std::fill(values_.begin() + static_cast<std::ptrdiff_t>(size_),
              values_.begin() + static_cast<std::ptrdiff_t>(std::max(size, size_)), T{0});
    return values_.data();
  }
  /// ‖x‖², or |x|₁ if that is what the kernel looks at, summed in double.
  [[nodiscard]] double norm() const { return norm_; }
  /// The same summed in float: goes with float dot products or overlaps, so that their rounding errors cancel.
  [[nodiscard]] float float_norm() const { return float_norm_; }
  /// Whether all values are integers, and so small that the dot product with another such row is exact in float, and
  /// all sums on the way to it: these are at most the product of the norms, ‖x‖² <= 2^24. (It may be so although this
  /// is false.) The same for overlaps, where these are what the kernel looks at: they are at most |x|₁ <= 2^24.
  [[nodiscard]] bool has_exact_dots() const { return has_exact_dots_; }
  /// κ(x,x).
  [[nodiscard]] double self() const { return self_; }

  /// Whether all values are 1, and so few that a byte counts them.
  [[nodiscard]] bool is_ones() const { return is_ones_; }

  [[nodiscard]] std::size_t bytes() const {
    return features_.capacity() * sizeof(FeatureIndex) + values_.capacity() * sizeof(T);
  }

 private:
  void assign_sparse(const Row& row);
  // Room for size_ features.
  FeatureIndex* make_features();

  std::size_t size_ = 0;
  const FeatureIndex* borrowed_ = nullptr;  // if not null, instead of the next
  // Room for the longest row so far. The vectors do not become shorter: with rows that are a little longer and shorter
  // in turn, the processor would guess wrong whether they grow.
  std::vector<FeatureIndex> features_;
  std::vector<T> values_;
  double norm_ = 0.0;
  float float_norm_ = 0.0F;
  bool is_whole_ = false;
  bool has_exact_dots_ = false;
  bool is_ones_ = false;
  double self_ = 0.0;
};

}  // namespace alder
