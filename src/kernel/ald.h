#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "kernel/kernel_values.h"

namespace alder {

class Archive;

/// A row seen from the span of the dictionary S: its coordinates and what they leave over.
struct Projection {
  Eigen::VectorXd phi;  ///< φ = L⁻¹ k(x), the coordinates in an orthonormal basis of span(S)
  double alpha = 0.0;  ///< α = κ(x,x) − ‖φ‖² >= 0, the squared distance of κ(x,·) to the span (the ALD error)
};

/// The test for approximate linear dependence (ALD): the growing Cholesky factor L of the Gram matrix K_S = L Lᵀ,
/// always in double, because the test looks at differences of 1e-10 and less.
class AldBasis {
 public:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }

  /// Projects x on the span, from its kernel row with S and self = κ(x,x). O(|S|²).
  void project(const KernelValues& row, double self, Projection& out) const;

  /// Whether x adds a direction to the span: sqrt(α) > threshold, and α is more than the rounding errors of `project`.
  [[nodiscard]] static bool independent(const Projection& projection, double self, double threshold);

  /// Appends x to S = {s_1..s_k}: the factor L gains the row (φᵀ, sqrt(α)). O(k), because φ is known from the test.
  /// Requires α > 0.
  void append(const Projection& projection);

  /// β = K_S⁻¹ k(x) = L⁻ᵀ φ, the coefficients of the projection of κ(x,·) on the elements of S. O(|S|²).
  void coefficients(const Projection& projection, Eigen::VectorXd& beta) const;

  /// L, lower triangular.
  [[nodiscard]] auto factor() const { return factor_.topLeftCorner(size_, size_); }

  /// Writes the lower triangle of L, row by row, as a tensor of this name.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over the factor that `save` wrote, of elements with these κ(s_i,s_i).
  void load(const Archive& archive, const std::string& name, const std::vector<double>& selfs);

  /// Forgets everything and gives the memory back.
  void reset() { *this = AldBasis(); }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(factor_.size()) * sizeof(double); }

 private:
  Eigen::Index size_ = 0;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> factor_;  // room to grow around L
};

}  // namespace alder
