#include "learners/alder/value_candidate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alder {
namespace {

constexpr std::size_t kRows = 200;  // that are stored, unless a budget is given
constexpr std::size_t kRecentTargets = 2;
constexpr double kMostRecent = 30.0;  // as an input, which Covariance wants below the root of 1,000
// A row is stored if it is this part of the threshold away: numbers need finer details than classes.
constexpr double kThresholdPart = 0.2;
constexpr double kNovelShare = 0.5;  // of the budget, for which rows need only be new
constexpr double kNeedRate = 1.0 / 300.0;
constexpr double kChargeDiscount = 0.995;

// λ and what is forgotten.
struct Rates {
  double noise;
  double forget;
};
constexpr Rates kRates[] = {{1.0, 0.0}, {0.1, 0.0}, {0.01, 0.0}, {0.01, 1e-4}, {0.01, 1e-3}, {0.01, 1e-2}};

}  // namespace

template <class T>
ValueCandidate<T>::ValueCandidate(const AlderOptions& options, const TargetFrame& frame, const Geometry<T>& geometry,
                                  double ratio)
    : Candidate<T>(options, kRows, options.recent_labels ? kRecentTargets : 0, geometry, ratio), frame_(&frame) {
  for (const Rates& rates : kRates) predictors_.emplace_back(rates.noise, rates.forget);
  charges_.assign(predictors_.size(), 0.0);
  weigh();
  resize();
}

template <class T>
void ValueCandidate<T>::resize() {
  for (Rls<T>& predictor : predictors_) predictor.resize(before() + size());
}

template <class T>
void ValueCandidate<T>::begin_block() {
  for (Rls<T>& predictor : predictors_) predictor.begin_block();
}

template <class T>
void ValueCandidate<T>::forget_ahead() {
  Candidate<T>::forget_ahead();
  for (Rls<T>& predictor : predictors_) predictor.forget_ahead();
}

template <class T>
void ValueCandidate<T>::look_ahead(const T* z, std::size_t room) {
  for (Rls<T>& predictor : predictors_) predictor.look_ahead(z, room);
}

template <class T>
void ValueCandidate<T>::write_recent(const KernelValues& /*row*/, double /*self*/, const RoundRows<T>& /*rounds*/,
                                     const Dictionary<T>& /*dictionary*/, T* z) const {
  z[0] = static_cast<T>(std::clamp(frame_->last(), -kMostRecent, kMostRecent));
  z[1] = static_cast<T>(std::clamp(frame_->recent_mean(), -kMostRecent, kMostRecent));
}

template <class T>
std::size_t ValueCandidate<T>::top() const {
  return static_cast<std::size_t>(std::min_element(charges_.begin(), charges_.end()) - charges_.begin());
}

template <class T>
void ValueCandidate<T>::weigh() {
  const double least = charges_[top()];
  weights_.resize(charges_.size());
  double sum = 0.0;
  for (std::size_t p = 0; p < charges_.size(); ++p) sum += weights_[p] = std::exp(least - charges_[p]);
  for (double& weight : weights_) weight /= sum;
}

template <class T>
typename Rls<T>::Look ValueCandidate<T>::look_of(const Forecast& forecast, std::size_t p) const {
  return {forecast.each[p], forecast.heads[p], forecast.spreads[p]};
}

template <class T>
void ValueCandidate<T>::combine(Forecast& forecast) const {
  double mean = 0.0;
  for (std::size_t p = 0; p < predictors_.size(); ++p) mean += weights_[p] * frame_->cut(forecast.each[p]);
  double variance = 0.0;
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    const double apart = frame_->cut(forecast.each[p]) - mean;
    variance += weights_[p] * (predictors_[p].variance(look_of(forecast, p)) + apart * apart);
  }
  forecast.scores.assign(1, mean);
  forecast.extras.assign(1, std::sqrt(variance));
}

template <class T>
void ValueCandidate<T>::forecast(const Geometry<T>& geometry, Forecast& out) {
  this->project(geometry, out);
  const std::size_t count = predictors_.size();
  for (std::vector<double>* numbers : {&out.each, &out.heads, &out.spreads}) numbers->resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    const auto look = predictors_[p].look(input(out), out.place);
    out.each[p] = look.score;
    out.heads[p] = look.head;
    out.spreads[p] = look.spread;
  }
  combine(out);
}

template <class T>
void ValueCandidate<T>::score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                              std::size_t count, std::span<double> scores, std::span<double> deviations) const {
  static thread_local Looked looked;
  static thread_local Forecast forecast;
  this->look_at(geometry, rows, inputs, count, looked);
  const std::size_t each = predictors_.size();
  for (std::vector<double>* numbers : {&forecast.each, &forecast.heads, &forecast.spreads}) numbers->resize(each);
  const T* const z = before() > 0 ? looked.z.data() : looked.phi.data();
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t p = 0; p < each; ++p) {
      const auto look = predictors_[p].look(z + r * looked.z_room);
      forecast.each[p] = look.score;
      forecast.heads[p] = look.head;
      forecast.spreads[p] = look.spread;
    }
    combine(forecast);
    scores[r] = forecast.scores[0];
    if (!deviations.empty()) deviations[r] = forecast.extras[0];
  }
}

template <class T>
double ValueCandidate<T>::charge(const Forecast& forecast, double target) const {
  return frame_->charge(target - forecast.scores[0]);
}

// Whether the row should be stored.
template <class T>
bool ValueCandidate<T>::wants(const Forecast& forecast, double target) {
  const double least = kThresholdPart * threshold_;
  if (size() >= budget_ || !(forecast.alpha > least * least)) return false;
  double error = std::numeric_limits<double>::max();
  for (const double score : forecast.each) error = std::min(error, std::fabs(target - frame_->cut(score)));
  const double need = std::min(error * error, std::numeric_limits<double>::max()) * forecast.alpha;
  const bool is_needed =
      is_by_novelty_ || static_cast<double>(size()) < kNovelShare * static_cast<double>(budget_) || need > usual_need_;
  ++needs_;
  usual_need_ += std::max(1.0 / static_cast<double>(needs_), kNeedRate) * (need - usual_need_);
  return is_needed;
}

template <class T>
void ValueCandidate<T>::learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
                              std::optional<std::size_t>& joined) {
  if (wants(forecast, target) && this->append(geometry, forecast, joined)) {
    resize();
    for (double& spread : forecast.spreads) spread += forecast.alpha;
  }
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    const double predicted = frame_->cut(forecast.each[p]);
    charges_[p] = kChargeDiscount * charges_[p] + weight * frame_->charge(target - predicted);
    predictors_[p].learn(input(forecast), target, predicted, look_of(forecast, p), weight, forecast.place);
  }
  weigh();
}

template <class T>
void ValueCandidate<T>::settle() {
  const std::size_t best = top();
  const bool forgets = predictors_[best].forget() > 0.0;
  std::size_t other = best;
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    if ((predictors_[p].forget() > 0.0) == forgets) continue;
    if (other == best || charges_[p] < charges_[other]) other = p;
  }
  std::vector<Rls<T>> kept;
  std::vector<double> charges;
  for (const std::size_t p : {std::min(best, other), std::max(best, other)}) {
    if (p == other && other == best && !kept.empty()) break;
    kept.push_back(std::move(predictors_[p]));
    charges.push_back(charges_[p]);
  }
  predictors_ = std::move(kept);
  charges_ = std::move(charges);
  weigh();
}

template <class T>
void ValueCandidate<T>::add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                                  const std::vector<T>& inputs, const Directions& directions,
                                  std::span<ScoreParts::Stored> stored, ScoreParts& parts) const {
  Forecast forecast;
  this->look_at_first(geometry, rows, inputs, forecast);
  const std::size_t n = before() + size();
  InputWeights weights = {std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    const double score = predictors_[p].look(input(forecast)).score;
    const double cut = frame_->cut(score);
    const double share = directions.shares[0] * weights_[p] * (cut == score ? 1.0 : score != 0.0 ? cut / score : 0.0);
    const double slope = cut == score ? directions.slopes[0] * weights_[p] : 0.0;
    if (score == 0.0) parts.rest += directions.shares[0] * weights_[p] * cut;
    for (std::size_t i = 0; i < n; ++i) {
      weights.shares[i] += share * static_cast<double>(predictors_[p].weights()[i]);
      weights.slopes[i] += slope * static_cast<double>(predictors_[p].weights()[i]);
    }
  }
  std::vector<double> gradient(parts.features.size());
  this->add_input_parts(geometry, row, rows, inputs, forecast, weights, stored, gradient, parts);
  this->finish_gradient(geometry, row, weights, gradient, parts);
}

template <class T>
void ValueCandidate<T>::save(Archive& archive, const std::string& name) const {
  this->save_elements(archive, name);
  archive.put(name + ".counts",
              std::vector<std::uint64_t>{budget_, needs_, predictors_.size(), is_by_novelty_ ? 1U : 0U});
  archive.put(name + ".charges", charges_);
  archive.put(name + ".need", std::vector<double>{usual_need_});
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].save(archive, name + ".predictor" + std::to_string(p));
  }
}

template <class T>
void ValueCandidate<T>::load(const Archive& archive, const std::string& name, const Geometry<T>& geometry) {
  constexpr std::uint64_t kMostSaidBudget = 1U << 14U;
  constexpr double kMostCharge = 1e12;
  this->load_elements(archive, name, geometry);
  const auto counts = archive.get<std::uint64_t>(name + ".counts", 4);
  const auto need = archive.get<double>(name + ".need", 1);
  if (counts[0] > kMostSaidBudget || counts[2] == 0 || counts[2] > std::size(kRates) || counts[3] > 1 ||
      (this->given_budget_ && counts[0] != *this->given_budget_) || !(need[0] >= 0.0) || !std::isfinite(need[0])) {
    throw_bad_archive("the numbers of " + name + " are out of range");
  }
  budget_ = counts[0];
  needs_ = counts[1];
  is_by_novelty_ = counts[3] == 1;
  usual_need_ = need[0];
  charges_ = archive.get<double>(name + ".charges", counts[2]);
  if (!std::all_of(charges_.begin(), charges_.end(), [](double c) { return c >= 0.0 && c <= kMostCharge; })) {
    throw_bad_archive("a charge of " + name + " is out of range");
  }
  predictors_.clear();
  for (std::size_t p = 0; p < counts[2]; ++p) {
    const std::string of_predictor = name + ".predictor" + std::to_string(p);
    const auto rates = archive.get<double>(of_predictor + ".rates", 2);
    if (!(rates[0] >= 1e-6 && rates[0] <= 1e6) || !(rates[1] >= 0.0 && rates[1] <= 1.0)) {
      throw_bad_archive("the rates of " + of_predictor + " are out of range");
    }
    predictors_.emplace_back(rates[0], rates[1]).load(archive, of_predictor, before() + size());
  }
  weigh();
}

template <class T>
std::size_t ValueCandidate<T>::bytes() const {
  std::size_t total = Candidate<T>::bytes();
  for (const Rls<T>& predictor : predictors_) total += predictor.bytes();
  return total;
}

template class ValueCandidate<float>;
template class ValueCandidate<double>;

}  // namespace alder
