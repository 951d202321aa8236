#pragma once

#include <cstddef>
#include <memory>
#include <span>

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
  ~Likelihood();
  Likelihood(Likelihood&&) noexcept;
  Likelihood& operator=(Likelihood&&) noexcept;

  /// Row a of the next rows, feature by feature, by magnitude at most kLargest.
  [[nodiscard]] std::span<float> row(std::size_t a);
  /// The output k of the next rows, row by row.
  [[nodiscard]] std::span<float> output(std::size_t k);

  /// The derivative of the negative log likelihood of the first `outputs` outputs by each parameter, if K is positive
  /// definite in floats, as it is if the noise is at least 1e-4 of the amplitude. Every θ_j is at most 4.
  bool slopes(std::span<const double> parameters, std::size_t outputs, std::span<double> out);

  static constexpr double kLargest = 1e15;

 private:
  struct Room;
  std::unique_ptr<Room> room_;
};

}  // namespace alder
