#pragma once

#include <nlohmann/json.hpp>

#include "alder/kernel.h"

namespace alder {

/// A kernel as JSON: its name and parameters.
void save(const Kernel& kernel, nlohmann::ordered_json& settings);
/// Throws Error for what is no kernel.
Kernel load_kernel(const nlohmann::ordered_json& settings);

}  // namespace alder
