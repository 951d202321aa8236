#include "alder/kernel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

double checked_width(double sigma) {
  if (!(sigma > 0.0) || !std::isfinite(sigma)) {
    throw Error(fmt::format("sigma is {}; expected a finite number above 0", sigma));
  }
  return sigma;
}

double checked_gamma(double gamma) {
  if (!(gamma > 0.0) || !std::isfinite(gamma)) {
    throw Error(fmt::format("gamma is {}; expected a finite number above 0", gamma));
  }
  return gamma;
}

}  // namespace

Kernel Kernel::gaussian(double sigma) {
  const double gamma = 0.5 / checked_width(sigma) / sigma;
  if (!(gamma > 0.0) || !std::isfinite(gamma)) {
    throw Error(fmt::format("sigma is {}; expected a width whose square is a double, say 1e-150 to 1e150", sigma));
  }
  return gaussian_gamma(gamma);
}

Kernel Kernel::gaussian_gamma(double gamma) {
  return {Kind::kGaussian, checked_gamma(gamma), 1, 0.0};
}

Kernel Kernel::laplacian(double sigma) {
  return laplacian_gamma(1.0 / checked_width(sigma));
}

Kernel Kernel::laplacian_gamma(double gamma) {
  return {Kind::kLaplacian, checked_gamma(gamma), 1, 0.0};
}

Kernel Kernel::polynomial(int degree, double gamma, double coef0) {
  if (degree < 1 || degree > 100) {
    throw Error(fmt::format("the polynomial degree is {}; expected 1 to 100", degree));
  }
  // A negative coef0 would make a function that is not positive semidefinite.
  if (!(coef0 >= 0.0) || !std::isfinite(coef0)) {
    throw Error(fmt::format("coef0 is {}; expected a finite number that is not negative", coef0));
  }
  return {Kind::kPolynomial, checked_gamma(gamma), degree, coef0};
}

Kernel Kernel::linear() {
  return {Kind::kLinear, 1.0, 1, 0.0};
}

double Kernel::sigma() const {
  switch (kind_) {
    case Kind::kGaussian:
      return std::sqrt(0.5 / gamma_);
    case Kind::kLaplacian:
      return 1.0 / gamma_;
    case Kind::kPolynomial:
    case Kind::kLinear:
      break;
  }
  return 0.0;
}

double Kernel::value(double dot, double squared_norm_x, double squared_norm_z) const {
  const double squared_distance = std::max(0.0, squared_norm_x + squared_norm_z - 2.0 * dot);
  switch (kind_) {
    case Kind::kGaussian:
      return std::exp(-gamma_ * squared_distance);
    case Kind::kLaplacian:
      return std::exp(-gamma_ * std::sqrt(squared_distance));
    case Kind::kPolynomial:
      return std::pow(gamma_ * dot + coef0_, degree_);
    case Kind::kLinear:
      break;
  }
  return dot;
}

double Kernel::self(double squared_norm) const {
  if (is_radial()) return 1.0;
  return value(squared_norm, squared_norm, squared_norm);
}

std::string Kernel::name() const {
  switch (kind_) {
    case Kind::kGaussian:
      return "gaussian";
    case Kind::kLaplacian:
      return "laplacian";
    case Kind::kPolynomial:
      return "polynomial";
    case Kind::kLinear:
      break;
  }
  return "linear";
}

}  // namespace alder
