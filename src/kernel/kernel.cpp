#include "alder/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

constexpr int kLowestDegree = 1;
constexpr int kHighestDegree = 100;

[[noreturn]] void throw_degree(double degree) {
  throw Error(fmt::format("the polynomial degree is {}; expected {} to {}", degree, kLowestDegree, kHighestDegree));
}

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
  if (degree < kLowestDegree || degree > kHighestDegree) throw_degree(degree);
  // A negative coef0 would make a function that is not positive semidefinite.
  if (!(coef0 >= 0.0) || !std::isfinite(coef0)) {
    throw Error(fmt::format("coef0 is {}; expected a finite number that is not negative", coef0));
  }
  return {Kind::kPolynomial, checked_gamma(gamma), degree, coef0};
}

Kernel Kernel::linear() {
  return {Kind::kLinear, 1.0, 1, 0.0};
}

Kernel Kernel::laplacian_l1(double sigma) {
  return laplacian_l1_gamma(1.0 / checked_width(sigma));
}

Kernel Kernel::laplacian_l1_gamma(double gamma) {
  return {Kind::kLaplacianL1, checked_gamma(gamma), 1, 0.0};
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr KernelParameter kWidth[] = {{"sigma", 0.0, kInfinity, {}}, {"gamma", 0.0, kInfinity, {}}};
constexpr KernelParameter kPolynomial[] = {{"degree", kLowestDegree, kHighestDegree, 3.0, true},
                                           {"gamma", 0.0, kInfinity, 1.0},
                                           {"coef0", 0.0, kInfinity, 1.0}};

Kernel make_polynomial(const KernelSettings& settings) {
  if (!(std::fabs(settings.degree) <= 1e9)) throw_degree(settings.degree);
  return Kernel::polynomial(static_cast<int>(settings.degree), settings.gamma.value_or(1.0), settings.coef0);
}

double checked_given(std::optional<double> sigma) {
  if (!sigma) throw Error("the kernel has no width; expected sigma or gamma");
  return *sigma;
}

// A kernel is one entry here, and an enumerator. Kernels that are not radial are computed by `value`.
constexpr KernelInfo kKernels[] = {
    {Kernel::Kind::kGaussian, true, "gaussian", "exp(-gamma d^2)", kWidth,
     [](const KernelSettings& s) {
       return s.gamma ? Kernel::gaussian_gamma(*s.gamma) : Kernel::gaussian(checked_given(s.sigma));
     },
     [](double gamma) { return std::sqrt(0.5 / gamma); },
     [](const Kernel& kernel, double /*dot*/, double squared) { return std::exp(-kernel.gamma() * squared); }},
    {Kernel::Kind::kLaplacian, true, "laplacian", "exp(-gamma d)", kWidth,
     [](const KernelSettings& s) {
       return s.gamma ? Kernel::laplacian_gamma(*s.gamma) : Kernel::laplacian(checked_given(s.sigma));
     },
     [](double gamma) { return 1.0 / gamma; },
     [](const Kernel& kernel, double /*dot*/, double squared) {
       return std::exp(-kernel.gamma() * std::sqrt(squared));
     }},
    {Kernel::Kind::kPolynomial, false, "polynomial", "(gamma xz + coef0)^degree", kPolynomial, make_polynomial, nullptr,
     [](const Kernel& kernel, double dot, double /*squared*/) {
       return std::pow(kernel.gamma() * dot + kernel.coef0(), kernel.degree());
     }},
    {Kernel::Kind::kLinear,
     false,
     "linear",
     "xz",
     {},
     [](const KernelSettings&) { return Kernel::linear(); },
     nullptr,
     [](const Kernel& /*kernel*/, double dot, double /*squared*/) { return dot; }},
    {Kernel::Kind::kLaplacianL1, true, "laplacian-l1", "exp(-gamma |x-z|_1)", kWidth,
     [](const KernelSettings& s) {
       return s.gamma ? Kernel::laplacian_l1_gamma(*s.gamma) : Kernel::laplacian_l1(checked_given(s.sigma));
     },
     [](double gamma) { return 1.0 / gamma; },
     [](const Kernel& kernel, double /*overlap*/, double distance) { return std::exp(-kernel.gamma() * distance); }},
};
// Those that are offered come first.
constexpr std::size_t kOffered = static_cast<std::size_t>(Kernel::Kind::kLaplacianL1);

}  // namespace

const KernelInfo& kernel_info(const Kernel& kernel) {
  return kKernels[static_cast<std::size_t>(kernel.kind())];
}

double Kernel::sigma() const {
  const KernelInfo& info = kernel_info(*this);
  return info.sigma == nullptr ? 0.0 : info.sigma(gamma_);
}

bool Kernel::is_radial() const {
  return kernel_info(*this).is_radial;
}

double Kernel::value(double dot, double squared_norm_x, double squared_norm_z) const {
  return kernel_info(*this).value(*this, dot, std::max(0.0, squared_norm_x + squared_norm_z - 2.0 * dot));
}

double Kernel::self(double squared_norm) const {
  if (is_radial()) return 1.0;
  return value(squared_norm, squared_norm, squared_norm);
}

std::string Kernel::name() const {
  return std::string(kernel_info(*this).name);
}

double Kernel::parameter(std::string_view name) const {
  if (kernel_info(*this).find(name) == nullptr) throw Error(fmt::format("the {} kernel has no {}", this->name(), name));
  if (name == "sigma") return sigma();
  if (name == "gamma") return gamma_;
  return name == "degree" ? static_cast<double>(degree_) : coef0_;
}

const KernelParameter* KernelInfo::find(std::string_view parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [parameter](const KernelParameter& own) { return own.name == parameter; });
  return found == parameters.end() ? nullptr : &*found;
}

std::span<const KernelInfo> kernel_infos() {
  return std::span(kKernels).first(kOffered);
}

const KernelInfo* find_kernel(std::string_view name) {
  for (const KernelInfo& info : kernel_infos()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string kernel_names() {
  std::string names;
  for (const KernelInfo& info : kernel_infos()) {
    const bool is_last = &info == &kernel_infos().back();
    names += fmt::format("{}{}", names.empty() ? "" : is_last ? " or " : ", ", info.name);
  }
  return names;
}

}  // namespace alder
