#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "alder/learner.h"

namespace alder::testing {

/// Rows whose features have very different scales, so that scaling them matters; every fifth value is a 0 that is
/// listed.
struct SomeRows {
  explicit SomeRows(std::size_t count, std::uint64_t seed = 1) : values(count, std::vector<double>(4)) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (std::vector<double>& row : values) {
      const double target = static_cast<double>(engine() % 2);
      for (std::size_t j = 0; j < row.size(); ++j) {
        const double value = std::ldexp(normal(engine) + (j < 2 ? 0.8 * target : 0.0), static_cast<int>(2 * j)) + 1.0;
        row[j] = engine() % 5 == 0 ? 0.0 : value;
      }
      rows.push_back(Row::dense(row));
      targets.push_back(target);
    }
  }
  [[nodiscard]] Examples all() const { return {rows, targets, weights}; }
  [[nodiscard]] std::size_t size() const { return rows.size(); }

  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;
};

/// Learns all of the examples, at most `most` in a call.
inline std::vector<double> learn_all(Learner& learner, const Examples& examples, std::size_t most = 1000) {
  std::vector<double> scores(examples.size());
  for (std::size_t done = 0; done < examples.size();) {
    const std::size_t count = std::min(most, examples.size() - done);
    done += learner.learn(examples.from(done, count), std::span(scores).subspan(done, count));
  }
  return scores;
}

}  // namespace alder::testing
