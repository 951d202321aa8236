#include "learners/alder/candidate.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
Candidate<T>::Candidate(const AlderOptions& options, std::size_t classes, const std::vector<double>& rates,
                        const Geometry<T>& geometry, double ratio)
    : given_budget_(options.budget),
      budget_(options.budget.value_or(kLeastBudget)),
      threshold_(options.threshold),
      is_guided_(options.growth == AlderOptions::Growth::kGuide),
      is_thrifty_(options.effort != AlderOptions::Effort::kHigh),
      recent_(options.recent_labels ? kRecent : 0),
      linear_(geometry.linear_inputs().size()),
      rates_(rates),
      basis_(geometry.kernel().is_radial(), ratio),
      mixture_(rates.size()) {
  const bool is_diagonal = options.covariance == AlderOptions::Covariance::kDiagonal;
  for (const double rate : rates_) predictors_.emplace_back(options.noise, rate, is_diagonal);
  if (options.head) head_.emplace();
  resize();
  Forecast none;
  for (std::size_t c = 2; c < classes; ++c) add_class(none);
}

template <class T>
void Candidate<T>::add_class(Forecast& forecast) {
  guide_.add_class();
  if (head_) head_->add_class();
  for (Arow<T>& predictor : predictors_) predictor.add_class();
  if (fine_) fine_->add_class();
  const std::size_t before = std::exchange(width_, width_ == 1 ? 3 : width_ + 1);
  if (!given_budget_) budget_ = std::max(budget_, budget_for(width_));
  resize();
  const auto widen = [&](std::vector<double>& numbers) {
    std::vector<double> wider;
    for (std::size_t first = 0; first < numbers.size(); first += before) {
      if (before == 1) {
        wider.insert(wider.end(), {-numbers[first] / 2, numbers[first] / 2});
      } else {
        wider.insert(wider.end(), numbers.data() + first, numbers.data() + first + before);
      }
      wider.push_back(0.0);
    }
    numbers = std::move(wider);
  };
  for (std::vector<double>* numbers : {&forecast.guide, &forecast.logits, &forecast.each, &forecast.base,
                                       &forecast.mixed, &forecast.scores, &forecast.fine.scores}) {
    widen(*numbers);
  }
}

template <class T>
bool Candidate<T>::follows_fast() const {
  return predictors_.size() > 1 && rate() >= kFast;
}

// While the predictor that forgets much is the best, more rows would only have less time to be learned.
template <class T>
bool Candidate<T>::is_full() const {
  return size() >= budget_ || (follows_fast() && !given_budget_ && size() >= budget_for(width_));
}

template <class T>
void Candidate<T>::resize() {
  guide_.resize(size());
  if (head_) head_->resize(size());
  for (std::size_t p = 0; p < predictors_.size(); ++p) predictors_[p].resize(inputs_of(p));
}

// One that forgets much has only the first coordinates, where time matters: it remembers too few rows to learn more.
// They fill whole vectors, since what follows in z is not 0.
template <class T>
std::size_t Candidate<T>::inputs_of(std::size_t p) const {
  const std::size_t all = before() + size();
  const bool is_fast = predictors_.size() > 1 && rates_[p] >= kFast;
  return is_fast && is_thrifty_ ? std::min(all, padded(before() + budget_for(width_))) : all;
}

template <class T>
void Candidate<T>::begin_block() {
  for (Arow<T>& predictor : predictors_) predictor.begin_block();
}

template <class T>
void Candidate<T>::forget_ahead() {
  ahead_.size = 0;
  for (Arow<T>& predictor : predictors_) predictor.forget_expected();
}

template <class T>
void Candidate<T>::forecast(const Geometry<T>& geometry, Forecast& out) {
  const std::optional<std::size_t> place = project(geometry, out);
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
    out.logits.resize(width_);
    score(*head_, out.phi.data(), out.logits);
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
void Candidate<T>::predict(Forecast& forecast) const {
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
void Candidate<T>::score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                         std::size_t count, std::span<double> scores, std::span<double> logits) const {
  static thread_local AlignedVector<T> k;
  static thread_local AlignedVector<T> phi;
  static thread_local AlignedVector<T> z;
  static thread_local std::vector<double> alphas;
  static thread_local std::vector<double> each;
  static thread_local Forecast forecast;
  const std::size_t room = padded(size());
  k.assign(count * room, T{0});
  phi.assign(count * room, T{0});
  for (std::size_t r = 0; r < count; ++r) basis_.copy(rows.values[r], rows.rows[r].self(), k.data() + r * room);
  alphas.resize(count);
  coordinates_.project(k.data(), room, count, phi.data(), alphas.data());
  if (head_ && !logits.empty()) head_->score(phi.data(), room, count, logits.data(), width_);

  const std::size_t z_room = before() > 0 ? padded(before() + size()) : room;
  if (before() > 0) {
    z.assign(count * z_room, T{0});
    for (std::size_t r = 0; r < count; ++r) {
      write_input(rows.values[r], rows.rows[r].self(), geometry.rounds(), geometry.dictionary(),
                  inputs.data() + r * linear_, phi.data() + r * room, z.data() + r * z_room);
    }
  }
  const std::size_t of_row = predictors_.size() * width_;
  each.resize(count * of_row);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].score(before() > 0 ? z.data() : phi.data(), z_room, count, each.data() + p * width_, of_row);
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
bool Candidate<T>::wants(const Forecast& forecast, double target) const {
  return !is_full() && forecast.alpha > threshold_ * threshold_ &&
         margin_of(is_guided_ ? forecast.guide : forecast.scores, target).value < 1.0;
}

// Rounding may be all that made it look new; then it does not join.
template <class T>
void Candidate<T>::join(Geometry<T>& geometry, Forecast& forecast, std::optional<std::size_t>& joined) {
  const double root = coordinates_.append(forecast.k.data());
  if (root == 0.0) return;
  if (!joined) joined = geometry.append();
  basis_.append(*joined, geometry.rounds().x().self());
  born_.push_back(age_);
  const std::size_t n = size();
  forecast.phi.resize(padded(n));
  forecast.phi[n - 1] = static_cast<T>(root);
  if (before() > 0) {
    forecast.z.resize(padded(before() + n));
    forecast.z[before() + n - 1] = static_cast<T>(root);
  }
  resize();
}

template <class T>
void Candidate<T>::learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
                         std::optional<std::size_t>& joined) {
  const bool was_full = is_full();
  if (wants(forecast, target)) join(geometry, forecast, joined);
  if (!was_full) {
    const Margin margin = margin_of(forecast.guide, target);
    if (margin.value < 1.0) guide_.learn(target, margin, forecast.phi.data());
  }
  if (head_) head_->learn(target, weight, forecast.logits, forecast.phi.data());
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
void Candidate<T>::add_slow_predictor(double rate) {
  rates_.insert(rates_.begin() + 1, rate);
  Arow<T> slow = predictors_.front();
  slow.set_forget(rate);
  predictors_.insert(predictors_.begin() + 1, std::move(slow));
  mixture_.insert_behind(0);
}

template <class T>
void Candidate<T>::fit_budget(std::size_t most) {
  if (given_budget_ || rows_ == 0) return;
  const double share = std::max(1.0, static_cast<double>(violations_)) / static_cast<double>(rows_);
  const std::size_t usual = budget_for(width_);
  const double wanted = static_cast<double>(usual) * std::pow(kUsualViolations / share, kBudgetPower);
  budget_ = std::max({usual, size(), static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)))});
}

template <class T>
void Candidate<T>::list_elements(std::vector<bool>& used) const {
  for (const std::uint32_t element : basis_.elements()) used[element] = true;
  if (fine_) fine_->list_elements(used);
}

template <class T>
void Candidate<T>::move(std::span<const std::uint32_t> places, double ratio) {
  forget_ahead();
  basis_.move(places, basis_.ratio() / ratio);
  if (fine_) fine_->move(places, ratio);
}

template <class T>
std::size_t Candidate<T>::bytes() const {
  std::size_t total = coordinates_.bytes() + guide_.bytes() + basis_.bytes() +
                      (ahead_.k.capacity() + ahead_.phi.capacity() + ahead_.z.capacity()) * sizeof(T);
  if (head_) total += head_->bytes();
  if (fine_) total += fine_->bytes();
  for (const Arow<T>& predictor : predictors_) total += predictor.bytes();
  return total;
}

template class Candidate<float>;
template class Candidate<double>;

}  // namespace alder
