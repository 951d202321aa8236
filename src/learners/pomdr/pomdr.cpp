#include "learners/pomdr/pomdr.h"

#include <algorithm>
#include <cmath>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "learners/core/kind.h"

namespace alder {
namespace {

// A κ(x,x) below this (a row of zeros with a linear kernel) is taken as 0: its gradient moves nothing.
constexpr double kSmallestSelf = 1e-100;
// A merged hypothesis with less than this part of the radius as its norm is what rounding left of one that cancelled.
constexpr double kCancelled = 1e-10;

}  // namespace

template <class T>
Pomdr<T>::Pomdr(const PomdrOptions& options)
    : options_(options),
      schedule_(options),
      rounds_(options.window, true),
      f_(options.kernel, rounds_.scratch_rows()),
      merge_plan_(options.budget) {}

template <class T>
Pomdr<T>::Pomdr(const PomdrOptions& options, const Archive& archive) : Pomdr(options) {
  restore_rounds(archive);
  squared_norm_ = archive.setting<double>("state", "squared_norm");
  largest_self_ = archive.setting<double>("state", "largest_self");
  sum_delta_ = archive.setting<double>("state", "sum_delta");
  total_delta_ = archive.setting<double>("state", "total_delta");
  latest_rate_ = archive.setting<double>("state", "latest_rate");
  removals_ = archive.setting<std::uint64_t>("state", "removals");
  if (archive.has_setting("state", "switch_round"))
    switch_round_ = archive.setting<std::uint64_t>("state", "switch_round");
  for (const double number : {squared_norm_, largest_self_, sum_delta_, total_delta_, latest_rate_}) {
    if (!(number >= 0.0 && number <= kLargestSum)) throw_bad_archive("a number of its state is out of range");
  }
  schedule_.begin_round(rounds());

  f_.load(archive, (projecting() ? schedule_.b0() : options_.budget) - 1);
  const std::vector<double> selfs = f_.rows().selfs();
  basis_.load(archive, "basis", projecting() ? selfs : std::vector<double>());
  merge_plan_.load(archive, selfs);
  if (!projecting()) rounds_.forget_values();
  rounds_.load(archive, rounds(), f_.rows());
}

template <class T>
void Pomdr<T>::save_state(Archive& archive) const {
  save_options(options_, archive);
  archive.set("state", "squared_norm", squared_norm_);
  archive.set("state", "largest_self", largest_self_);
  archive.set("state", "sum_delta", sum_delta_);
  archive.set("state", "total_delta", total_delta_);
  archive.set("state", "latest_rate", latest_rate_);
  archive.set("state", "removals", removals_);
  if (switch_round_) archive.set("state", "switch_round", *switch_round_);
  f_.save(archive);
  basis_.save(archive, "basis");
  merge_plan_.save(archive);
  rounds_.save(archive, f_.rows());
}

template <class T>
void Pomdr<T>::score_block(std::span<const Row> rows, std::span<double> scores) const {
  static thread_local ScoredRows<T> scored;
  f_.values(rows, accuracy(), scored, scores);
}

template <class T>
double Pomdr<T>::round(const Row& /*row*/, double label, double weight) {
  rounds_.begin(f_.rows(), accuracy());  // the last thing that can reject the row
  const double self = weight * weight * rounds_.x().self();
  const Forecast r = forecast(rounds_.row(), self);

  if (average_) average_->count();
  schedule_.begin_round(rounds() + 1);
  latest_rate_ = r.rate;
  largest_self_ = std::max(largest_self_, self);
  if (label * r.score < 1.0 && self >= kSmallestSelf) {
    if (average_) average_->settle(f_);
    const double delta = projecting() ? project_or_append(r, weight * label) : append(r, weight * label);
    stay_in_ball();
    sum_delta_ += delta;
    total_delta_ += std::max(self - 2.0 * weight * label * r.hint, 0.0);
    if (f_.size() == options_.budget) remove_half();
  }
  rounds_.end(weight * label, f_.rows());
  return r.score;
}

// f_t(x) = f'(x) + λ_t m_t.
template <class T>
typename Pomdr<T>::Forecast Pomdr<T>::forecast(const KernelValues& row, double squared_gradient) const {
  auto [f, hint] = rounds_.sums(row, f_.coefficients());
  Forecast r;
  r.rate = learning_rate(std::max(largest_self_, squared_gradient));
  r.f = f.value();
  r.hint = hint.value();
  hint.sum *= r.rate;
  r.score = add(f, hint);
  return r;
}

// λ_t = s U / sqrt(3D + Σδ), eq. (learning rate) with 3D for the largest δ to come; s = c after the first removal.
template <class T>
double Pomdr<T>::learning_rate(double largest_self) const {
  const double factor = removals_ == 0 ? 1.0 : options_.factor;
  return factor * options_.radius / std::sqrt(3.0 * std::max(largest_self, kSmallestSelf) + sum_delta_);
}

// Phase 1, POMD. Returns δ_t.
template <class T>
double Pomdr<T>::project_or_append(const Forecast& r, double y) {
  const double self = rounds_.x().self();
  basis_.project(rounds_.row(), self, projection_);
  const double threshold = schedule_.threshold() * std::sqrt(largest_self_);
  if (f_.size() > 0 && !AldBasis::independent(projection_, self, threshold)) return project(r, y);

  basis_.append(projection_);
  const double delta = append(r, y);
  if (f_.size() >= schedule_.b0()) {
    switch_round_ = rounds() + 1;
    basis_.reset();
    rounds_.forget_values();
  }
  return delta;
}

// The gradient −y κ(x_t,·) is replaced by its projection ∇̂ = −y Σ β_i κ(s_i,·) on the span of S, with
//   ‖∇̂‖² = βᵀK_Sβ = κ(x_t,x_t) − α_t   and   Σ β_i f'(s_i) = f'(x_t),   because K_S β = k_t.
// Returns δ_t = max(‖∇̂ − ∇̄‖² − ‖∇̄‖², 0).
template <class T>
double Pomdr<T>::project(const Forecast& r, double y) {
  basis_.coefficients(projection_, beta_);
  f_.add(r.rate * y, beta_);
  const double squared = rounds_.x().self() - projection_.alpha;
  move(r.rate, y, r.f, squared);
  return std::max(y * y * squared - 2.0 * y * rounds_.projected_hint(beta_), 0.0);
}

// f' += λ_t y_t κ(x_t,·). Returns δ_t = max(‖∇ − ∇̄‖² − ‖∇̄‖², 0) = max(κ(x_t,x_t) − 2 y_t m_t, 0).
template <class T>
double Pomdr<T>::append(const Forecast& r, double y) {
  const double self = rounds_.x().self();
  merge_plan_.record(rounds_.row(), self);
  f_.append_scratch(rounds_.scratch(), rounds_.x(), r.rate * y);
  rounds_.joined(f_.size() - 1);
  move(r.rate, y, r.f, self);
  return std::max(y * y * self - 2.0 * y * r.hint, 0.0);
}

// ‖f' + λ y g‖² = ‖f'‖² + 2 λ y ⟨f', g⟩ + λ² ‖g‖².
template <class T>
void Pomdr<T>::move(double rate, double y, double f, double squared) {
  const double step = rate * y;
  squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * step * f + step * step * squared);
}

// The projection on the ball ‖f'‖ <= U.
template <class T>
void Pomdr<T>::stay_in_ball() {
  if (squared_norm_ > options_.radius * options_.radius) scale_to_radius();
}

template <class T>
void Pomdr<T>::scale_to_radius() {
  f_.scale(options_.radius / std::sqrt(squared_norm_));
  squared_norm_ = options_.radius * options_.radius;
}

// |S| = B: the younger half is merged into the older one, f' is scaled to norm U, and the learning rate starts anew.
template <class T>
void Pomdr<T>::remove_half() {
  if (average_) average_->leave(f_, merge_plan_.kept());
  squared_norm_ = std::max(0.0, merge_plan_.merge(f_.coefficients()));
  f_.truncate(merge_plan_.kept());
  rounds_.truncated(f_.size());
  // A hypothesis that has cancelled out but for rounding errors has no direction to be scaled in.
  if (std::sqrt(squared_norm_) > kCancelled * options_.radius) scale_to_radius();
  sum_delta_ = 0.0;
  ++removals_;
}

template <class T>
std::unique_ptr<AnyHypothesis> Pomdr<T>::hypothesis() const {
  Expansion<T> function(options_.kernel);
  for (std::size_t i = 0; i < f_.size(); ++i) function.append(f_.rows().query(i), f_.coefficients()[i]);
  rounds_.add_hint(learning_rate(largest_self_), f_.rows(), function);
  return std::make_unique<Hypothesis<T>>(std::move(function), HypothesisOrigin{name(), rounds() + 1, rounds() + 1});
}

template <class T>
void Pomdr<T>::begin_mean() {
  average_ = std::make_unique<Average<T>>(options_.kernel);
}

template <class T>
std::unique_ptr<AnyHypothesis> Pomdr<T>::mean() const {
  if (!average_ || average_->rounds() == 0) return nullptr;
  return std::make_unique<Hypothesis<T>>(average_->mean(f_),
                                         HypothesisOrigin{name(), rounds() + 1 - average_->rounds(), rounds()});
}

template <class T>
void Pomdr<T>::describe(Report& report) const {
  report.support = f_.size();
  if (switch_round_) report.details.push_back({"switch_round", *switch_round_});
  report.details.push_back({"removals", removals_});
  report.details.push_back({"sum_delta", total_delta_});
  report.norm = std::sqrt(squared_norm_);
  report.learning_rate = latest_rate_;
  report.bytes = sizeof(*this) + f_.bytes() + rounds_.bytes() + basis_.bytes() + merge_plan_.bytes() +
                 (average_ ? average_->bytes() : 0);
}

template class Pomdr<float>;
template class Pomdr<double>;

std::unique_ptr<Learner> make_pomdr(const PomdrOptions& options) {
  return make_of<Pomdr>(options);
}

extern constexpr LearnerKind kPomdr =
    learner_kind<Pomdr>("pomdr", "projected optimistic mirror descent with restarts (Li and Liao 2023)",
                        {.has_snapshots = true, .has_hint = true, .has_phases = true, .has_bounds = true});

}  // namespace alder
