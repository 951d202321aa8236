#include <algorithm>

#include "learners/alder/class_candidate.h"
#include "learners/core/margin.h"

// How stored rows of a candidate are replaced.
namespace alder {
namespace {

constexpr double kNewEnough = 0.05;         // α of a row that takes the place of another
constexpr std::uint64_t kAgeToLeave = 500;  // the age of a row that leaves
constexpr std::uint64_t kBetweenRows = 5;   // of which one takes a place

}  // namespace

template <class T>
void ClassCandidate<T>::replace(Geometry<T>& geometry, Forecast& forecast, double target) {
  const std::size_t n = size();
  const std::size_t top = mixture_.top();
  if (!follows_fast() || !is_full() || age_ < replaced_ + kBetweenRows) return;
  if (!(forecast.alpha > kNewEnough)) return;
  const auto of = [&](std::size_t p) { return std::span(forecast.each).subspan(p * width_, width_); };
  if (!(margin_of(of(top), target).value < 1.0)) return;
  const std::size_t victim = least_needed();
  if (victim == n) return;

  Turns turns;
  forecast.k.erase(forecast.k.begin() + static_cast<std::ptrdiff_t>(victim));
  forecast.k.resize(padded(n));
  const double root = coordinates_.replace(victim, forecast.k.data(), turns);
  guide_.turn(turns);
  if (head_) head_->turn(turns);
  for (Arow<T>& predictor : predictors_) predictor.turn(turns, before());
  turns.apply(forecast.phi.data());
  forecast.phi[n - 1] = static_cast<T>(root);
  if (before() > 0) std::copy_n(forecast.phi.data(), n, forecast.z.data() + before());

  const std::size_t element = basis_.elements()[victim];
  basis_.remove(victim);
  basis_.append(element, geometry.rounds().x().self());
  geometry.replace(element);
  born_.erase(born_.begin() + static_cast<std::ptrdiff_t>(victim));
  born_.push_back(age_);
  replaced_ = age_;

  // Nothing that was computed for the block is valid any more.
  forget_ahead();
  forecast.place = kNoPlace;
  for (std::size_t p = 0; p < predictors_.size(); ++p) predictors_[p].score(input(forecast), of(p));
}

// The place of the row that the best predictor needs least; size() if none is old enough.
template <class T>
std::size_t ClassCandidate<T>::least_needed() const {
  const ClassVectors<T>& weights = predictors_[mixture_.top()].weights();
  std::vector<double> losses(size());
  for (std::size_t c = 0; c < weights.count(); ++c) {
    const std::vector<double> of_class = coordinates_.losses(weights[c] + before());
    for (std::size_t j = 0; j < size(); ++j) losses[j] += of_class[j];
  }
  std::size_t found = size();
  for (std::size_t j = 0; j < size(); ++j) {
    if (born_[j] + kAgeToLeave < age_ && (found == size() || losses[j] < losses[found])) found = j;
  }
  return found;
}

template void ClassCandidate<float>::replace(Geometry<float>&, Forecast&, double);
template void ClassCandidate<double>::replace(Geometry<double>&, Forecast&, double);

}  // namespace alder
