#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "kernel/dictionary.h"

namespace alder {

/// The last M examples, from which the optimistic gradient ∇̄ = −(1/|W|) Σ y κ(x,·) is made.
///
/// While phase 1 runs it also keeps κ(x, s_i) for every window row x and support element s_i. None of these values is
/// ever computed for the purpose: a row brings its own kernel row along, and when S grows by x_t, the values κ(x, x_t)
/// are those that gave the hint m_t.
template <class T>
class Window {
 public:
  Window(const Kernel& kernel, std::size_t capacity) : capacity_(capacity), rows_(kernel) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// m(x) = (1/|W|) Σ_{(z,y)∈W} y κ(z, x), or 0 for the empty window. `row` receives the kernel values κ(z, x).
  ScaledSum hint(const Query<T>& x, Accuracy accuracy, KernelRow& row) const;

  /// Adds an example in the place of the oldest one.
  void push(const Query<T>& x, double label);

  /// For phase 1. Keeps κ(x, s_i) of the example pushed last; `row` covers the first row.size() elements of S, and
  /// `self` is added as one more if that example has just become an element itself.
  void keep_support_values(const KernelRow& row, const double* self);
  /// For phase 1. S has grown by x; `row` is what `hint` gave for x.
  void extend_support_values(const KernelRow& row);
  /// (1/|W|) Σ_{(z,y)∈W} y Σ_i β_i κ(s_i, z).
  [[nodiscard]] double projected_hint(const Eigen::VectorXd& beta) const;
  /// Phase 1 is over.
  void forget_support_values();

  /// Writes the window as tensors window.*, and its newest slot into the settings.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote, into an empty window. `support` is |S| if support values are kept (phase 1), and
  /// `keeps` says so.
  void load(const Archive& archive, bool keeps, std::size_t support);

  [[nodiscard]] std::size_t bytes() const;

 private:
  std::size_t capacity_;
  Dictionary<T> rows_;
  AlignedVector<double> labels_;                     // padded with zeros
  std::size_t newest_ = 0;                           // the slot pushed last
  std::vector<std::vector<double>> support_values_;  // per slot: κ(z, s_i)
};

}  // namespace alder
