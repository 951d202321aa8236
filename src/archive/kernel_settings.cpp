#include "archive/kernel_settings.h"

#include <nlohmann/json.hpp>

#include "archive/archive.h"

namespace alder {
namespace {

// A whole number is written, and must be, without a point.
double load_parameter(const nlohmann::ordered_json& settings, const KernelParameter& parameter) {
  const std::string name(parameter.name);
  if (!parameter.is_whole) return Archive::read<double>(settings, name.c_str());
  return static_cast<double>(Archive::read<std::uint64_t>(settings, name.c_str()));
}

}  // namespace

void save(const Kernel& kernel, nlohmann::ordered_json& settings) {
  const KernelInfo& info = kernel_info(kernel);
  settings["name"] = kernel.name();
  if (info.find("gamma") != nullptr) settings["gamma"] = kernel.gamma();
  for (const KernelParameter& parameter : info.parameters) {
    const double value = kernel.parameter(parameter.name);
    if (parameter.is_whole) {
      settings[std::string(parameter.name)] = static_cast<std::uint64_t>(value);
    } else {
      settings[std::string(parameter.name)] = value;  // sigma is for readers; gamma is what counts
    }
  }
}

Kernel load_kernel(const nlohmann::ordered_json& settings) {
  const auto name = Archive::read<std::string>(settings, "name");
  const KernelInfo* info = find_kernel(name);
  if (info == nullptr) throw_bad_archive("its kernel \"" + name + "\" is unknown");
  KernelSettings kernel;
  for (const KernelParameter& parameter : info->parameters) {
    const bool is_replaced = info->is_radial && (parameter.name == "gamma") != settings.contains("gamma");
    if (is_replaced) continue;
    const double value = load_parameter(settings, parameter);
    if (parameter.name == "sigma") kernel.sigma = value;
    if (parameter.name == "gamma") kernel.gamma = value;
    if (parameter.name == "degree") kernel.degree = value;
    if (parameter.name == "coef0") kernel.coef0 = value;
  }
  return info->make(kernel);
}

}  // namespace alder
