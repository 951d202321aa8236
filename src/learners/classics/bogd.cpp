#include <algorithm>
#include <cmath>
#include <vector>

#include "alder/learners.h"

#include "archive/state.h"
#include "kernel/online_expansion.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"
#include "learners/core/loss_learner.h"

namespace alder {

void list(BogdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.budget(options.budget);
  visit.step(options.step);
  visit.loss(options.loss);
  visit.number("regularization", options.lambda, {0.0, 1e50}, "lambda of the penalty lambda/2 ||f||^2");
  visit.number("cap", options.cap, {1.0, 1e50}, "coefficients stay below cap times the step size");
  visit.choice("removal", options.removal, {"uniform", "weighted"}, "how the row that goes is drawn");
  visit.horizon(options.horizon);
  visit.seed(options.seed);
  visit.precision(options.precision);
}

namespace {

/// Bounded online gradient descent (Zhao, Wang, Wu, Jin and Hoi 2012). Every round shrinks f by 1 − ηλ, the step for
/// the regulariser; a margin violation adds η y κ(x,·). When S is full, one element i of it goes, with the probability
/// p_i: 1/B for each, or (1 − s_i/Σs)/(B − 1) with s_i = |a_i| sqrt(κ(s_i,s_i)); the others are divided by 1 − p_j, so
/// that the expectation of f stays what it was. That division is made good by scaling f back when a coefficient exceeds
/// cap·η, times the largest slope so far if that is above 1. O(dB) a round.
template <class T>
class Bogd final : public LossLearner {
 public:
  using Options = BogdOptions;

  explicit Bogd(const Options& options)
      : LossLearner(options.loss),
        options_(with_step(options, usual_step(options.loss))),
        step_(*options_.step, options.horizon),
        f_(options.kernel),
        random_(options.seed) {}
  Bogd(const Options& options, const Archive& archive) : Bogd(options) {
    restore_rounds(archive);
    f_.function().load(archive, options.budget);
    random_ = load_random(archive);
    removals_ = archive.setting<std::uint64_t>("state", "removals");
    if (learns_numbers()) largest_slope_ = read_amount(archive, "largest_slope");
  }

  [[nodiscard]] std::string name() const override { return "bogd"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    f_.add_parts(row, direction[0], parts);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override { f_.values(rows, out.scores); }

  void round(const Row& /*row*/, double target, double weight, Outputs out) override {
    const double value = f_.begin();
    out.scores[0] = value;
    const double rate = step_.at(rounds() + 1);
    if (options_.lambda > 0.0) f_.function().scale(std::max(0.0, 1.0 - rate * options_.lambda));
    const double slope = this->slope(value, target);
    if (slope != 0.0) {
      const double move = step_along(slope, weight, rate, f_.x().self());
      largest_slope_ = std::max(largest_slope_, std::fabs(slope));
      if (f_.size() < options_.budget) {
        f_.append(move);
      } else {
        f_.replace(draw_and_weight_up(), move);
        stay_below(std::min(options_.cap * std::max(1.0, weight) * rate * largest_slope_, kLargestSum));
        ++removals_;
      }
    }
    f_.end();
  }

  void begin_block(std::span<const Row> rows) override { f_.begin_block(rows); }
  void end_block() override { f_.end_block(); }

  // The norm would cost O(dB²).
  void describe(Report& report) const override {
    report.support = f_.size();
    report.details.push_back({"removals", removals_});
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + f_.bytes() + weights_.capacity() * sizeof(double);
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "removals", removals_);
    if (learns_numbers()) archive.set("state", "largest_slope", largest_slope_);
    save_random(random_, archive);
    f_.function().save(archive);
  }

 private:
  // Draws the element that goes, and divides the coefficients of the others by the probability that they stay.
  std::size_t draw_and_weight_up() {
    const std::size_t size = f_.size();
    auto& a = f_.function().coefficients();
    if (size <= 1) return 0;
    double total = 0.0;
    if (options_.removal == BogdOptions::Removal::kWeighted) {
      weights_.resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        weights_[i] = std::fabs(a[i]) * std::sqrt(f_.function().rows().self(i));
        total += weights_[i];
      }
    }
    if (!(total > 0.0)) {
      f_.function().scale(static_cast<double>(size) / static_cast<double>(size - 1));
      return random_.below(size);
    }
    const double others = static_cast<double>(size - 1);
    std::size_t gone = size - 1;
    double left = random_.uniform();
    for (std::size_t i = 0; i < size; ++i) {
      const double probability = (1.0 - weights_[i] / total) / others;
      if (left >= 0.0 && left < probability) gone = i;
      left -= probability;
      // Only an element that goes for sure has the probability 1.
      if (probability < 1.0) a[i] /= 1.0 - probability;
    }
    return gone;
  }

  void stay_below(double limit) {
    double largest = 0.0;
    for (const double coefficient : f_.function().coefficients()) largest = std::max(largest, std::fabs(coefficient));
    if (largest > limit) f_.function().scale(limit / largest);
  }

  Options options_;
  StepSize step_;
  OnlineExpansion<T> f_;
  LearnerRandom random_;
  std::uint64_t removals_ = 0;
  double largest_slope_ = 1.0;  // of the rounds so far, and 1: those of classes have none above
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Learner> make_bogd(const BogdOptions& options) {
  return make_of<Bogd>(options);
}

extern constexpr LearnerKind kBogd = learner_kind<Bogd>(
    "bogd", "bounded online gradient descent, removing at random (Zhao et al. 2012)", {.learns_numbers = true});

}  // namespace alder
