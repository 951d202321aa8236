#include "rows/columns.h"

#include <algorithm>
#include <cassert>

namespace alder {
namespace {

// Columns a power of two apart would share a few sets of the nearest cache.
template <class T>
std::size_t stride_of(std::size_t slots) {
  constexpr std::size_t kLine = kAlignment / sizeof(T);
  const std::size_t lines = (slots + kLine - 1) / kLine;
  return lines == 0 ? 0 : (lines | 1U) * kLine;
}

// Features from here on have no place in the table.
constexpr FeatureIndex kMostPlaces = 1U << 16U;

}  // namespace

template <class T>
std::uint32_t Columns<T>::make(FeatureIndex feature) {
  const std::uint32_t found = table_.find(feature);
  if (found != kNone) return found;
  std::uint32_t column = 0;
  if (free_.empty()) {
    column = static_cast<std::uint32_t>(features_.size());
    if ((column + 1) * stride_ > numbers_.size()) move_to(column + column / 4 + 16, slots_);
    features_.reserve(column + 1);
    table_.insert(feature, column);
    features_.push_back(feature);
  } else {
    column = free_.back();
    table_.insert(feature, column);
    free_.pop_back();
    features_[column] = feature;
  }
  insert_sorted(column);
  return column;
}

template <class T>
void Columns<T>::insert_sorted(std::uint32_t column) {
  if (count() > kMostSorted) {
    sorted_.clear();
    sorted_features_.clear();
    places_.clear();
    return;
  }
  const FeatureIndex feature = features_[column];
  const auto at = std::lower_bound(sorted_features_.begin(), sorted_features_.end(), feature);
  const auto place = at - sorted_features_.begin();
  sorted_.insert(sorted_.begin() + place, column);
  sorted_features_.insert(at, feature);
  number_from(static_cast<std::size_t>(place));
}

template <class T>
void Columns<T>::sort() {
  sorted_.clear();
  sorted_features_.clear();
  places_.clear();
  if (count() > kMostSorted) return;
  for (std::uint32_t c = 0; c < features_.size(); ++c) {
    if (table_.find(features_[c]) == c) sorted_.push_back(c);
  }
  std::sort(sorted_.begin(), sorted_.end(), [this](auto a, auto b) { return features_[a] < features_[b]; });
  for (const std::uint32_t column : sorted_) sorted_features_.push_back(features_[column]);
  number_from(0);
}

// Those of features beyond what is worth a table have no place, and so have all if there are such.
template <class T>
void Columns<T>::number_from(std::size_t place) {
  if (sorted_features_.empty() || sorted_features_.back() >= kMostPlaces) {
    places_.clear();
    return;
  }
  places_.resize(sorted_features_.back() + 1);
  for (std::size_t p = place; p < sorted_features_.size(); ++p) {
    places_[sorted_features_[p]] = static_cast<std::uint16_t>(p + 1);
  }
}

template <class T>
void Columns<T>::widen(std::size_t slots) {
  if (slots > slots_) move_to(stride_ == 0 ? features_.size() + 16 : numbers_.size() / stride_, padded(slots));
}

template <class T>
void Columns<T>::move_to(std::size_t columns, std::size_t slots) {
  const std::size_t stride = stride_of<T>(slots);
  AlignedVector<T> numbers(columns * stride);
  for (std::size_t c = 0; c < features_.size(); ++c) {
    std::copy_n(numbers_.data() + c * stride_, slots_, numbers.data() + c * stride);
  }
  numbers_ = std::move(numbers);
  slots_ = slots;
  stride_ = stride;
}

template <class T>
void Columns<T>::keep(const std::vector<bool>& marked) {
  assert(marked.size() == features_.size());
  free_.clear();
  for (std::uint32_t c = 0; c < features_.size(); ++c) {
    if (marked[c]) continue;
    if (table_.find(features_[c]) == c) table_.erase(features_[c]);
    free_.push_back(c);
  }
  sort();
}

template <class T>
std::size_t Columns<T>::bytes() const {
  return numbers_.capacity() * sizeof(T) + features_.capacity() * sizeof(FeatureIndex) +
         (free_.capacity() + sorted_.capacity()) * sizeof(std::uint32_t) +
         sorted_features_.capacity() * sizeof(FeatureIndex) + places_.capacity() * sizeof(std::uint16_t) +
         table_.bytes();
}

template class Columns<std::uint8_t>;
template class Columns<float>;
template class Columns<double>;

}  // namespace alder
