#include "learners/alder/class_candidate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learners/alder/race.h"
#include "learners/core/margin.h"

namespace alder {
namespace {

constexpr std::size_t kRecent = 3;

// More classes need more rows to tell them apart.
constexpr std::size_t kLeastBudget = 200;
constexpr std::size_t kMostBudget = 800;
constexpr std::size_t kRowsPerClass = 100;
// The share of rows that violate the margin for which that budget is enough.
constexpr double kUsualViolations = 0.8;
// With a smaller share it grows by this power.
constexpr double kBudgetPower = 0.6;

// A predictor that forgets as much follows the stream by itself.
constexpr double kFast = 1e-3;

std::size_t budget_for(std::size_t width) {
  return std::clamp(kRowsPerClass * width, kLeastBudget, kMostBudget);
}

}  // namespace

template <class T>
ClassCandidate<T>::ClassCandidate(const AlderOptions& options, std::size_t classes, const std::vector<double>& rates,
                                  const Geometry<T>& geometry, double ratio)
    : Candidate<T>(options, kLeastBudget, options.recent_labels ? kRecent : 0, geometry, ratio),
      is_guided_(options.growth == AlderOptions::Growth::kGuide),
      is_thrifty_(options.effort != AlderOptions::Effort::kHigh),
      rates_(rates),
      mixture_(rates.size()) {
  const bool is_diagonal = options.covariance == AlderOptions::Covariance::kDiagonal;
  for (const double rate : rates_) predictors_.emplace_back(options.noise, rate, is_diagonal);
  if (options.head) head_.emplace();
  resize();
  Forecast none;
  for (std::size_t c = 2; c < classes; ++c) add_class(none);
}

template <class T>
void ClassCandidate<T>::add_class(Forecast& forecast) {
  guide_.add_class();
  if (head_) head_->add_class();
  for (Arow<T>& predictor : predictors_) predictor.add_class();
  if (fine_) fine_->add_class();
  const std::size_t earlier = std::exchange(width_, width_ == 1 ? 3 : width_ + 1);
  if (!given_budget_) budget_ = std::max(budget_, budget_for(width_));
  resize();
  const auto widen = [&](std::vector<double>& numbers) {
    std::vector<double> wider;
    for (std::size_t first = 0; first < numbers.size(); first += earlier) {
      if (earlier == 1) {
        wider.insert(wider.end(), {-numbers[first] / 2, numbers[first] / 2});
      } else {
        wider.insert(wider.end(), numbers.data() + first, numbers.data() + first + earlier);
      }
      wider.push_back(0.0);
    }
    numbers = std::move(wider);
  };
  for (std::vector<double>* numbers : {&forecast.guide, &forecast.extras, &forecast.each, &forecast.base,
                                       &forecast.mixed, &forecast.scores, &forecast.fine.scores}) {
    widen(*numbers);
  }
}

template <class T>
bool ClassCandidate<T>::follows_fast() const {
  return predictors_.size() > 1 && rate() >= kFast;
}

// While the predictor that forgets much is the best, more rows would only have less time to be learned.
template <class T>
bool ClassCandidate<T>::is_full() const {
  return size() >= budget_ || (follows_fast() && !given_budget_ && size() >= budget_for(width_));
}

template <class T>
void ClassCandidate<T>::resize() {
  guide_.resize(size());
  if (head_) head_->resize(size());
  for (std::size_t p = 0; p < predictors_.size(); ++p) predictors_[p].resize(inputs_of(p));
}

// One that forgets much has only the first coordinates, where time matters: it remembers too few rows to learn more.
// They fill whole vectors, since what follows in z is not 0.
template <class T>
std::size_t ClassCandidate<T>::inputs_of(std::size_t p) const {
  const std::size_t all = before() + size();
  const bool is_fast = predictors_.size() > 1 && rates_[p] >= kFast;
  return is_fast && is_thrifty_ ? std::min(all, padded(before() + budget_for(width_))) : all;
}

template <class T>
void ClassCandidate<T>::begin_block() {
  for (Arow<T>& predictor : predictors_) predictor.begin_block();
}

template <class T>
void ClassCandidate<T>::forget_ahead() {
  Candidate<T>::forget_ahead();
  for (Arow<T>& predictor : predictors_) predictor.forget_expected();
}

template <class T>
void ClassCandidate<T>::forecast(const Geometry<T>& geometry, Forecast& out) {
  const std::optional<std::size_t> place = this->project(geometry, out);
  const auto score = [&](const auto& functions, const T* z, std::span<double> scores) {
    if (place && scores_ahead()) {
      functions.score_ahead(*place, z, scores);
    } else {
      functions.score(z, scores);
    }
  };
  out.guide.assign(width_, 0.0);
  if (!is_full()) score(guide_, out.phi.data(), out.guide);
  if (head_) {
    out.extras.resize(width_);
    score(*head_, out.phi.data(), out.extras);
  }
  out.each.resize(predictors_.size() * width_);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    score(predictors_[p], input(out), std::span(out.each).subspan(p * width_, width_));
  }
  if (fine_) fine_->look(geometry.rounds().row(), out.fine);
  predict(out);
}

// What the predictors and the fine layer say together.
template <class T>
void ClassCandidate<T>::predict(Forecast& forecast) const {
  forecast.mixed.resize(width_);
  forecast.scores.resize(width_);
  mixture_.combine(forecast.each, kMostScore, forecast.mixed);
  if (!fine_) {
    forecast.scores = forecast.mixed;
    return;
  }
  forecast.base.resize(width_);
  mixture_.combine(forecast.each, kMostBase, forecast.base);
  fine_->predict(forecast.fine, forecast.base, forecast.mixed, forecast.scores);
}

template <class T>
void ClassCandidate<T>::score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                              std::size_t count, std::span<double> scores, std::span<double> logits) const {
  static thread_local Looked looked;
  static thread_local std::vector<double> each;
  static thread_local Forecast forecast;
  this->look_at(geometry, rows, inputs, count, looked);
  if (head_ && !logits.empty()) head_->score(looked.phi.data(), looked.phi_room, count, logits.data(), width_);
  const std::size_t of_row = predictors_.size() * width_;
  each.resize(count * of_row);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].score(before() > 0 ? looked.z.data() : looked.phi.data(), looked.z_room, count,
                         each.data() + p * width_, of_row);
  }
  for (std::size_t r = 0; r < count; ++r) {
    forecast.each.assign(each.data() + r * of_row, each.data() + (r + 1) * of_row);
    if (fine_) fine_->look(rows.values[r], forecast.fine);
    predict(forecast);
    std::copy(forecast.scores.begin(), forecast.scores.end(), scores.data() + r * width_);
  }
}

// Whether the row should be stored: it is new, the margin is violated, and there is room.
template <class T>
bool ClassCandidate<T>::wants(const Forecast& forecast, double target) const {
  return !is_full() && forecast.alpha > threshold_ * threshold_ &&
         margin_of(is_guided_ ? forecast.guide : forecast.scores, target).value < 1.0;
}

template <class T>
double ClassCandidate<T>::charge(const Forecast& forecast, double target) const {
  return Race::charge(margin_of(forecast.scores, target));
}

template <class T>
void ClassCandidate<T>::learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
                              std::optional<std::size_t>& joined) {
  const bool was_full = is_full();
  if (wants(forecast, target) && this->append(geometry, forecast, joined)) {
    born_.push_back(age_);
    resize();
  }
  if (!was_full) {
    const Margin margin = margin_of(forecast.guide, target);
    if (margin.value < 1.0) guide_.learn(target, margin, forecast.phi.data());
  }
  if (head_) head_->learn(target, weight, forecast.extras, forecast.phi.data());
  ++rows_;
  ++age_;
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    const std::span<const double> scores = std::span(forecast.each).subspan(p * width_, width_);
    if (!(margin_of(scores, target).value < 1.0)) continue;
    predictors_[p].learn(target, scores, input(forecast), weight, forecast.place);
    if (p == 0) ++violations_;
  }
  if (fine_ && was_full) {
    fine_->learn(geometry, forecast.fine, forecast.base, forecast.mixed, target, weight, rate(), follows_fast());
  }
  mixture_.count(forecast.each, width_, target, weight);
}

template <class T>
void ClassCandidate<T>::add_slow_predictor(double rate) {
  rates_.insert(rates_.begin() + 1, rate);
  Arow<T> slow = predictors_.front();
  slow.set_forget(rate);
  predictors_.insert(predictors_.begin() + 1, std::move(slow));
  mixture_.insert_behind(0);
}

template <class T>
void ClassCandidate<T>::fit_budget(std::size_t most) {
  if (given_budget_ || rows_ == 0) return;
  const double share = std::max(1.0, static_cast<double>(violations_)) / static_cast<double>(rows_);
  const std::size_t usual = budget_for(width_);
  const double wanted = static_cast<double>(usual) * std::pow(kUsualViolations / share, kBudgetPower);
  budget_ = std::max({usual, size(), static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)))});
}

template <class T>
void ClassCandidate<T>::list_elements(std::vector<bool>& used) const {
  Candidate<T>::list_elements(used);
  if (fine_) fine_->list_elements(used);
}

template <class T>
void ClassCandidate<T>::move(std::span<const std::uint32_t> places, double ratio) {
  Candidate<T>::move(places, ratio);
  if (fine_) fine_->move(places, ratio);
}

template <class T>
std::size_t ClassCandidate<T>::bytes() const {
  std::size_t total = Candidate<T>::bytes() + guide_.bytes();
  if (head_) total += head_->bytes();
  if (fine_) total += fine_->bytes();
  for (const Arow<T>& predictor : predictors_) total += predictor.bytes();
  return total;
}

template class ClassCandidate<float>;
template class ClassCandidate<double>;

}  // namespace alder
