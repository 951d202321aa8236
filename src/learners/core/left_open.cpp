#include "learners/core/left_open.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

namespace alder {

using OpenOptions = nlohmann::ordered_json;

bool is_missing(const OpenOptions& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null();
}

namespace {

// The kernel among the options whose width is missing; null if there is none. What is wrong is left to the learner.
const KernelInfo* open_kernel(const OpenOptions& options) {
  if (is_missing(options, "kernel")) return &kernel_infos().front();
  const OpenOptions& kernel = options["kernel"];
  if (!kernel.is_object() || !is_missing(kernel, "sigma") || !is_missing(kernel, "gamma")) return nullptr;
  const auto name = kernel.find("name");
  const KernelInfo* info = name != kernel.end() && name->is_string() ? find_kernel(name->get<std::string>()) : nullptr;
  return info != nullptr && info->is_radial ? info : nullptr;
}

bool has_kernel(const LearnerKind& kind) {
  const std::vector<OptionInfo> infos = kind.options();
  return std::any_of(infos.begin(), infos.end(),
                     [](const OptionInfo& info) { return info.type == OptionInfo::Type::kKernel; });
}

// Takes "scale" out of the options; returns whether rows are scaled.
bool take_scale(OpenOptions& options) {
  if (!options.is_object()) return false;
  const auto found = options.find("scale");
  if (found == options.end()) return false;
  const OpenOptions scale = *found;
  options.erase("scale");
  if (scale.is_null() || scale == "none") return false;
  if (scale != "online") throw Error(fmt::format("scale is {}; expected none or online", scale.dump()));
  return true;
}

}  // namespace

std::optional<AskedUnits> take_units(const LearnerKind& kind, OpenOptions& options) {
  if (!kind.traits.learns_numbers || kind.traits.finds_units || !options.is_object()) return {};
  return AskedUnits::taken_from(options);
}

LeftOpen take_open(const LearnerKind& kind, OpenOptions& options, const std::optional<AskedUnits>& units) {
  LeftOpen open;
  open.scaling = take_scale(options);
  open.units = units && !units->are_complete();
  if (!options.is_object() || !has_kernel(kind)) return open;
  const KernelInfo* kernel = open_kernel(options);
  if (kernel == nullptr) return open;
  if (kind.traits.finds_width && kernel == &kernel_infos().front()) {
    options.erase("kernel");
  } else {
    options["kernel"] = {{"name", kernel->name}};
    open.width = true;
  }
  return open;
}

}  // namespace alder
