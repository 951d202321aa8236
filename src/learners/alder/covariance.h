#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "kernel/turns.h"
#include "simd/column_matrix.h"
#include "simd/matrix.h"
#include "simd/simd.h"

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
/// A pass over a matrix that does not fit into the nearest cache costs more than all that is done to a number in it.
/// So, below the diagonal, updates are kept as they are, β and Σz, and are carried out eight at a time, when a block of
/// rows begins; and products with several rows of the block, which are then valid until it ends but for the updates
/// that are kept, can be made together.
template <class T>
class Covariance {
 public:
  /// `noise` is r of the predictor: β is at most 1/r, but for weights.
  Covariance(double noise, double forget, bool is_diagonal)
      : noise_(noise), forget_(forget), is_diagonal_(is_diagonal) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// From now on there are n coordinates; new ones have the variance 1.
  void resize(std::size_t n);
  /// What every variance regains in an update from now on.
  void set_forget(double forget) { forget_ = forget; }

  /// Σz, and v = zᵀΣz >= 0.
  struct Direction {
    const T* u;  ///< valid until Σ changes
    double v;
  };
  /// For a z of padded(size()) numbers, 0 beyond size(); there is at least one. O(size²).
  Direction along(const T* z) { return along(z, kNoRow); }
  /// The same for row r of those that `look_ahead` got, which is z.
  Direction along(const T* z, std::size_t r);
  /// v alone, to the bit.
  [[nodiscard]] double spread(const T* z) const;

  /// A block of rows begins. It depends on this when updates are carried out, so it must not depend on how rows are cut
  /// into batches.
  void begin_block();
  /// Some rows of the block are likely to be learned: row r, if wanted[r], with z at z + r·room. More coordinates may
  /// follow before they are.
  void look_ahead(const T* z, std::size_t room, std::span<const bool> wanted);
  void forget_ahead() { is_ahead_.fill(false); }
  /// Shrinks Σ along the latest of these, of which it was not changed since.
  void shrink(double beta);

  /// The coordinates from `before` on are turned, and then the last one is a new one. O(size²).
  void turn(const Turns& turns, std::size_t before);

  /// Σ_ij.
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const;

  /// Writes the lower half as tensors name.*.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote for n coordinates. An Error if it is not positive definite. O(n³).
  void load(const Archive& archive, const std::string& name, std::size_t n);

  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::size_t kNoRow = ~std::size_t{0};
  // A block has that many rows, and as many updates may be left over from before.
  static constexpr std::size_t kMostPending = 2 * simd::kMostProducts;

  [[nodiscard]] T* moved(std::size_t update) { return moved_.data() + update * below_.stride(); }
  [[nodiscard]] const T* moved(std::size_t update) const { return moved_.data() + update * below_.stride(); }
  void multiply(const T* z, std::size_t r, T* u) const;
  void carry_out(std::size_t updates);
  void limit(std::size_t i);
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
  // What is below the diagonal, times the rows that were looked at ahead:
  AlignedVector<T> ahead_;
  std::array<bool, simd::kTogether> is_ahead_{};
};

}  // namespace alder
