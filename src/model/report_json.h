#pragma once

#include <nlohmann/json_fwd.hpp>

#include "alder/model.h"

namespace alder {

/// to_json(counts, report) by the names that the program's JSON has, where they stand beside those of files and
/// kernels: support_vectors, chosen_sigma and model_bytes.
nlohmann::ordered_json model_json(const Counts& counts, const Report& report);
/// The same of a model of numbers, with what its predictions were worth.
nlohmann::ordered_json model_json(const Metrics& metrics, const Report& report);

}  // namespace alder
