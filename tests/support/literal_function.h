#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "alder/kernel.h"
#include "alder/loss.h"

#include "support/dense.h"

namespace alder::testing {

/// f = Σ a_i κ(x_i,·), as a list. Every value and norm is a sum over kernel values.
struct LiteralFunction {
  explicit LiteralFunction(const Kernel& k) : kernel(k) {}

  void add(const Vector& point, double coefficient) {
    x.push_back(point);
    a.push_back(coefficient);
  }
  /// f += factor·g.
  void add(const LiteralFunction& g, double factor) {
    for (std::size_t i = 0; i < g.x.size(); ++i) add(g.x[i], factor * g.a[i]);
  }
  void scale(double factor) {
    for (double& coefficient : a) coefficient *= factor;
  }
  /// proj_U f.
  void project(double radius) {
    if (norm() > radius) scale(radius / norm());
  }
  void clear() {
    x.clear();
    a.clear();
  }
  [[nodiscard]] std::size_t size() const { return x.size(); }
  [[nodiscard]] double kappa(const Vector& u, const Vector& v) const { return kernel_value(kernel, u, v); }
  [[nodiscard]] double at(const Vector& point) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += a[i] * kappa(x[i], point);
    return sum;
  }
  /// How certain the sign of f(x) is: |f(x)|, as a part of what went into it. For learners whose coefficients change by
  /// about 1 at a time, and may have cancelled.
  [[nodiscard]] double certainty(const Vector& point) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (1.0 + std::fabs(a[i])) * std::fabs(kappa(x[i], point));
    return sum == 0.0 ? 1.0 : std::fabs(at(point)) / sum;
  }
  [[nodiscard]] double norm() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += a[i] * at(x[i]);
    return std::sqrt(std::max(0.0, sum));
  }

  Kernel kernel;
  std::vector<Vector> x;
  std::vector<double> a;
};

inline Eigen::VectorXd literal_kernel_row(const Kernel& kernel, const std::vector<Vector>& points, const Vector& x) {
  Eigen::VectorXd k(static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    k[static_cast<Eigen::Index>(i)] = kernel_value(kernel, points[i], x);
  }
  return k;
}

inline Eigen::MatrixXd literal_gram(const Kernel& kernel, const std::vector<Vector>& points) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd gram(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    gram.col(i) = literal_kernel_row(kernel, points, points[static_cast<std::size_t>(i)]);
  }
  return gram;
}

/// η of round t.
inline double literal_rate(double step, const std::optional<std::uint64_t>& horizon, std::uint64_t t) {
  return step / std::sqrt(static_cast<double>(horizon.value_or(t)));
}

/// One of the algorithms of docs/algorithms.md, transcribed: slow, and with nothing cached.
class LiteralLearner {
 public:
  LiteralLearner() = default;
  LiteralLearner(const LiteralLearner&) = delete;
  LiteralLearner& operator=(const LiteralLearner&) = delete;
  virtual ~LiteralLearner() = default;

  double learn(const Vector& x, double y) {
    ++t_;
    return round(x, y);
  }
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Empty where the learner does not report it.
  [[nodiscard]] virtual std::optional<double> norm() const { return std::nullopt; }
  [[nodiscard]] virtual std::uint64_t removals() const { return 0; }

  /// How near the closest decision so far was to fall the other way. If it is within rounding errors, two right
  /// implementations may differ from there on.
  [[nodiscard]] double closest() const { return closest_; }

 protected:
  virtual double round(const Vector& x, double y) = 0;

  /// Whether value < limit.
  bool is_below(double value, double limit) {
    decided_at(std::fabs(value - limit));
    return value < limit;
  }
  /// ∂ℓ/∂score by the table of losses; of "squared", by that of (score − y)².
  double slope_of(const Loss& loss, double score, double y) {
    const double difference = score - y;
    const double sign = difference > 0.0 ? 1.0 : -1.0;
    // Where there is no slope there is no step, and no row is stored.
    if (loss.task() == Task::kRegression && loss.kind() != Loss::Kind::kPoisson) decided_at(std::fabs(difference));
    switch (loss.kind()) {
      case Loss::Kind::kHinge:
        return is_below(y * score, 1.0) ? -y : 0.0;
      case Loss::Kind::kSquared:
        return 2.0 * difference;
      case Loss::Kind::kAbsolute:
        return sign;
      case Loss::Kind::kInsensitive:
        return is_below(loss.parameter(), std::fabs(difference)) ? sign : 0.0;
      case Loss::Kind::kQuantile:
        return difference > 0.0 ? 1.0 - loss.parameter() : -loss.parameter();
      case Loss::Kind::kHuber:
        return is_below(loss.parameter(), std::fabs(difference)) ? sign * loss.parameter() : difference;
      case Loss::Kind::kPoisson:
        decided_at(std::fabs(std::exp(score) - y));
        return std::min(1e100, std::exp(score) - y);
      default:
        return -y / (1.0 + std::exp(y * score));
    }
  }
  /// What is added, times a vector of the squared length `square`: −slope·rate, unless that diverges. A step of
  /// "squared" that ends farther from y than the score was ends at y; one of "poisson" moves the score by 1 at most.
  double step_of(const Loss& loss, double slope, double rate, double square) {
    const double moved = rate * square;
    if (loss.kind() == Loss::Kind::kSquared && is_below(2.0, 2.0 * moved)) return -slope / 2.0 / square;
    if (loss.kind() == Loss::Kind::kPoisson && is_below(1.0, std::fabs(slope) * moved)) {
      return (slope > 0.0 ? -1.0 : 1.0) / square;
    }
    return -slope * rate;
  }
  void decided_at(double distance) { closest_ = std::min(closest_, distance); }
  [[nodiscard]] std::uint64_t t() const { return t_; }

 private:
  std::uint64_t t_ = 0;
  double closest_ = std::numeric_limits<double>::infinity();
};

}  // namespace alder::testing
