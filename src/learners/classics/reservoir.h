#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "base/random.h"
#include "kernel/expansion.h"

namespace alder {

/// A uniform sample V of the examples so far (reservoir sampling, Vitter 1985), from which the optimistic gradient
/// ∇̄ = −(1/|V|) Σ_{(v,y)∈V} y κ(v,·) is made. It knows its own Gram matrix and the values f'(v) of a function f' that
/// it is told the changes of, so inner products with f' and norms cost no kernel value.
template <class T>
class Reservoir {
 public:
  /// The place of a row that is not in the support set of f'.
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  Reservoir(const Kernel& kernel, std::size_t capacity) : capacity_(capacity), rows_(kernel) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// −∇̄(x) = (1/|V|) Σ y κ(v, x), or 0 if V is empty. `row` receives the κ(v, x).
  ScaledSum hint(const PreparedRow<T>& x, KernelValues& row) const;
  /// ⟨f', −∇̄⟩ = (1/|V|) Σ y f'(v).
  [[nodiscard]] double mean_value() const;
  /// ‖∇̄‖².
  [[nodiscard]] double squared_norm() const { return squared_norm_; }

  /// f' += weight·(−∇̄), rows of V joining the support set of f' if they are not in it.
  void add_hint(double weight, Expansion<T>& f);
  /// f' += weight·κ(x,·); `row` is what `hint` gave for x.
  void add_row(double weight, const KernelValues& row);
  /// f' ← factor·f'.
  void scale_values(double factor);

  /// One more example of the stream. `value` is f'(x), `row` what `hint` gave for x, `place` where x is in the support
  /// set of f'.
  void offer(const PreparedRow<T>& x, double label, double value, const KernelValues& row, std::size_t place,
             LearnerRandom& random);
  /// Forgets all examples; f' is 0.
  void clear();

  /// Writes tensors reservoir.* and state.offered.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote, into an empty reservoir; f' has `support` terms.
  void load(const Archive& archive, std::size_t support);

  [[nodiscard]] std::size_t bytes() const;

 private:
  void renew_norm();

  std::size_t capacity_;
  Dictionary<T> rows_;
  AlignedVector<double> labels_;         // padded with zeros
  std::vector<PreparedRow<T>> queries_;  // the rows again, to be stored from
  std::vector<double> values_;           // f'(v)
  std::vector<std::size_t> places_;      // in the support set of f', or kNowhere
  Eigen::MatrixXd gram_;                 // κ(u, v)
  double squared_norm_ = 0.0;            // ‖∇̄‖²
  std::uint64_t offered_ = 0;            // examples since the beginning
};

}  // namespace alder
