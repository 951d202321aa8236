#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Dense>

#include "alder/pomdr.h"

#include "support/dense.h"

namespace alder::testing {

/// Algorithm 1 of the paper, line by line, as slowly as it is written there: every norm and inner product is a sum over
/// kernel values, K_S is factored anew in each round, nothing is cached. Only for a given horizon.
class LiteralPomdr {
 public:
  explicit LiteralPomdr(const PomdrOptions& options)
      : o_(options),
        b0_(options.b0.value_or(static_cast<std::size_t>(
            std::max(1.0, std::round(15.0 * std::log(static_cast<double>(*options.horizon))))))) {}

  /// A weight makes the gradient so many times as long.
  double learn(const Vector& x, double label, double weight = 1.0) {
    ++t_;
    const double y = weight * label;
    const double squared = weight * weight * kappa(x, x);  // ‖∇_t‖²
    d_ = std::max(d_, squared);
    lambda_ = (removed_ ? o_.factor : 1.0) * o_.radius / std::sqrt(3.0 * d_ + sum_delta_);
    if (d_ == 0.0) lambda_ = 0.0;            // only rows of zeros so far, and a kernel that makes nothing of them
    const Function hint = mean_of_window();  // −∇̄_t
    const double score = f_.at(*this, x) + lambda_ * hint.at(*this, x);  // f_t = f'_{t−1} − λ_t ∇̄_t
    if (label * score < 1.0 && squared > 0.0) {
      const bool phase1 = !switch_round_;
      Function gradient;  // −∇̃_t
      bool append = true;
      if (phase1 && !f_.x.empty()) {
        const Eigen::MatrixXd gram = gram_matrix(f_.x);
        Eigen::VectorXd k(static_cast<Eigen::Index>(f_.x.size()));
        for (std::size_t i = 0; i < f_.x.size(); ++i) k[static_cast<Eigen::Index>(i)] = kappa(f_.x[i], x);
        const Eigen::VectorXd beta = gram.ldlt().solve(k);
        const double alpha = std::max(0.0, kappa(x, x) - k.dot(beta));
        const double horizon = static_cast<double>(*o_.horizon);
        if (std::sqrt(alpha) <= o_.ald * std::sqrt(d_) * std::pow(horizon, -o_.zeta)) {
          append = false;
          for (std::size_t i = 0; i < f_.x.size(); ++i) {
            gradient.add(f_.x[i], y * beta[static_cast<Eigen::Index>(i)]);
          }
        }
      }
      if (append) gradient.add(x, y);
      // δ_t = max(‖∇̃_t − ∇̄_t‖² − ‖∇̄_t‖², 0)
      Function difference = gradient;
      for (std::size_t i = 0; i < hint.x.size(); ++i) difference.add(hint.x[i], -hint.a[i]);
      const double delta = std::max(0.0, difference.squared_norm(*this) - hint.squared_norm(*this));
      proxy_ += std::max(0.0, squared - 2.0 * y * hint.at(*this, x));
      if (append) {
        f_.add(x, lambda_ * y);
      } else {
        for (std::size_t i = 0; i < f_.x.size(); ++i) f_.a[i] += lambda_ * gradient.a[i];
      }
      if (norm() > o_.radius) f_.scale(o_.radius / norm());
      sum_delta_ += delta;
      if (phase1 && f_.x.size() == b0_) switch_round_ = t_;
      if (!phase1 && f_.x.size() == o_.budget) remove();
    }
    window_.emplace_back(x, y);
    if (window_.size() > o_.window) window_.erase(window_.begin());
    return score;
  }

  [[nodiscard]] double norm() const { return std::sqrt(std::max(0.0, f_.squared_norm(*this))); }
  [[nodiscard]] std::size_t size() const { return f_.x.size(); }
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] double proxy() const { return proxy_; }
  [[nodiscard]] std::optional<std::uint64_t> switch_round() const { return switch_round_; }
  [[nodiscard]] bool removed() const { return removed_; }

 private:
  struct Function {
    std::vector<Vector> x;
    std::vector<double> a;

    void add(const Vector& point, double coefficient) {
      x.push_back(point);
      a.push_back(coefficient);
    }
    void scale(double factor) {
      for (double& coefficient : a) coefficient *= factor;
    }
    [[nodiscard]] double at(const LiteralPomdr& self, const Vector& point) const {
      double sum = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += a[i] * self.kappa(x[i], point);
      return sum;
    }
    [[nodiscard]] double squared_norm(const LiteralPomdr& self) const {
      double sum = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += a[i] * at(self, x[i]);
      return sum;
    }
  };

  [[nodiscard]] double kappa(const Vector& x, const Vector& z) const { return kernel_value(o_.kernel, x, z); }

  [[nodiscard]] Eigen::MatrixXd gram_matrix(const std::vector<Vector>& points) const {
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd gram(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        gram(i, j) = kappa(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
      }
    }
    return gram;
  }

  [[nodiscard]] Function mean_of_window() const {
    Function mean;
    for (const auto& [x, y] : window_) mean.add(x, y / static_cast<double>(window_.size()));
    return mean;
  }

  void remove() {
    const std::size_t half = o_.budget / 2;
    for (std::size_t j = half; j < f_.x.size(); ++j) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < half; ++i) {
        if (kappa(f_.x[i], f_.x[j]) > kappa(f_.x[best], f_.x[j])) best = i;
      }
      f_.a[best] += f_.a[j];
    }
    f_.x.resize(half);
    f_.a.resize(half);
    if (norm() > 0.0) f_.scale(o_.radius / norm());
    sum_delta_ = 0.0;
    removed_ = true;
  }

  PomdrOptions o_;
  std::size_t b0_;
  std::uint64_t t_ = 0;
  Function f_;
  std::vector<std::pair<Vector, double>> window_;
  double d_ = 0.0;
  double sum_delta_ = 0.0;
  double lambda_ = 0.0;
  double proxy_ = 0.0;
  bool removed_ = false;
  std::optional<std::uint64_t> switch_round_;
};

}  // namespace alder::testing
