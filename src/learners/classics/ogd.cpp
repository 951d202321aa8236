#include <cmath>
#include <limits>

#include "alder/learners.h"

#include "archive/state.h"
#include "kernel/online_expansion.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"
#include "learners/core/loss_learner.h"

namespace alder {

void list(OgdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.step(options.step);
  visit.loss(options.loss);
  visit.radius(options.radius);
  visit.horizon(options.horizon);
  visit.precision(options.precision);
}

namespace {

/// Online gradient descent in the ball ‖f‖ <= U (Kivinen, Smola and Williamson 2001; Zinkevich 2003): where the slope g
/// of the loss is not 0, as on a margin violation, f ← proj_U(f − η g κ(x,·)). O(d|S|) a round, |S| being the number of
/// such rounds so far.
template <class T>
class Ogd final : public LossLearner {
 public:
  using Options = OgdOptions;

  explicit Ogd(const Options& options)
      : LossLearner(options.loss),
        options_(with_step(options, usual_step(options.loss))),
        step_(*options_.step, options.horizon),
        f_(options.kernel) {}
  Ogd(const Options& options, const Archive& archive) : Ogd(options) {
    restore_rounds(archive);
    squared_norm_ = read_amount(archive, "squared_norm");
    f_.function().load(archive, std::numeric_limits<std::size_t>::max());
  }

  [[nodiscard]] std::string name() const override { return "ogd"; }
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
    const double slope = this->slope(value, target);
    if (slope != 0.0) {
      const double move = step_along(slope, weight, step_.at(rounds() + 1), f_.x().self());
      f_.append(move);
      // ‖f + move·κ(x,·)‖²
      squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * move * value + move * move * f_.x().self());
      if (squared_norm_ > options_.radius * options_.radius) {
        f_.function().scale(options_.radius / std::sqrt(squared_norm_));
        squared_norm_ = options_.radius * options_.radius;
      }
    }
    f_.end();
  }

  void begin_block(std::span<const Row> rows) override { f_.begin_block(rows); }
  void end_block() override { f_.end_block(); }

  void describe(Report& report) const override {
    report.support = f_.size();
    report.norm = std::sqrt(squared_norm_);
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + f_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "squared_norm", squared_norm_);
    f_.function().save(archive);
  }

 private:
  Options options_;
  StepSize step_;
  OnlineExpansion<T> f_;
  double squared_norm_ = 0.0;  // ‖f‖²
};

}  // namespace

std::unique_ptr<Learner> make_ogd(const OgdOptions& options) {
  return make_of<Ogd>(options);
}

extern constexpr LearnerKind kOgd =
    learner_kind<Ogd>("ogd", "kernel online gradient descent; stores without bound", {.learns_numbers = true});

}  // namespace alder
