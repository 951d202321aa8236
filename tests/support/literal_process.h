#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace alder::testing {

/// The labels' likelihood under a Gaussian process, as likelihood.h says, in double and in the order of the formulas; a
/// matrix is a table of its rows.
struct LiteralProcess {
  using Numbers = std::vector<double>;
  using Table = std::vector<Numbers>;

  Table rows;
  Table outputs;  // one for each output

  /// K without the noise.
  [[nodiscard]] Table kernel(const Numbers& parameters) const {
    const std::size_t d = parameters.size() - 2;
    Table out(rows.size(), Numbers(rows.size()));
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = 0; b < rows.size(); ++b) {
        double square = 0.0;
        for (std::size_t j = 0; j < d; ++j) {
          square += std::exp(2.0 * parameters[j]) * std::pow(rows[a][j] - rows[b][j], 2.0);
        }
        out[a][b] = std::exp(parameters[d] - 0.5 * square);
      }
    }
    return out;
  }

  /// Gauss and Jordan's inverse of K, whose pivots' product is the determinant.
  static Table inverse(Table m, double& log_determinant) {
    const std::size_t n = m.size();
    log_determinant = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
      const double pivot = m[p][p];
      log_determinant += std::log(pivot);
      m[p][p] = 1.0;
      for (std::size_t b = 0; b < n; ++b) m[p][b] /= pivot;
      for (std::size_t a = 0; a < n; ++a) {
        if (a == p) continue;
        const double factor = m[a][p];
        m[a][p] = 0.0;
        for (std::size_t b = 0; b < n; ++b) m[a][b] -= factor * m[p][b];
      }
    }
    return m;
  }

  static Numbers times(const Table& m, const Numbers& x) {
    Numbers out(m.size());
    for (std::size_t a = 0; a < m.size(); ++a) {
      for (std::size_t b = 0; b < x.size(); ++b) out[a] += m[a][b] * x[b];
    }
    return out;
  }

  [[nodiscard]] Table noisy_inverse(const Numbers& parameters, double& log_determinant) const {
    Table k = kernel(parameters);
    for (std::size_t a = 0; a < k.size(); ++a) k[a][a] += std::exp(parameters.back());
    return inverse(k, log_determinant);
  }

  /// The negative log likelihood.
  [[nodiscard]] double value(const Numbers& parameters) const {
    double log_determinant = 0.0;
    const Table inverted = noisy_inverse(parameters, log_determinant);
    double sum = 0.0;
    for (const Numbers& y : outputs) {
      const Numbers solved = times(inverted, y);
      for (std::size_t a = 0; a < y.size(); ++a) sum += 0.5 * y[a] * solved[a] / static_cast<double>(outputs.size());
    }
    return sum + 0.5 * log_determinant;
  }

  [[nodiscard]] Numbers slopes(const Numbers& parameters) const {
    const std::size_t d = parameters.size() - 2;
    double log_determinant = 0.0;
    const Table k = kernel(parameters);
    Table weights = noisy_inverse(parameters, log_determinant);
    Table solved;
    for (const Numbers& y : outputs) solved.push_back(times(weights, y));
    Numbers out(parameters.size());
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = 0; b < rows.size(); ++b) {
        for (const Numbers& s : solved) weights[a][b] -= s[a] * s[b] / static_cast<double>(outputs.size());
        const double weight = 0.5 * weights[a][b];
        for (std::size_t j = 0; j < d; ++j) {
          out[j] -= weight * k[a][b] * std::exp(2.0 * parameters[j]) * std::pow(rows[a][j] - rows[b][j], 2.0);
        }
        out[d] += weight * k[a][b];
        if (a == b) out[d + 1] += weight * std::exp(parameters[d + 1]);
      }
    }
    return out;
  }
};

}  // namespace alder::testing
