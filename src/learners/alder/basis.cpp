#include "learners/alder/basis.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace alder {
namespace {

// A kernel value below this is taken as 0. Squares of such values would be denormal numbers, which are slow, or 0.
template <class T>
constexpr T kNothing = std::is_same_v<T, float> ? T(1e-20) : T(1e-150);

}  // namespace

template <class T>
void Basis<T>::append(std::size_t element, double self) {
  is_all_ = is_all_ && element == elements_.size();
  elements_.push_back(static_cast<std::uint32_t>(element));
  scales_.push_back(1.0 / std::sqrt(self));
}

template <class T>
void Basis<T>::remove(std::size_t place) {
  elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(place));
  scales_.erase(scales_.begin() + static_cast<std::ptrdiff_t>(place));
  is_all_ = is_all_ && place == elements_.size();
}

template <class T>
void Basis<T>::move(std::span<const std::uint32_t> places, double ratio) {
  ratio_ = ratio;
  is_all_ = true;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    elements_[i] = places[elements_[i]];
    is_all_ = is_all_ && elements_[i] == i;
  }
}

// Products of normalised values are made one factor after the other, and in double: the values may be too large for
// floats, and their product for doubles.
template <class T>
void Basis<T>::copy(const KernelValues& row, double self, T* k) const {
  const std::size_t n = size();
  if (!is_radial_) {
    const double scale = self > 0.0 ? 1.0 / std::sqrt(self) : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      k[i] = static_cast<T>(std::clamp(row.kernel(elements_[i]) * scale * scales_[i], -1.0, 1.0));
    }
    return;
  }
  if (ratio_ != 1.0) {
    is_all_ ? row.copy_powers(ratio_, n, k) : row.copy_powers(ratio_, elements_, k);
    return;
  }
  if (is_all_) {
    row.copy_kernel(n, k);
  } else {
    for (std::size_t i = 0; i < n; ++i) k[i] = static_cast<T>(row.kernel(elements_[i]));
  }
  for (std::size_t i = 0; i < n; ++i) k[i] = k[i] < kNothing<T> ? T{0} : k[i];
}

template class Basis<float>;
template class Basis<double>;

}  // namespace alder
