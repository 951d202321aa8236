#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "base/random.h"
#include "kernel/dictionary.h"
#include "kernel/gram.h"

namespace alder {

class Archive;

struct SketchSizes {
  /// A part of a number of rows, at least 1.
  static std::size_t part(std::size_t rows, double ratio) {
    return static_cast<std::size_t>(std::max(1.0, std::round(ratio * static_cast<double>(rows))));
  }
  /// The sizes of the paper's experiments, by the number of rows that are sketched.
  static SketchSizes of(std::size_t rows) { return {part(rows, 0.15), part(rows, 0.75), 4}; }

  std::size_t samples = 0;   ///< s_b, at least 1
  std::size_t columns = 0;   ///< s_a, at least 1
  std::size_t nonzeros = 4;  ///< d, at least 1
};

/// Features from two sketches of the Gram matrix K of stored rows (Zhang and Liao 2019): s_b sampled columns of it,
/// C_b = K S_b, and a count sketch S_a of s_a columns with d entries ±1/sqrt(d) in every row. With
///   Φ_aa = S_aᵀ K S_a = V Σ Vᵀ,   Φ_ab = S_aᵀ C_b,   Q = Φ_ab⁺ V Σ^(1/2),
/// K ≈ C_b Q Qᵀ C_bᵀ, so φ(x) = k_b(x) Q with the kernel values k_b(x) against the sampled rows alone. Rows may join
/// the sketches later, as rank-one changes of Φ_aa and Φ_ab.
///
/// Eigenvalues of Φ_aa below 1e-12 of the largest count as 0, and so do, in the pseudo-inverse, directions of Φ_ab
/// below 1e-10 of the largest; the largest itself counts as 0 when it is so small beside the kernel values, for then
/// signs have cancelled. All of it is double: only the sampled rows are stored as T.
template <class T>
class SketchMap {
 public:
  SketchMap(const Kernel& kernel, SketchSizes sizes) : sizes_(sizes), sampled_(kernel) {}
  SketchMap(const SketchMap&) = delete;
  SketchMap& operator=(const SketchMap&) = delete;

  /// Draws the two sketches of the rows. `gram` is their Gram matrix.
  void draw(const Dictionary<T>& rows, const Gram& gram, LearnerRandom& random);
  [[nodiscard]] bool is_drawn() const { return sampled_.size() > 0; }
  /// A row joins the sketches. `row` has its kernel values with all rows of them, `self` that with itself, and
  /// `sampled_row` those with the sampled rows.
  void extend(const KernelValues& row, double self, const KernelValues& sampled_row, LearnerRandom& random);

  /// Makes Q from the sketches as they are, with at most `rank` columns. O(s_a³).
  void build(std::size_t rank);
  [[nodiscard]] bool is_built() const { return is_built_; }

  /// The number of features; 0 if nothing is left of the sketches.
  [[nodiscard]] std::size_t features() const { return features_; }
  /// The sampled rows.
  [[nodiscard]] const Dictionary<T>& sampled() const { return sampled_; }
  /// k_b(x).
  void kernel_row(const PreparedRow<T>& x, KernelValues& row) const { sampled_.kernel_row(x, Accuracy::kExact, row); }
  /// φ(x), padded with zeros, from k_b(x).
  void map(const KernelValues& row, AlignedVector<double>& phi) const;
  /// Q, s_b rows.
  [[nodiscard]] Eigen::MatrixXd matrix() const;

  /// Writes tensors sketch.*, state.has_map and state.sketch_scale.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote. `rows` is how many rows are in the sketches.
  void load(const Archive& archive, std::size_t rows);

  [[nodiscard]] std::size_t bytes() const;

 private:
  // A row of S_a: its columns with an entry, and the signs of those.
  struct Entries {
    std::vector<std::uint64_t> columns;
    std::vector<double> values;
  };

  Entries draw_entries(LearnerRandom& random) const;
  void set_matrix(const Eigen::MatrixXd& q);

  SketchSizes sizes_;
  Dictionary<T> sampled_;
  std::vector<Entries> entries_;  // S_a
  Eigen::MatrixXd both_;          // Φ_aa
  Eigen::MatrixXd across_;        // Φ_ab
  double scale_ = 0.0;            // the largest κ(x,x)
  bool is_built_ = false;
  std::size_t features_ = 0;
  AlignedVector<double> numbers_;  // Q: for each sampled row a padded row of it
  std::vector<const double*> columns_;
};

}  // namespace alder
