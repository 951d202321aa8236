#include "model/targets.h"

#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

bool is_class_id(double target) {
  return target >= 0.0 && target < static_cast<double>(kMostClasses) &&
         static_cast<double>(static_cast<std::uint32_t>(target)) == target;
}

}  // namespace

void check_targets(Task task, std::span<const double> targets, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != targets.size()) {
    throw Error(
        fmt::format("there are {} weights for {} targets; expected as many, or none", weights.size(), targets.size()));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0.0) || !std::isfinite(weights[i])) {
      throw Error(fmt::format("weight {} of the batch, from 0, is {}; expected a finite number that is not negative", i,
                              weights[i]));
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double target = targets[i];
    if (std::isnan(target)) continue;
    if (task == Task::kClassification && !is_class_id(target)) {
      throw Error(fmt::format("target {} of the batch, from 0, is {}; expected a class id, 0 to {}", i, target,
                              kMostClasses - 1));
    }
    if (task == Task::kRegression && std::isinf(target)) {
      throw Error(fmt::format("target {} of the batch, from 0, is {}; expected a finite number", i, target));
    }
  }
}

}  // namespace alder
