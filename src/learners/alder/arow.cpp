#include "learners/alder/arow.h"

#include <algorithm>

#include "simd/simd.h"

namespace alder {
namespace {

// A larger loss than this is not learned as a whole: weights stay finite, whatever they were loaded with.
constexpr double kMostLearned = 1e10;
// A violation below this is rounding.
constexpr double kLeastMove = 1e-7;
// With more classes than this, steps do not become larger any more.
constexpr double kMostClassesInStep = 100.0;

}  // namespace

double smallest_move(std::span<const double> scores, std::size_t y, std::span<double> moves) {
  // The scores that fall, the largest first; θ is their mean with that of y, less 1/(their number with y).
  static thread_local std::vector<double> violators;
  violators.clear();
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (c != y && scores[c] > scores[y] - 1.0) violators.push_back(scores[c]);
  }
  std::make_heap(violators.begin(), violators.end());  // few of many are wanted
  double sum = scores[y] - 1.0;
  double level = sum;
  for (std::size_t count = 2; !violators.empty() && violators.front() > level; ++count) {
    sum += violators.front();
    level = sum / static_cast<double>(count);
    std::pop_heap(violators.begin(), violators.end());
    violators.pop_back();
  }
  double gained = 0.0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    moves[c] = c == y ? 0.0 : -std::max(0.0, scores[c] - level);
    gained -= moves[c];
  }
  moves[y] = gained;
  return gained;
}

double noise_of_step(double noise, double weight, std::size_t classes) {
  return 2.0 * noise / (weight * std::min(static_cast<double>(classes), kMostClassesInStep));
}

template <class T>
void Arow<T>::add_class() {
  if (weights_.count() == 1) weights_.halve();
  weights_.append();
}

template <class T>
void Arow<T>::learn_two(double label, double score, const T* z, double weight, std::size_t place) {
  if (size() == 0) return;
  const auto [u, v] = covariance_.along(z, place);
  const double beta = 1.0 / (v + noise_ / weight);
  const double loss = std::min(1.0 - label * score, kMostLearned);
  simd::add_scaled(static_cast<T>(beta * loss * label), u, size(), weights_.change(0));
  covariance_.shrink(beta);
}

template <class T>
void Arow<T>::learn_many(std::size_t y, std::span<const double> scores, const T* z, double weight, std::size_t place) {
  if (size() == 0) return;
  moves_.resize(scores.size());
  if (smallest_move(scores, y, moves_) < kLeastMove) return;
  const auto [u, v] = covariance_.along(z, place);
  const double step = 1.0 / (v + noise_of_step(noise_, weight, scores.size()));
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (moves_[c] == 0.0) continue;
    const double move = std::clamp(moves_[c], -kMostLearned, kMostLearned);
    simd::add_scaled(static_cast<T>(move * step), u, size(), weights_.change(c));
  }
  covariance_.shrink(1.0 / (v + noise_ / weight));
}

template <class T>
void Arow<T>::save(Archive& archive, const std::string& name) const {
  weights_.save(archive, name + ".weights");
  covariance_.save(archive, name);
}

template <class T>
void Arow<T>::load(const Archive& archive, const std::string& name, std::size_t n) {
  resize(n);
  weights_.load(archive, name + ".weights", -kLargestNumber<T>);
  covariance_.load(archive, name, n);
}

template class Arow<float>;
template class Arow<double>;

}  // namespace alder
