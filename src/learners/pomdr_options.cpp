#include "learners/pomdr_options.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "alder/error.h"

#include "model/archive.h"
#include "model/kernel_settings.h"

namespace alder {
namespace {

constexpr std::uint64_t kFirstHorizon = std::uint64_t{1} << 20U;

// round(15 ln T), the setting of the paper's experiments; at least one element.
std::size_t automatic_b0(std::uint64_t horizon) {
  return static_cast<std::size_t>(std::max(1.0, std::round(15.0 * std::log(static_cast<double>(horizon)))));
}

void check_range(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high)) {
    throw Error(fmt::format("{} is {}; expected a number from {} to {}", name, value, low, high));
  }
}

void check_budget(const PomdrOptions& options) {
  if (options.b0 && *options.b0 < 1) throw Error("b0 is 0; expected at least 1");
  if (options.budget < 2 || options.budget % 2 != 0) {
    throw Error(
        fmt::format("budget is {}; expected an even number from 2 on, since half of it is removed", options.budget));
  }
  const std::uint64_t horizon = options.horizon.value_or(kFirstHorizon);
  const std::size_t b0 = options.b0.value_or(automatic_b0(horizon));
  if (options.budget <= b0) {
    const std::string reason =
        options.b0 ? "" : fmt::format(" (b0 is round(15 ln T) with T = {}; set b0 for a smaller budget)", horizon);
    throw Error(fmt::format("budget is {}; expected more than b0 = {}{}", options.budget, b0, reason));
  }
}

}  // namespace

void check(const PomdrOptions& options) {
  // The ranges leave room for squares and products in double.
  check_range("radius", options.radius, 1e-50, 1e50);
  check_range("ald", options.ald, 0.0, 1e50);
  check_range("factor", options.factor, 1e-50, 1e50);
  if (!(options.zeta > 0.0 && options.zeta <= 1.0)) {
    throw Error(fmt::format("zeta is {}; expected a number above 0 and at most 1", options.zeta));
  }
  if (options.window < 1) throw Error("window is 0; expected at least 1");
  if (options.horizon && *options.horizon < 1) throw Error("horizon is 0; expected at least 1 round");
  check_budget(options);
}

void save(const PomdrOptions& options, Archive& archive) {
  auto& settings = archive.settings["options"];
  save(options.kernel, settings["kernel"]);
  settings["budget"] = options.budget;
  settings["radius"] = options.radius;
  settings["window"] = options.window;
  settings["zeta"] = options.zeta;
  settings["ald"] = options.ald;
  settings["factor"] = options.factor;
  if (options.b0) settings["b0"] = *options.b0;
  if (options.horizon) settings["horizon"] = *options.horizon;
  settings["precision"] = options.precision == Precision::kFloat ? "float" : "double";
}

PomdrOptions load_pomdr_options(const Archive& archive) {
  using Json = nlohmann::ordered_json;
  const auto settings = Archive::read<Json>(archive.settings, "options");
  const auto number = [&settings](const char* key) { return Archive::read<double>(settings, key); };
  const auto count = [&settings](const char* key) { return Archive::read<std::uint64_t>(settings, key); };
  PomdrOptions options;
  options.kernel = load_kernel(Archive::read<Json>(settings, "kernel"));
  options.budget = count("budget");
  options.radius = number("radius");
  options.window = count("window");
  options.zeta = number("zeta");
  options.ald = number("ald");
  options.factor = number("factor");
  if (settings.contains("b0")) options.b0 = count("b0");
  if (settings.contains("horizon")) options.horizon = count("horizon");
  const auto precision = Archive::read<std::string>(settings, "precision");
  if (precision != "float" && precision != "double") throw_bad_archive("its precision is neither float nor double");
  options.precision = precision == "float" ? Precision::kFloat : Precision::kDouble;
  check(options);
  return options;
}

PomdrSchedule::PomdrSchedule(const PomdrOptions& options)
    : options_(options), horizon_(options.horizon.value_or(kFirstHorizon)) {
  follow();
}

void PomdrSchedule::begin_round(std::uint64_t t) {
  if (options_.horizon || t <= horizon_) return;
  while (t > horizon_) horizon_ *= 2;
  follow();
}

void PomdrSchedule::follow() {
  // With a growing T the automatic B0 stops growing where it would meet the budget.
  b0_ = options_.b0.value_or(std::min(automatic_b0(horizon_), options_.budget - 1));
  threshold_ = options_.ald * std::pow(static_cast<double>(horizon_), -options_.zeta);
}

}  // namespace alder
