#pragma once

#include <cstddef>
#include <string>

#include "simd/column_matrix.h"

namespace alder {

class Archive;

/// The covariance Σ of the weights of linear functions of z, which starts at I and is shrunk along what was learned:
///   Σ −= β Σz (Σz)ᵀ.
/// With `forget` > 0 every variance then regains so much, up to 1: old examples lose their weight, and what is learned
/// follows a target that moves.
///
/// Only the lower half is kept, so it is symmetric whatever happens. It stays positive definite because its diagonal
/// grows by more, in relation, than rounding errors take away in an update: by 16 units in the last place. (With little
/// noise, r = 10⁻⁶, an eigenvalue may come out as −10⁻⁹; zᵀΣz is then taken as 0. If that shows that Σ is far from
/// positive definite, which only a forged model file can bring about, all covariances are set to 0.)
///
/// If it is diagonal, covariances are taken as 0, and an update costs O(size).
///
/// Below the diagonal, updates are kept as they are, β and Σz, and are carried out eight at a time: a pass over a
/// matrix that does not fit into the nearest cache costs more than all that is done to a number in it.
template <class T>
class Covariance {
 public:
  /// `noise` is r of the predictor: β is at most 1/r, but for weights.
  Covariance(double noise, double forget, bool is_diagonal)
      : noise_(noise), forget_(forget), is_diagonal_(is_diagonal) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// From now on there are n coordinates; new ones have the variance 1.
  void resize(std::size_t n);

  /// Σz, and v = zᵀΣz >= 0.
  struct Direction {
    const T* u;  ///< valid until Σ changes
    double v;
  };
  /// For a z of padded(size()) numbers, 0 beyond size(); there is at least one. O(size²).
  Direction along(const T* z);
  /// Shrinks Σ along the latest of these, of which it was not changed since.
  void shrink(double beta);

  /// Σ_ij.
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const;

  /// Writes the lower half as tensors name.*.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote for n coordinates. An Error if it is not positive definite. O(n³).
  void load(const Archive& archive, const std::string& name, std::size_t n);

  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] T* moved(std::size_t update) { return moved_.data() + update * below_.stride(); }
  [[nodiscard]] const T* moved(std::size_t update) const { return moved_.data() + update * below_.stride(); }
  void multiply(const T* z, T* u);
  void carry_out();
  void forget_covariances();
  // Whether Σ + tolerance·r·I is positive definite. O(size³).
  [[nodiscard]] bool is_sound(double tolerance) const;

  double noise_;
  double forget_;  // what a variance regains in an update
  bool is_diagonal_;
  std::size_t size_ = 0;
  AlignedVector<T> variances_;  // the diagonal of Σ
  ColumnMatrix<T> below_;       // what is below it
  // Updates that are not carried out yet, below the diagonal:
  std::size_t pending_ = 0;
  AlignedVector<T> moved_;    // Σz of each, at multiples of the matrix' stride, and room for one more
  AlignedVector<T> factors_;  // −β of each
};

}  // namespace alder
