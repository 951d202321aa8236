#include "learners/alder/covariance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "alder/examples.h"

#include "archive/tensors.h"
#include "kernel/positive_definite.h"
#include "simd/matrix.h"
#include "simd/simd.h"

namespace alder {
namespace {

// How negative zᵀΣz may be, as a part of the noise. Below that, which rounding does not bring about, Σ is repaired.
constexpr double kRepaired = 0.01;
// How negative an eigenvalue of Σ may be in a model file, likewise: what rounding may leave, and what is refused. One
// between them is repaired, so that whatever is written can be read again.
constexpr double kRounded = 1e-3;
constexpr double kRefused = 0.5;
// The largest zᵀΣz in multiples of the size: no variance is above 1, and no number of z beyond the square root of this.
constexpr double kMostVariance = 1000.0;
// Likewise of a number of Σz, squared.
constexpr double kMostUpdate = 1600.0;

}  // namespace

template <class T>
void Covariance<T>::resize(std::size_t n) {
  if (is_diagonal_) {
    moved_.resize(padded(n));
  } else if (n > below_.stride()) {
    forget_ahead();
    const std::size_t stride = below_.stride();
    below_.grow(n);
    // Pending updates stay pending: were they carried out here, rounding would depend on when the matrix grew, which a
    // loaded model does not know.
    AlignedVector<T> moved(below_.stride() * kMostPending);
    for (std::size_t p = 0; p < pending_; ++p) {
      std::copy_n(moved_.data() + p * stride, size_, moved.data() + p * below_.stride());
    }
    moved_ = std::move(moved);
    ahead_.assign(is_ahead_.size() * below_.stride(), T{0});
    factors_.resize(padded(kMostPending));
  }
  variances_.resize(padded(n));
  std::fill(variances_.begin() + static_cast<std::ptrdiff_t>(size_),
            variances_.begin() + static_cast<std::ptrdiff_t>(n), T{1});
  size_ = n;
}

// u = Σz.
template <class T>
void Covariance<T>::multiply(const T* z, std::size_t r, T* u) const {
  if (r < is_ahead_.size() && is_ahead_[r]) {
    std::copy_n(ahead_.data() + r * below_.stride(), padded(size_), u);
  } else {
    // The view is that of a matrix that may be changed; here it is only read.
    simd::symmetric_times({const_cast<T*>(below_.column(0)), below_.stride(), size_}, &z, 1, &u);  // NOLINT
  }
  for (std::size_t p = 0; p < pending_; ++p) {
    const T along = simd::dot(moved(p), z, size_);
    simd::add_product_times(factors_[p], moved(p), along, z, size_, u);
  }
  for (std::size_t i = 0; i < size_; ++i) u[i] += variances_[i] * z[i];
}

template <class T>
void Covariance<T>::begin_block() {
  forget_ahead();
  if (pending_ >= simd::kMostProducts) carry_out(simd::kMostProducts);
}

template <class T>
void Covariance<T>::look_ahead(const T* z, std::size_t room, std::span<const bool> wanted) {
  if (is_diagonal_ || size_ == 0) return;
  std::array<const T*, simd::kTogether> rows;
  std::array<T*, simd::kTogether> products;
  std::size_t count = 0;
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    is_ahead_[r] = wanted[r];
    if (!wanted[r]) continue;
    rows[count] = z + r * room;
    products[count++] = ahead_.data() + r * below_.stride();
  }
  simd::symmetric_times({below_.column(0), below_.stride(), size_}, rows.data(), count, products.data());
}

template <class T>
typename Covariance<T>::Direction Covariance<T>::along(const T* z, std::size_t r) {
  T* u = moved(pending_);
  if (is_diagonal_) {
    for (std::size_t i = 0; i < size_; ++i) u[i] = variances_[i] * z[i];
  } else {
    multiply(z, r, u);
  }
  auto v = static_cast<double>(simd::dot(z, u, size_));
  if (!(v >= -kRepaired * noise_ && v <= kMostVariance * static_cast<double>(size_))) {
    forget_covariances();
    u = moved(0);
    for (std::size_t i = 0; i < size_; ++i) u[i] = variances_[i] * z[i];
    v = static_cast<double>(simd::dot(z, u, size_));
  }
  return {u, std::max(0.0, v)};
}

template <class T>
double Covariance<T>::spread(const T* z) const {
  static thread_local AlignedVector<T> u;
  u.resize(std::max(below_.stride(), padded(size_)));
  if (is_diagonal_) {
    for (std::size_t i = 0; i < size_; ++i) u[i] = variances_[i] * z[i];
  } else {
    multiply(z, kNoRow, u.data());
  }
  return std::max(0.0, static_cast<double>(simd::dot(z, u.data(), size_)));
}

template <class T>
void Covariance<T>::shrink(double beta) {
  const T* const u = moved(pending_);
  const T factor = static_cast<T>(-beta);
  const T growth = T{1} + 16 * std::numeric_limits<T>::epsilon();
  const T regained = static_cast<T>(forget_);
  for (std::size_t i = 0; i < size_; ++i) {
    const T variance = (variances_[i] + factor * u[i] * u[i]) * growth + regained;
    variances_[i] = std::clamp(variance, T{0}, T{1});
  }
  if (is_diagonal_) return;
  factors_[pending_] = factor;
  if (++pending_ == kMostPending) carry_out(simd::kMostProducts);
}

// Adds the oldest pending updates to the matrix; `updates` is at most simd::kMostProducts, the number of one pass.
template <class T>
void Covariance<T>::carry_out(std::size_t updates) {
  forget_ahead();
  const std::size_t left = pending_ - updates;
  simd::add_products({below_.column(0), below_.stride(), size_}, factors_.data(), moved(0), updates);
  std::copy_n(moved(updates), left * below_.stride(), moved(0));
  std::copy_n(factors_.data() + updates, left, factors_.data());
  pending_ = left;
  std::fill_n(moved(pending_), (kMostPending - pending_) * below_.stride(), T{0});
}

template <class T>
void Covariance<T>::turn(const Turns& turns, std::size_t before) {
  while (pending_ > 0) carry_out(std::min(pending_, simd::kMostProducts));
  forget_ahead();
  const auto turn_two = [](double c, double s, T& first, T& second) {
    const auto a = static_cast<double>(first);
    const auto b = static_cast<double>(second);
    first = static_cast<T>(c * a - s * b);
    second = static_cast<T>(s * a + c * b);
  };
  turns.for_each([&](std::size_t at, double c, double s) {
    const std::size_t i = before + at;
    const auto a = static_cast<double>(variances_[i]);
    const auto b = static_cast<double>(variances_[i + 1]);
    const auto both = is_diagonal_ ? 0.0 : static_cast<double>(below_.column(i)[i + 1]);
    variances_[i] = static_cast<T>(c * c * a + s * s * b - 2.0 * c * s * both);
    variances_[i + 1] = static_cast<T>(s * s * a + c * c * b + 2.0 * c * s * both);
    if (is_diagonal_) return;
    below_.column(i)[i + 1] = static_cast<T>(c * s * (a - b) + (c * c - s * s) * both);
    for (std::size_t j = 0; j < i; ++j) turn_two(c, s, below_.column(j)[i], below_.column(j)[i + 1]);
    for (std::size_t j = i + 2; j < size_; ++j) turn_two(c, s, below_.column(i)[j], below_.column(i + 1)[j]);
  });
  const std::size_t last = size_ - 1;
  variances_[last] = T{1};
  for (std::size_t j = 0; j < last && !is_diagonal_; ++j) below_.column(j)[last] = T{0};
  for (std::size_t i = before + turns.first; i < last; ++i) limit(i);
}

// No variance is above 1. Were it only cut, Σ might no longer be positive definite.
template <class T>
void Covariance<T>::limit(std::size_t i) {
  variances_[i] = std::max(variances_[i], T{0});
  if (!(variances_[i] > T{1})) return;
  const T scale = T{1} / std::sqrt(variances_[i]);
  variances_[i] = T{1};
  for (std::size_t j = 0; j < i && !is_diagonal_; ++j) below_.column(j)[i] *= scale;
  for (std::size_t j = i + 1; j < size_ && !is_diagonal_; ++j) below_.column(i)[j] *= scale;
}

// A matrix that is not positive definite would make the next updates diverge; the variances alone are always sound.
template <class T>
void Covariance<T>::forget_covariances() {
  forget_ahead();
  if (is_diagonal_) return;
  for (std::size_t j = 0; j < size_; ++j) std::fill_n(below_.column(j), size_, T{0});
  std::fill(moved_.begin(), moved_.end(), T{0});
  pending_ = 0;
}

template <class T>
bool Covariance<T>::is_sound(double tolerance) const {
  std::vector<double> lower;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < i; ++j) lower.push_back((*this)(i, j));
    lower.push_back((*this)(i, i) + tolerance * noise_);
  }
  return is_positive_definite(lower, size_);
}

template <class T>
double Covariance<T>::operator()(std::size_t i, std::size_t j) const {
  if (i == j) return static_cast<double>(variances_[i]);
  if (is_diagonal_) return 0.0;
  auto sum = static_cast<double>(below_.column(std::min(i, j))[std::max(i, j)]);
  for (std::size_t p = 0; p < pending_; ++p) {
    sum += static_cast<double>(factors_[p]) * static_cast<double>(moved(p)[i]) * static_cast<double>(moved(p)[j]);
  }
  return sum;
}

template <class T>
void Covariance<T>::save(Archive& archive, const std::string& name) const {
  save_numbers(archive, name + ".variances", variances_, size_);
  std::vector<T> below;
  for (std::size_t j = 0; j < size_; ++j) {
    if (is_diagonal_) {
      below.insert(below.end(), size_ - j - 1, T{0});
    } else {
      below.insert(below.end(), below_.column(j) + j + 1, below_.column(j) + size_);
    }
  }
  archive.put(name + ".covariances", below);
  std::vector<T> moved_of_all;
  for (std::size_t p = 0; p < pending_; ++p) moved_of_all.insert(moved_of_all.end(), moved(p), moved(p) + size_);
  archive.put(name + ".updates", moved_of_all);
  save_numbers(archive, name + ".factors", factors_, pending_);
}

template <class T>
void Covariance<T>::load(const Archive& archive, const std::string& name, std::size_t n) {
  resize(n);
  load_numbers(archive, name + ".variances", variances_, n, 0.0, 1.0);
  const auto below = archive.get<T>(name + ".covariances", n * (n - std::min<std::size_t>(n, 1)) / 2);
  const T* next = below.data();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) {
      const T number = *next++;
      if (!(number >= T{-2} && number <= T{2})) {  // no variance is above 1
        throw_bad_archive("a covariance of " + name + " is out of range");
      }
      if (!is_diagonal_) below_.column(j)[i] = number;
    }
  }
  const auto factors = archive.get<T>(name + ".factors");
  if (factors.size() >= kMostPending || factors.size() > factors_.size()) {  // there is no room before it grows
    throw_bad_archive(name + " has too many updates");
  }
  const auto updates = archive.get<T>(name + ".updates", factors.size() * n);
  pending_ = factors.size();
  for (std::size_t p = 0; p < pending_; ++p) {
    if (!(factors[p] <= T{0} && factors[p] >= static_cast<T>(-2.0 * kMostWeight / noise_)))
      throw_bad_archive("a step of " + name + " is out of range");
    factors_[p] = factors[p];
    for (std::size_t i = 0; i < n; ++i) {
      const T number = updates[p * n + i];
      if (!(number * number <= static_cast<T>(kMostUpdate) * static_cast<T>(n)))
        throw_bad_archive("an update of " + name + " is out of range");
      moved(p)[i] = number;
    }
  }
  if (is_sound(kRounded)) return;
  if (!is_sound(kRefused)) throw_bad_archive("the covariance matrix of " + name + " is not positive definite");
  forget_covariances();
}

template <class T>
std::size_t Covariance<T>::bytes() const {
  return (variances_.capacity() + moved_.capacity() + factors_.capacity()) * sizeof(T) + below_.bytes() +
         ahead_.capacity() * sizeof(T);
}

template class Covariance<float>;
template class Covariance<double>;

}  // namespace alder
