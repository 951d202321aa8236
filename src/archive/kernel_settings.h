#pragma once

#include <nlohmann/json_fwd.hpp>

#include "alder/kernel.h"

namespace alder {

/// A kernel as JSON: its name and parameters.
void save(const Kernel& kernel, nlohmann::ordered_json& settings);
/// A width is gamma or, without that, sigma. Throws Error for what is no kernel.
Kernel load_kernel(const nlohmann::ordered_json& settings);

}  // namespace alder
