#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace alder {

using Json = nlohmann::ordered_json;

/// Settings are a JSON object of what is set of a learner's options, named like the flags of `alder train`. The kernel
/// is part of it: kernel (its name), sigma or gamma, degree and coef0 beside the learner's own options. Without any of
/// these, or without a width for a learner that finds one, it is the learner's own.
///
/// The options for make_learner that they stand for. `rows` is the horizon of a learner that has one and is not told.
/// `seed` is for a learner that draws.
std::string learner_options(const std::string& learner, const Json& settings, std::optional<std::uint64_t> rows,
                            std::uint64_t seed);

/// Whether the learner has an option of that name.
bool has_setting(const std::string& learner, const std::string& name);

/// Whether a setting is of the kernel: its name, or a parameter of some kernel.
bool is_kernel_setting(const std::string& name);

/// The name of the kernel that goes without saying.
std::string default_kernel();

/// Whether the kernel of that name has a width, sigma.
bool has_width(const Json& kernel);

/// Whether the learner finds a width for the kernel of that name by itself if it is not told.
bool finds_width(const std::string& learner, const Json& kernel);

/// Settings for people and for `alder train`: "--sigma 4 --zeta 0.5".
std::string as_flags(const Json& settings);

/// Throws Error for an option that the learner does not have and for an empty list.
void check_grid(const std::string& learner, const Json& grid);

/// All combinations of a grid: an object whose values are what is set, or arrays of what is to be tried; the last name
/// changes fastest. The names are in the order in which the learner lists its options, the kernel's first, so that
/// equal settings are equal as text. Throws Error as check_grid does.
std::vector<Json> combinations(const std::string& learner, const Json& grid);

}  // namespace alder
