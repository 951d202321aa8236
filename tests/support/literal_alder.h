#pragma once

#include <deque>
#include <utility>

#include "alder/learners.h"

#include "support/literal_function.h"

/// ALDER with a kernel that is given, and its parts, transcribed in double.
namespace alder::testing {

/// A whole covariance matrix, and nothing done about rounding.
struct LiteralArow {
  double noise;
  double forget;
  Eigen::VectorXd w = {};
  Eigen::MatrixXd covariance = {};

  void resize(Eigen::Index n) {
    const Eigen::Index old = w.size();
    w.conservativeResize(n);
    w.tail(n - old).setZero();
    Eigen::MatrixXd larger = Eigen::MatrixXd::Identity(n, n);
    larger.topLeftCorner(old, old) = covariance;
    covariance = larger;
  }
  [[nodiscard]] double score(const Eigen::VectorXd& z) const { return w.dot(z); }
  void learn(double y, double score, const Eigen::VectorXd& z) {
    const Eigen::VectorXd moved = covariance * z;
    const double beta = 1.0 / (z.dot(moved) + noise);
    w += beta * (1.0 - y * score) * y * moved;
    covariance -= beta * moved * moved.transpose();
    for (Eigen::Index i = 0; i < w.size(); ++i) covariance(i, i) = std::min(1.0, covariance(i, i) + forget);
  }
};

struct LiteralExample {
  Vector x;
  double y;
};

/// One kernel: a dictionary, a guide, and some predictors.
struct LiteralContender {
  struct Forecast {
    Eigen::VectorXd phi;
    Eigen::VectorXd z;
    double alpha;
    double guide;
    std::vector<double> scores;
  };

  LiteralContender(const Kernel& k, const AlderOptions& options, const std::vector<double>& forget)
      : kernel(k), recent(options.recent_labels ? 3 : 0) {
    for (const double amount : forget) {
      predictors.push_back({options.noise, amount});
      predictors.back().resize(recent);
    }
  }

  [[nodiscard]] std::size_t size() const { return elements.size(); }
  [[nodiscard]] double self(const Vector& x) const { return kernel_value(kernel, x, x); }
  [[nodiscard]] double kappa(const Vector& x, const Vector& z) const {
    const double square = self(x) * self(z);
    return square > 0.0 ? kernel_value(kernel, x, z) / std::sqrt(square) : 0.0;
  }
  [[nodiscard]] Eigen::VectorXd kernel_row(const Vector& x) const {
    Eigen::VectorXd k(static_cast<Eigen::Index>(size()));
    for (std::size_t i = 0; i < size(); ++i) {
      const double value = kappa(elements[i], x);
      k[static_cast<Eigen::Index>(i)] = kernel.is_radial() && value < 1e-150 ? 0.0 : value;
    }
    return k;
  }

  /// z is φ, and before it what the last labels say if that is asked for. W is empty where there are none.
  [[nodiscard]] Forecast forecast(const Vector& x, const std::deque<LiteralExample>& window) const {
    Forecast forecast;
    const Eigen::VectorXd k = kernel_row(x);
    forecast.phi = size() == 0 ? k : Eigen::VectorXd(factor.matrixL().solve(k));
    forecast.alpha = self(x) > 0.0 ? 1.0 - forecast.phi.squaredNorm() : 0.0;
    forecast.z = Eigen::VectorXd::Zero(recent + forecast.phi.size());
    forecast.z.tail(forecast.phi.size()) = forecast.phi;
    if (recent > 0 && !window.empty()) {
      forecast.z[0] = window.back().y;
      for (const LiteralExample& last : window) {
        forecast.z[1] += last.y / static_cast<double>(window.size());
        forecast.z[2] += last.y * kappa(last.x, x) / static_cast<double>(window.size());
      }
    }
    forecast.guide = weights.dot(forecast.phi);
    for (const LiteralArow& predictor : predictors) forecast.scores.push_back(predictor.score(forecast.z));
    return forecast;
  }

  void join(const Vector& x, Forecast& forecast) {
    elements.push_back(x);
    const auto n = static_cast<Eigen::Index>(size());
    Eigen::MatrixXd gram(n, n);
    for (Eigen::Index i = 0; i < n; ++i) gram.col(i) = kernel_row(elements[static_cast<std::size_t>(i)]);
    gram.diagonal().setOnes();
    factor.compute(gram);
    forecast.phi.conservativeResize(n);
    forecast.phi[n - 1] = std::sqrt(forecast.alpha);
    forecast.z.conservativeResize(recent + n);
    forecast.z[recent + n - 1] = std::sqrt(forecast.alpha);
    weights.conservativeResize(n);
    weights[n - 1] = 0.0;
    squares.conservativeResize(n);
    squares[n - 1] = 1e-3;
    for (LiteralArow& predictor : predictors) predictor.resize(recent + n);
  }

  /// AdaGrad.
  void teach_guide(double y, const Forecast& forecast) {
    squares += forecast.phi.cwiseAbs2();
    weights += (y * forecast.phi.array() / squares.array().sqrt()).matrix();
  }

  Kernel kernel;
  Eigen::Index recent;  // how many numbers of z come from the last labels
  std::vector<Vector> elements;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd weights;  // of the guide
  Eigen::VectorXd squares;
  std::vector<LiteralArow> predictors;
};

class LiteralAlder final : public LiteralLearner {
 public:
  /// The options have a kernel.
  explicit LiteralAlder(const AlderOptions& options) : o_(options), contender_(*o_.kernel, o_, {o_.forget}) {}

  [[nodiscard]] std::size_t size() const override { return contender_.size(); }

 protected:
  double round(const Vector& x, double y) override {
    LiteralContender::Forecast forecast = contender_.forecast(x, window_);
    if (is_below(y * forecast.guide, 1.0)) {
      if (size() < o_.budget.value_or(200) && is_below(o_.threshold * o_.threshold, forecast.alpha)) {
        contender_.join(x, forecast);
      }
      contender_.teach_guide(y, forecast);
    }
    const double score = forecast.scores[0];
    if (is_below(y * score, 1.0)) contender_.predictors[0].learn(y, score, forecast.z);
    window_.push_back({x, y});
    if (window_.size() > 15) window_.pop_front();
    return score;
  }

 private:
  AlderOptions o_;
  LiteralContender contender_;
  std::deque<LiteralExample> window_;
};

}  // namespace alder::testing
