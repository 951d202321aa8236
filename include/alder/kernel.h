#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace alder {

/// A kernel function κ: a small value, kind and parameters. Every kernel here is a function of dot products alone
/// (‖x−z‖² = ‖x‖² + ‖z‖² − 2⟨x,z⟩), which is what lets one pass over a dictionary yield a whole kernel row. That of
/// |x−z|₁ is one of overlaps in the same way: |x|₁ + |z|₁ − 2 Σ_j m(x_j, z_j), where m is the smaller of two numbers on
/// the same side of 0, by magnitude, and else 0.
class Kernel {
 public:
  enum class Kind {
    kGaussian,    ///< exp(−γ‖x−z‖²),  γ = 1/(2σ²)
    kLaplacian,   ///< exp(−γ‖x−z‖),   γ = 1/σ  (Euclidean distance)
    kPolynomial,  ///< (γ⟨x,z⟩ + coef0)^degree
    kLinear,      ///< ⟨x,z⟩
    /// exp(−γ|x−z|₁), γ = 1/σ. A part of learners that is not offered: it is not among kernel_infos().
    kLaplacianL1,
  };

  /// Each throws Error for a parameter that makes no kernel (σ <= 0, a degree below 1, a negative coef0, …).
  static Kernel gaussian(double sigma);
  static Kernel gaussian_gamma(double gamma);
  static Kernel laplacian(double sigma);
  static Kernel laplacian_gamma(double gamma);
  static Kernel polynomial(int degree, double gamma = 1.0, double coef0 = 1.0);
  static Kernel linear();
  static Kernel laplacian_l1(double sigma);
  static Kernel laplacian_l1_gamma(double gamma);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double gamma() const { return gamma_; }
  /// The width σ that belongs to γ; 0 for kernels without a width.
  [[nodiscard]] double sigma() const;
  [[nodiscard]] int degree() const { return degree_; }
  [[nodiscard]] double coef0() const { return coef0_; }

  /// True for kernels that fall with the distance and have κ(x,x) = 1: Gaussian and both Laplacians.
  [[nodiscard]] bool is_radial() const;

  /// The definition: κ from the dot product and the two squared norms; for kLaplacianL1, which has those in their
  /// places, from the overlap and the two |·|₁.
  [[nodiscard]] double value(double dot, double squared_norm_x, double squared_norm_z) const;
  /// κ(x,x).
  [[nodiscard]] double self(double squared_norm) const;

  /// "gaussian", "laplacian", "polynomial", "linear" or "laplacian-l1".
  [[nodiscard]] std::string name() const;
  /// The parameter of that name: sigma, gamma, degree or coef0. Throws Error if the kernel has none of that name.
  [[nodiscard]] double parameter(std::string_view name) const;

 private:
  Kernel(Kind kind, double gamma, int degree, double coef0)
      : kind_(kind), gamma_(gamma), degree_(degree), coef0_(coef0) {}

  Kind kind_;
  double gamma_;
  int degree_;
  double coef0_;
};

/// One parameter of a kind of kernel.
struct KernelParameter {
  std::string_view name;
  double low = 0.0;
  double high = 0.0;
  std::optional<double> fallback;  ///< its default; empty: it must be given
  bool is_whole = false;           ///< whether it is a whole number
};

/// What a kernel is made from. Which of these it has, its KernelInfo says; the others are ignored.
struct KernelSettings {
  std::optional<double> sigma;  ///< instead of gamma, if that is empty
  std::optional<double> gamma;
  double degree = 3.0;
  double coef0 = 1.0;
};

/// One kind of kernel.
struct KernelInfo {
  Kernel::Kind kind;
  bool is_radial;  ///< has a width: sigma or, instead, gamma
  std::string_view name;
  std::string_view formula;  ///< with d the distance and xz the dot product
  std::span<const KernelParameter> parameters;
  Kernel (*make)(const KernelSettings& settings);  ///< throws Error for what is out of range
  double (*sigma)(double gamma);                   ///< the width that belongs to γ; null without a width
  double (*value)(const Kernel& kernel, double dot, double squared_distance);

  /// The parameter of that name; null if it has none.
  [[nodiscard]] const KernelParameter* find(std::string_view parameter) const;
};

/// All kinds of kernels that are offered, the usual one first, in the order of Kernel::Kind.
std::span<const KernelInfo> kernel_infos();
/// That of a kernel, offered or not.
const KernelInfo& kernel_info(const Kernel& kernel);
/// The kind of that name among those offered; null if there is none.
const KernelInfo* find_kernel(std::string_view name);
/// Their names, for messages: "gaussian, laplacian, polynomial or linear".
std::string kernel_names();

}  // namespace alder
