#include "archive/kernel_settings.h"

#include <nlohmann/json.hpp>

#include "archive/archive.h"

namespace alder {

void save(const Kernel& kernel, nlohmann::ordered_json& settings) {
  settings["name"] = kernel.name();
  if (kernel.kind() == Kernel::Kind::kLinear) return;
  settings["gamma"] = kernel.gamma();
  if (kernel.is_radial()) settings["sigma"] = kernel.sigma();  // for readers; gamma is what counts
  if (kernel.kind() == Kernel::Kind::kPolynomial) {
    settings["degree"] = static_cast<std::uint64_t>(kernel.degree());
    settings["coef0"] = kernel.coef0();
  }
}

Kernel load_kernel(const nlohmann::ordered_json& settings) {
  const auto name = Archive::read<std::string>(settings, "name");
  if (name == "linear") return Kernel::linear();
  const bool is_laplacian = name == "laplacian";
  if ((is_laplacian || name == "gaussian") && !settings.contains("gamma")) {
    const auto sigma = Archive::read<double>(settings, "sigma");
    return is_laplacian ? Kernel::laplacian(sigma) : Kernel::gaussian(sigma);
  }
  const auto gamma = Archive::read<double>(settings, "gamma");
  if (is_laplacian) return Kernel::laplacian_gamma(gamma);
  if (name == "gaussian") return Kernel::gaussian_gamma(gamma);
  if (name != "polynomial") throw_bad_archive("its kernel \"" + name + "\" is unknown");
  const auto degree = Archive::read<std::uint64_t>(settings, "degree");
  if (degree > 1000) throw_bad_archive("the degree of its kernel is too large");
  return Kernel::polynomial(static_cast<int>(degree), gamma, Archive::read<double>(settings, "coef0"));
}

}  // namespace alder
