#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "alder/metrics.h"

#include "model/targets.h"

namespace alder {
namespace {

using LevelPlaces = std::array<std::size_t, kLevels.size()>;

// Where the quantiles of kLevels are among those of a row; empty if one is missing.
std::optional<LevelPlaces> find_levels(std::span<const double> levels) {
  LevelPlaces places = {};
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const auto found = std::find(levels.begin(), levels.end(), kLevels[k]);
    if (found == levels.end()) return std::nullopt;
    places[k] = static_cast<std::size_t>(found - levels.begin());
  }
  return places;
}

// Adds what the quantiles of one row are worth, if it has them all.
void add_intervals(MetricSums& sums, const LevelPlaces& places, const double* quantiles, double target, double weight) {
  std::array<double, kLevels.size()> q = {};
  for (std::size_t k = 0; k < q.size(); ++k) {
    q[k] = quantiles[places[k]];
    if (!std::isfinite(q[k])) return;
  }
  ++sums.interval_rows;
  sums.interval_weight += weight;
  for (std::size_t i = 0; i < sums.covered.size(); ++i) {
    const std::size_t low = sums.covered.size() - 1 - i;  // 80 % reaches from the third level to the last but two
    const std::size_t high = q.size() - 1 - low;
    sums.covered[i] += q[low] <= target && target <= q[high] ? weight : 0.0;
    sums.interval_width[i] += weight * std::max(0.0, q[high] - q[low]);
  }
  double loss = 0.0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    loss += q[k] <= target ? kLevels[k] * (target - q[k]) : (1.0 - kLevels[k]) * (q[k] - target);
  }
  sums.pinball += weight * (loss / static_cast<double>(q.size()));
}

}  // namespace

void Metrics::add_values(const Predictions& made, std::span<const double> targets, std::span<const double> weights) {
  const std::size_t levels = made.quantiles.size() / targets.size();
  const auto places = made.quantiles.empty() ? std::nullopt : find_levels(made.levels);
  MetricSums sums = sums_;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (!is_counted(targets[i], weight) || std::isnan(made.values[i])) continue;
    const double target = targets[i];
    const double error = std::fabs(made.values[i] - target);
    ++sums.rows;
    sums.weight += weight;
    sums.squared_error += weight * error * error;
    sums.absolute_error += weight * error;
    // Differences of numbers within the limit are finite.
    const double bounded = std::clamp(target, -kMostSum, kMostSum);
    const double change = bounded - sums.target_mean;
    sums.target_mean += change * (weight / sums.weight);
    sums.target_spread += std::max(0.0, weight * change * (bounded - sums.target_mean));  // negative by rounding only
    if (places) add_intervals(sums, *places, made.quantiles.data() + i * levels, target, weight);
  }
  sums_ = sums;
}

std::vector<std::pair<std::string_view, double>> Metrics::values_of_numbers() const {
  const MetricSums& sums = sums_;
  std::vector<std::pair<std::string_view, double>> values = {{"rows", static_cast<double>(sums.rows)},
                                                             {"weight", sums.weight}};
  if (sums.rows == 0 || sums.weight >= kMostSum) return values;
  // A sum at its limit says nothing any more.
  const auto give = [&](std::string_view name, double sum, double value) {
    if (sum < kMostSum) values.emplace_back(name, value);
  };
  const double rmse = std::sqrt(sums.squared_error / sums.weight);
  const double mae = sums.absolute_error / sums.weight;
  const bool has_spread = sums.target_spread > 0.0 && sums.target_spread < kMostSum;
  const double deviation = std::sqrt(sums.target_spread / sums.weight);
  give("rmse", sums.squared_error, rmse);
  if (has_spread) give("nrmse", sums.squared_error, rmse / deviation);
  give("mae", sums.absolute_error, mae);
  if (has_spread) give("nmae", sums.absolute_error, mae / deviation);
  if (has_spread) give("r2", sums.squared_error, 1.0 - sums.squared_error / sums.target_spread);
  if (sums.interval_rows == 0) return values;
  constexpr std::array<std::string_view, 3> kCoverages = {"coverage_80", "coverage_90", "coverage_95"};
  constexpr std::array<std::string_view, 3> kWidths = {"width_80", "width_90", "width_95"};
  for (std::size_t i = 0; i < kCoverages.size(); ++i) {
    values.emplace_back(kCoverages[i], sums.covered[i] / sums.interval_weight);
  }
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    give(kWidths[i], sums.interval_width[i], sums.interval_width[i] / sums.interval_weight);
  }
  give("pinball", sums.pinball, sums.pinball / sums.interval_weight);
  values.emplace_back("interval_rows", static_cast<double>(sums.interval_rows));
  return values;
}

}  // namespace alder
