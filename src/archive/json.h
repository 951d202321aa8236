#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace alder {

/// Parses text that comes from outside. Throws Error if it is not JSON, or if it nests deeper than any file of ours:
/// copying, printing and destroying a value take stack for every level.
nlohmann::ordered_json parse_json(std::string_view text);

}  // namespace alder
