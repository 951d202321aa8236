#pragma once

#include <deque>
#include <utility>

#include "alder/learners.h"

#include "support/literal_function.h"

/// ALDER, its parts and its race, transcribed in double.
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
  /// How certain the sign of the score is: its size, as a part of what it is the sum of. Of a weight that has been
  /// learned, rounding errors may be all that is left.
  [[nodiscard]] double certainty(const Eigen::VectorXd& z) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < z.size(); ++i) sum += w[i] == 0.0 ? 0.0 : (std::fabs(w[i]) + 1e-5) * std::fabs(z[i]);
    return sum == 0.0 ? 1.0 : std::fabs(score(z)) / sum;
  }
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
  explicit LiteralAlder(const AlderOptions& options) : o_(options) {
    if (o_.kernel) {
      contenders_.emplace_back(*o_.kernel, o_, std::vector{o_.forget});
      runners_.push_back({});
    }
  }

  [[nodiscard]] std::size_t size() const override {
    return is_collecting() ? first_.size() : contenders_[runners_[leader_].contender].size();
  }
  [[nodiscard]] bool is_collecting() const { return contenders_.empty(); }
  [[nodiscard]] bool is_racing() const { return in_ > 1; }
  [[nodiscard]] std::optional<double> sigma() const {
    if (o_.kernel || is_collecting()) return std::nullopt;
    return contenders_[runners_[leader_].contender].kernel.sigma();
  }
  [[nodiscard]] std::uint64_t left_early() const { return left_early_; }

 protected:
  double round(const Vector& x, double y) override {
    const double score = is_collecting() ? nearest_label(x) : learn_everything(x, y, window_);
    window_.push_back({x, y});
    if (window_.size() > 15) window_.pop_front();
    if (is_collecting()) {
      first_.push_back({x, y});
      if (first_.size() == 32) {
        begin_race();
        for (const LiteralExample& first : first_) learn_everything(first.x, first.y, {});
      }
    }
    return score;
  }

 private:
  // A predictor of a contender, and how it does.
  struct Runner {
    std::size_t contender = 0;
    std::size_t predictor = 0;
    bool forgets = false;
    double charge = 0.0;
    bool is_out = false;

    // Every contender is twice as wide as the one before.
    [[nodiscard]] double handicapped() const {
      return charge + (0.1 * static_cast<double>(contender) + (forgets ? 1.0 : 0.0)) * std::sqrt(charge + 1.0);
    }
  };

  static double squared_distance(const Vector& x, const Vector& z) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sum;
  }

  double nearest_label(const Vector& x) {
    if (first_.empty()) return 0.0;
    const LiteralExample* nearest = &first_[0];
    for (const LiteralExample& other : first_) {
      if (squared_distance(other.x, x) < squared_distance(nearest->x, x)) nearest = &other;
    }
    for (const LiteralExample& other : first_) {
      if (other.x != nearest->x) decided_at(squared_distance(other.x, x) - squared_distance(nearest->x, x));
    }
    return nearest->y;
  }

  void begin_race() {
    std::vector<double> squares;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) squares.push_back(squared_distance(first_[i].x, first_[j].x));
    }
    std::sort(squares.begin(), squares.end());
    double square = squares[squares.size() / 2];
    if (square == 0.0) {
      const auto least = std::upper_bound(squares.begin(), squares.end(), 0.0);
      square = least == squares.end() ? 1.0 : *least;
    }
    const std::vector<double> forget = o_.forget > 0.0 ? std::vector{o_.forget} : std::vector{0.0, 1e-4};
    for (int power = -4; power <= 2; ++power) {
      const double sigma = std::sqrt(square) * std::pow(2.0, power);
      for (std::size_t p = 0; p < forget.size(); ++p) {
        runners_.push_back({contenders_.size(), p, forget[p] == 1e-4, 0.0, false});
      }
      contenders_.emplace_back(Kernel::gaussian(sigma), o_, forget);
    }
    in_ = runners_.size();
  }

  double learn_everything(const Vector& x, double y, const std::deque<LiteralExample>& window) {
    std::vector<LiteralContender::Forecast> forecasts;
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      LiteralContender& contender = contenders_[c];
      forecasts.push_back(contender.forecast(x, window));
      LiteralContender::Forecast& forecast = forecasts.back();
      if (!has_runner(c)) continue;
      if (is_below(y * forecast.guide, 1.0)) {
        if (contender.size() < o_.budget.value_or(200) && is_below(o_.threshold * o_.threshold, forecast.alpha))
          contender.join(x, forecast);
        contender.teach_guide(y, forecast);
      }
      for (const Runner& runner : runners_) {
        if (runner.contender != c || runner.is_out) continue;
        if (is_racing()) decided_at(contender.predictors[runner.predictor].certainty(forecast.z));  // signs are charged
        if (!is_below(y * forecast.scores[runner.predictor], 1.0)) continue;
        contender.predictors[runner.predictor].learn(y, forecast.scores[runner.predictor], forecast.z);
      }
    }
    const double score =
        is_racing() ? vote(forecasts) : forecasts[runners_[leader_].contender].scores[runners_[leader_].predictor];
    if (is_racing()) race(forecasts, y);
    return score;
  }
  [[nodiscard]] double vote(const std::vector<LiteralContender::Forecast>& forecasts) const {
    double sum = 0.0;
    double weights = 0.0;
    for (const Runner& runner : runners_) {
      if (runner.is_out) continue;
      const double weight = std::exp(runners_[leader_].handicapped() - runner.handicapped());
      sum += weight * std::clamp(forecasts[runner.contender].scores[runner.predictor], -1.0, 1.0);
      weights += weight;
    }
    return sum / weights;
  }
  [[nodiscard]] bool has_runner(std::size_t contender) const {
    return std::any_of(runners_.begin(), runners_.end(),
                       [contender](const Runner& r) { return r.contender == contender && !r.is_out; });
  }

  void race(const std::vector<LiteralContender::Forecast>& forecasts, double y) {
    ++raced_;
    for (Runner& runner : runners_) {
      if (runner.is_out) continue;
      const double score = forecasts[runner.contender].scores[runner.predictor];
      const double wrong = (score >= 0.0 ? 1.0 : -1.0) == y ? 0.0 : 1.0;
      runner.charge = 0.999 * runner.charge + wrong + 0.5 * std::clamp(1.0 - y * score, 0.0, 2.0);
    }
    std::size_t best = leader_;
    for (std::size_t r = 0; r < runners_.size(); ++r) {
      if (!runners_[r].is_out && runners_[r].handicapped() < runners_[best].handicapped()) best = r;
    }
    leader_ = best;
    const bool is_last = raced_ == o_.race;
    // Who leads in the replay of the first rows does not matter before its end.
    for (std::size_t r = 0; r < runners_.size() && (raced_ >= 32 || is_last); ++r) {
      const double behind = runners_[r].handicapped() - runners_[best].handicapped();
      if (!runners_[r].is_out && r != best && behind != 0.0) decided_at(behind);
    }
    if (!is_last && (raced_ < 300 || raced_ % 50 != 0)) return;
    for (std::size_t r = 0; r < runners_.size(); ++r) {
      Runner& runner = runners_[r];
      if (r == leader_ || runner.is_out) continue;
      const double best_charge = runners_[leader_].charge;
      const double limit = 3.0 * std::sqrt(runner.charge + best_charge);
      if (!is_last && !is_below(limit, runner.charge - best_charge)) continue;
      runner.is_out = true;
      --in_;
      if (!is_last) ++left_early_;
    }
  }

  AlderOptions o_;
  std::vector<LiteralContender> contenders_;
  std::vector<Runner> runners_;
  std::size_t leader_ = 0;
  std::size_t in_ = 1;
  std::uint64_t raced_ = 0;
  std::uint64_t left_early_ = 0;
  std::vector<LiteralExample> first_;
  std::deque<LiteralExample> window_;
};

}  // namespace alder::testing
