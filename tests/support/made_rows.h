#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "alder/learner.h"

namespace alder::testing {

/// Dense rows of standard normal features with a class by a rule, of which a share is wrong.
struct MadeRows {
  using Rule = std::function<double(const std::vector<double>& x, std::size_t t)>;

  MadeRows(std::size_t count, std::size_t features, double noise, const Rule& rule, std::size_t classes = 2,
           std::uint64_t seed = 1)
      : values(count, std::vector<double>(features)) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::bernoulli_distribution is_wrong(noise);
    for (std::size_t t = 0; t < count; ++t) {
      for (double& value : values[t]) value = normal(engine);
      const auto right = static_cast<std::size_t>(rule(values[t], t));
      targets.push_back(static_cast<double>(is_wrong(engine) ? (right + 1) % classes : right));
    }
    view();
  }
  /// To be called after values were changed.
  void view() {
    rows.clear();
    for (const auto& row : values) rows.push_back(Row::dense(row));
  }
  [[nodiscard]] Examples all() const { return {rows, targets, weights}; }

  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;
};

/// Learns the examples from `first` to before `last`, many at a time, and returns how many were predicted wrongly.
inline int mistakes_of(Learner& learner, const MadeRows& data, std::size_t first, std::size_t last) {
  constexpr std::size_t kMost = 64;
  int mistakes = 0;
  std::vector<double> scores;
  while (first < last) {
    const std::size_t width = learner.outputs();
    const std::size_t count = std::min(kMost, last - first);
    scores.assign(count * width, 0.0);
    const std::size_t done = learner.learn(data.all().from(first, count), scores);
    for (std::size_t r = 0; r < done; ++r) {
      const auto own = std::span(scores).subspan(r * width, width);
      const auto largest = static_cast<double>(std::max_element(own.begin(), own.end()) - own.begin());
      const double predicted = width == 1 ? (own[0] >= 0.0 ? 1.0 : 0.0) : largest;
      mistakes += predicted == data.targets[first + r] ? 0 : 1;
    }
    first += done;
  }
  return mistakes;
}

}  // namespace alder::testing
