#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kernel/columns.h"
#include "simd/simd.h"

namespace alder {

/// Some rows on their way to the kernel values with a dictionary's columns: T is the type of the stored numbers, A that
/// of the arithmetic. Eight rows that have most of their features in common are computed as a product of matrices, the
/// others row by row; the result is the same to the bit. It is scratch memory: meant to be used again and again.
template <class T, class A>
class RowGroup {
 public:
  using RadialRow = simd::RadialRow<T, A>;

  /// The kernel values of all rows, whose columns are by ascending feature. `exact_dots` says that dot products in
  /// float are exact, whatever A is; `first`, that the rows are those of the slots from there on.
  void compute(const simd::RadialElements<A>& elements, const Columns<T>& columns, std::span<const RadialRow> rows,
               bool exact_dots, std::optional<std::size_t> first) {
    has_exact_dots_ = exact_dots;
    first_ = first;
    const simd::ColumnsView<T> view = {columns.data(0), columns.stride()};
    std::size_t alone = 0;  // rows from here to r wait to be computed row by row
    for (std::size_t r = 0; r + simd::kTogether <= rows.size(); r += simd::kTogether) {
      if (!unite(columns, rows, r)) continue;
      if (alone < r) compute_alone(elements, view, rows.subspan(alone, r - alone));
      simd::radial_rows_together(elements, view, united_);
      alone = r + simd::kTogether;
    }
    if (alone < rows.size()) compute_alone(elements, view, rows.subspan(alone));
  }

 private:
  // Only features below this are looked at together: one bit each.
  static constexpr std::size_t kMostFeatures = 1U << 14U;
  // After rows that have too little in common, so many groups are not looked at.
  static constexpr int kPause = 15;

  void compute_alone(const simd::RadialElements<A>& elements, simd::ColumnsView<T> view,
                     std::span<const RadialRow> rows) const {
    if constexpr (!std::is_same_v<T, A>) {
      if (has_exact_dots_) {
        simd::radial_rows_of_integers(elements, view, rows.data(), rows.size());
        return;
      }
    }
    simd::radial_rows(elements, view, rows.data(), rows.size());
  }

  // Makes united_ of eight rows, if at least half of its values are not 0: a product of matrices takes half the time
  // per value.
  bool unite(const Columns<T>& columns, std::span<const RadialRow> all_rows, std::size_t begin) {
    const RadialRow* rows = all_rows.data() + begin;
    std::size_t count = 0;
    for (std::size_t r = 0; r < simd::kTogether; ++r) count += rows[r].count;
    const std::size_t all = columns.sorted().size() * simd::kTogether;
    if (first_ && 2 * count >= all && all > 0) {
      unite_stored(columns, rows, *first_ + begin);
      return true;
    }
    if (pause_ > 0) {
      --pause_;
      return false;
    }
    if (unite_some(columns, rows, count)) return true;
    pause_ = kPause;
    return false;
  }

  // With those of all columns in which they, standing side by side, are not all 0.
  void unite_stored(const Columns<T>& columns, const RadialRow* rows, std::size_t slot) {
    const std::vector<std::uint32_t>& sorted = columns.sorted();
    if (united_columns_.size() < sorted.size()) united_columns_.resize(sorted.size());
    T* values = make_united(rows, united_columns_.data(), sorted.size(), false);
    std::size_t count = 0;
    for (const std::uint32_t column : sorted) {
      // Words of bits, because a branch for every value would cost more than the columns that are left out.
      std::array<std::uint64_t, simd::kTogether * sizeof(T) / sizeof(std::uint64_t)> words;
      std::memcpy(words.data(), columns.data(column) + slot, sizeof(words));
      std::memcpy(values + count * simd::kTogether, words.data(), sizeof(words));
      united_columns_[count] = column;
      std::uint64_t any = 0;
      for (const std::uint64_t word : words) any |= word;
      count += any != 0 ? 1 : 0;
    }
    united_[0].count = count;
  }

  // With the columns of these rows.
  bool unite_some(const Columns<T>& columns, const RadialRow* rows, std::size_t count) {
    std::size_t highest = 0;
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      const RadialRow& row = rows[r];
      if (row.count > 0) highest = std::max<std::size_t>(highest, columns.feature(row.columns[row.count - 1]));
    }
    if (count == 0 || highest >= kMostFeatures) return false;
    const std::size_t words = highest / 64 + 1;
    const FeatureIndex* features = columns.features();
    bits_.assign(words, 0);
    for (std::size_t r = 0; r < simd::kTogether; ++r) mark(rows[r], features);
    const std::size_t united = number(words);
    if (2 * count < united * simd::kTogether) return false;
    united_columns_.resize(united);
    T* values = make_united(rows, united_columns_.data(), united, true);
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      const RadialRow& row = rows[r];
      for (std::size_t j = 0; j < row.count; ++j) {
        const std::size_t place = places_[features[row.columns[j]]];
        united_columns_[place] = row.columns[j];
        values[place * simd::kTogether + r] = row.values[j];
      }
    }
    return true;
  }

  // The values to be filled in; zeros, if that is needed.
  T* make_united(const RadialRow* rows, const std::uint32_t* columns, std::size_t count, bool needs_zeros) {
    if (united_values_.size() < count * simd::kTogether) united_values_.resize(count * simd::kTogether);
    if (needs_zeros) std::fill_n(united_values_.data(), count * simd::kTogether, T{0});
    std::copy_n(rows, simd::kTogether, united_);
    united_[0].columns = columns;
    united_[0].values = united_values_.data();
    united_[0].count = count;
    return united_values_.data();
  }

  // One bit for each feature; those of a word are collected before it is written.
  void mark(const RadialRow& row, const FeatureIndex* features) {
    std::uint64_t* bits = bits_.data();
    std::size_t at = 0;
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < row.count; ++j) {
      const FeatureIndex feature = features[row.columns[j]];
      if (feature / 64 != at) {
        bits[at] |= word;
        at = feature / 64;
        word = 0;
      }
      word |= std::uint64_t{1} << feature % 64;
    }
    bits[at] |= word;
  }

  // Gives the marked features their places, by ascending feature, and returns how many there are.
  std::size_t number(std::size_t words) {
    places_.resize(kMostFeatures);
    std::uint16_t* places = places_.data();
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t word = bits_[w]; word != 0; word &= word - 1) {
        places[64 * w + static_cast<std::size_t>(std::countr_zero(word))] = static_cast<std::uint16_t>(count++);
      }
    }
    return count;
  }

  std::vector<std::uint64_t> bits_;    // one per feature of the rows
  std::vector<std::uint16_t> places_;  // of those features among them
  std::vector<std::uint32_t> united_columns_;
  std::vector<T> united_values_;
  RadialRow united_[simd::kTogether];
  int pause_ = 0;
  bool has_exact_dots_ = false;
  std::optional<std::size_t> first_;
};

}  // namespace alder
