#pragma once

#include <cmath>

namespace alder::cli {

/// Mean and standard deviation of a sample (with n − 1).
struct Spread {
  double mean = 0.0;
  double deviation = 0.0;
};

template <class Runs, class Value>
Spread spread(const Runs& runs, const Value& value) {
  Spread result;
  const auto n = static_cast<double>(runs.size());
  for (const auto& run : runs) result.mean += value(run) / n;
  double squares = 0.0;
  for (const auto& run : runs) squares += std::pow(value(run) - result.mean, 2);
  result.deviation = runs.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
  return result;
}

}  // namespace alder::cli
