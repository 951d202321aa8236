#include "model/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {
namespace {

constexpr double kNoQuantile = std::numeric_limits<double>::quiet_NaN();
// Running means forget what is kErrorMemory rows ago; that of the step what is kStepMemoryShare of all rows ago: were
// steps much larger in troubled times than in quiet ones, those would be too short for quantiles to come back.
constexpr double kErrorMemory = 500.0;
constexpr double kStepMemoryShare = 0.25;
// What is begun with, the mean of normal numbers, counts like this number of rows. The deviations of a learner's first
// rows are guesses: a quantile that one of them threw far out would take thousands of rows to come back, by a·step a
// row.
constexpr std::uint64_t kRowsOfFirstSize = 30;
constexpr double kLeastStep = 0.02;
constexpr double kFirstStep = 0.5;
// A larger error, in deviations or in multiples of the usual ones, counts as this one in the step.
constexpr double kLargestInStep = 10.0;
// No error is more deviations away: a deviation may be 0.
constexpr double kFarthestError = 1e6;
// What the targets met are exceeded by at most, as a part of their range.
constexpr double kMargin = 0.05;
// A level that is written like one of kLevels is that one.
constexpr double kSameLevel = 1e-12;

// The tracked levels on the scale of normal quantiles.
const std::array<double, kLevels.size()>& normal_levels() {
  static const std::array<double, kLevels.size()> levels = [] {
    std::array<double, kLevels.size()> made = {};
    std::transform(kLevels.begin(), kLevels.end(), made.begin(), normal_quantile);
    return made;
  }();
  return levels;
}

TrackedQuantiles::Place place_of(double level) {
  if (!(level > 0.0 && level < 1.0)) {
    throw Error(fmt::format("a quantile of the level {}; expected a number above 0 and below 1", level));
  }
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    if (std::fabs(level - kLevels[k]) > kSameLevel) continue;
    return k + 1 < kLevels.size() ? TrackedQuantiles::Place{k, 0.0} : TrackedQuantiles::Place{k - 1, 1.0};
  }
  const auto above =
      static_cast<std::size_t>(std::upper_bound(kLevels.begin(), kLevels.end(), level) - kLevels.begin());
  const std::size_t first = std::clamp<std::size_t>(above, 1, kLevels.size() - 1) - 1;
  const auto& normal = normal_levels();
  return {first, (normal_quantile(level) - normal[first]) / (normal[first + 1] - normal[first])};
}

// The rate of a running mean that has this many numbers and forgets those of `memory` rows ago.
double running_rate(std::uint64_t count, double memory) {
  return std::max(1.0 / static_cast<double>(count), 1.0 / memory);
}

}  // namespace

// By halving: it is asked for a few times in all.
double normal_quantile(double level) {
  if (level == 0.5) return 0.0;
  if (level > 0.5) return -normal_quantile(1.0 - level);
  double low = -40.0;
  double high = 0.0;
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < level ? low : high) = middle;
  }
  return high;
}

TrackedQuantiles::TrackedQuantiles() : tracked_(normal_levels()), size_(std::sqrt(2.0 / std::numbers::pi)) {}

std::vector<TrackedQuantiles::Place> TrackedQuantiles::places(std::span<const double> levels) {
  std::vector<Place> places;
  places.reserve(levels.size());
  for (const double level : levels) places.push_back(place_of(level));
  return places;
}

double TrackedQuantiles::deviation(double given) const {
  if (!std::isnan(given)) return given;
  static const double of_normal = std::sqrt(0.5 * std::numbers::pi);
  return errors_ == 0 ? kNoQuantile : of_normal * error_;
}

void TrackedQuantiles::quantiles(double value, double deviation, std::span<const Place> places,
                                 std::span<double> out) const {
  if (!std::isfinite(value) || !(deviation >= 0.0 && std::isfinite(deviation))) {
    std::fill(out.begin(), out.end(), kNoQuantile);
    return;
  }
  constexpr double kLargest = std::numeric_limits<double>::max();
  // One target alone is no range.
  const bool has_range = high_ > low_;
  const double margin = kMargin * (high_ - low_);
  const double least = has_range ? std::max(low_ - margin, -kLargest) : -kLargest;
  const double most = has_range ? std::min(high_ + margin, kLargest) : kLargest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t k = places[i].first;
    const double q = tracked_[k] + places[i].share * (tracked_[k + 1] - tracked_[k]);
    out[i] = std::clamp(value + deviation * q, least, most);
  }
}

void TrackedQuantiles::learn(double value, double deviation, double target) {
  low_ = targets_ == 0 ? target : std::min(low_, target);
  high_ = targets_ == 0 ? target : std::max(high_, target);
  ++targets_;
  if (!std::isfinite(value)) return;
  const double error = std::clamp(target - value, -kMostSum, kMostSum);
  ++errors_;
  error_ += (std::fabs(error) - error_) * running_rate(errors_, kErrorMemory);
  if (!(deviation >= 0.0 && std::isfinite(deviation))) return;
  const double u = error == 0.0 ? 0.0 : std::clamp(error / deviation, -kFarthestError, kFarthestError);
  ++steps_;
  const double bounded = std::min(std::fabs(u), kLargestInStep * std::max(1.0, size_));
  const std::uint64_t counted = kRowsOfFirstSize + steps_;
  size_ += (bounded - size_) *
           running_rate(counted, std::max(kErrorMemory, kStepMemoryShare * static_cast<double>(counted)));
  const double step = size_ * std::max(kFirstStep / std::sqrt(static_cast<double>(steps_)), kLeastStep);
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    tracked_[k] += step * (kLevels[k] - (u < tracked_[k] ? 1.0 : 0.0));
    if (k > 0) tracked_[k] = std::max(tracked_[k], tracked_[k - 1]);
  }
}

void TrackedQuantiles::save(Archive& archive) const {
  archive.set("quantiles", "targets", targets_);
  archive.set("quantiles", "errors", errors_);
  archive.set("quantiles", "steps", steps_);
  archive.put("quantiles.tracked", std::vector<double>(tracked_.begin(), tracked_.end()));
  archive.put("quantiles.scale", std::vector<double>{size_, error_, low_, high_});
}

TrackedQuantiles TrackedQuantiles::load(const Archive& archive) {
  TrackedQuantiles loaded;
  loaded.targets_ = archive.setting<std::uint64_t>("quantiles", "targets");
  loaded.errors_ = archive.setting<std::uint64_t>("quantiles", "errors");
  loaded.steps_ = archive.setting<std::uint64_t>("quantiles", "steps");
  const auto tracked = archive.get<double>("quantiles.tracked", kLevels.size());
  std::copy(tracked.begin(), tracked.end(), loaded.tracked_.begin());
  const auto scale = archive.get<double>("quantiles.scale", 4);
  loaded.size_ = scale[0];
  loaded.error_ = scale[1];
  loaded.low_ = scale[2];
  loaded.high_ = scale[3];
  if (!loaded.is_sound()) throw_bad_archive("its quantiles contradict each other");
  return loaded;
}

bool TrackedQuantiles::is_sound() const {
  if (targets_ > kMostCountedRows || errors_ > targets_ || steps_ > errors_) return false;
  // They are moved by a step at most beyond the errors, which are not farther than kFarthestError.
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    if (!(std::fabs(tracked_[k]) <= 2.0 * kFarthestError) || (k > 0 && tracked_[k] < tracked_[k - 1])) return false;
  }
  if (!std::isfinite(low_) || !std::isfinite(high_) || low_ > high_) return false;
  if (targets_ == 0 && (low_ != 0.0 || high_ != 0.0)) return false;
  return size_ >= 0.0 && size_ <= kFarthestError && error_ >= 0.0 && error_ <= kMostSum &&
         (errors_ > 0 || error_ == 0.0);
}

}  // namespace alder
