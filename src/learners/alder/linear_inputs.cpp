#include "learners/alder/linear_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "archive/archive.h"
#include "kernel/kernel_parts.h"

namespace alder {
namespace {

constexpr std::size_t kMostFeatures = 32;
constexpr double kMostDeviations = 3.0;
constexpr double kBias = 0.5;
// For numbers:
constexpr std::size_t kMostFeaturesForNumbers = 100;
constexpr double kMostDeviationsForNumbers = 100.0;
constexpr double kPartForNumbers = 0.3;
constexpr double kMeanPart = 0.01;  // of the squared mean in a variance
// Values are cut here before they are squared, and factors, so that all products are finite.
constexpr double kLargestValue = 1e120;
constexpr double kLargestFactor = 1e120;

}  // namespace

LinearInputs LinearInputs::fit(std::span<const Row> rows, bool is_for_numbers) {
  struct Sums {
    double sum = 0.0;
    double squares = 0.0;
  };
  const auto cut = [](double value) { return std::clamp(value, -kLargestValue, kLargestValue); };
  std::map<FeatureIndex, Sums> features;
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row.value(j) != 0.0) features[row.feature(j)].sum += cut(row.value(j));
    }
    if (features.size() > (is_for_numbers ? kMostFeaturesForNumbers : kMostFeatures)) return {};
  }
  const auto n = static_cast<double>(rows.size());
  for (const Row& row : rows) {  // around the mean, which may be far from 0
    for (std::size_t j = 0; j < row.size(); ++j) {
      const auto found = features.find(row.feature(j));
      if (found == features.end()) continue;
      const double mean = found->second.sum / n;
      // What is added for rows that lack the feature is taken away here.
      found->second.squares += (cut(row.value(j)) - mean) * (cut(row.value(j)) - mean) - mean * mean;
    }
  }
  LinearInputs inputs;
  inputs.is_for_numbers_ = is_for_numbers;
  const double root = std::sqrt(static_cast<double>(features.size()));
  for (const auto& [feature, sums] : features) {
    const double mean = sums.sum / n;
    const double variance = std::max(0.0, sums.squares / n + mean * mean);
    const double deviation = std::sqrt(is_for_numbers ? variance + kMeanPart * mean * mean : variance);
    const bool varies = deviation > 1e-9 * std::fabs(mean) && deviation > 1.0 / kLargestFactor;
    inputs.features_.push_back(feature);
    inputs.means_.push_back(mean);
    const double factor = is_for_numbers ? kPartForNumbers / deviation : 1.0 / (deviation * root);
    inputs.factors_.push_back(varies ? factor : 0.0);
  }
  inputs.find_zeros();
  return inputs;
}

void LinearInputs::find_zeros() {
  most_ = is_for_numbers_
              ? kMostDeviationsForNumbers * kPartForNumbers
              : kMostDeviations / std::sqrt(static_cast<double>(std::max<std::size_t>(features_.size(), 1)));
  zeros_.resize(features_.size());
  for (std::size_t j = 0; j < features_.size(); ++j) {
    zeros_[j] = std::clamp(-means_[j] * factors_[j], -most_, most_);
  }
}

template <class T>
void LinearInputs::write(const Row& row, T* out) const {
  if (features_.empty()) return;
  const std::size_t d = features_.size();
  for (std::size_t j = 0; j < d; ++j) out[j] = static_cast<T>(zeros_[j]);
  out[d] = static_cast<T>(is_for_numbers_ ? 1.0 : kBias);
  std::size_t at = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const FeatureIndex feature = row.feature(j);
    while (at < d && features_[at] < feature) ++at;
    if (at == d) return;
    if (features_[at] != feature) continue;
    const double value = std::clamp(row.value(j), -kLargestValue, kLargestValue);
    out[at] = static_cast<T>(std::clamp((value - means_[at]) * factors_[at], -most_, most_));
  }
}

template void LinearInputs::write(const Row&, float*) const;
template void LinearInputs::write(const Row&, double*) const;

void LinearInputs::add_gradient(const Row& row, std::span<const double> weights, std::span<const FeatureIndex> features,
                                std::span<double> gradient) const {
  const std::vector<double> values = values_of(row, features);
  std::size_t at = 0;
  for (std::size_t j = 0; j < features.size(); ++j) {
    while (at < features_.size() && features_[at] < features[j]) ++at;
    if (at == features_.size()) return;
    if (features_[at] != features[j]) continue;
    const bool is_cut = !(std::fabs((values[j] - means_[at]) * factors_[at]) < most_);
    if (!is_cut) gradient[j] += weights[at] * factors_[at];
  }
}

void LinearInputs::save(Archive& archive, const std::string& name) const {
  archive.put(name + ".features", features_);
  archive.put(name + ".means", means_);
  archive.put(name + ".factors", factors_);
  if (is_for_numbers_) archive.put(name + ".for_numbers", std::vector<std::uint64_t>{1});
}

LinearInputs LinearInputs::load(const Archive& archive, const std::string& name) {
  LinearInputs inputs;
  inputs.is_for_numbers_ = archive.sizes().count(name + ".for_numbers") > 0;
  inputs.features_ = archive.get<std::uint32_t>(name + ".features");
  const std::size_t d = inputs.features_.size();
  inputs.means_ = archive.get<double>(name + ".means", d);
  inputs.factors_ = archive.get<double>(name + ".factors", d);
  const auto is_mean = [](double mean) { return std::fabs(mean) <= kLargestValue; };
  const auto is_factor = [](double factor) { return factor >= 0.0 && factor <= kLargestFactor; };
  if (d > (inputs.is_for_numbers_ ? kMostFeaturesForNumbers : kMostFeatures) ||
      !std::is_sorted(inputs.features_.begin(), inputs.features_.end(), std::less_equal<>()) ||
      !std::all_of(inputs.means_.begin(), inputs.means_.end(), is_mean) ||
      !std::all_of(inputs.factors_.begin(), inputs.factors_.end(), is_factor)) {
    throw_bad_archive("the numbers of " + name + " are out of range");
  }
  inputs.find_zeros();
  return inputs;
}

std::size_t LinearInputs::bytes() const {
  return features_.capacity() * sizeof(FeatureIndex) +
         (means_.capacity() + factors_.capacity() + zeros_.capacity()) * sizeof(double);
}

}  // namespace alder
