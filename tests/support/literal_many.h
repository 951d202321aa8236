#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "alder/learners.h"

#include "support/dense.h"

namespace alder::testing {

/// ALDER for many classes with a given kernel, written down from its definition: no vectors for two classes alone, no
/// updates that wait, no precision but double.
class LiteralManyClasses {
 public:
  explicit LiteralManyClasses(const AlderOptions& options) : o_(options) { add_class(), add_class(); }

  struct Scores {
    std::vector<double> scores;
    std::vector<double> logits;
  };

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] std::size_t classes() const { return w_.size(); }

  [[nodiscard]] Scores score(const Vector& x) const {
    const Eigen::VectorXd phi = coordinates(x);
    Scores out;
    for (std::size_t c = 0; c < classes(); ++c) {
      out.scores.push_back(w_[c].dot(phi));
      out.logits.push_back(l_[c].dot(phi));
    }
    return out;
  }

  void learn(const Vector& x, std::size_t y, double weight) {
    if (y == classes()) add_class();
    Eigen::VectorXd phi = coordinates(x);
    const double alpha = 1.0 - phi.squaredNorm();
    std::vector<double> s, q, p;
    double sum = 0.0;
    for (std::size_t c = 0; c < classes(); ++c) {
      s.push_back(w_[c].dot(phi));
      q.push_back(g_[c].dot(phi));
      p.push_back(std::exp(l_[c].dot(phi)));
      sum += p.back();
    }
    std::size_t rival = y == 0 ? 1 : 0;
    for (std::size_t c = 0; c < classes(); ++c) {
      if (c != y && q[c] > q[rival]) rival = c;
    }
    const bool grows = q[y] - q[rival] < 1.0;
    const std::size_t budget =
        o_.budget.value_or(std::min<std::size_t>(800, std::max<std::size_t>(200, 100 * classes())));
    if (grows && std::sqrt(alpha) > o_.threshold && size() < budget) phi = join(x, phi, std::sqrt(alpha));
    if (grows) {
      adagrad(g_[y], G_[y], phi, 0.5);
      adagrad(g_[rival], G_[rival], phi, -0.5);
    }
    for (std::size_t c = 0; c < classes(); ++c) {
      const double d = (c == y ? 1.0 : 0.0) - p[c] / sum;
      if (std::fabs(d) > 1e-3 * std::max(1.0, static_cast<double>(l_.size()) / 100.0))
        adagrad(l_[c], Q_[c], weight * d * phi, 0.5);
    }
    learn_scores(phi, s, y, weight);
  }

 private:
  void add_class() {
    const auto n = static_cast<Eigen::Index>(size());
    for (auto* vectors : {&w_, &g_, &l_}) vectors->push_back(Eigen::VectorXd::Zero(n));
    for (auto* vectors : {&G_, &Q_}) vectors->push_back(Eigen::VectorXd::Constant(n, 1e-3));
  }

  [[nodiscard]] Eigen::VectorXd coordinates(const Vector& x) const {
    Eigen::VectorXd k(static_cast<Eigen::Index>(size()));
    for (std::size_t i = 0; i < size(); ++i)
      k[static_cast<Eigen::Index>(i)] = kernel_value(*o_.kernel, elements_[i], x);
    return size() == 0 ? k : Eigen::VectorXd(factor_.matrixL().solve(k));
  }

  Eigen::VectorXd join(const Vector& x, const Eigen::VectorXd& phi, double root) {
    elements_.push_back(x);
    const auto n = static_cast<Eigen::Index>(size());
    Eigen::MatrixXd gram(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        gram(i, j) =
            kernel_value(*o_.kernel, elements_[static_cast<std::size_t>(i)], elements_[static_cast<std::size_t>(j)]);
      }
    }
    factor_.compute(gram);
    const auto append = [n](Eigen::VectorXd& vector, double number) {
      vector.conservativeResize(n);
      vector[n - 1] = number;
    };
    for (auto* vectors : {&w_, &g_, &l_}) {
      for (Eigen::VectorXd& vector : *vectors) append(vector, 0.0);
    }
    for (auto* vectors : {&G_, &Q_}) {
      for (Eigen::VectorXd& vector : *vectors) append(vector, 1e-3);
    }
    sigma_.conservativeResize(n, n);
    sigma_.row(n - 1).setZero();
    sigma_.col(n - 1).setZero();
    sigma_(n - 1, n - 1) = 1.0;
    Eigen::VectorXd longer = phi;
    append(longer, root);
    return longer;
  }

  static void adagrad(Eigen::VectorXd& w, Eigen::VectorXd& squares, const Eigen::VectorXd& gradient, double step) {
    squares += gradient.cwiseAbs2();
    w += (step * gradient.array() / squares.array().sqrt()).matrix();
  }

  // The level θ with s_y + Σ_c (s_c − θ)₊ = θ + 1, by bisection.
  static double level(const std::vector<double>& s, std::size_t y) {
    double low = s[y] - 1.0;
    double high = *std::max_element(s.begin(), s.end());
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      double rest = s[y] - middle - 1.0;
      for (std::size_t c = 0; c < s.size(); ++c) rest += c == y ? 0.0 : std::max(0.0, s[c] - middle);
      (rest > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  void learn_scores(const Eigen::VectorXd& phi, const std::vector<double>& s, std::size_t y, double weight) {
    double most = -1e300;
    for (std::size_t c = 0; c < classes(); ++c) most = c == y ? most : std::max(most, s[c]);
    if (s[y] - most >= 1.0 || phi.size() == 0) return;
    const double theta = level(s, y);
    std::vector<double> e(classes());
    for (std::size_t c = 0; c < classes(); ++c) {
      if (c == y) continue;
      e[c] = -std::max(0.0, s[c] - theta);
      e[y] -= e[c];
    }
    const Eigen::VectorXd u = sigma_ * phi;
    const double v = phi.dot(u);
    const double rho = 2.0 * o_.noise / (weight * std::min<double>(100.0, static_cast<double>(classes())));
    for (std::size_t c = 0; c < classes(); ++c) w_[c] += e[c] / (v + rho) * u;
    sigma_ -= u * u.transpose() / (v + o_.noise / weight);
    for (Eigen::Index i = 0; i < phi.size(); ++i) sigma_(i, i) = std::min(1.0, sigma_(i, i) + o_.forget);
  }

  AlderOptions o_;
  std::vector<Vector> elements_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::vector<Eigen::VectorXd> w_, g_, l_, G_, Q_;  // predictor, guide, head; squares of the last two
  Eigen::MatrixXd sigma_;
};

}  // namespace alder::testing
