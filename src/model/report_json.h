#pragma once

#include <nlohmann/json_fwd.hpp>

#include "alder/model.h"

namespace alder {

/// to_json(counts, report) by the names that the program's JSON has, where they stand beside those of files and
/// kernels: support_vectors, chosen_sigma and model_bytes.
nlohmann::ordered_json model_json(const Counts& counts, const Report& report);

}  // namespace alder
