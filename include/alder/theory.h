#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alder/dataset.h"
#include "alder/kernel.h"

namespace alder {

/// The eigenvalues of the kernel matrix (κ(x_i, x_j))_ij of the n rows of the dataset, divided by n, descending. For a
/// radial kernel they add up to 1; how fast they fall says how many rows span the others. Rounding leaves errors of
/// about 1e-16 times the largest; what comes out negative is set to 0. Costs 16 n² bytes and O(n³): 0.2 s for 1,000
/// rows. Throws Error for a row that is not finite.
std::vector<double> kernel_spectrum(const Dataset& dataset, const Kernel& kernel);

/// What the regret bounds are made of, beside the sum that says how hard the stream is.
struct RegretTerms {
  /// What phase 2 adds once half of the support set was removed.
  struct Removals {
    std::uint64_t rounds;  ///< T
    std::size_t budget;    ///< B
  };
  double radius = 25.0;              ///< U: the bound holds against every f with ‖f‖ <= U
  double largest_self = 1.0;         ///< D, the largest κ(x,x); 1 for a radial kernel
  std::optional<Removals> removals;  ///< empty: nothing was ever removed
};

/// Theorem 2 of "Improved Kernel Alignment Regret Bound for Online Kernel Learning": Σ_t hinge(f_t) − Σ_t hinge(f) is
/// at most
///   3U sqrt(Σδ) + 9U sqrt(D),  and with removals + 3U sqrt(2T Σδ / B),
/// for POMDR with ζ = 1, an ALD threshold of sqrt(D)/T and c = 1, Σδ being Report::sum_delta. (The paper writes it for
/// D = 1; the kernel κ/D with the radius U·sqrt(D) is the same learner.) Throws Error for a negative number.
double regret_bound_of_delta(double sum_delta, const RegretTerms& terms);

/// Corollary 1: the same in terms of the kernel alignment A_T, 6U sqrt(A_T + 2D) + 9U sqrt(D), and with removals
/// + 6U sqrt(2T (A_T + 2D) / B). It follows from Σδ <= 4 A_T + 8D, so it is never less than Theorem 2's.
double regret_bound_of_alignment(double alignment, const RegretTerms& terms);

/// How the eigenvalues λ_1 >= λ_2 >= … of a kernel matrix fall.
struct Decay {
  enum class Kind {
    kExponential,  ///< λ_i <= R0·r^i
    kPolynomial,   ///< λ_i <= R0·i^(−p)
  };
  Kind kind = Kind::kExponential;
  double constant = 1.0;  ///< R0
  double rate = 0.5;      ///< r or p
};

/// α, the square of the ALD threshold θ = ald·sqrt(D)·T^(−ζ) of phase 1: what is nearer to the span of the support set
/// is projected on it. Theorem 1 has ald = 1.
double ald_error(double ald, double zeta, std::uint64_t rounds, double largest_self = 1.0);

/// Theorem 1: if the kernel matrix of all rows decays like that, then phase 1 stores at most
///   2 ln(C·R0/α) / ln(1/r)   or   e·(C·R0/α)^(1/p)
/// rows, and at least 1. With A the smallest κ(x,x), C = max(1, α/A) is enough: the support set of k rows has
/// A·α^(k−1) < det K_S <= λ_1 ⋯ λ_k, and both follow from putting in the decay. Throws Error for α, A or a decay that
/// is not positive and for r >= 1.
double budget_bound(const Decay& decay, double alpha, double smallest_self = 1.0);

/// The same from the eigenvalues λ_1 >= λ_2 >= … of the kernel matrix of all `rounds` rows themselves, without a fit:
/// the largest k with λ_1 ⋯ λ_k > A·α^(k−1). `leading` may be the first of them only; of the others it is used that
/// they fall and that all of them add up to `trace`. Never less than what phase 1 stores, if its threshold is sqrt(α)
/// from the first row on: with a kernel that is not radial it begins smaller, because the largest κ(x,x) is not known
/// then.
std::size_t budget_bound(std::span<const double> leading, double trace, std::uint64_t rounds, double alpha,
                         double smallest_self = 1.0);

}  // namespace alder
