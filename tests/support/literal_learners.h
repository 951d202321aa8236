#pragma once

#include <map>
#include <utility>

#include "alder/learners.h"

#include "base/random.h"
#include "support/literal_function.h"

/// The learners that keep a sum of kernels, and the linear one. Those that draw random numbers draw them from the seed
/// in the order that their source states.
namespace alder::testing {

/// f ← proj_U(f − η g κ(x,·)), g being the slope of the loss: on a margin violation −y, else 0 for the hinge loss.
class LiteralOgd final : public LiteralLearner {
 public:
  explicit LiteralOgd(const OgdOptions& options) : o_(options), f_(options.kernel) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return f_.norm(); }

 protected:
  double round(const Vector& x, double y) override {
    const double score = f_.at(x);
    const double slope = slope_of(o_.loss, score, y);
    if (slope != 0.0) {
      f_.add(x, step_of(o_.loss, slope, literal_rate(o_.step.value(), o_.horizon, t()), f_.kappa(x, x)));
      f_.project(o_.radius);
    }
    return score;
  }

 private:
  OgdOptions o_;
  LiteralFunction f_;
};

/// Every round f ← (1 − ηλ)f. On a violation η y κ(x,·) is added, in the place of one element if there are B: of i with
/// the probability p_i, and a_j ← a_j/(1 − p_j). Afterwards f is scaled so that no coefficient exceeds cap·η, times the
/// largest slope so far if that is above 1. Another loss than the hinge loss has −g for y.
class LiteralBogd final : public LiteralLearner {
 public:
  explicit LiteralBogd(const BogdOptions& options) : o_(options), f_(options.kernel), random_(options.seed) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::uint64_t removals() const override { return removals_; }

 protected:
  double round(const Vector& x, double y) override {
    const double score = f_.at(x);
    const double rate = literal_rate(o_.step.value(), o_.horizon, t());
    f_.scale(std::max(0.0, 1.0 - rate * o_.lambda));
    const double slope = slope_of(o_.loss, score, y);
    if (slope != 0.0) {
      largest_slope_ = std::max(largest_slope_, std::fabs(slope));
      const double step = step_of(o_.loss, slope, rate, f_.kappa(x, x));
      if (f_.size() < o_.budget) {
        f_.add(x, step);
      } else {
        replace(x, step);
        double largest = 0.0;
        for (const double a : f_.a) largest = std::max(largest, std::fabs(a));
        const double most = o_.cap * rate * largest_slope_;
        if (largest > most) f_.scale(most / largest);
        ++removals_;
      }
    }
    return score;
  }

 private:
  void replace(const Vector& x, double coefficient) {
    const std::size_t n = f_.size();
    std::size_t gone = 0;
    if (n > 1) {
      double total = 0.0;
      for (std::size_t i = 0; i < n; ++i) total += weight(i);
      std::vector<double> p(n, 1.0 / static_cast<double>(n));
      if (o_.removal == BogdOptions::Removal::kWeighted && total > 0.0) {
        for (std::size_t i = 0; i < n; ++i) p[i] = (1.0 - weight(i) / total) / static_cast<double>(n - 1);
        double drawn = random_.uniform();
        while (gone + 1 < n && drawn >= p[gone]) drawn -= p[gone++];
      } else {
        gone = random_.below(n);
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (i != gone) f_.a[i] /= 1.0 - p[i];
      }
    }
    f_.x[gone] = x;
    f_.a[gone] = coefficient;
  }
  [[nodiscard]] double weight(std::size_t i) const {
    return std::fabs(f_.a[i]) * std::sqrt(f_.kappa(f_.x[i], f_.x[i]));
  }

  BogdOptions o_;
  LiteralFunction f_;
  LearnerRandom random_;
  std::uint64_t removals_ = 0;
  double largest_slope_ = 1.0;
};

/// ∇̄ = −mean over the reservoir V of y κ(v,·); f = proj_U(f' − λ∇̄) predicts; on a violation b ~ Bernoulli(p),
/// p = ‖∇ − ∇̄‖/(6(‖∇ − ∇̄‖ + ‖∇̄‖)), ∇̃ = ∇̄ + b(∇ − ∇̄)/p, f' ← proj_U(f' − λ∇̃). If the rows of f' are then more than
/// B, f' and V are emptied; otherwise the row is offered to V.
class LiteralBao2ks final : public LiteralLearner {
 public:
  LiteralBao2ks(const Bao2ksOptions& options, std::size_t reservoir)
      : o_(options), capacity_(reservoir), f_(options.kernel), random_(options.seed) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return f_.norm(); }
  [[nodiscard]] std::uint64_t removals() const override { return restarts_; }

 protected:
  double round(const Vector& x, double y) override {
    const double rate = literal_rate(o_.step, o_.horizon, t());
    LiteralFunction hint(o_.kernel);  // −∇̄
    for (const Example& v : reservoir_) hint.add(v.x, v.y / static_cast<double>(reservoir_.size()));
    LiteralFunction optimistic = f_;
    optimistic.add(hint, rate);
    optimistic.project(o_.radius);
    const double score = optimistic.at(x);
    if (is_below(y * score, 1.0)) {
      LiteralFunction difference = hint;  // ∇ − ∇̄
      difference.add(x, -y);
      const double deviation = difference.norm();
      const double size_of_hint = hint.norm();
      if (deviation + size_of_hint > 0.0) {
        const double p = deviation / (6.0 * (deviation + size_of_hint));
        const double b_over_p = is_below(random_.uniform(), p) ? 1.0 / p : 0.0;
        // −λ∇̃ = −λ∇̄ − λ(b/p)(∇ − ∇̄), a row of V having the weight y/|V| in −∇̄ and in ∇ − ∇̄.
        for (const Example& v : reservoir_) {
          add(v, rate * (1.0 - b_over_p) * v.y / static_cast<double>(reservoir_.size()));
        }
        if (b_over_p > 0.0) add({x, y, t()}, rate * b_over_p * y);
        f_.project(o_.radius);
      }
    }
    if (size() > o_.budget) {
      f_.clear();
      ids_.clear();
      reservoir_.clear();
      offered_ = 0;
      ++restarts_;
    } else {
      offer({x, y, t()});
    }
    return score;
  }

 private:
  struct Example {
    Vector x;
    double y;
    std::uint64_t id;
  };

  // f' += coefficient·κ(x,·), x being listed once.
  void add(const Example& example, double coefficient) {
    const auto found = std::find(ids_.begin(), ids_.end(), example.id);
    if (found != ids_.end()) {
      f_.a[static_cast<std::size_t>(found - ids_.begin())] += coefficient;
    } else {
      f_.add(example.x, coefficient);
      ids_.push_back(example.id);
    }
  }

  void offer(const Example& example) {
    ++offered_;
    if (reservoir_.size() < capacity_) {
      reservoir_.push_back(example);
    } else if (const std::uint64_t slot = random_.below(offered_); slot < capacity_) {
      reservoir_[slot] = example;
    }
  }

  Bao2ksOptions o_;
  std::size_t capacity_;
  LiteralFunction f_;               // f'
  std::vector<std::uint64_t> ids_;  // the rounds that the rows of f' came from
  std::vector<Example> reservoir_;
  std::uint64_t offered_ = 0;
  std::uint64_t restarts_ = 0;
  LearnerRandom random_;
};

/// On a mistake f ← f + y Pκ(x,·), P the projection on the span of S, if ‖κ(x,·) − Pκ(x,·)‖ <= threshold, otherwise
/// f ← f + y κ(x,·) and x joins S. Projectron++ on a correct prediction with ℓ = 1 − y f(x) > 0:
/// f ← f + τ y Pκ(x,·), τ = min(1, ℓ/‖Pκ‖², 2(ℓ − ‖κ − Pκ‖/threshold)/‖Pκ‖²), if that is positive.
class LiteralProjectron final : public LiteralLearner {
 public:
  LiteralProjectron(const ProjectronOptions& options, bool plus_plus)
      : o_(options), plus_plus_(plus_plus), f_(options.kernel) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return f_.norm(); }

 protected:
  double round(const Vector& x, double y) override {
    const double score = f_.at(x);
    const double self = f_.kappa(x, x);
    if (self == 0.0) return score;
    decided_at(f_.certainty(x));
    const bool wrong = is_mistake(score, y);
    Eigen::VectorXd beta;
    double error = std::sqrt(self);
    if (f_.size() > 0) {
      const Eigen::VectorXd k = literal_kernel_row(o_.kernel, f_.x, x);
      beta = literal_gram(o_.kernel, f_.x).ldlt().solve(k);
      error = std::sqrt(std::max(0.0, self - k.dot(beta)));
    }
    const double loss = 1.0 - y * score;
    const double squared = self - error * error;  // ‖Pκ‖²
    if (wrong) {
      if (f_.size() > 0 && is_below(error, o_.threshold)) {
        add(beta, y);
      } else {
        f_.add(x, y);
      }
    } else if (plus_plus_ && loss > 0.0 && squared > 0.0) {
      const double tau = std::min({1.0, loss / squared, 2.0 * (loss - error / o_.threshold) / squared});
      if (tau > 0.0) add(beta, tau * y);
    }
    return score;
  }

 private:
  void add(const Eigen::VectorXd& beta, double factor) {
    for (std::size_t i = 0; i < f_.size(); ++i) f_.a[i] += factor * beta[static_cast<Eigen::Index>(i)];
  }

  ProjectronOptions o_;
  bool plus_plus_;
  LiteralFunction f_;
};

/// f ← (1 − 1/t) f + [violation] y κ(x,·)/(λt).
class LiteralPegasos final : public LiteralLearner {
 public:
  explicit LiteralPegasos(const PegasosOptions& options) : o_(options), f_(options.kernel) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return f_.norm(); }

 protected:
  double round(const Vector& x, double y) override {
    const double score = f_.at(x);
    const auto rounds = static_cast<double>(t());
    f_.scale(1.0 - 1.0 / rounds);
    if (is_below(y * score, 1.0)) f_.add(x, y / (o_.lambda * rounds));
    return score;
  }

 private:
  PegasosOptions o_;
  LiteralFunction f_;
};

/// f ← f + y κ(x,·) on a mistake.
class LiteralPerceptron final : public LiteralLearner {
 public:
  explicit LiteralPerceptron(const PerceptronOptions& options) : f_(options.kernel) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return f_.norm(); }

 protected:
  double round(const Vector& x, double y) override {
    const double score = f_.at(x);
    decided_at(f_.certainty(x));
    if (is_mistake(score, y)) f_.add(x, y);
    return score;
  }

 private:
  LiteralFunction f_;
};

/// G_j += (g x_j)², w_j −= step·g·x_j/sqrt(G_j) for every feature j, the bias being that of the value 1, and g the
/// slope of the loss.
class LiteralLinear final : public LiteralLearner {
 public:
  explicit LiteralLinear(const LinearOptions& options) : o_(options) {}
  [[nodiscard]] std::size_t size() const override { return 0; }
  [[nodiscard]] std::optional<double> norm() const override {
    double sum = 0.0;
    for (const auto& [feature, weight] : weights_) sum += weight.first * weight.first;
    return std::sqrt(sum);
  }

 protected:
  double round(const Vector& x, double y) override {
    Vector with_bias = {1.0};
    with_bias.insert(with_bias.end(), x.begin(), x.end());
    double score = 0.0;
    for (std::size_t j = 0; j < with_bias.size(); ++j) score += weights_[j].first * with_bias[j];
    const double slope = slope_of(o_.loss, score, y);
    for (std::size_t j = 0; j < with_bias.size() && slope != 0.0; ++j) {
      const double gradient = slope * with_bias[j];
      if (gradient == 0.0) continue;
      auto& [weight, squares] = weights_[j];
      squares += gradient * gradient;
      weight -= o_.step.value() * gradient / std::sqrt(squares);
    }
    return score;
  }

 private:
  LinearOptions o_;
  std::map<std::size_t, std::pair<double, double>> weights_;  // w_j and G_j
};

}  // namespace alder::testing
