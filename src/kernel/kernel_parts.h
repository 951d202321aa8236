#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alder/row.h"
#include "alder/score_parts.h"

#include "kernel/dictionary.h"

namespace alder {

/// The values of a row's features; those of features that it does not list are 0. Both ascend.
std::vector<double> values_of(const Row& row, std::span<const FeatureIndex> features);

/// A term c κ(s,·)^ratio of a sum: s is an element of a dictionary, and `kernel` what κ^ratio is of the row in hand.
struct KernelTerm {
  std::size_t element = 0;
  double coefficient = 0.0;
  double kernel = 0.0;
};

/// gradient[j] += Σ c ∂κ(s,x)^ratio/∂x_f for f = features[j], in double. The ratio is 1 unless the kernel is radial.
/// Where a kernel has no derivative by a feature, its derivative counts as 0: exp(−γ‖x−s‖) at x = s, exp(−γ|x−s|₁)
/// where x_f = s_f.
template <class T>
void add_gradient(const Dictionary<T>& rows, const PreparedRow<T>& x, std::span<const KernelTerm> terms, double ratio,
                  std::span<const FeatureIndex> features, std::span<double> gradient);

/// The factor q of ∂ ln κ(x,x)/∂x_f = 2 q x_f, of a kernel that is not radial; `squared_norm` is ‖x‖², and κ(x,x) > 0.
double self_slope(const Kernel& kernel, double squared_norm);

/// Adds f(x) = Σ coefficients[i] κ(s_i, x) over all elements: its gradient, and a part for each of them behind those
/// that are there. `values` are the kernel values of x.
template <class T>
void add_kernel_parts(const Dictionary<T>& rows, const PreparedRow<T>& x, const KernelValues& values,
                      std::span<const double> coefficients, ScoreParts& parts);

}  // namespace alder
