#include "learners/alder/fine_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alder/examples.h"

#include "archive/archive.h"
#include "archive/tensors.h"
#include "learners/alder/arow.h"
#include "learners/core/margin.h"
#include "simd/simd.h"

namespace alder {
namespace {

constexpr double kFineDiscount = 0.9995;
constexpr double kMostFineMistakes = kMostWeight / (1.0 - kFineDiscount);
constexpr double kFineHandicap = 0.25;  // deviations by which h must be better than nothing
constexpr double kNoise = 0.3;
constexpr double kNear = 0.5;
constexpr std::uint64_t kOldEnough = 500;
constexpr double kMostLoss = 1e10;  // a larger one is not learned as a whole
// What a file may say.
constexpr std::uint64_t kMostFineRows = 1U << 20U;
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 53U;
constexpr double kLeastFineRatio = 1e-30;
constexpr double kMostFineRatio = 1e30;

}  // namespace

template <class T>
FineLayer<T>::FineLayer(std::size_t width, std::size_t most, double ratio) : most_(most), basis_(true, ratio) {
  if (width > 1) {
    weights_.halve();
    while (weights_.count() < width) weights_.append();
  }
}

template <class T>
void FineLayer<T>::add_class() {
  if (weights_.count() == 1) weights_.halve();
  weights_.append();
}

template <class T>
void FineLayer<T>::look(const KernelValues& row, Look& out) const {
  out.scores.assign(weights_.count(), 0.0);
  out.k.assign(padded(size()), T{0});
  if (size() == 0) return;
  basis_.copy(row, 1.0, out.k.data());
  weights_.times(out.k.data(), out.scores);
}

template <class T>
std::size_t FineLayer<T>::pick() const {
  std::size_t best = 0;
  double least = mistakes_[0] - kFineHandicap * std::sqrt(mistakes_[0] + 1.0);
  for (std::size_t i = 1; i < kShares; ++i) {
    if (mistakes_[i] >= least) continue;
    best = i;
    least = mistakes_[i];
  }
  return best;
}

template <class T>
void FineLayer<T>::predict(const Look& look, std::span<const double> base, std::span<const double> mixed,
                           std::span<double> out) const {
  const std::size_t picked = pick();
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = picked == 0 ? mixed[c] : base[c] + share(picked) * look.scores[c];
  }
}

template <class T>
void FineLayer<T>::learn(Geometry<T>& geometry, Look& look, std::span<const double> base, std::span<const double> mixed,
                         double target, double weight, double rate, bool replaces) {
  ++round_;
  sums_.resize(base.size());
  for (std::size_t i = 0; i < kShares; ++i) {
    for (std::size_t c = 0; c < base.size(); ++c) {
      sums_[c] = i == 0 ? mixed[c] : base[c] + share(i) * look.scores[c];
    }
    const bool is_mistake = margin_of(sums_, target).is_mistake;
    mistakes_[i] = kFineDiscount * mistakes_[i] + (is_mistake ? weight : 0.0);
  }
  const double margin = margin_of(sums_, target).value;  // of all of h
  if (!(margin < 1.0)) return;
  const T nearest = size() == 0 ? T{0} : *std::max_element(look.k.begin(), look.k.end());
  if (margin < 0.0 && nearest < static_cast<T>(kNear)) add(geometry, look, replaces);
  if (size() > 0) step(look, target, weight, rate);
}

template <class T>
std::size_t FineLayer<T>::least_important() const {
  std::size_t found = size();
  T least = std::numeric_limits<T>::infinity();
  for (std::size_t e = 0; e < size(); ++e) {
    if (born_[e] + kOldEnough >= round_) continue;
    T largest = 0;
    for (std::size_t c = 0; c < weights_.count(); ++c) largest = std::max(largest, std::fabs(weights_[c][e]));
    if (largest < least) {
      least = largest;
      found = e;
    }
  }
  return found;
}

// The row of the round joins V, with no weight yet.
template <class T>
void FineLayer<T>::add(Geometry<T>& geometry, Look& look, bool replaces) {
  std::size_t place = size();
  if (place < most_) {
    basis_.append(geometry.append(), 1.0);
    weights_.resize(size());
    variances_.resize(padded(size()));
    born_.push_back(0);
    look.k.resize(padded(size()));
  } else {
    place = replaces ? least_important() : size();
    if (place == size()) return;
    geometry.replace(basis_.elements()[place]);
    for (std::size_t c = 0; c < weights_.count(); ++c) weights_.change(c)[place] = T{0};
  }
  variances_[place] = T{1};
  born_[place] = round_;
  look.k[place] = T{1};
}

template <class T>
void FineLayer<T>::step(const Look& look, double target, double weight, double rate) {
  const std::size_t n = size();
  const std::size_t classes = weights_.count();
  step_.resize(padded(n));
  double v = 0.0;
  for (std::size_t e = 0; e < n; ++e) {
    step_[e] = variances_[e] * look.k[e];
    v += static_cast<double>(step_[e] * look.k[e]);
  }
  const double beta = 1.0 / (v + kNoise / weight);
  if (classes == 1) {
    const double label = sign_of(target);
    const double size = beta * std::min(1.0 - label * sums_[0], kMostLoss) * label;
    simd::add_scaled(static_cast<T>(size), step_.data(), n, weights_.change(0));
  } else {
    moves_.resize(classes);
    smallest_move(sums_, static_cast<std::size_t>(target), moves_);
    const double size = 1.0 / (v + noise_of_step(kNoise, weight, classes));
    for (std::size_t c = 0; c < classes; ++c) {
      if (moves_[c] == 0.0) continue;
      const double move = std::clamp(moves_[c], -kMostLoss, kMostLoss);
      simd::add_scaled(static_cast<T>(move * size), step_.data(), n, weights_.change(c));
    }
  }
  const T factor = static_cast<T>(-beta);
  const T regained = static_cast<T>(rate);
  for (std::size_t e = 0; e < n; ++e) {
    variances_[e] = std::clamp(variances_[e] + factor * step_[e] * step_[e] + regained, T{0}, T{1});
  }
}

template <class T>
void FineLayer<T>::list_elements(std::vector<bool>& used) const {
  for (const std::uint32_t element : basis_.elements()) used[element] = true;
}

template <class T>
void FineLayer<T>::save(Archive& archive, const std::string& name) const {
  archive.put(name + ".elements", basis_.elements());
  archive.put(name + ".kernel", std::vector<double>{basis_.ratio()});
  weights_.save(archive, name + ".weights");
  save_numbers(archive, name + ".variances", variances_, size());
  std::vector<std::uint64_t> rounds = {round_, most_};
  rounds.insert(rounds.end(), born_.begin(), born_.end());
  archive.put(name + ".rounds", rounds);
  archive.put(name + ".mistakes", std::span<const double>(mistakes_));
}

template <class T>
void FineLayer<T>::load(const Archive& archive, const std::string& name, std::size_t elements) {
  const auto saved = archive.get<std::uint32_t>(name + ".elements");
  const std::size_t n = saved.size();
  const double ratio = archive.get<double>(name + ".kernel", 1)[0];
  if (!(ratio >= kLeastFineRatio && ratio <= kMostFineRatio))
    throw_bad_archive("the width of " + name + " is out of range");
  basis_ = Basis<T>(true, ratio);
  for (const std::uint32_t element : saved) {
    if (element >= elements) throw_bad_archive("an element of " + name + " does not exist");
    basis_.append(element, 1.0);
  }
  weights_.resize(n);
  weights_.load(archive, name + ".weights", -kLargestNumber<T>);
  variances_.resize(padded(n));
  load_numbers(archive, name + ".variances", variances_, n, 0.0, 1.0);
  const auto rounds = archive.get<std::uint64_t>(name + ".rounds", 2 + n);
  round_ = rounds[0];
  most_ = rounds[1];
  if (n > most_ || most_ > kMostFineRows || round_ > kMostRounds) throw_bad_archive(name + " has too many rows");
  born_.assign(rounds.begin() + 2, rounds.end());
  if (std::any_of(born_.begin(), born_.end(), [this](std::uint64_t born) { return born > round_; })) {
    throw_bad_archive("a row of " + name + " came too late");
  }
  const auto mistakes = archive.get<double>(name + ".mistakes", kShares);
  for (std::size_t i = 0; i < kShares; ++i) {
    if (!(mistakes[i] >= 0.0 && mistakes[i] <= kMostFineMistakes))
      throw_bad_archive("a number of " + name + " is wrong");
    mistakes_[i] = mistakes[i];
  }
}

template <class T>
std::size_t FineLayer<T>::bytes() const {
  return basis_.bytes() + weights_.bytes() + (variances_.capacity() + step_.capacity()) * sizeof(T) +
         born_.capacity() * sizeof(std::uint64_t);
}

template class FineLayer<float>;
template class FineLayer<double>;

}  // namespace alder
