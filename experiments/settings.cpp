#include "experiments/settings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/kernel.h"
#include "alder/registry.h"

namespace alder {
namespace {

// The kernel's name, and the parameters of all kernels.
const std::vector<std::string>& kernel_settings() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"kernel"};
    for (const KernelInfo& info : kernel_infos()) {
      for (const KernelParameter& parameter : info.parameters) {
        if (std::find(all.begin(), all.end(), parameter.name) == all.end()) all.emplace_back(parameter.name);
      }
    }
    return all;
  }();
  return names;
}

// Throws Error for a setting of a kernel that is of another type.
void check_type(const std::string& name, const Json& value) {
  if (name == "kernel") {
    if (!value.is_string()) throw Error(fmt::format("kernel is {}; expected the name of a kernel", value.dump()));
    if (find_kernel(value.get<std::string>()) != nullptr) return;
    std::vector<std::string_view> names;
    for (const KernelInfo& info : kernel_infos()) names.push_back(info.name);
    throw Error(fmt::format("kernel is {}; expected {}", value.dump(), fmt::join(names, " or ")));
  }
  const auto infos = kernel_infos();
  const bool is_whole = std::any_of(infos.begin(), infos.end(), [&name](const KernelInfo& info) {
    const KernelParameter* parameter = info.find(name);
    return parameter != nullptr && parameter->is_whole;
  });
  if (is_whole ? value.is_number_unsigned() : value.is_number()) return;
  throw Error(fmt::format("{} is {}; expected {}", name, value.dump(), is_whole ? "a whole number" : "a number"));
}

// The names of all that can be set, in their order.
std::vector<std::string> names_of(const std::string& learner) {
  std::vector<std::string> names;
  for (const OptionInfo& option : learner_info(learner).options) {
    if (option.name == "kernel") {
      names.insert(names.end(), kernel_settings().begin(), kernel_settings().end());
    } else if (option.name != "seed") {
      names.push_back(option.name);
    }
  }
  return names;
}

}  // namespace

std::string learner_options(const std::string& learner, const Json& settings, std::optional<std::uint64_t> rows,
                            std::uint64_t seed) {
  const LearnerInfo& info = learner_info(learner);
  Json options = Json::object();
  Json kernel = Json::object();
  for (const auto& [name, value] : settings.items()) {
    if (is_kernel_setting(name)) {
      check_type(name, value);
      kernel[name == "kernel" ? "name" : name] = value;
    } else {
      options[name] = value;
    }
  }
  if (!kernel.empty() && info.find("kernel") != nullptr) {
    if (!kernel.contains("name")) kernel["name"] = default_kernel();
    const KernelInfo& kind = *find_kernel(kernel["name"].get<std::string>());
    for (const KernelParameter& parameter : kind.parameters) {
      const std::string name(parameter.name);
      if (!parameter.fallback || kernel.contains(name)) continue;
      kernel[name] =
          parameter.is_whole ? Json(static_cast<std::uint64_t>(*parameter.fallback)) : Json(*parameter.fallback);
    }
    const bool has_no_width = kind.is_radial && !kernel.contains("sigma") && !kernel.contains("gamma");
    if (!has_no_width || kernel["name"] != default_kernel()) options["kernel"] = kernel;
  }
  if (info.find("horizon") != nullptr && rows && options.value("horizon", Json()).is_null()) options["horizon"] = *rows;
  if (info.find("seed") != nullptr) options["seed"] = seed;
  return options.dump();
}

bool has_setting(const std::string& learner, const std::string& name) {
  const std::vector<std::string> names = names_of(learner);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_kernel_setting(const std::string& name) {
  return std::find(kernel_settings().begin(), kernel_settings().end(), name) != kernel_settings().end();
}

std::string default_kernel() {
  return std::string(kernel_infos().front().name);
}

bool has_width(const Json& kernel) {
  const KernelInfo* info = kernel.is_string() ? find_kernel(kernel.get<std::string>()) : nullptr;
  return info != nullptr && info->is_radial;
}

bool finds_width(const std::string& learner, const Json& kernel) {
  return learner_info(learner).finds_width() && kernel == default_kernel();
}

std::string as_flags(const Json& settings) {
  std::string flags;
  for (const auto& [name, value] : settings.items()) {
    const std::string text = value.is_null() ? "auto" : value.is_string() ? value.get<std::string>() : value.dump();
    flags += fmt::format("{}--{} {}", flags.empty() ? "" : " ", name, text);
  }
  return flags;
}

namespace {

// 4.0 and 4 are the same, also as text.
Json plain(const Json& value) {
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  const bool is_whole = std::fabs(number) < 1e15 && std::floor(number) == number;
  return is_whole ? Json(static_cast<std::int64_t>(number)) : value;
}

}  // namespace

void check_grid(const std::string& learner, const Json& grid) {
  for (const auto& [name, value] : grid.items()) {
    if (!has_setting(learner, name)) {
      throw Error(
          fmt::format("{} has no option {}; expected one of {}", learner, name, fmt::join(names_of(learner), ", ")));
    }
    if (value.is_array() && value.empty()) {
      throw Error(fmt::format("{} is an empty list; expected at least one value", name));
    }
  }
}

std::vector<Json> combinations(const std::string& learner, const Json& grid) {
  check_grid(learner, grid);
  const std::vector<std::string> names = names_of(learner);
  std::vector<Json> all = {Json::object()};
  for (const std::string& name : names) {
    if (!grid.contains(name)) continue;
    const Json values = grid[name].is_array() ? grid[name] : Json::array({grid[name]});
    std::vector<Json> longer;
    for (const Json& settings : all) {
      for (const Json& value : values) {
        Json next = settings;
        next[name] = plain(value);
        if (std::find(longer.begin(), longer.end(), next) == longer.end()) longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace alder
