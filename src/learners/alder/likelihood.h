#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simd/aligned.h"

namespace alder {

/// Labels of rows under a Gaussian process with a factor for each feature:
///   K_ab = amplitude·exp(−½ Σ_j e^(2θ_j) (x_aj − x_bj)²) + noise·[a = b],
/// whose negative log likelihood, up to a constant, is for one output y
///   ½ yᵀ K⁻¹ y + ½ log det K.
/// That of several outputs is their mean. The parameters are θ_1, …, θ_d, log amplitude, log noise.
class Likelihood {
 public:
  /// Room for so many rows, features and outputs.
  Likelihood(std::size_t rows, std::size_t features, std::size_t outputs);

  /// The next rows are those of a table that `chosen` names, as many as there is room for. The table has one feature
  /// after the other, each with a value for every row, by magnitude at most 1e15.
  void set_rows(std::span<const float> table, std::span<const std::uint32_t> chosen);
  /// The output k of the next rows, row by row.
  [[nodiscard]] std::span<float> output(std::size_t k) { return {outputs_.data() + k * room_, rows_}; }

  /// The derivative of the negative log likelihood of the first `outputs` outputs by each parameter, if K is positive
  /// definite in floats, as it is if the noise is at least 1e-4 of the amplitude. Every θ_j is at most 4.
  bool slopes(std::span<const double> parameters, std::size_t outputs, std::span<double> out);

 private:
  std::size_t rows_;
  std::size_t features_;
  std::size_t room_;              // rows, padded: of every vector
  AlignedVector<float> values_;   // x, feature by feature
  AlignedVector<float> scaled_;   // e^θ_j x_j, times what makes powers of 2
  AlignedVector<float> outputs_;  // y, one after the other
  AlignedVector<float> solved_;   // for each output what is proportional to K⁻¹ y
  AlignedVector<float> kernel_;   // K / amplitude without noise
  AlignedVector<float> inverse_;  // minus its inverse with noise, then the weights of the derivatives of K
  AlignedVector<float> sums_;     // their sums, row by row
  AlignedVector<float> scratch_;
};

}  // namespace alder
