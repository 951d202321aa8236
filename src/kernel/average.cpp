#include "kernel/average.h"

namespace alder {

template <class T>
void Average<T>::settle(const Expansion<T>& f) {
  if (pending_ == 0) return;
  sums_.resize(f.size());
  const auto rounds = static_cast<double>(pending_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += rounds * f.coefficients()[i];
  pending_ = 0;
}

template <class T>
void Average<T>::leave(const Expansion<T>& f, std::size_t kept) {
  for (std::size_t i = kept; i < sums_.size(); ++i) {
    if (sums_[i] != 0.0) gone_.append(f.rows().query(i), sums_[i]);
  }
  if (sums_.size() > kept) sums_.resize(kept);
}

template <class T>
Expansion<T> Average<T>::mean(const Expansion<T>& f) const {
  Expansion<T> mean(f.rows().kernel());
  const auto pending = static_cast<double>(pending_);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double sum = (i < sums_.size() ? sums_[i] : 0.0) + pending * f.coefficients()[i];
    if (sum != 0.0) mean.append(f.rows().query(i), sum);
  }
  for (std::size_t i = 0; i < gone_.size(); ++i) mean.append(gone_.rows().query(i), gone_.coefficients()[i]);
  mean.scale(1.0 / static_cast<double>(rounds_));
  return mean;
}

template class Average<float>;
template class Average<double>;

}  // namespace alder
