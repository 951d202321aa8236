#include <algorithm>
#include <cmath>
#include <vector>

#include "alder/theory.h"

namespace alder {
namespace {

// Below this part of the largest, eigenvalues are rounding errors.
constexpr double kNoise = 1e-12;
constexpr std::size_t kLeastPoints = 3;

struct Line {
  double slope = 0.0;
  double explained = 0.0;
};

Line least_squares(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return {xy / xx, yy > 0.0 ? xy * xy / (xx * yy) : 0.0};
}

// The least R0 with ln λ_i <= ln R0 + slope·x_i for all of them.
double least_constant(const std::vector<double>& x, const std::vector<double>& y, double slope) {
  double constant = y[0] - slope * x[0];
  for (std::size_t i = 1; i < x.size(); ++i) constant = std::max(constant, y[i] - slope * x[i]);
  return std::exp(constant);
}

}  // namespace

std::optional<DecayFit> fit_decay(std::span<const double> eigenvalues) {
  std::vector<double> index;
  std::vector<double> log_index;
  std::vector<double> logs;
  for (std::size_t i = 0; i < eigenvalues.size() && eigenvalues[i] > kNoise * eigenvalues[0]; ++i) {
    index.push_back(static_cast<double>(i + 1));
    log_index.push_back(std::log(index.back()));
    logs.push_back(std::log(eigenvalues[i]));
  }
  if (logs.size() < kLeastPoints) return {};
  const Line exponential = least_squares(index, logs);
  const Line polynomial = least_squares(log_index, logs);
  if (!(exponential.slope < 0.0) || !(polynomial.slope < 0.0)) return {};
  DecayFit fit;
  fit.used = logs.size();
  fit.exponential = {
      {Decay::Kind::kExponential, least_constant(index, logs, exponential.slope), std::exp(exponential.slope)},
      exponential.explained};
  fit.polynomial = {{Decay::Kind::kPolynomial, least_constant(log_index, logs, polynomial.slope), -polynomial.slope},
                    polynomial.explained};
  if (fit.exponential.decay.rate >= 1.0) return {};
  return fit;
}

}  // namespace alder
