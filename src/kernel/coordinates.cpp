#include "kernel/coordinates.h"

#include <algorithm>
#include <cmath>

#include "archive/archive.h"
#include "simd/matrix.h"
#include "simd/simd.h"

namespace alder {
namespace {

// An α below this is what the rounding of kernel values in float leaves over.
constexpr double kSmallestAlpha = 1e-7;

// ‖φ‖² is at most 1 but for rounding. More than this is what a forged M makes.
constexpr double kLargestSquare = 2.0;
// No entry of M is larger than 1/sqrt(smallest eigenvalue of K_S), and what double arithmetic resolves of that.
constexpr double kLargestInverse = 1e15;

// Makes a vector with this squared length one of length 1, or 0 if that is not finite.
template <class T>
void shorten(T* phi, std::size_t n, double square) {
  const T scale = std::isfinite(square) ? static_cast<T>(1.0 / std::sqrt(square)) : T{0};
  for (std::size_t i = 0; i < n; ++i) phi[i] = scale == T{0} ? T{0} : phi[i] * scale;
}

std::size_t triangle(std::size_t n) {
  return n * (n + 1) / 2;
}

}  // namespace

template <class T>
double Coordinates<T>::project(const T* k, T* phi) const {
  if (size_ == 0) return 1.0;
  simd::triangle_times(columns_.column(0), columns_.stride(), size_, k, phi);
  return finish(phi);
}

template <class T>
void Coordinates<T>::project(const T* k, std::size_t room, std::size_t count, T* phi, double* alphas) const {
  if (count == simd::kMostTriangles && size_ > 0) {
    simd::triangle_times_together(columns_.column(0), columns_.stride(), size_, k, room, phi);
    for (std::size_t r = 0; r < count; ++r) alphas[r] = finish(phi + r * room);
  } else {
    for (std::size_t r = 0; r < count; ++r) alphas[r] = project(k + r * room, phi + r * room);
  }
}

// Makes sure that φ is not longer than it can be. Returns α.
template <class T>
double Coordinates<T>::finish(T* phi) const {
  const auto square = static_cast<double>(simd::dot(phi, phi, size_));
  if (!(square <= kLargestSquare)) shorten(phi, size_, square);
  return std::max(0.0, 1.0 - square);
}

// φ of an element on its way in. Returns α.
template <class T>
double Coordinates<T>::project_exactly(const T* k) {
  k_.assign(k, k + size_);
  phi_.resize(size_);
  double alpha = 1.0;
  for (std::size_t i = 0; i < size_; ++i) {
    phi_[i] = simd::dot_unaligned(rows_.data() + triangle(i), k_.data(), i + 1);
    alpha -= phi_[i] * phi_[i];
  }
  return alpha;
}

template <class T>
double Coordinates<T>::append(const T* k) {
  const double alpha = project_exactly(k);
  if (!(alpha > kSmallestAlpha)) return 0.0;
  append_row(std::sqrt(alpha));
  return std::sqrt(alpha);
}

// Of the element that was projected.
template <class T>
void Coordinates<T>::append_row(double root) {
  rows_.resize(triangle(size_));
  rows_.resize(triangle(size_ + 1));
  double* added = rows_.data() + triangle(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const double* row = rows_.data() + triangle(i);
    const double weight = phi_[i] / root;
    for (std::size_t j = 0; j <= i; ++j) added[j] -= weight * row[j];
  }
  added[size_] = 1.0 / root;
  copy_row(size_);
  ++size_;
}

template <class T>
std::vector<double> Coordinates<T>::coefficients(std::span<const double> w) const {
  std::vector<double> coefficients(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const double* row = rows_.data() + triangle(i);
    for (std::size_t j = 0; j <= i; ++j) coefficients[j] += row[j] * w[i];
  }
  return coefficients;
}

template <class T>
std::vector<double> Coordinates<T>::losses(const T* w) const {
  std::vector<double> coefficients(size_);
  std::vector<double> squares(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const double* row = rows_.data() + triangle(i);
    for (std::size_t j = 0; j <= i; ++j) {
      coefficients[j] += row[j] * static_cast<double>(w[i]);
      squares[j] += row[j] * row[j];
    }
  }
  for (std::size_t j = 0; j < size_; ++j) coefficients[j] *= coefficients[j] / squares[j];
  return coefficients;
}

// Row i is turned with the next one so that it has nothing of v any more, but an entry above the diagonal instead: on
// the diagonal, once column v is gone.
template <class T>
double Coordinates<T>::replace(std::size_t v, const T* k, Turns& turns) {
  turns.first = v;
  turns.turns.clear();
  std::vector<double> turned(rows_.begin() + static_cast<std::ptrdiff_t>(triangle(v)),
                             rows_.begin() + static_cast<std::ptrdiff_t>(triangle(v + 1)));
  for (std::size_t i = v; i + 1 < size_; ++i) {
    const double* next = rows_.data() + triangle(i + 1);
    turned.push_back(0.0);
    // The sign that makes the diagonal positive.
    const double length = std::copysign(std::hypot(turned[v], next[v]), -turned[v]);
    const double c = next[v] / length;
    const double s = turned[v] / length;
    turns.turns.push_back({c, s});
    double* out = rows_.data() + triangle(i);
    for (std::size_t j = 0; j <= i + 1; ++j) {
      const double kept = c * turned[j] - s * next[j];
      turned[j] = s * turned[j] + c * next[j];
      if (j != v) out[j < v ? j : j - 1] = kept;
    }
  }
  --size_;
  for (std::size_t i = v; i < size_; ++i) copy_row(i);
  const double alpha = project_exactly(k);
  // A forged M may give anything.
  const double root = std::sqrt(alpha > kSmallestAlpha ? std::min(alpha, 1.0) : kSmallestAlpha);
  append_row(root);
  return root;
}

template <class T>
void Coordinates<T>::copy_row(std::size_t i) {
  columns_.grow(i + 1);
  const double* row = rows_.data() + triangle(i);
  for (std::size_t j = 0; j <= i; ++j) columns_.column(j)[i] = static_cast<T>(row[j]);
}

template <class T>
void Coordinates<T>::save(Archive& archive, const std::string& name) const {
  archive.put(name, rows_);
}

template <class T>
void Coordinates<T>::load(const Archive& archive, const std::string& name, std::size_t size) {
  rows_ = archive.get<double>(name, triangle(size));
  for (size_ = 0; size_ < size; ++size_) {
    const double* row = rows_.data() + triangle(size_);
    const auto is_small = [](double number) { return std::fabs(number) <= kLargestInverse; };
    const bool is_sound = std::all_of(row, row + size_, is_small);
    const double largest = 1.0 / std::sqrt(kSmallestAlpha);
    if (!is_sound || !(row[size_] >= 0.999 && row[size_] <= largest)) {
      throw_bad_archive(name + " is no inverse of a Cholesky factor");
    }
    copy_row(size_);
  }
}

template class Coordinates<float>;
template class Coordinates<double>;

}  // namespace alder
