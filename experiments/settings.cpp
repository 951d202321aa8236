#include "experiments/settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/registry.h"

namespace alder {
namespace {

constexpr std::array kKernelSettings = {"kernel", "sigma", "gamma", "degree", "coef0"};

constexpr std::array kKernels = {"gaussian", "laplacian", "polynomial", "linear"};

bool is_of_kernel(const std::string& name) {
  return std::find(kKernelSettings.begin(), kKernelSettings.end(), name) != kKernelSettings.end();
}

// The names of all that can be set, in their order.
std::vector<std::string> names_of(const std::string& learner) {
  std::vector<std::string> names;
  for (const OptionInfo& option : learner_info(learner).options) {
    if (option.name == "kernel") {
      names.insert(names.end(), kKernelSettings.begin(), kKernelSettings.end());
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
    if (is_of_kernel(name)) {
      const bool is_right = name == "kernel"   ? value.is_string()
                            : name == "degree" ? value.is_number_unsigned()
                                               : value.is_number();
      if (!is_right) {
        const char* const expected = name == "kernel"   ? "the name of a kernel"
                                     : name == "degree" ? "a whole number"
                                                        : "a number";
        throw Error(fmt::format("{} is {}; expected {}", name, value.dump(), expected));
      }
      if (name == "kernel" && std::find(kKernels.begin(), kKernels.end(), value) == kKernels.end()) {
        throw Error(fmt::format("kernel is {}; expected {}", value.dump(), fmt::join(kKernels, " or ")));
      }
      kernel[name == "kernel" ? "name" : name] = value;
    } else {
      options[name] = value;
    }
  }
  if (!kernel.empty() && info.find("kernel") != nullptr) {
    if (!kernel.contains("name")) kernel["name"] = "gaussian";
    if (kernel["name"] == "linear" || kernel["name"] == "polynomial") {
      for (const auto& [name, value] : {std::pair("gamma", Json(1.0)), {"degree", Json(3)}, {"coef0", Json(1.0)}}) {
        if (!kernel.contains(name)) kernel[name] = value;
      }
    }
    const bool has_no_width = !kernel.contains("sigma") && !kernel.contains("gamma");
    if (has_no_width && !finds_width(learner, kernel["name"])) {
      throw Error(
          fmt::format("the {} kernel has no width; expected sigma or gamma", kernel["name"].get<std::string>()));
    }
    if (!has_no_width) options["kernel"] = kernel;
  }
  if (info.find("horizon") != nullptr && rows && options.value("horizon", Json()).is_null()) options["horizon"] = *rows;
  if (info.find("seed") != nullptr) options["seed"] = seed;
  return options.dump();
}

bool has_setting(const std::string& learner, const std::string& name) {
  const std::vector<std::string> names = names_of(learner);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_width(const Json& kernel) {
  return kernel == "gaussian" || kernel == "laplacian";
}

bool finds_width(const std::string& learner, const Json& kernel) {
  const OptionInfo* option = learner_info(learner).find("kernel");
  return option != nullptr && option->is_automatic && kernel == "gaussian";
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
