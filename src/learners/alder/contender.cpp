#include "learners/alder/contender.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "archive/archive.h"

namespace alder {
namespace {

// A kernel value below this is taken as 0. Squares of such values would be denormal numbers, which are slow, or 0.
template <class T>
constexpr T kNothing = std::is_same_v<T, float> ? T(1e-20) : T(1e-150);

constexpr std::size_t kRecent = 3;

}  // namespace

template <class T>
Contender<T>::Contender(const AlderOptions& options, const std::vector<double>& forget, double ratio)
    : budget_(options.budget),
      threshold_(options.threshold),
      is_guided_(options.growth == AlderOptions::Growth::kGuide),
      ratio_(ratio),
      recent_(options.recent_labels ? kRecent : 0) {
  const bool is_diagonal = options.covariance == AlderOptions::Covariance::kDiagonal;
  for (const double amount : forget) predictors_.emplace_back(options.noise, amount, is_diagonal);
  resize();
}

template <class T>
void Contender<T>::resize() {
  guide_.resize(size());
  for (Arow<T>& predictor : predictors_) predictor.resize(recent_ + size());
}

template <class T>
void Contender<T>::copy_radial(const KernelValues& row, T* k) const {
  const std::size_t n = size();
  if (ratio_ != 1.0) {
    for (std::size_t i = 0; i < n; ++i) k[i] = static_cast<T>(std::exp(-ratio_ * row.exponent(elements_[i])));
  } else if (row.size() == n) {
    row.copy_kernel(k);
  } else {
    for (std::size_t i = 0; i < n; ++i) k[i] = static_cast<T>(row.kernel(elements_[i]));
  }
  for (std::size_t i = 0; i < n; ++i) k[i] = k[i] < kNothing<T> ? T{0} : k[i];
}

// One factor after the other, and in double: the values may be too large for floats, and their product for doubles.
template <class T>
void Contender<T>::copy_normalised(const KernelValues& row, double self, T* k) const {
  const double scale = self > 0.0 ? 1.0 / std::sqrt(self) : 0.0;
  for (std::size_t i = 0; i < size(); ++i) {
    k[i] = static_cast<T>(std::clamp(row.kernel(elements_[i]) * scale * scales_[i], -1.0, 1.0));
  }
}

template <class T>
void Contender<T>::look(const KernelValues& row, double self, const RoundRows<T>* rounds,
                        const Dictionary<T>& dictionary, Look& out) const {
  const std::size_t n = size();
  out.k.assign(padded(n), T{0});
  out.phi.resize(padded(n));
  copy_values(row, self, dictionary, out.k.data());
  out.alpha = coordinates_.project(out.k.data(), out.phi.data());
  if (!(self > 0.0)) out.alpha = 0.0;  // a row of length 0 has no direction

  if (recent_ > 0) add_recent(row, self, rounds, dictionary, out.phi.data(), out.z);

  out.guide = guide_.score(out.phi.data());
  out.scores.resize(predictors_.size());
  for (std::size_t p = 0; p < predictors_.size(); ++p) out.scores[p] = predictors_[p].score(input(out));
}

template <class T>
void Contender<T>::score(const ScoredRows<T>& rows, std::size_t count, const RoundRows<T>* rounds,
                         const Dictionary<T>& dictionary, std::span<double> scores) const {
  static thread_local AlignedVector<T> k;
  static thread_local AlignedVector<T> phi;
  static thread_local AlignedVector<T> z;
  const std::size_t room = padded(size());
  k.assign(count * room, T{0});
  phi.assign(count * room, T{0});
  for (std::size_t r = 0; r < count; ++r) {
    copy_values(rows.values[r], rows.rows[r].self(), dictionary, k.data() + r * room);
  }
  coordinates_.project(k.data(), room, count, phi.data());
  for (std::size_t r = 0; r < count; ++r) {
    const T* input = phi.data() + r * room;
    if (recent_ > 0) {
      add_recent(rows.values[r], rows.rows[r].self(), rounds, dictionary, input, z);
      input = z.data();
    }
    for (std::size_t p = 0; p < predictors_.size(); ++p) {
      scores[r * predictors_.size() + p] = predictors_[p].score(input);
    }
  }
}

template <class T>
void Contender<T>::copy_values(const KernelValues& row, double self, const Dictionary<T>& dictionary, T* k) const {
  if (dictionary.kernel().is_radial()) {
    copy_radial(row, k);
  } else {
    copy_normalised(row, self, k);
  }
}

template <class T>
void Contender<T>::add_recent(const KernelValues& row, double self, const RoundRows<T>* rounds,
                              const Dictionary<T>& dictionary, const T* phi, AlignedVector<T>& z) const {
  z.assign(padded(kRecent + size()), T{0});
  if (rounds != nullptr && rounds->size() > 0) {
    double sum = 0.0;
    for (std::size_t b = 1; b <= rounds->size(); ++b) sum += rounds->label_before(b);
    z[0] = static_cast<T>(rounds->label_before(1));
    z[1] = static_cast<T>(sum / static_cast<double>(rounds->size()));
    z[2] = static_cast<T>(recent_kernel(row, self, *rounds, dictionary));
  }
  std::copy_n(phi, size(), z.data() + kRecent);
}

// (1/|W|) Σ y' κ(x', x).
template <class T>
double Contender<T>::recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                   const Dictionary<T>& dictionary) const {
  const bool is_radial = dictionary.kernel().is_radial();
  double sum = 0.0;
  for (std::size_t b = 1; b <= rounds.size(); ++b) {
    const std::size_t guest = rounds.guest_before(b);
    double value = ratio_ == 1.0 ? row.guest(guest) : std::exp(-ratio_ * row.guest_exponent(guest));
    if (!is_radial) {
      const double square = self * dictionary.guest_self(guest);
      value = square > 0.0 ? value / std::sqrt(square) : 0.0;
    }
    sum += rounds.label_before(b) * value;
  }
  return sum / static_cast<double>(rounds.size());
}

template <class T>
bool Contender<T>::join(std::size_t element, double self, Look& look) {
  const double root = coordinates_.append(look.k.data());
  if (root == 0.0) return false;
  const std::size_t n = size();
  elements_.push_back(element);
  scales_.push_back(1.0 / std::sqrt(self));
  look.phi.resize(padded(n));
  look.phi[n - 1] = static_cast<T>(root);
  if (recent_ > 0) {
    look.z.resize(padded(recent_ + n));
    look.z[recent_ + n - 1] = static_cast<T>(root);
  }
  resize();
  return true;
}

template <class T>
void Contender<T>::learn(const Look& look, double label, double weight, const std::vector<bool>& used) {
  if (label * look.guide < 1.0) guide_.learn(label, look.phi.data());
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    if (used[p] && label * look.scores[p] < 1.0) predictors_[p].learn(label, look.scores[p], input(look), weight);
  }
}

template <class T>
void Contender<T>::settle(std::size_t predictor) {
  ratio_ = 1.0;
  std::iota(elements_.begin(), elements_.end(), std::size_t{0});
  predictors_ = {std::move(predictors_[predictor])};
}

template <class T>
void Contender<T>::save(Archive& archive, const std::string& name, const std::vector<bool>& used) const {
  std::vector<std::uint64_t> elements(elements_.begin(), elements_.end());
  archive.put(name + ".elements", elements);
  coordinates_.save(archive, name + ".coordinates");
  guide_.save(archive, name + ".guide");
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    if (used[p]) predictors_[p].save(archive, name + ".predictor" + std::to_string(p));
  }
}

template <class T>
void Contender<T>::load(const Archive& archive, const std::string& name, const std::vector<bool>& used,
                        const Dictionary<T>& dictionary) {
  const auto elements = archive.get<std::uint64_t>(name + ".elements");
  for (const std::uint64_t element : elements) {
    if (element >= dictionary.size()) throw_bad_archive("an element of " + name + " does not exist");
    elements_.push_back(element);
    const double self = dictionary.self(element);
    if (!(self > 0.0)) throw_bad_archive("an element of " + name + " has no length");
    scales_.push_back(1.0 / std::sqrt(self));
  }
  coordinates_.load(archive, name + ".coordinates", elements_.size());
  resize();
  guide_.load(archive, name + ".guide", size());
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    if (used[p]) predictors_[p].load(archive, name + ".predictor" + std::to_string(p), recent_ + size());
  }
}

template <class T>
std::size_t Contender<T>::bytes() const {
  std::size_t total = coordinates_.bytes() + guide_.bytes() + elements_.capacity() * sizeof(std::size_t) +
                      scales_.capacity() * sizeof(double);
  for (const Arow<T>& predictor : predictors_) total += predictor.bytes();
  return total;
}

template class Contender<float>;
template class Contender<double>;

}  // namespace alder
