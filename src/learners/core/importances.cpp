#include "learners/core/importances.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "alder/row_buffer.h"

namespace alder {
namespace {

constexpr std::size_t kPairs = 64;

// A feature in which two rows differ, and its value in the other one.
struct Difference {
  FeatureIndex feature;
  double value;
};

std::vector<Difference> differences(const Row& row, const Row& other) {
  std::map<FeatureIndex, double> values;
  for (std::size_t j = 0; j < row.size(); ++j) values[row.feature(j)] = 0.0;
  for (std::size_t j = 0; j < other.size(); ++j) values[other.feature(j)] = other.value(j);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const auto found = values.find(row.feature(j));
    if (found != values.end() && found->second == row.value(j)) values.erase(found);
  }
  std::vector<Difference> found;
  found.reserve(values.size());
  for (const auto& [feature, value] : values) found.push_back({feature, value});
  return found;
}

void append_changed(const Row& row, const Difference& change, RowBuffer& out) {
  const RowBuffer::Room room = out.room(row.size() + 1);
  std::size_t size = 0;
  const auto add = [&](FeatureIndex feature, double value) {
    room.indices[size] = feature;
    room.values[size++] = value;
  };
  bool is_in = false;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!is_in && row.feature(j) >= change.feature) {
      add(change.feature, change.value);
      is_in = true;
    }
    if (row.feature(j) != change.feature) add(row.feature(j), row.value(j));
  }
  if (!is_in) add(change.feature, change.value);
  out.append_written(Row::sparse(room.indices.data(), room.values.data(), size).as_checked());
}

}  // namespace

std::vector<FeatureShare> importances_by_swaps(const Learner& learner, std::span<const Row> rows) {
  std::map<FeatureIndex, double> changes;
  const std::size_t half = rows.size() / 2;
  const std::size_t pairs = std::min(half, kPairs);
  const std::size_t width = learner.outputs();
  RowBuffer changed;
  std::vector<double> scores;
  for (std::size_t p = 0; p < pairs; ++p) {
    const std::size_t i = p * half / pairs;
    const std::vector<Difference> found = differences(rows[i], rows[i + half]);
    changed.clear();
    changed.append(rows[i]);
    for (const Difference& change : found) append_changed(rows[i], change, changed);
    scores.resize(changed.size() * width);
    learner.score(changed.rows(), scores);
    for (std::size_t f = 0; f < found.size(); ++f) {
      for (std::size_t c = 0; c < width; ++c) {
        changes[found[f].feature] += std::fabs(scores[(f + 1) * width + c] - scores[c]);
      }
    }
  }
  double sum = 0.0;
  for (const auto& [feature, change] : changes) sum += change;
  std::vector<FeatureShare> shares;
  for (const auto& [feature, change] : changes) {
    if (change > 0.0 && std::isfinite(change / sum)) shares.push_back({feature, change / sum});
  }
  return shares;
}

}  // namespace alder
