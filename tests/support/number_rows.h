#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "alder/learners.h"

namespace alder::testing {

/// Dense rows of features that are uniform between 0 and 1, with a number by a function, and noise.
struct NumberRows {
  using Function = std::function<double(const std::vector<double>& x, std::size_t t)>;

  NumberRows(std::size_t count, std::size_t features, double noise, const Function& function, std::uint64_t seed = 1)
      : values(count, std::vector<double>(features)) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    for (std::size_t t = 0; t < count; ++t) {
      for (double& value : values[t]) value = uniform(engine);
      targets.push_back(function(values[t], t) + noise * normal(engine));
    }
    view();
  }
  /// To be called after values were changed.
  void view() {
    rows.clear();
    for (const auto& row : values) rows.push_back(Row::dense(row));
  }
  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] Examples all() const { return {rows, targets, weights}; }

  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;  // empty: all are 1
};

/// Smooth, of the first four features: a product, a bend and a line.
inline double smooth_function(const std::vector<double>& x, std::size_t /*t*/) {
  return 10.0 * std::sin(3.0 * x[0] * x[1]) + 20.0 * (x[2] - 0.5) * (x[2] - 0.5) + 5.0 * x[3];
}
/// The same until some row, and then quite another one.
inline NumberRows::Function changing_function(std::size_t change) {
  return [change](const std::vector<double>& x, std::size_t t) {
    return t < change ? smooth_function(x, t) : -8.0 * std::cos(4.0 * x[0]) * x[3] + 12.0 * x[1] * x[2];
  };
}

inline AlderOptions of_numbers(Precision precision = Precision::kFloat) {
  AlderOptions options;
  options.loss = Loss::of(Loss::Kind::kSquared);
  options.precision = precision;
  return options;
}

/// What was predicted of rows before they were learned.
struct Foretold {
  std::vector<double> values;
  std::vector<double> deviations;

  /// A number made of all bits.
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t sum = 0;
    for (const auto* const numbers : {&values, &deviations}) {
      for (const double number : *numbers) {
        sum = 0x9e3779b97f4a7c15U * (sum ^ std::bit_cast<std::uint64_t>(number));
        sum ^= sum >> 29U;
      }
    }
    return sum;
  }
  [[nodiscard]] bool are_finite() const {
    const auto is_finite = [](double number) { return std::isfinite(number); };
    return std::all_of(values.begin(), values.end(), is_finite) &&
           std::all_of(deviations.begin(), deviations.end(), [](double d) { return std::isfinite(d) && d >= 0.0; });
  }
};

/// Learns the rows up to `end`, at most `most` in a call.
inline Foretold learn_numbers(Learner& learner, const Examples& examples, std::size_t end, std::size_t most = 64) {
  Foretold made;
  const std::size_t first = learner.rounds();
  made.values.resize(end - first);
  made.deviations.resize(end - first);
  for (std::size_t at = first; at < end;) {
    const std::size_t count = std::min(most, end - at);
    at += learner.learn(examples.from(at, count), {std::span(made.values).subspan(at - first, count),
                                                   std::span(made.deviations).subspan(at - first, count)});
  }
  return made;
}

/// The root of the mean squared error from row `from` on, by the deviation of these targets; `begin` is the row of the
/// first value.
inline double relative_error(std::span<const double> values, std::span<const double> targets, std::size_t from,
                             std::size_t begin = 0) {
  double sum = 0.0;
  double mean = 0.0;
  double squares = 0.0;
  const auto n = static_cast<double>(begin + values.size() - from);
  for (std::size_t t = from; t < begin + values.size(); ++t) mean += targets[t] / n;
  for (std::size_t t = from; t < begin + values.size(); ++t) {
    sum += (values[t - begin] - targets[t]) * (values[t - begin] - targets[t]);
    squares += (targets[t] - mean) * (targets[t] - mean);
  }
  return std::sqrt(sum / squares);
}

}  // namespace alder::testing
