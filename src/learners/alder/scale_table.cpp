#include "learners/alder/scale_table.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace alder {
namespace {

constexpr std::size_t kFewestNonzeros = 3;

std::vector<FeatureIndex> varying_features(std::span<const Row> rows) {
  struct Seen {
    std::size_t nonzeros = 0;
    double first = 0.0;
    bool varies = false;
  };
  std::unordered_map<FeatureIndex, Seen> seen;
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row.value(j) == 0.0) continue;
      Seen& feature = seen[row.feature(j)];
      if (feature.nonzeros++ == 0) feature.first = row.value(j);
      feature.varies = feature.varies || row.value(j) != feature.first;
    }
  }
  std::vector<FeatureIndex> features;
  for (const auto& [index, feature] : seen) {
    if (feature.nonzeros < kFewestNonzeros) continue;
    if (feature.varies || feature.nonzeros < rows.size()) features.push_back(index);
  }
  std::sort(features.begin(), features.end());
  return features;
}

std::vector<float> table_of(std::span<const Row> rows, const std::vector<FeatureIndex>& features, double median) {
  const std::size_t d = features.size();
  const std::size_t n = rows.size();
  std::vector<double> values(d * n);
  for (std::size_t a = 0; a < n; ++a) {
    std::size_t f = 0;
    for (std::size_t j = 0; j < rows[a].size(); ++j) {
      while (f < d && features[f] < rows[a].feature(j)) ++f;
      if (f == d) break;
      if (features[f] == rows[a].feature(j)) values[f * n + a] = rows[a].value(j) / median;
    }
  }
  constexpr double kMost = 0.5 * ScaleTable::kLargest;
  std::vector<float> table(d * n);
  for (std::size_t f = 0; f < d; ++f) {
    const std::span<double> column(values.data() + f * n, n);
    double mean = 0.0;
    for (double& value : column) {
      value = std::clamp(value, -kMost, kMost);
      mean += value / static_cast<double>(n);
    }
    for (std::size_t a = 0; a < n; ++a) table[f * n + a] = static_cast<float>(column[a] - mean);
  }
  return table;
}

}  // namespace

std::optional<ScaleTable> scale_table(std::span<const Row> rows, double median) {
  if (!std::isfinite(median) || median <= 0.0) return std::nullopt;
  ScaleTable table{varying_features(rows), {}};
  const std::size_t d = table.features.size();
  if (d < ScaleTable::kFewestFeatures || d > ScaleTable::kMostFeatures) return std::nullopt;
  table.values = table_of(rows, table.features, median);
  return table;
}

std::optional<FeatureScales> scales_of(const ScaleTable& table, std::span<const double> logs, double median) {
  FeatureScales scales;
  scales.features = table.features;
  double mean = 0.0;
  for (const double log : logs) {
    scales.factors.push_back(std::exp(log) / median);
    mean += log / static_cast<double>(logs.size());
  }
  scales.other = std::exp(mean) / median;
  const auto is_sound = [](double factor) { return std::isfinite(factor) && factor > 0.0; };
  if (!std::all_of(scales.factors.begin(), scales.factors.end(), is_sound) || !is_sound(scales.other)) {
    return std::nullopt;
  }
  return scales;
}

}  // namespace alder
