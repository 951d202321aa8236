#include "learners/core/target_units.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

namespace alder {
namespace {

using UnitOptions = nlohmann::ordered_json;

constexpr char kCenter[] = "target_center";
constexpr char kScale[] = "target_scale";
// Nothing that is learned is larger, so that squares of it stay finite.
constexpr double kLargestLearned = 1e100;

bool is_logarithm(const Loss& loss) {
  return loss.kind() == Loss::Kind::kPoisson;
}

// Takes a number out of the options; empty if it is missing or null.
std::optional<double> take(UnitOptions& options, const char* name, double low, double high) {
  const auto found = options.find(name);
  if (found == options.end()) return {};
  const UnitOptions value = *found;
  options.erase(name);
  if (value.is_null()) return {};
  if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
    throw Error(fmt::format("{} is {}; expected a number from {} to {}", name, value.dump(), low, high));
  }
  return value.get<double>();
}

// Of options; empty if there is none. What is wrong with it is left to the learner.
std::optional<Loss::Kind> loss_kind(const UnitOptions& options) {
  const auto found = options.find("loss");
  if (found == options.end() || !found->is_string()) return {};
  const auto names = Loss::names();
  const auto name = std::find(names.begin(), names.end(), found->get<std::string>());
  if (name == names.end()) return {};
  return static_cast<Loss::Kind>(name - names.begin());
}

}  // namespace

TargetUnits::TargetUnits(const Loss& loss, double center, double scale)
    : center_(center),
      scale_(scale),
      offset_(is_logarithm(loss) ? std::log(scale) : center),
      slope_(is_logarithm(loss) ? 1.0 : scale) {}

double TargetUnits::learned(double number) const {
  return std::clamp((number - center_) / scale_, -kLargestLearned, kLargestLearned);
}

std::optional<AskedUnits> AskedUnits::taken_from(UnitOptions& options) {
  const auto center = take(options, kCenter, -TargetUnits::kLargestCenter, TargetUnits::kLargestCenter);
  const auto scale = take(options, kScale, TargetUnits::kSmallestScale, TargetUnits::kLargestScale);
  const std::optional<Loss::Kind> kind = loss_kind(options);
  // The parameter has no meaning for units.
  const bool has_parameter =
      kind == Loss::Kind::kInsensitive || kind == Loss::Kind::kQuantile || kind == Loss::Kind::kHuber;
  const Loss loss = Loss::of(kind.value_or(Loss::Kind::kHinge), has_parameter ? 0.5 : 0.0);
  if (loss.task() != Task::kRegression) {
    for (const auto& [name, value] : {std::pair(kCenter, center), std::pair(kScale, scale)}) {
      if (!value) continue;
      throw Error(
          fmt::format("{} is {}; expected none, since the loss {} is not of numbers", name, *value, loss.name()));
    }
    return {};
  }
  if (is_logarithm(loss) && center.value_or(0.0) != 0.0) {
    throw Error(fmt::format("{} is {}; expected 0, since the loss is {}", kCenter, *center, loss.name()));
  }
  return AskedUnits{loss, is_logarithm(loss) ? std::optional(0.0) : center, scale};
}

TargetUnits AskedUnits::of(std::span<const double> numbers) const {
  double mean = 0.0;
  double count = 0.0;
  const auto next = [](double number) { return std::clamp(number, -kLargestLearned, kLargestLearned); };
  for (const double number : numbers) mean += (next(number) - mean) / ++count;
  double squares = 0.0;
  for (const double number : numbers) squares += (next(number) - mean) * (next(number) - mean);
  double spread = is_logarithm(loss) ? mean : std::sqrt(squares / count);
  if (!(spread > 0.0)) spread = mean == 0.0 ? 1.0 : std::fabs(mean);
  const double usual = std::clamp(mean, -TargetUnits::kLargestCenter, TargetUnits::kLargestCenter);
  return {loss, center.value_or(usual),
          scale.value_or(std::clamp(spread, TargetUnits::kSmallestScale, TargetUnits::kLargestScale))};
}

void AskedUnits::write(UnitOptions& options) const {
  if (center) options[kCenter] = *center;
  if (scale) options[kScale] = *scale;
}

}  // namespace alder
