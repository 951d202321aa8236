#pragma once

#include <string>

namespace alder {

/// A kernel function κ: a small value, kind and parameters. Every kernel here is a function of dot products alone
/// (‖x−z‖² = ‖x‖² + ‖z‖² − 2⟨x,z⟩), which is what lets one pass over a dictionary yield a whole kernel row.
class Kernel {
 public:
  enum class Kind {
    kGaussian,    ///< exp(−γ‖x−z‖²),  γ = 1/(2σ²)
    kLaplacian,   ///< exp(−γ‖x−z‖),   γ = 1/σ  (Euclidean distance)
    kPolynomial,  ///< (γ⟨x,z⟩ + coef0)^degree
    kLinear,      ///< ⟨x,z⟩
  };

  /// Each throws Error for a parameter that makes no kernel (σ <= 0, a degree below 1, a negative coef0, …).
  static Kernel gaussian(double sigma);
  static Kernel gaussian_gamma(double gamma);
  static Kernel laplacian(double sigma);
  static Kernel laplacian_gamma(double gamma);
  static Kernel polynomial(int degree, double gamma = 1.0, double coef0 = 1.0);
  static Kernel linear();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double gamma() const { return gamma_; }
  /// The width σ that belongs to γ; 0 for kernels without a width.
  [[nodiscard]] double sigma() const;
  [[nodiscard]] int degree() const { return degree_; }
  [[nodiscard]] double coef0() const { return coef0_; }

  /// True for kernels that fall with the distance and have κ(x,x) = 1: Gaussian and Laplacian.
  [[nodiscard]] bool is_radial() const { return kind_ == Kind::kGaussian || kind_ == Kind::kLaplacian; }

  /// The definition: κ from the dot product and the two squared norms.
  [[nodiscard]] double value(double dot, double squared_norm_x, double squared_norm_z) const;
  /// κ(x,x).
  [[nodiscard]] double self(double squared_norm) const;

  /// "gaussian", "laplacian", "polynomial" or "linear".
  [[nodiscard]] std::string name() const;

 private:
  Kernel(Kind kind, double gamma, int degree, double coef0)
      : kind_(kind), gamma_(gamma), degree_(degree), coef0_(coef0) {}

  Kind kind_;
  double gamma_;
  int degree_;
  double coef0_;
};

}  // namespace alder
