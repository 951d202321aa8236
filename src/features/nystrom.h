#pragma once

#include <cstddef>
#include <vector>

#include "kernel/dictionary.h"
#include "kernel/gram.h"

namespace alder {

class Archive;

/// The Nyström features of stored rows S: with the eigenvalues Λ_r and eigenvectors V_r of their Gram matrix, the r
/// largest,
///   φ(x) = Λ_r^(−1/2) V_rᵀ k(x),   k(x) = (κ(s_i, x))_i;
/// φ(x)ᵀφ(x') is the kernel of the projections of κ(x,·) and κ(x',·) on r directions of the span of S, so it is exact
/// on S itself when r = |S|.
///
/// Eigenvalues of less than a tolerance times the largest are left out, since their directions are rounding errors:
/// 1e-12 in double, 1e-6 in float. In float the sums are float too for radial kernels, whose values are at most 1.
template <class T>
class NystromMap {
 public:
  NystromMap(const Kernel& kernel, std::size_t rank) : rank_limit_(rank), rows_(kernel) {}
  NystromMap(const NystromMap&) = delete;
  NystromMap& operator=(const NystromMap&) = delete;

  /// S.
  [[nodiscard]] const Dictionary<T>& rows() const { return rows_; }

  /// Adds x to S. `row` has its exact kernel values with S. Requires that nothing was built.
  void append(const PreparedRow<T>& x, const KernelValues& row);
  /// Makes the map of the rows in S. O(|S|³).
  void build();
  [[nodiscard]] bool is_built() const { return is_built_; }

  /// The number of features, r or fewer.
  [[nodiscard]] std::size_t features() const { return eigenvalues_.size(); }
  /// φ(x), padded with zeros, from x's kernel values with S. O(r|S|).
  void map(const KernelValues& row, AlignedVector<double>& phi) const;
  /// The a with Σ a_i κ(s_i, x) = wᵀφ(x): V_r Λ_r^(−1/2) w. Padded with zeros.
  [[nodiscard]] AlignedVector<double> coefficients(const AlignedVector<double>& w) const;
  /// The w with wᵀφ(x) = Σ a_i κ(s_i, x) for x in the span of the r directions: Λ_r^(1/2) V_rᵀ a. Padded with zeros.
  [[nodiscard]] AlignedVector<double> weights(const AlignedVector<double>& a) const;

  /// Writes S as tensors support.*, and the Gram matrix or the map made of it.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote, of at most `most` rows.
  void load(const Archive& archive, std::size_t most);

  [[nodiscard]] std::size_t bytes() const;

 private:
  void resize(std::size_t features);
  void lay_out();
  template <class A>
  void sum(const std::vector<const A*>& columns, const KernelValues& row, AlignedVector<double>& phi) const;

  std::size_t rank_limit_;
  Dictionary<T> rows_;
  Gram gram_;  // until the map is built
  bool is_built_ = false;
  std::vector<double> eigenvalues_;          // Λ_r, falling
  AlignedVector<double> entries_;            // Λ_r^(−1/2) V_rᵀ: for each row of S a padded column
  std::vector<const double*> columns_;       // where those begin
  AlignedVector<float> float_entries_;       // the same in float, if that is enough
  std::vector<const float*> float_columns_;  // likewise
};

}  // namespace alder
