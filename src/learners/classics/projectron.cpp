#include <algorithm>
#include <cmath>
#include <limits>

#include "alder/learners.h"

#include "archive/state.h"
#include "kernel/ald.h"
#include "kernel/online_expansion.h"
#include "learners/core/kind.h"

namespace alder {

void list(ProjectronOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.number("threshold", options.threshold, {0.0, 1e50}, "the largest error of a projection");
  visit.worth_trying({0.1, 0.2, 0.4, 0.8});
  visit.precision(options.precision);
}

namespace {

/// Projectron and Projectron++ (Orabona, Keshet and Caputo 2008). With P the projection on the span of S, and
/// α = ‖κ(x,·) − Pκ(x,·)‖²:
///   on a mistake f ← f + y Pκ(x,·) if sqrt(α) <= threshold, otherwise x joins S with the coefficient y;
///   Projectron++ also, on a correct prediction with the loss ℓ = 1 − y f(x) > 0: f ← f + τ y Pκ(x,·) with
///   τ = min(1, ℓ/‖Pκ‖², 2(ℓ − sqrt(α)/threshold)/‖Pκ‖²), unless that is negative.
/// O(d|S|) a round, and O(|S|²) more for one that learns. How large S gets depends on the threshold alone.
template <class T, bool kPlusPlus>
class AnyProjectron final : public MarginLearner {
 public:
  using Options = ProjectronOptions;

  explicit AnyProjectron(const Options& options) : options_(options), f_(options.kernel, Accuracy::kExact) {}
  AnyProjectron(const Options& options, const Archive& archive) : AnyProjectron(options) {
    restore_rounds(archive);
    squared_norm_ = read_amount(archive, "squared_norm");
    f_.function().load(archive, std::numeric_limits<std::size_t>::max());
    basis_.load(archive, "basis", f_.function().rows().selfs());
  }

  [[nodiscard]] std::string name() const override { return kPlusPlus ? "projectron++" : "projectron"; }
  /// What Projectron++ learns of a small margin has no place for a weight.
  [[nodiscard]] bool takes_weights() const override { return !kPlusPlus; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    f_.add_parts(row, direction[0], parts);
    return true;
  }

 protected:
  // The rows are computed in double, as the projection wants them.
  void score_block(std::span<const Row> rows, std::span<double> scores) const override { f_.values(rows, scores); }

  double round(const Row& /*row*/, double label, double weight) override {
    value_ = f_.begin();
    const bool is_wrong = is_mistake(value_, label);
    const double loss = 1.0 - label * value_;
    if (f_.x().self() > 0.0 && (is_wrong || (kPlusPlus && loss > 0.0))) {
      basis_.project(f_.row(), f_.x().self(), projection_);
      if (!is_wrong) {
        widen_margin(label, loss);
      } else if (f_.size() == 0 || AldBasis::independent(projection_, f_.x().self(), options_.threshold)) {
        basis_.append(projection_);
        f_.append(weight * label);
        move(weight * label, f_.x().self());
      } else {
        add_projection(weight * label);
      }
    }
    f_.end();
    return value_;
  }

  void begin_block(std::span<const Row> rows) override { f_.begin_block(rows); }
  void end_block() override { f_.end_block(); }

  void describe(Report& report) const override {
    report.support = f_.size();
    report.norm = std::sqrt(squared_norm_);
    report.learning_rate = 1.0;
    report.bytes = sizeof(*this) + f_.bytes() + basis_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "squared_norm", squared_norm_);
    f_.function().save(archive);
    basis_.save(archive, "basis");
  }

 private:
  void widen_margin(double label, double loss) {
    const double squared = f_.x().self() - projection_.alpha;  // ‖Pκ(x,·)‖²
    if (!(squared > 0.0)) return;
    // An α that is rounding error is none.
    const bool is_exact = !AldBasis::independent(projection_, f_.x().self(), 0.0);
    const double error = is_exact ? 0.0 : std::sqrt(projection_.alpha) / options_.threshold;
    const double weight = std::min({1.0, loss / squared, 2.0 * (loss - error) / squared});
    if (weight > 0.0) add_projection(weight * label);
  }

  // f ← f + weight·Pκ(x,·).
  void add_projection(double weight) {
    basis_.coefficients(projection_, beta_);
    f_.function().add(weight, beta_);
    move(weight, f_.x().self() - projection_.alpha);
  }

  // ‖f + w g‖² with ⟨f, g⟩ = f(x), for g = κ(x,·) and for its projection.
  void move(double weight, double squared) {
    squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * weight * value_ + weight * weight * squared);
  }

  Options options_;
  OnlineExpansion<T> f_;
  AldBasis basis_;
  double squared_norm_ = 0.0;  // ‖f‖²
  double value_ = 0.0;         // f(x) in the round that is on
  Projection projection_;
  Eigen::VectorXd beta_;
};

template <class T>
using Projectron = AnyProjectron<T, false>;
template <class T>
using ProjectronPlusPlus = AnyProjectron<T, true>;

}  // namespace

std::unique_ptr<Learner> make_projectron(const ProjectronOptions& options) {
  return make_of<Projectron>(options);
}

std::unique_ptr<Learner> make_projectron_plus_plus(const ProjectronOptions& options) {
  return make_of<ProjectronPlusPlus>(options);
}

extern constexpr LearnerKind kProjectron =
    learner_kind<Projectron>("projectron", "a perceptron that projects (Orabona et al. 2008)");
extern constexpr LearnerKind kProjectronPlusPlus =
    learner_kind<ProjectronPlusPlus>("projectron++", "Projectron that also learns from small margins");

}  // namespace alder
