#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace alder::cli {

/// The kernel among the options of a learner, in words.
std::string describe_kernel(const nlohmann::ordered_json& options);

/// Lines, each with its name, that say what a learner computes with, and what of that it has chosen by itself and how:
/// from its options and its report.
std::vector<std::pair<const char*, std::string>> describe_choices(const nlohmann::ordered_json& options,
                                                                  const nlohmann::ordered_json& report);

/// Which features matter most, in words: from a list of objects with feature and share; empty without any.
std::string describe_importances(const nlohmann::ordered_json& importances);

}  // namespace alder::cli
