#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// How a long computation is done.
struct Work {
  unsigned threads = 0;  ///< 0: one for each core. Changes no result
  /// Called on the calling thread a few times a second with the part that is done, from 0 to 1; false stops the work.
  std::function<bool(double done)> watch;
};

/// The kernel alignment A_T = Σ_t κ(x_t,x_t) − (1/T) Σ_s Σ_t y_s y_t κ(x_s,x_t) of a kernel and the labels: 0 if the
/// kernel says of any two rows whether they have the same class, about T·D if it says nothing.
struct Alignment {
  double alignment = 0.0;       ///< A_T
  std::optional<double> error;  ///< its standard error, if it was estimated from a sample of the rows
  std::size_t rows = 0;         ///< of which pairs were looked at
  double trace = 0.0;           ///< Σ κ(x_t,x_t), of all rows
  double largest_self = 0.0;    ///< D, the largest κ(x,x)
  double smallest_self = 0.0;   ///< A, the smallest

  /// How much of the labels the kernel explains, from 0 to 1: YᵀKY / (T·Σκ(x_t,x_t)).
  [[nodiscard]] double explained() const { return trace > 0.0 ? std::max(0.0, 1.0 - alignment / trace) : 0.0; }
};

/// The alignment of several kernels, exactly, in double. The rows' dot products are computed once for all of them, so
/// another width costs the exponentials alone. O(T²) time, O(T) memory, on all cores. Empty if it was stopped. Throws
/// Error for a row that is not finite and for a target that is not class 0 or 1.
std::vector<Alignment> kernel_alignment(const Dataset& dataset, std::span<const Kernel> kernels, const Work& work = {});

/// The same from the pairs among a sample of rows, drawn with the seed without replacement, with its standard error.
/// All rows or more: exactly. Throws Error for less than 10.
std::vector<Alignment> sampled_alignment(const Dataset& dataset, std::span<const Kernel> kernels, std::size_t rows,
                                         std::uint64_t seed, const Work& work = {});

/// The leading eigenvalues of a kernel matrix.
struct LeadingEigenvalues {
  std::vector<double> values;  ///< of the kernel matrix of the rows looked at, descending
  std::size_t rows = 0;        ///< that were looked at: all, or a sample of very many
  double trace = 0.0;          ///< what all eigenvalues of that matrix add up to
  bool exact = true;           ///< up to rounding
  std::size_t columns = 0;     ///< of the matrix that were computed, if not
  /// How much no column has seen, if not exact: trace(K − K̂). Every value is too small, by less than this.
  double unseen = 0.0;
};

/// The `count` largest eigenvalues of the kernel matrix of the rows, or all if there are fewer. Up to 2,000 rows they
/// are those of `kernel_spectrum`. Beyond that they are those of a low-rank approximation K̂ <= K of the matrix of all
/// rows, by randomly pivoted partial Cholesky factorisation (Chen, Epperly, Tropp and Webber 2023): columns of K are
/// computed, 6 to 15 for every eigenvalue, each drawn with a probability in proportion to what those before it leave of
/// the diagonal. It is the ALD basis of the learner with random rows. Where eigenvalues fall slowly, the last of them
/// come out too small, by a quarter or so. Costs O(T·columns²) time and 8·T·columns bytes; of more than 2^17 rows so
/// many are drawn. Empty if it was stopped. Throws Error for a row that is not finite.
std::optional<LeadingEigenvalues> leading_eigenvalues(const Dataset& dataset, const Kernel& kernel, std::size_t count,
                                                      std::uint64_t seed, const Work& work = {});

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

/// A law that was fitted to eigenvalues.
struct FittedDecay {
  Decay decay;             ///< with the least R0 for which no fitted eigenvalue is above the law
  double explained = 0.0;  ///< R²: how much of the differences between the logarithms the line explains
};
/// Both laws: straight lines through ln λ_i against i and against ln i.
struct DecayFit {
  FittedDecay exponential;
  FittedDecay polynomial;
  std::size_t used = 0;  ///< how many eigenvalues: those that are not rounding errors

  /// The one with the larger R².
  [[nodiscard]] const FittedDecay& better() const {
    return exponential.explained >= polynomial.explained ? exponential : polynomial;
  }
};
/// Fits both laws, by least squares, to falling eigenvalues as far as they are above 1e-12 times the first. Empty if
/// there are fewer than 3 of them, or if they do not fall.
std::optional<DecayFit> fit_decay(std::span<const double> eigenvalues);

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
