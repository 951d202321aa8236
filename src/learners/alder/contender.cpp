#include "learners/alder/contender.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "archive/archive.h"

namespace alder {
namespace {

// A kernel value below this is taken as 0. Squares of such values would be denormal numbers, which are slow, or 0.
template <class T>
constexpr T kNothing = std::is_same_v<T, float> ? T(1e-20) : T(1e-150);

constexpr std::size_t kRecent = 3;

// More classes need more rows to tell them apart.
constexpr std::size_t kLeastBudget = 200;
constexpr std::size_t kMostBudget = 800;
constexpr std::size_t kRowsPerClass = 100;

std::size_t budget_for(std::size_t classes) {
  return std::clamp(kRowsPerClass * classes, kLeastBudget, kMostBudget);
}

}  // namespace

template <class T>
Contender<T>::Contender(const AlderOptions& options, std::size_t classes, const std::vector<double>& forget,
                        double ratio)
    : given_budget_(options.budget),
      budget_(options.budget.value_or(budget_for(2))),
      threshold_(options.threshold),
      is_guided_(options.growth == AlderOptions::Growth::kGuide),
      ratio_(ratio),
      recent_(options.recent_labels ? kRecent : 0) {
  const bool is_diagonal = options.covariance == AlderOptions::Covariance::kDiagonal;
  for (const double amount : forget) predictors_.emplace_back(options.noise, amount, is_diagonal);
  if (options.head) head_.emplace();
  resize();
  Forecast none;
  for (std::size_t c = 2; c < classes; ++c) add_class(none);
}

template <class T>
void Contender<T>::add_class(Forecast& forecast) {
  guide_.add_class();
  if (head_) head_->add_class();
  for (Arow<T>& predictor : predictors_) predictor.add_class();
  const std::size_t before = std::exchange(width_, width_ == 1 ? 3 : width_ + 1);
  if (!given_budget_) budget_ = budget_for(width_);
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
  widen(forecast.guide);
  widen(forecast.logits);
  widen(forecast.scores);
}

template <class T>
bool Contender<T>::needs_guide() const {
  return width_ == 1 || size() < (given_budget_ ? *given_budget_ : kMostBudget);
}

template <class T>
void Contender<T>::resize() {
  guide_.resize(size());
  if (head_) head_->resize(size());
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
void Contender<T>::forecast(const KernelValues& row, double self, const RoundRows<T>* rounds,
                            const Dictionary<T>& dictionary, Forecast& out) {
  const std::optional<std::size_t> place = project(row, self, rounds, dictionary, out);
  if (!(self > 0.0)) out.alpha = 0.0;  // a row of length 0 has no direction

  if (recent_ > 0) add_recent(row, self, rounds, dictionary, out.phi.data(), out.z);

  const auto score = [&](const auto& functions, const T* z, std::span<double> scores) {
    if (place && scores_ahead()) {
      functions.score_ahead(*place, z, scores);
    } else {
      functions.score(z, scores);
    }
  };
  out.guide.assign(width_, 0.0);
  if (needs_guide()) score(guide_, out.phi.data(), out.guide);
  if (head_) {
    out.logits.resize(width_);
    score(*head_, out.phi.data(), out.logits);
  }
  out.scores.resize(predictors_.size() * width_);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    score(predictors_[p], input(out), std::span(out.scores).subspan(p * width_, width_));
  }
}

// Returns the row's place in its block, if that was computed together.
template <class T>
std::optional<std::size_t> Contender<T>::project(const KernelValues& row, double self, const RoundRows<T>* rounds,
                                                 const Dictionary<T>& dictionary, Forecast& out) {
  const std::size_t room = padded(size());
  if (rounds != nullptr && rounds->pending() == RoundRows<T>::kBlock) project_ahead(*rounds, dictionary);
  if (rounds != nullptr && ahead_.size > 0 && ahead_.size == size()) {
    const std::size_t place = RoundRows<T>::kBlock - rounds->pending();
    out.k.assign(ahead_.k.data() + place * room, ahead_.k.data() + (place + 1) * room);
    out.phi.assign(ahead_.phi.data() + place * room, ahead_.phi.data() + (place + 1) * room);
    out.alpha = ahead_.alphas[place];
    return place;
  }
  out.k.assign(room, T{0});
  out.phi.resize(room);
  copy_values(row, self, dictionary, out.k.data());
  out.alpha = coordinates_.project(out.k.data(), out.phi.data());
  return {};
}

// A whole block is computed together, so that M is read once for all of its rows, and so are the functions of many
// classes. It serves until a row joins.
template <class T>
void Contender<T>::project_ahead(const RoundRows<T>& rounds, const Dictionary<T>& dictionary) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  const std::size_t room = padded(size());
  ahead_.size = size();
  ahead_.k.assign(kBlock * room, T{0});
  ahead_.phi.resize(kBlock * room);
  ahead_.alphas.resize(kBlock);
  for (std::size_t p = 0; p < kBlock; ++p) {
    copy_values(rounds.row_ahead(p), rounds.x_ahead(p).self(), dictionary, ahead_.k.data() + p * room);
  }
  coordinates_.project(ahead_.k.data(), room, kBlock, ahead_.phi.data(), ahead_.alphas.data());
  if (!scores_ahead()) return;
  static_assert(kBlock == simd::kTogether);
  if (needs_guide()) guide_.look_ahead(ahead_.phi.data(), room);
  if (head_) head_->look_ahead(ahead_.phi.data(), room);
  for (Arow<T>& predictor : predictors_) predictor.look_ahead(ahead_.phi.data(), room);
}

template <class T>
void Contender<T>::score(const ScoredRows<T>& rows, std::size_t count, const RoundRows<T>* rounds,
                         const Dictionary<T>& dictionary, std::span<double> scores, std::span<double> logits) const {
  static thread_local AlignedVector<T> k;
  static thread_local AlignedVector<T> phi;
  static thread_local AlignedVector<T> z;
  static thread_local std::vector<double> alphas;
  const std::size_t room = padded(size());
  k.assign(count * room, T{0});
  phi.assign(count * room, T{0});
  for (std::size_t r = 0; r < count; ++r) {
    copy_values(rows.values[r], rows.rows[r].self(), dictionary, k.data() + r * room);
  }
  alphas.resize(count);
  coordinates_.project(k.data(), room, count, phi.data(), alphas.data());
  if (head_ && !logits.empty()) head_->score(phi.data(), room, count, logits.data(), width_);
  const std::size_t of_row = predictors_.size() * width_;
  for (std::size_t p = 0; p < predictors_.size() && recent_ == 0; ++p) {
    predictors_[p].score(phi.data(), room, count, scores.data() + p * width_, of_row);
  }
  for (std::size_t r = 0; r < count && recent_ > 0; ++r) {
    add_recent(rows.values[r], rows.rows[r].self(), rounds, dictionary, phi.data() + r * room, z);
    for (std::size_t p = 0; p < predictors_.size(); ++p) {
      predictors_[p].score(z.data(), scores.subspan(r * of_row + p * width_, width_));
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
    const std::size_t scratch = rounds.scratch_before(b);
    double value = ratio_ == 1.0 ? row.scratch(scratch) : std::exp(-ratio_ * row.scratch_exponent(scratch));
    if (!is_radial) {
      const double square = self * dictionary.scratch_self(scratch);
      value = square > 0.0 ? value / std::sqrt(square) : 0.0;
    }
    sum += rounds.label_before(b) * value;
  }
  return sum / static_cast<double>(rounds.size());
}

template <class T>
bool Contender<T>::join(std::size_t element, double self, Forecast& forecast) {
  const double root = coordinates_.append(forecast.k.data());
  if (root == 0.0) return false;
  const std::size_t n = size();
  elements_.push_back(element);
  scales_.push_back(1.0 / std::sqrt(self));
  forecast.phi.resize(padded(n));
  forecast.phi[n - 1] = static_cast<T>(root);
  if (recent_ > 0) {
    forecast.z.resize(padded(recent_ + n));
    forecast.z[recent_ + n - 1] = static_cast<T>(root);
  }
  resize();
  return true;
}

template <class T>
void Contender<T>::learn(const Forecast& forecast, double target, double weight, const std::vector<bool>& used) {
  if (needs_guide()) {
    const Margin margin = margin_of(forecast.guide, target);
    if (margin.value < 1.0) guide_.learn(target, margin, forecast.phi.data());
  }
  if (head_) head_->learn(target, weight, forecast.logits, forecast.phi.data());
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    const std::span<const double> scores = std::span(forecast.scores).subspan(p * width_, width_);
    if (used[p] && margin_of(scores, target).value < 1.0) predictors_[p].learn(target, scores, input(forecast), weight);
  }
}

template <class T>
void Contender<T>::settle(std::size_t predictor) {
  forget_ahead();
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
  if (head_) head_->save(archive, name + ".head");
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
  if (head_) head_->load(archive, name + ".head", size());
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    if (used[p]) predictors_[p].load(archive, name + ".predictor" + std::to_string(p), recent_ + size());
  }
}

template <class T>
std::size_t Contender<T>::bytes() const {
  std::size_t total = coordinates_.bytes() + guide_.bytes() + elements_.capacity() * sizeof(std::size_t) +
                      scales_.capacity() * sizeof(double) + (ahead_.k.capacity() + ahead_.phi.capacity()) * sizeof(T);
  if (head_) total += head_->bytes();
  for (const Arow<T>& predictor : predictors_) total += predictor.bytes();
  return total;
}

template class Contender<float>;
template class Contender<double>;

}  // namespace alder
