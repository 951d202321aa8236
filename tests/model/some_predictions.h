#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/metrics.h"

#include "archive/archive.h"
#include "base/random.h"

namespace alder::testing {

/// Predictions with their targets and weights.
struct Batch {
  Predictions made;
  std::vector<double> targets;
  std::vector<double> weights;

  /// Rows first … first + count − 1.
  [[nodiscard]] Batch part(std::size_t first, std::size_t count) const {
    const std::size_t rows = targets.size();
    const auto cut = [&](const auto& numbers) {
      const auto width = static_cast<std::ptrdiff_t>(numbers.size() / rows);
      const auto begin = numbers.begin() + width * static_cast<std::ptrdiff_t>(first);
      return std::decay_t<decltype(numbers)>(begin, begin + width * static_cast<std::ptrdiff_t>(count));
    };
    Batch part;
    part.made.outputs = made.outputs;
    part.made.positive = made.positive;
    part.made.scores = cut(made.scores);
    part.made.probabilities = cut(made.probabilities);
    part.made.values = cut(made.values);
    part.made.levels = made.levels;
    part.made.quantiles = cut(made.quantiles);
    part.made.classes = cut(made.classes);
    part.targets = cut(targets);
    part.weights = cut(weights);
    return part;
  }
};

/// Predictions of K classes, mostly right, with probabilities that come from noisy scores. Every class is met, and
/// weights are multiples of 1/4, so that sums of them are exact.
inline Batch some_classes(std::uint64_t seed, std::size_t rows, std::size_t classes, bool weighted) {
  Random random(seed);
  Batch batch;
  batch.made.outputs = classes == 2 ? 1 : classes;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto target = static_cast<std::size_t>(random.below(classes));
    std::vector<double> scores;
    for (std::size_t k = 0; k < classes; ++k) scores.push_back((k == target ? 1.0 : 0.0) + random.normal());
    double sum = 0.0;
    for (const double score : scores) sum += std::exp(score);
    for (const double score : scores) batch.made.probabilities.push_back(std::exp(score) / sum);
    if (classes == 2) scores = {scores[1] - scores[0]};
    batch.made.scores.insert(batch.made.scores.end(), scores.begin(), scores.end());
    const auto largest = std::max_element(scores.begin(), scores.end()) - scores.begin();
    batch.made.classes.push_back(static_cast<std::uint32_t>(classes == 2 ? (scores[0] >= 0.0 ? 1 : 0) : largest));
    batch.targets.push_back(static_cast<double>(target));
    if (weighted) batch.weights.push_back(0.25 * static_cast<double>(1 + random.below(8)));
  }
  return batch;
}

/// How far the quantiles of some_values() are from the values.
inline constexpr std::array<double, kLevels.size()> kSomeQuantiles = {-1.0, -0.8, -0.6, -0.3, 0.0, 0.35, 0.7, 0.9, 1.1};

/// Values near their targets, with quantiles of all kLevels.
inline Batch some_values(std::uint64_t seed, std::size_t rows, double offset, bool weighted) {
  Random random(seed);
  Batch batch;
  batch.made.outputs = 1;
  batch.made.levels.assign(kLevels.begin(), kLevels.end());
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = offset + random.normal();
    batch.made.values.push_back(value);
    batch.targets.push_back(value + 0.5 * random.normal());
    for (const double quantile : kSomeQuantiles) batch.made.quantiles.push_back(value + quantile);
    if (weighted) batch.weights.push_back(random.exponential());
  }
  return batch;
}

inline void add(Metrics& metrics, const Batch& batch) {
  metrics.add(batch.made, batch.targets, batch.weights);
}

inline std::map<std::string, double> values_of(const Metrics& metrics) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : metrics.values()) values[std::string(name)] = value;
  return values;
}

inline Archive saved(const Metrics& metrics) {
  Archive archive;
  metrics.save(archive);
  return archive;
}

/// The weight of row i.
inline double weight_at(const Batch& batch, std::size_t i) {
  return batch.weights.empty() ? 1.0 : batch.weights[i];
}

/// Both have the same names, and values up to rounding errors.
inline void expect_same(const std::map<std::string, double>& values, const std::map<std::string, double>& expected) {
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(values.contains(name)) << name;
    EXPECT_NEAR(values.at(name), value, 1e-11 * (1.0 + std::fabs(value))) << name;
  }
  for (const auto& [name, value] : values) EXPECT_TRUE(expected.contains(name)) << name;
}

}  // namespace alder::testing
