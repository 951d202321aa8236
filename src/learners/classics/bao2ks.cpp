#include <algorithm>
#include <cmath>

#include "alder/learners.h"

#include "archive/state.h"
#include "learners/classics/reservoir.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"

namespace alder {

void list(Bao2ksOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.budget(options.budget);
  visit.radius(options.radius);
  visit.automatic_count("reservoir", options.reservoir, 1, "past rows in the optimistic gradient; auto: ln T",
                        kMostEntries);
  visit.step(options.step);
  visit.horizon(options.horizon);
  visit.seed(options.seed);
  visit.precision(options.precision);
}

namespace {

std::size_t reservoir_of(const Bao2ksOptions& options) {
  const double log = std::log(static_cast<double>(Horizon(options.horizon).value()));
  return options.reservoir.value_or(static_cast<std::size_t>(std::max(1.0, std::round(log))));
}

/// B(AO)₂KS (Liao and Li 2021): budgeted optimistic mirror descent with a sampled gradient. A reservoir V of past
/// examples, each as likely to be in it, gives the hint ∇̄ = −(1/|V|) Σ_{(v,y)∈V} y κ(v,·). A round
///   predicts with f = proj_U(f' − λ∇̄),
///   on a margin violation draws b ~ Bernoulli(p), p = ‖∇ − ∇̄‖ / (6(‖∇ − ∇̄‖ + ‖∇̄‖)), with ∇ = −y κ(x,·),
///   and moves f' ← proj_U(f' − λ∇̃) by the unbiased estimate ∇̃ = ∇̄ + b(∇ − ∇̄)/p.
/// So x joins the support set S only if b = 1; rows of V join it when they are first used. When S exceeds B, everything
/// begins again from nothing. The norms and inner products come from what V knows; O(dB) a round, O(|V|²) more for one
/// that learns.
template <class T>
class Bao2ks final : public MarginLearner {
 public:
  using Options = Bao2ksOptions;

  explicit Bao2ks(const Options& options)
      : options_(options),
        step_(options.step, options.horizon),
        f_(options.kernel),
        reservoir_(options.kernel, reservoir_of(options)),
        random_(options.seed) {}
  Bao2ks(const Options& options, const Archive& archive) : Bao2ks(options) {
    restore_rounds(archive);
    removals_ = archive.setting<std::uint64_t>("state", "restarts");
    squared_norm_ = read_amount(archive, "squared_norm");
    random_ = load_random(archive);
    f_.load(archive, options.budget);
    reservoir_.load(archive, f_.size());
  }

  [[nodiscard]] std::string name() const override { return "bao2ks"; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    f_.add_parts(row, Accuracy::kFast, direction[0], parts);
    return true;
  }

 protected:
  // f' without the hint, which is made of rows of the past.
  void score_block(std::span<const Row> rows, std::span<double> scores) const override {
    static thread_local ScoredRows<T> scored;
    f_.values(rows, Accuracy::kFast, scored, scores);
  }

  double round(const Row& row, double label, double /*weight*/) override {
    Seen& seen = seen_;
    predict(row, seen);
    if (label * seen.score < 1.0) move(label);
    if (f_.size() > options_.budget) {
      begin_again();
    } else {
      reservoir_.offer(seen.x, label, seen.f, seen.hint_row, seen.place, random_);
    }
    return seen.score;
  }

  void describe(Report& report) const override {
    report.support = f_.size();
    report.details.push_back({"removals", removals_});
    report.norm = std::sqrt(squared_norm_);
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + f_.bytes() + reservoir_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "restarts", removals_);
    archive.set("state", "squared_norm", squared_norm_);
    save_random(random_, archive);
    f_.save(archive);
    reservoir_.save(archive);
  }

 private:
  struct Seen {
    PreparedRow<T> x;
    KernelValues row;       // κ(s_i, x)
    KernelValues hint_row;  // κ(v, x) of the reservoir
    double rate = 0.0;      // λ
    double f = 0.0;         // f'(x); after a move that of the moved f'
    double hint = 0.0;      // −∇̄(x) = (1/|V|) Σ y κ(v, x)
    double score = 0.0;
    std::size_t place = Reservoir<T>::kNowhere;  // where in S the row is
  };

  void predict(const Row& row, Seen& seen) const {
    seen.x.assign(row, options_.kernel);
    seen.place = Reservoir<T>::kNowhere;
    seen.rate = step_.at(rounds() + 1);
    const ScaledSum f = f_.value(seen.x, Accuracy::kFast, seen.row);
    ScaledSum hint = reservoir_.hint(seen.x, seen.hint_row);
    seen.f = f.value();
    seen.hint = hint.value();
    hint.sum *= seen.rate;
    // ‖f' − λ∇̄‖² = ‖f'‖² + 2λ⟨f', −∇̄⟩ + λ²‖∇̄‖²
    const double squared =
        squared_norm_ + 2.0 * seen.rate * reservoir_.mean_value() + seen.rate * seen.rate * reservoir_.squared_norm();
    const double shrink = squared > options_.radius * options_.radius ? options_.radius / std::sqrt(squared) : 1.0;
    seen.score = shrink * add(f, hint);
  }

  // f' ← proj_U(f' − λ∇̃), ∇̃ = (1 − b/p)∇̄ + (b/p)∇.
  void move(double label) {
    Seen& seen = seen_;
    const double hint_norm = std::sqrt(reservoir_.squared_norm());
    // ⟨∇, ∇̄⟩ = y·hint.
    const double difference =
        std::sqrt(std::max(0.0, seen.x.self() + reservoir_.squared_norm() - 2.0 * label * seen.hint));
    if (!(difference + hint_norm > 0.0)) return;
    const double probability = difference / (6.0 * (difference + hint_norm));
    const bool is_drawn = random_.uniform() < probability;
    const double gradient_weight = is_drawn ? 1.0 / probability : 0.0;
    const double to_hint = seen.rate * (1.0 - gradient_weight);  // −λ∇̃ = to_hint·(−∇̄) + to_row·κ(x,·)
    const double to_row = seen.rate * gradient_weight * label;

    const double mean_value = reservoir_.mean_value();
    squared_norm_ += 2.0 * to_hint * mean_value + 2.0 * to_row * seen.f +
                     to_hint * to_hint * reservoir_.squared_norm() + to_row * to_row * seen.x.self() +
                     2.0 * to_hint * to_row * seen.hint;
    squared_norm_ = std::max(0.0, squared_norm_);
    seen.f += to_hint * seen.hint + to_row * seen.x.self();
    reservoir_.add_hint(to_hint, f_);
    if (is_drawn) {
      seen.place = f_.size();
      f_.append(seen.x, to_row);
      reservoir_.add_row(to_row, seen.hint_row);
    }
    if (squared_norm_ > options_.radius * options_.radius) {
      const double scale = options_.radius / std::sqrt(squared_norm_);
      f_.scale(scale);
      reservoir_.scale_values(scale);
      seen.f *= scale;
      squared_norm_ = options_.radius * options_.radius;
    }
  }

  void begin_again() {
    f_.truncate(0);
    reservoir_.clear();
    squared_norm_ = 0.0;
    ++removals_;
  }

  Options options_;
  StepSize step_;
  Expansion<T> f_;          // f'
  Reservoir<T> reservoir_;  // V
  LearnerRandom random_;
  double squared_norm_ = 0.0;  // ‖f'‖²
  std::uint64_t removals_ = 0;
  Seen seen_;
};

}  // namespace

std::unique_ptr<Learner> make_bao2ks(const Bao2ksOptions& options) {
  return make_of<Bao2ks>(options);
}

extern constexpr LearnerKind kBao2ks = learner_kind<Bao2ks>(
    "bao2ks", "optimistic descent with a sampled gradient and restarts (Liao and Li 2021)", {.has_hint = true});

}  // namespace alder
