#include "rows/column_store.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace alder {
namespace {

// Unused columns are looked for when there are this many more than stored values could fill.
constexpr std::size_t kSpareColumns = 64;
// Columns are given up for pieces when they take more than this, and this much more than pieces of them would.
constexpr std::size_t kLargeColumns = std::size_t{1} << 23U;  // bytes
constexpr std::size_t kMuchMore = 4;

// Values in the type of the arithmetic.
template <class A, class T>
const A* widened(const T* values, std::size_t count) {
  if constexpr (std::is_same_v<T, A>) {
    return values;
  } else {
    static thread_local std::vector<A> wide;
    wide.assign(values, values + count);
    return wide.data();
  }
}

}  // namespace

template <class T>
ColumnStore<T>::ColumnStore(bool begins_with_ones) {
  if (begins_with_ones && std::is_same_v<T, float>) ones_.emplace();
}

template <class T>
std::size_t ColumnStore<T>::count() const {
  return with_columns([](const auto& columns) { return columns.count(); });
}

template <class T>
void ColumnStore<T>::widen(std::size_t slots) {
  const std::size_t room = padded(slots);
  if (!pieces_) with_columns([room](auto& columns) { columns.widen(room); });
  if (room > entries_.size()) entries_.resize(room);
}

template <class T>
void ColumnStore<T>::put(std::size_t slot, const PreparedRow<T>& row) {
  if (ones_ && !row.is_ones()) leave_ones();
  const std::size_t size = row.features().size();
  if (!pieces_ && count() + size > 2 * (values_ + size) + kSpareColumns) forget_unused();
  if (pieces_) clear(slot);
  find_or_make(slot, row.features());
  if (!has_columns_of(slot, size)) {
    clear(slot);
    entries_[slot].swap(found_);
    values_ += size;
  }
  write(slot, row);
}

template <class T>
void ColumnStore<T>::copy(std::size_t from, std::size_t slot) {
  const std::vector<std::uint32_t>& columns = entries_[from];
  if (!has_columns_of(slot, columns.size())) {
    clear(slot);
    std::vector<std::uint32_t>& entries = entries_[slot];
    if (entries.capacity() < columns.size()) entries.reserve(std::bit_ceil(columns.size()));
    entries = columns;
    values_ += columns.size();
  }
  if (pieces_) {
    for (const std::uint32_t column : columns) pieces_->put(column, slot, pieces_->value(column, from));
    return;
  }
  with_columns([&](auto& all) {
    auto* numbers = all.data(0);
    const std::size_t stride = all.stride();
    for (const std::uint32_t column : columns) numbers[column * stride + slot] = numbers[column * stride + from];
  });
}

// Whether the columns of a row with so many values are those that the slot has. Two rows that have all columns have the
// same: then there is nothing to clear.
template <class T>
bool ColumnStore<T>::has_columns_of(std::size_t slot, std::size_t size) const {
  return !pieces_ && size == count() && size == entries_[slot].size();
}

// Writes a row into the columns that the slot has.
template <class T>
void ColumnStore<T>::write(std::size_t slot, const PreparedRow<T>& row) {
  const std::vector<std::uint32_t>& entries = entries_[slot];
  const T* values = row.values().data();
  if (pieces_) {
    for (std::size_t j = 0; j < entries.size(); ++j) pieces_->put(entries[j], slot, values[j]);
  } else if (ones_) {
    std::uint8_t* numbers = ones_->data(0) + slot;
    const std::size_t stride = ones_->stride();
    for (const std::uint32_t column : entries) numbers[column * stride] = 1;
  } else {
    T* numbers = whole_.data(0) + slot;
    const std::size_t stride = whole_.stride();
    for (std::size_t j = 0; j < entries.size(); ++j) numbers[entries[j] * stride] = values[j];
  }
}

template <class T>
void ColumnStore<T>::put_block(std::size_t first, RowBlock<T>& block) {
  block.write(first, whole_);
  const std::vector<std::uint32_t>& sorted = whole_.sorted();
  for (std::size_t slot = first; slot < first + RowBlock<T>::kRows; ++slot) {
    if (entries_[slot].size() == sorted.size()) continue;
    values_ += sorted.size() - entries_[slot].size();
    entries_[slot] = sorted;
  }
}

// Puts the columns of these features, of a row that goes into this slot, into found_.
template <class T>
void ColumnStore<T>::find_or_make(std::size_t slot, std::span<const FeatureIndex> features) {
  const std::size_t size = features.size();
  if (found_.capacity() < size) found_.reserve(std::bit_ceil(size));
  found_.resize(size);
  if (find(features, found_.data())) return;
  if (wants_pieces(size)) {
    clear(slot);  // pieces that become empty are given up: not those of the row to come
    break_up();
  }
  for (std::size_t j = 0; j < size; ++j) {
    found_[j] = pieces_ ? pieces_->make(features[j])
                        : with_columns([feature = features[j]](auto& columns) { return columns.make(feature); });
  }
}

template <class T>
bool ColumnStore<T>::find(std::span<const FeatureIndex> features, std::uint32_t* columns) const {
  if (pieces_) return pieces_->find(features.data(), features.size(), columns);
  return with_columns([&](const auto& all) { return all.find(features.data(), features.size(), columns); });
}

template <class T>
void ColumnStore<T>::clear(std::size_t slot) {
  std::vector<std::uint32_t>& entries = entries_[slot];
  if (pieces_) {
    for (const std::uint32_t column : entries) pieces_->clear(column, slot);
  } else {
    with_columns([&](auto& columns) {
      auto* numbers = columns.data(0) + slot;
      const std::size_t stride = columns.stride();
      for (const std::uint32_t column : entries) numbers[column * stride] = 0;
    });
  }
  values_ -= entries.size();
  entries.clear();
}

template <class T>
void ColumnStore<T>::forget_unused() {
  with_columns([this](auto& columns) {
    used_.assign(columns.numbers(), false);
    for (const auto& entries : entries_) {
      for (const std::uint32_t column : entries) used_[column] = true;
    }
    columns.keep(used_);
  });
}

// A row with something other than ones is coming.
template <class T>
void ColumnStore<T>::leave_ones() {
  Columns<T> whole;
  whole.widen(slots());
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    for (std::uint32_t& column : entries_[slot]) {
      column = whole.make(ones_->feature(column));
      whole.data(column)[slot] = T{1};
    }
  }
  whole_ = std::move(whole);
  ones_.reset();
}

// Whether columns, with so many more, would cost too much.
template <class T>
bool ColumnStore<T>::wants_pieces(std::size_t more) const {
  if (pieces_) return false;
  return with_columns([&](const auto& columns) {
    return (columns.count() + more) * columns.stride() * sizeof(*columns.data(0)) > kLargeColumns &&
           columns.count() * columns.stride() > kMuchMore * kLanes * values_;
  });
}

template <class T>
void ColumnStore<T>::break_up() {
  SparseColumns<T> pieces;
  with_columns([&](const auto& columns) {
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
      for (std::uint32_t& column : entries_[slot]) {
        const T value = static_cast<T>(columns.data(column)[slot]);
        column = pieces.make(columns.feature(column));
        pieces.put(column, slot, value);
      }
    }
  });
  pieces_ = std::move(pieces);
  whole_ = Columns<T>();
  ones_.reset();
}

template <class T>
StoredRow<T> ColumnStore<T>::row(std::size_t slot) const {
  StoredRow<T> numbers;
  for (const std::uint32_t column : entries_[slot]) {
    if (pieces_) {
      numbers.emplace_back(pieces_->feature(column), pieces_->value(column, slot));
    } else {
      with_columns([&](const auto& columns) {
        const T value = static_cast<T>(columns.data(column)[slot]);
        if (value != T{0}) numbers.emplace_back(columns.feature(column), value);
      });
    }
  }
  return numbers;
}

template <class T>
template <class A>
void ColumnStore<T>::radial_rows(const simd::RadialElements<A>& elements, std::span<const simd::RadialRow<A>> rows,
                                 Values values, const RowBlock<T>* block) const {
  if (!pieces_ && !ones_) {
    const simd::ColumnsView<T> view = {whole_.data(0), whole_.stride()};
    if (block != nullptr) {
      const A* wide = widened<A>(block->values(), simd::kTogether * block->count());
      simd::radial_rows_together(elements, view, {block->columns(), wide, block->count()}, rows.data());
      return;
    }
    if constexpr (!std::is_same_v<T, A>) {
      if (values != Values::kAny) {
        simd::radial_rows_of_integers(elements, view, rows.data(), rows.size());
        return;
      }
    }
    simd::radial_rows(elements, view, rows.data(), rows.size());
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (ones_ && values == Values::kOnes) {
      simd::radial_rows_of_ones(elements, {ones_->data(0), ones_->stride()}, rows.data(), rows.size());
      return;
    }
  }
  for (const simd::RadialRow<A>& row : rows) {
    dots_of_ones_or_pieces(std::span(row.columns, row.count), row.values, elements.n, row.exponents);
    simd::radial_of_dots(elements, row);
  }
}

template <class T>
template <class A>
void ColumnStore<T>::overlap_rows(const simd::RadialElements<A>& elements, std::span<const simd::RadialRow<A>> rows,
                                  Values values, const RowBlock<T>* block) const {
  if (ones_ && values == Values::kOnes) {
    radial_rows(elements, rows, values, block);  // overlaps of ones are their dot products
    return;
  }
  if (pieces_) {
    static thread_local std::vector<simd::Piece<T, A>> pieces;
    for (const simd::RadialRow<A>& row : rows) {
      pieces_->overlaps(std::span(row.columns, row.count), row.values, elements.n, pieces, row.exponents);
    }
  } else if (ones_) {
    for (const simd::RadialRow<A>& row : rows) overlaps_of_ones(row, elements.n);
  } else if (block != nullptr) {
    const A* wide = widened<A>(block->values(), simd::kTogether * block->count());
    simd::overlaps_together(elements.n, {whole_.data(0), whole_.stride()}, {block->columns(), wide, block->count()},
                            rows.data());
  } else {
    simd::overlaps(elements.n, {whole_.data(0), whole_.stride()}, rows.data(), rows.size());
  }
  for (const simd::RadialRow<A>& row : rows) simd::radial_of_dots(elements, row);
}

// Of any row with ones.
template <class T>
template <class A>
void ColumnStore<T>::overlaps_of_ones(const simd::RadialRow<A>& row, std::size_t slots) const {
  std::fill_n(row.exponents, slots, A{0});
  for (std::size_t j = 0; j < row.count; ++j) {
    const std::uint8_t* numbers = ones_->data(row.columns[j]);
    const A overlap = std::clamp(row.values[j], A{0}, A{1});
    for (std::size_t i = 0; i < slots; ++i) row.exponents[i] += overlap * static_cast<A>(numbers[i]);
  }
}

template <class T>
template <class V, class A>
void ColumnStore<T>::dots_of_ones_or_pieces(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
                                            A* out) const {
  if (pieces_) {
    static thread_local std::vector<simd::Piece<T, A>> pieces;
    pieces_->dots(columns, values, padded(slots), pieces, out);
    return;
  }
  // A product with 0 or 1 is exact, so that this rounds as a multiply-add does.
  std::fill_n(out, padded(slots), A{0});
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint8_t* numbers = ones_->data(columns[j]);
    const A value = static_cast<A>(values[j]);
    for (std::size_t i = 0; i < slots; ++i) out[i] += value * static_cast<A>(numbers[i]);
  }
}

template <class T>
template <class A>
void ColumnStore<T>::dots(std::span<const std::uint32_t> columns, const T* values, std::size_t slots, A* out) const {
  if (pieces_ || ones_) {
    dots_of_ones_or_pieces(columns, values, slots, out);
  } else {
    static thread_local std::vector<const T*> pointers;
    pointers.clear();
    for (const std::uint32_t column : columns) pointers.push_back(whole_.data(column));
    simd::dots(pointers.data(), values, columns.size(), slots, out);
  }
}

template <class T>
std::size_t ColumnStore<T>::bytes() const {
  std::size_t total = pieces_ ? pieces_->bytes() : with_columns([](const auto& columns) { return columns.bytes(); });
  total += entries_.capacity() * sizeof(entries_[0]);
  for (const auto& entries : entries_) total += entries.capacity() * sizeof(std::uint32_t);
  return total;
}

template class ColumnStore<float>;
template class ColumnStore<double>;
template void ColumnStore<float>::radial_rows(const simd::RadialElements<float>&,
                                              std::span<const simd::RadialRow<float>>, Values,
                                              const RowBlock<float>*) const;
template void ColumnStore<float>::radial_rows(const simd::RadialElements<double>&,
                                              std::span<const simd::RadialRow<double>>, Values,
                                              const RowBlock<float>*) const;
template void ColumnStore<double>::radial_rows(const simd::RadialElements<double>&,
                                               std::span<const simd::RadialRow<double>>, Values,
                                               const RowBlock<double>*) const;
template void ColumnStore<float>::overlap_rows(const simd::RadialElements<float>&,
                                               std::span<const simd::RadialRow<float>>, Values,
                                               const RowBlock<float>*) const;
template void ColumnStore<float>::overlap_rows(const simd::RadialElements<double>&,
                                               std::span<const simd::RadialRow<double>>, Values,
                                               const RowBlock<float>*) const;
template void ColumnStore<double>::overlap_rows(const simd::RadialElements<double>&,
                                                std::span<const simd::RadialRow<double>>, Values,
                                                const RowBlock<double>*) const;
template void ColumnStore<float>::dots(std::span<const std::uint32_t>, const float*, std::size_t, float*) const;
template void ColumnStore<float>::dots(std::span<const std::uint32_t>, const float*, std::size_t, double*) const;
template void ColumnStore<double>::dots(std::span<const std::uint32_t>, const double*, std::size_t, double*) const;

}  // namespace alder
