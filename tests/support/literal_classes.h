#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "alder/learners.h"
#include "alder/loss.h"

#include "support/literal_maps.h"

/// The learners with a function for each class, transcribed: for up to two classes f, and from the third on f_0 = −f/2,
/// f_1 = f/2, f_2 = 0, … A violation of the margin m = f_y − f_r, r being the best of the other classes, moves f_y by
/// half of a step and f_r by the negative half.
namespace alder::testing {

class LiteralClasses {
 public:
  explicit LiteralClasses(const Loss& loss) : loss_(loss) {}
  LiteralClasses(const LiteralClasses&) = delete;
  LiteralClasses& operator=(const LiteralClasses&) = delete;
  virtual ~LiteralClasses() = default;

  /// The scores before the row was learned.
  std::vector<double> learn(const Vector& x, std::size_t y, double weight) {
    ++t_;
    const std::vector<double> scores = scores_of(x);
    std::vector<double> now = scores;
    if (y >= classes_) {
      add_class();
      if (classes_++ == 2) now = {-scores[0] / 2, scores[0] / 2};
      now.push_back(0.0);
    }
    if (classes_ == 2) {
      const double label = y == 1 ? 1.0 : -1.0;
      step(x, {{0, label * weight * slope(label * now[0])}});
      return scores;
    }
    std::size_t rival = y == 0 ? 1 : 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      if (c != y && now[c] > now[rival]) rival = c;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      // Scores that are equal to the bit are those of functions that have learned the same, or nothing.
      if (c != y && c != rival && now[c] != now[rival]) decided_at(now[rival] - now[c]);
    }
    const double part = weight * slope(now[y] - now[rival]) / 2;
    step(x, {{y, part}, {rival, -part}});
    return scores;
  }

  [[nodiscard]] std::size_t classes() const { return classes_; }
  /// As LiteralLearner::closest.
  [[nodiscard]] double closest() const { return closest_; }

 protected:
  [[nodiscard]] virtual std::vector<double> scores_of(const Vector& x) = 0;
  virtual void add_class() = 0;
  /// Functions move by so much of a step along the row.
  virtual void step(const Vector& x, const std::map<std::size_t, double>& moves) = 0;

  void decided_at(double distance) { closest_ = std::min(closest_, distance); }
  [[nodiscard]] std::uint64_t t() const { return t_; }

 private:
  // −ℓ'(m).
  double slope(double margin) {
    if (loss_.kind() == Loss::Kind::kLogistic) return 1.0 / (1.0 + std::exp(margin));
    decided_at(std::fabs(margin - 1.0));
    return margin < 1.0 ? 1.0 : 0.0;
  }

  Loss loss_;
  std::size_t classes_ = 2;
  std::uint64_t t_ = 0;
  double closest_ = std::numeric_limits<double>::infinity();
};

/// Of one vector makes three; of more, one more.
inline void add_class_to(std::vector<Eigen::VectorXd>& w) {
  if (w.size() == 1) w = {-w[0] / 2, w[0] / 2};
  w.push_back(Eigen::VectorXd::Zero(w[0].size()));
}

inline std::vector<double> products(const std::vector<Eigen::VectorXd>& w, const Eigen::VectorXd& z) {
  std::vector<double> scores;
  for (const Eigen::VectorXd& one : w) scores.push_back(one.dot(z));
  return scores;
}

class LiteralFogdClasses final : public LiteralClasses {
 public:
  LiteralFogdClasses(const FogdOptions& options, std::size_t features)
      : LiteralClasses(options.loss), o_(options), map_(options, features), w_{map_.zero()} {}

 protected:
  std::vector<double> scores_of(const Vector& x) override { return products(w_, map_.of(x)); }
  void add_class() override { add_class_to(w_); }
  void step(const Vector& x, const std::map<std::size_t, double>& moves) override {
    for (const auto& [c, part] : moves) w_[c] += literal_rate(o_.step.value(), o_.horizon, t()) * part * map_.of(x);
  }

 private:
  FogdOptions o_;
  LiteralFourier map_;
  std::vector<Eigen::VectorXd> w_;
};

class LiteralNogdClasses final : public LiteralClasses {
 public:
  LiteralNogdClasses(const NogdOptions& options, std::size_t rank)
      : LiteralClasses(options.loss), o_(options), rank_(rank), w_(1) {}
  [[nodiscard]] bool has_map() const { return has_map_; }

 protected:
  std::vector<double> scores_of(const Vector& x) override { return products(w_, features(x)); }
  void add_class() override { add_class_to(w_); }
  void step(const Vector& x, const std::map<std::size_t, double>& moves) override {
    const double rate = literal_rate(o_.step.value(), o_.horizon, t());
    if (has_map_) {
      for (const auto& [c, part] : moves) w_[c] += rate * part * features(x);
      return;
    }
    if (moves.begin()->second == 0.0) return;
    rows_.push_back(x);
    for (Eigen::VectorXd& w : w_) w.conservativeResizeLike(Eigen::VectorXd::Zero(w.size() + 1));
    for (const auto& [c, part] : moves) w_[c][w_[c].size() - 1] = rate * part;
    if (rows_.size() == o_.budget) build();
  }

 private:
  // κ(s_i, x) until there is a map.
  Eigen::VectorXd features(const Vector& x) const {
    const Eigen::VectorXd k = literal_kernel_row(o_.kernel, rows_, x);
    if (!has_map_) return k;
    return eigenvalues_.cwiseSqrt().cwiseInverse().asDiagonal() * eigenvectors_.transpose() * k;
  }
  void build() {
    const LiteralEigen eigen(literal_gram(o_.kernel, rows_), rank_, 1e-12);
    decided_at(1e-3 * eigen.gap);
    eigenvalues_ = eigen.values;
    eigenvectors_ = eigen.vectors;
    for (Eigen::VectorXd& w : w_) w = eigenvalues_.cwiseSqrt().asDiagonal() * eigenvectors_.transpose() * w.eval();
    has_map_ = true;
  }

  NogdOptions o_;
  std::size_t rank_;
  std::vector<Vector> rows_;
  bool has_map_ = false;
  Eigen::VectorXd eigenvalues_;
  Eigen::MatrixXd eigenvectors_;
  std::vector<Eigen::VectorXd> w_;  // coefficients until there is a map
};

/// G_cj += g², w_cj += ±step·g/sqrt(G_cj), g being the gradient of the loss by the score times x_j; half of that step
/// with more than two classes.
class LiteralLinearClasses final : public LiteralClasses {
 public:
  explicit LiteralLinearClasses(const LinearOptions& options) : LiteralClasses(options.loss), o_(options), w_(1) {}

 protected:
  std::vector<double> scores_of(const Vector& x) override {
    std::vector<double> scores;
    for (auto& w : w_) {
      double sum = w[kBias].value;
      for (std::size_t j = 0; j < x.size(); ++j) sum += w[j].value * x[j];
      scores.push_back(sum);
    }
    return scores;
  }
  void add_class() override {
    if (w_.size() == 1) {
      w_.push_back(w_[0]);
      for (auto& [feature, weight] : w_[0]) weight.value /= -2;
      for (auto& [feature, weight] : w_[1]) weight.value /= 2;
    }
    w_.emplace_back();
  }
  void step(const Vector& x, const std::map<std::size_t, double>& moves) override {
    const double halves = w_.size() == 1 ? 1.0 : 2.0;  // a move is half of the gradient then
    for (const auto& [c, part] : moves) {
      for (std::size_t j = 0; j <= x.size(); ++j) {
        const double gradient = halves * part * (j < x.size() ? x[j] : 1.0);
        Weight& weight = w_[c][j < x.size() ? j : kBias];
        if (gradient == 0.0) continue;
        weight.squares += gradient * gradient;
        weight.value += o_.step.value() / halves * gradient / std::sqrt(weight.squares);
      }
    }
  }

 private:
  static constexpr std::size_t kBias = std::numeric_limits<std::size_t>::max();
  struct Weight {
    double value = 0.0;
    double squares = 0.0;
  };

  LinearOptions o_;
  std::vector<std::map<std::size_t, Weight>> w_;
};

}  // namespace alder::testing
