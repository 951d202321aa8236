#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "kernel/dictionary.h"
#include "simd/simd.h"

namespace alder {

class Archive;
struct ScoreParts;

/// A function f = Σ a_i κ(s_i,·): the support set S of stored rows s_i, and a coefficient a_i for each.
template <class T>
class Expansion {
 public:
  explicit Expansion(const Kernel& kernel, std::size_t scratch_rows = 0) : rows_(kernel, scratch_rows) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const Dictionary<T>& rows() const { return rows_; }
  /// For scratch rows: elements come and go by the functions below.
  [[nodiscard]] Dictionary<T>& rows() { return rows_; }
  /// a, padded with zeros.
  [[nodiscard]] const AlignedVector<double>& coefficients() const { return a_; }
  [[nodiscard]] AlignedVector<double>& coefficients() { return a_; }

  /// f(x); `row` receives the kernel values κ(s_i, x).
  ScaledSum value(const PreparedRow<T>& x, Accuracy accuracy, KernelValues& row) const {
    rows_.kernel_row(x, accuracy, row);
    return row.weighted_sum(a_);
  }

  /// f of rows, as Dictionary::kernel_rows takes them.
  void values(std::span<const Row> rows, Accuracy accuracy, ScoredRows<T>& scored, std::span<double> out) const {
    rows_.kernel_rows(rows, accuracy, scored);
    for (std::size_t r = 0; r < rows.size(); ++r) out[r] = alder::add(scored.values[r].weighted_sum(a_), {});
  }

  /// Adds factor·f(row), row being checked, as `values` finds it.
  void add_parts(const Row& row, Accuracy accuracy, double factor, ScoreParts& parts) const;

  /// f += coefficient·κ(x,·), x joining S.
  void append(const PreparedRow<T>& x, double coefficient) {
    a_.resize(padded(size() + 1));
    a_[size()] = coefficient;
    rows_.append(x);
  }
  /// The same for an x that is this scratch row.
  void append_scratch(std::size_t scratch, const PreparedRow<T>& x, double coefficient) {
    a_.resize(padded(size() + 1));
    a_[size()] = coefficient;
    rows_.append_scratch(scratch, x);
  }
  /// Puts x in the place of s_i.
  void replace(std::size_t i, const PreparedRow<T>& x, double coefficient) {
    rows_.replace(i, x);
    a_[i] = coefficient;
  }
  /// f += factor·Σ β_i κ(s_i,·).
  void add(double factor, const Eigen::VectorXd& beta) {
    for (Eigen::Index i = 0; i < beta.size(); ++i) a_[static_cast<std::size_t>(i)] += factor * beta[i];
  }
  /// f ← factor·f.
  void scale(double factor) {
    if (!a_.empty()) simd::scale(factor, a_.size(), a_.data());
  }
  /// Keeps the first `count` terms.
  void truncate(std::size_t count) {
    rows_.truncate(count);
    a_.resize(count);
    a_.resize(padded(count));
  }

  /// Writes S as tensors support.* and a as the tensor coefficients.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote, into an empty expansion. An Error if there are more than `most` terms.
  void load(const Archive& archive, std::size_t most);

  [[nodiscard]] std::size_t bytes() const { return rows_.bytes() + a_.capacity() * sizeof(double); }

 private:
  Dictionary<T> rows_;
  AlignedVector<double> a_;
};

}  // namespace alder
