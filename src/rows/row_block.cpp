#include "rows/row_block.h"

#include <algorithm>
#include <cstring>

namespace alder {
namespace {

// If the longest row is this many times as long as the mean, padding the others with zeros does not pay.
constexpr std::size_t kMostUneven = 4;

}  // namespace

template <class T>
void RowBlock<T>::take(PreparedRow<T>* const* rows, const Columns<T>& columns, simd::SquaredNorms* norms, Norm norm) {
  std::size_t longest = 0;
  std::size_t sum = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    longest = std::max(longest, rows[r]->values().size());
    sum += rows[r]->values().size();
  }
  std::array<const T*, kRows> from;
  std::size_t count = columns.sorted().size();
  is_full_ = count > 0 && 2 * sum >= kRows * count;
  if (is_full_ && spread_.size() < kRows * count) spread_.resize(kRows * count);
  has_all_ = false;
  for (std::size_t r = 0; is_full_ && r < kRows; ++r) {
    from[r] = spread(*rows[r], columns, spread_.data() + r * count);
    is_full_ = from[r] != nullptr;
    has_all_ |= rows[r]->values().size() == count;
  }
  if (!is_full_) {
    if (kRows * longest > kMostUneven * sum) {
      for (std::size_t r = 0; r < kRows; ++r) norms[r] = rows[r]->compute_norms(norm);
      return;
    }
    count = longest;
    for (std::size_t r = 0; r < kRows; ++r) from[r] = rows[r]->padded_values(longest);
  }
  if (block_.size() < kRows * count) block_.resize(kRows * count);
  simd::transpose_together(from.data(), count, block_.data());
  if (norm == Norm::kSquared) {
    simd::squared_norms_together(block_.data(), count, norms);
  } else {
    simd::absolute_sums_together(block_.data(), count, norms);
  }
}

// A number of the row for every column, by ascending feature: its values, if it has all, or what is put into `out`;
// null if it has a feature without a column.
template <class T>
const T* RowBlock<T>::spread(const PreparedRow<T>& row, const Columns<T>& columns, T* out) {
  const std::size_t count = columns.sorted().size();
  const FeatureIndex* features = row.features().data();
  const T* values = row.values().data();
  const std::size_t size = row.values().size();
  // Of ascending features 0 … count−1 there is only one list.
  if (size == count && features[count - 1] == count - 1 && columns.sorted_features().back() == count - 1) return values;
  std::fill_n(out, count, T{0});
  const std::vector<std::uint16_t>& places = columns.places();
  if (size > 0 && features[size - 1] >= places.size()) return nullptr;
  const std::uint16_t* place_of = places.data();
  for (std::size_t j = 0; j < size; ++j) {
    const std::size_t place = place_of[features[j]];
    if (place == 0) return nullptr;
    out[place - 1] = values[j];
  }
  return out;
}

template <class T>
void RowBlock<T>::write(std::size_t first, Columns<T>& columns) {
  const std::size_t all = columns.sorted().size();
  if (columns_.size() < all) columns_.resize(all);
  if (has_all_) {
    write_all(first, columns);
  } else {
    write_some(first, columns);
  }
}

// No column is left out. (A standard algorithm would call a function for the few numbers of a column.)
template <class T>
void RowBlock<T>::write_all(std::size_t first, Columns<T>& columns) {
  const std::vector<std::uint32_t>& sorted = columns.sorted();
  T* numbers = columns.data(0) + first;
  const std::size_t stride = columns.stride();
  const T* from = block_.data();
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    std::memcpy(numbers + sorted[j] * stride, from + j * kRows, kRows * sizeof(T));
    columns_[j] = sorted[j];
  }
  count_ = sorted.size();
}

template <class T>
void RowBlock<T>::write_some(std::size_t first, Columns<T>& columns) {
  const std::vector<std::uint32_t>& sorted = columns.sorted();
  if (values_.size() < kRows * sorted.size()) values_.resize(kRows * sorted.size());
  T* numbers = columns.data(0) + first;
  const std::size_t stride = columns.stride();
  const T* from = block_.data();
  T* values = values_.data();
  std::uint32_t* with_value = columns_.data();
  std::size_t count = 0;
  for (const std::uint32_t column : sorted) {
    // Words of bits, because a branch for every column would cost more than what is left out.
    std::array<std::uint64_t, kRows * sizeof(T) / sizeof(std::uint64_t)> words;
    std::memcpy(words.data(), from, sizeof(words));
    std::memcpy(numbers + column * stride, words.data(), sizeof(words));
    std::memcpy(values + count * kRows, words.data(), sizeof(words));
    with_value[count] = column;
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    count += any != 0 ? 1 : 0;
    from += kRows;
  }
  count_ = count;
}

template <class T>
void RowBlock<T>::list(const Columns<T>& columns) {
  const std::vector<std::uint32_t>& sorted = columns.sorted();
  if (columns_.size() < sorted.size()) columns_.resize(sorted.size());
  count_ = sorted.size();
  if (has_all_) {
    std::copy(sorted.begin(), sorted.end(), columns_.begin());
    return;
  }
  if (values_.size() < kRows * sorted.size()) values_.resize(kRows * sorted.size());
  std::size_t count = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    const T* from = block_.data() + j * kRows;
    std::copy_n(from, kRows, values_.data() + count * kRows);
    columns_[count] = sorted[j];
    count += std::any_of(from, from + kRows, [](T value) { return value != T{0}; }) ? 1 : 0;
  }
  count_ = count;
}

template <class T>
std::size_t RowBlock<T>::bytes() const {
  return (spread_.capacity() + block_.capacity() + values_.capacity()) * sizeof(T) +
         columns_.capacity() * sizeof(std::uint32_t);
}

template class RowBlock<float>;
template class RowBlock<double>;

}  // namespace alder
