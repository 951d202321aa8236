#include "learners/alder/parts.h"

#include <algorithm>

namespace alder {
namespace {

constexpr double kSlowRate = 1e-5;
constexpr double kFastRate = 1e-3;
constexpr std::size_t kBudgetAtNormalEffort = 400;
constexpr std::size_t kBudgetAtHighEffort = 1600;

}  // namespace

AlderParts::AlderParts(const AlderOptions& options) {
  using Effort = AlderOptions::Effort;
  using Part = AlderOptions::Part;
  const auto has = [&](Part part) { return options.leave_out != part; };
  const bool is_low = options.effort == Effort::kLow;
  race.is_for_numbers = options.loss.has_value();
  race.has_transforms = has(Part::kTransforms);
  race.has_scales = !is_low && has(Part::kScales);
  race.has_laplacian = !is_low && has(Part::kLaplacian);
  if (options.forget > 0.0) {
    rates = {options.forget};
  } else if (!has(Part::kForgetting)) {
    rates = {0.0};
  } else {
    rates = {0.0, kFastRate};
    if (!is_low) slow_rate = kSlowRate;
  }
  has_linear_inputs = has(Part::kLinear);
  has_fine_layer = !is_low && has(Part::kFine);
  has_duel = !is_low && has(Part::kDuel);
  has_alarm = !is_low && has(Part::kAlarm);
  replaces = options.effort == Effort::kHigh && has(Part::kReplacement);
  is_thrifty = options.effort != Effort::kHigh;
  most_budget = is_low || !has(Part::kBudget)     ? 0
                : options.effort == Effort::kHigh ? kBudgetAtHighEffort
                                                  : kBudgetAtNormalEffort;
}

}  // namespace alder
