#include <algorithm>
#include <cmath>

#include "alder/yardsticks.h"

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {
namespace {

void add_error(NumberYardsticks::Errors& errors, double error, double weight) {
  errors.squared = std::min(errors.squared + weight * error * error, kMostSum);
  errors.absolute = std::min(errors.absolute + weight * std::fabs(error), kMostSum);
}

}  // namespace

void NumberYardsticks::add(std::span<const double> targets, std::span<const double> weights) {
  check_targets(Task::kRegression, targets, weights);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (!is_counted(targets[i], weight)) continue;
    // Differences of numbers within the limit are finite.
    const double target = std::clamp(targets[i], -kMostSum, kMostSum);
    if (has_last_) {
      ++rows_;
      weight_ = std::min(weight_ + weight, kMostSum);
      add_error(of_mean_, mean_ - target, weight);
      add_error(of_last_, last_ - target, weight);
    }
    has_last_ = true;
    last_ = target;
    met_ = std::min(met_ + weight, kMostSum);
    mean_ += (target - mean_) * (weight / met_);
  }
}

double NumberYardsticks::rmse(const Errors& errors) const {
  return rows_ == 0 ? 0.0 : std::sqrt(errors.squared / weight_);
}

void NumberYardsticks::save(Archive& archive) const {
  const auto set = [&archive](const char* name, auto value) { archive.set("number_yardsticks", name, value); };
  set("has_last", has_last_);
  set("rows", rows_);
  set("weight", weight_);
  set("met", met_);
  set("mean", mean_);
  set("last", last_);
  set("mean_squared", of_mean_.squared);
  set("mean_absolute", of_mean_.absolute);
  set("last_squared", of_last_.squared);
  set("last_absolute", of_last_.absolute);
}

NumberYardsticks NumberYardsticks::load(const Archive& archive) {
  NumberYardsticks loaded;
  const auto get = [&archive](const char* name) { return archive.setting<double>("number_yardsticks", name); };
  loaded.has_last_ = archive.setting<bool>("number_yardsticks", "has_last");
  loaded.rows_ = archive.setting<std::uint64_t>("number_yardsticks", "rows");
  loaded.weight_ = get("weight");
  loaded.met_ = get("met");
  loaded.mean_ = get("mean");
  loaded.last_ = get("last");
  loaded.of_mean_ = {get("mean_squared"), get("mean_absolute")};
  loaded.of_last_ = {get("last_squared"), get("last_absolute")};
  if (!loaded.is_sound()) throw_bad_archive("its yardsticks contradict each other");
  return loaded;
}

bool NumberYardsticks::is_sound() const {
  const auto are_sums = [this](const Errors& errors) {
    return is_sum(errors.squared, rows_) && is_sum(errors.absolute, rows_);
  };
  if (rows_ > kMostCountedRows || (rows_ > 0 && !has_last_) || !is_weight(weight_, rows_)) return false;
  if (!are_sums(of_mean_) || !are_sums(of_last_)) return false;
  if (!has_last_) return met_ == 0.0 && mean_ == 0.0 && last_ == 0.0;
  return met_ > 0.0 && met_ <= kMostSum && weight_ <= met_ && std::fabs(mean_) <= kMostSum &&
         std::fabs(last_) <= kMostSum;
}

}  // namespace alder
