#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernel/turns.h"
#include "simd/column_matrix.h"

namespace alder {

class Archive;

/// Orthonormal coordinates in the span of a growing dictionary S, for a kernel with κ(x,x) = 1:
///   φ(x) = M k(x),   M = L⁻¹,   K_S = L Lᵀ,
/// L being the Cholesky factor of the Gram matrix. Appending an element only appends a coordinate: what was learned in
/// those there were stays valid. M instead of L, because a product has no chain of divisions to wait for; it grows by
///   (−φᵀM, 1)/sqrt(α).
template <class T>
class Coordinates {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  /// φ from the kernel values k with S, both of padded(size()) numbers, 0 beyond size(). Returns α = 1 − ‖φ‖² >= 0,
  /// the squared distance of κ(x,·) to the span. O(|S|²).
  double project(const T* k, T* phi) const;
  /// The same to the bit for `count` rows: those of row r are at k + r·room and phi + r·room, and α at alphas + r.
  void project(const T* k, std::size_t room, std::size_t count, T* phi, double* alphas) const;

  /// Appends an element by its kernel values with those that are there. Returns sqrt(α), its coordinate in its own
  /// direction; 0, if rounding leaves nothing of that, and then nothing is appended. O(|S|²).
  double append(const T* k);

  /// The coefficients c = Mᵀw of the function wᵀφ = Σ c_j κ(s_j,·). O(|S|²).
  [[nodiscard]] std::vector<double> coefficients(std::span<const double> w) const;

  /// What the function wᵀφ loses of its squared length, at least, if an element leaves: c_j²/Σ_i M_ij² for element j,
  /// c = Mᵀw being its coefficients. O(|S|²).
  [[nodiscard]] std::vector<double> losses(const T* w) const;
  /// Element v leaves, and one that has these kernel values with the others takes the last place. Coordinates are
  /// turned so that only the last one is lost; `turns` receives how. Returns the new one's coordinate in its own
  /// direction. O(|S|²).
  double replace(std::size_t v, const T* k, Turns& turns);

  /// Writes M, row by row, as a tensor of this name.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote for `size` elements.
  void load(const Archive& archive, const std::string& name, std::size_t size);

  [[nodiscard]] std::size_t bytes() const { return rows_.capacity() * sizeof(double) + columns_.bytes(); }

 private:
  double project_exactly(const T* k);
  void append_row(double root);
  void copy_row(std::size_t i);
  double finish(T* phi) const;

  std::size_t size_ = 0;
  std::vector<double> rows_;  // the lower triangle of M, row by row: in double, since every row is made of all before
  ColumnMatrix<T> columns_;   // the same, to multiply by
  // Of an element on its way in:
  std::vector<double> k_;
  std::vector<double> phi_;
};

}  // namespace alder
