#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/metrics.h"

#include "names.h"

namespace alder::cli {

/// What predictions are worth beside the share of mistakes, by the names that the program's JSON has. `f1` is that of
/// the positive class of two, else the mean over all classes.
inline constexpr std::array kFigures = {"balanced_error", "log_loss", "brier", "calibration_error", "auc", "f1",
                                        "kappa"};
/// The same for numbers; but for shares in units of the target.
inline constexpr std::array kNumberFigures = {"rmse",     "nrmse",       "mae",         "nmae",
                                              "r2",       "coverage_80", "coverage_90", "coverage_95",
                                              "width_80", "width_90",    "width_95",    "pinball"};
/// Those of a task.
std::span<const char* const> figure_names(Task task);
/// One of these; empty if the rows do not define it.
std::optional<double> figure(const Metrics& metrics, std::string_view name);

/// One of these with its value, for people.
std::string in_words(std::string_view name, double value);

/// The mean hinge loss; empty unless there were two classes all the time.
std::optional<double> hinge_risk(const Metrics& metrics);

/// Adds all of them, null if they are not defined, and of classes `recall` and `confusion`.
void add_figures(nlohmann::ordered_json& json, const Metrics& metrics, const ClassNames& classes);

/// The same as lines of a summary: a title and a text each.
std::vector<std::pair<const char*, std::string>> figures_in_words(const Metrics& metrics, const ClassNames& classes);
/// In one line, without those of single classes; empty if none is defined.
std::string figures_in_short(const Metrics& metrics);

}  // namespace alder::cli
