#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/columns.h"
#include "simd/simd.h"

namespace alder {

/// Some rows on their way to the kernel values with a dictionary's columns: T is the type of the stored numbers, A that
/// of the arithmetic. Four rows that have most of their features in common are computed as a product of matrices, the
/// others row by row; the result is the same to the bit. It is scratch memory: meant to be used again and again.
template <class T, class A>
class RowGroup {
 public:
  /// The columns of a row, by ascending feature, and its values, which are borrowed.
  struct Entries {
    const std::uint32_t* columns;
    const T* values;
    std::size_t count;
  };

  /// Begins a group of rows for these columns.
  void clear(const Columns<T>& columns) {
    columns_ = &columns;
    rows_.clear();
    entries_.clear();
    count_ = 0;
  }

  /// Adds a row that has this norm and is to have its exponents and kernel values there.
  void add(const Entries& entries, A norm, A* exponents, A* kernel) {
    rows_.push_back({nullptr, entries.values, entries.count, norm, exponents, kernel});
    entries_.push_back(entries);
    count_ += entries.count;
  }

  /// The kernel values of all rows.
  void compute(const simd::RadialElements<A>& elements) {
    if (pointers_.size() < count_) pointers_.resize(count_);
    const T** free = pointers_.data();
    std::size_t alone = 0;  // rows from here to r wait to be computed row by row
    std::size_t r = 0;
    for (; r + simd::kTogether <= rows_.size(); r += simd::kTogether) {
      if (unite(r)) {
        if (alone < r) simd::radial_rows(elements, rows_.data() + alone, r - alone);
        simd::radial_rows_together(elements, united_);
        alone = r + simd::kTogether;
      } else {
        for (std::size_t i = r; i < r + simd::kTogether; ++i) free = resolve(i, free);
      }
    }
    for (; r < rows_.size(); ++r) free = resolve(r, free);
    if (alone < rows_.size()) simd::radial_rows(elements, rows_.data() + alone, rows_.size() - alone);
  }

  /// The dot products of a row with the first `slots` slots; `out` is as long as simd::dots wants it.
  void dots(const Entries& entries, std::size_t slots, A* out) {
    if (pointers_.size() < entries.count) pointers_.resize(entries.count);
    resolve(entries, pointers_.data());
    simd::dots(pointers_.data(), entries.values, entries.count, slots, out);
  }

 private:
  using RadialRow = simd::RadialRow<T, A>;
  // Only features below this are looked at together: one bit each.
  static constexpr std::size_t kMostFeatures = 1U << 14U;
  // After rows that have too little in common, so many groups are not looked at.
  static constexpr int kPause = 15;

  void resolve(const Entries& entries, const T** out) const {
    const T* numbers = columns_->data(0);
    const std::size_t stride = columns_->stride();
    for (std::size_t j = 0; j < entries.count; ++j) out[j] = numbers + entries.columns[j] * stride;
  }

  // Puts a row's columns there, and returns what is behind them.
  const T** resolve(std::size_t row, const T** out) {
    resolve(entries_[row], out);
    rows_[row].columns = out;
    return out + rows_[row].count;
  }

  // Makes united_ of four rows from `first` on, if at least half of its values are not 0: a product of matrices takes
  // half the time per value.
  bool unite(std::size_t first) {
    std::size_t count = 0;
    for (std::size_t r = first; r < first + simd::kTogether; ++r) count += entries_[r].count;
    if (2 * count >= columns_->sorted().size() * simd::kTogether && !columns_->sorted().empty()) {
      unite_all(first);
      return true;
    }
    if (pause_ > 0) {
      --pause_;
      return false;
    }
    if (unite_some(first, count)) return true;
    pause_ = kPause;
    return false;
  }

  // With all columns that there are.
  void unite_all(std::size_t first) {
    const std::vector<std::uint32_t>& sorted = columns_->sorted();
    const std::uint32_t* places = columns_->places().data();
    const T* numbers = columns_->data(0);
    const std::size_t stride = columns_->stride();
    make_united(first, sorted.size());
    for (std::size_t place = 0; place < sorted.size(); ++place)
      united_pointers_[place] = numbers + sorted[place] * stride;
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      const Entries& entries = entries_[first + r];
      T* values = united_values_.data() + r;
      for (std::size_t j = 0; j < entries.count; ++j) {
        values[std::size_t{places[entries.columns[j]]} * simd::kTogether] = entries.values[j];
      }
    }
  }

  // With the columns of these rows.
  bool unite_some(std::size_t first, std::size_t count) {
    std::size_t highest = 0;
    for (std::size_t r = first; r < first + simd::kTogether; ++r) {
      const Entries& entries = entries_[r];
      if (entries.count == 0) continue;
      highest = std::max<std::size_t>(highest, columns_->feature(entries.columns[entries.count - 1]));
    }
    if (count == 0 || highest >= kMostFeatures) return false;
    const std::size_t words = highest / 64 + 1;
    bits_.assign(words, 0);
    for (std::size_t r = first; r < first + simd::kTogether; ++r) mark(entries_[r]);
    const std::size_t united = number(words);
    if (2 * count < united * simd::kTogether) return false;
    make_united(first, united);
    const FeatureIndex* features = columns_->features();
    const T* numbers = columns_->data(0);
    const std::size_t stride = columns_->stride();
    const T** pointers = united_pointers_.data();
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      const Entries& entries = entries_[first + r];
      T* values = united_values_.data() + r;
      for (std::size_t j = 0; j < entries.count; ++j) {
        const std::size_t place = places_[features[entries.columns[j]]];
        pointers[place] = numbers + entries.columns[j] * stride;
        values[place * simd::kTogether] = entries.values[j];
      }
    }
    return true;
  }

  void make_united(std::size_t first, std::size_t count) {
    united_pointers_.resize(count);
    united_values_.assign(count * simd::kTogether, T{0});
    std::copy_n(rows_.data() + first, simd::kTogether, united_);
    united_[0].columns = united_pointers_.data();
    united_[0].values = united_values_.data();
    united_[0].count = count;
  }

  // One bit for each feature; those of a word are collected before it is written.
  void mark(const Entries& entries) {
    std::uint64_t* bits = bits_.data();
    const FeatureIndex* features = columns_->features();
    std::size_t at = 0;
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < entries.count; ++j) {
      const FeatureIndex feature = features[entries.columns[j]];
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

  const Columns<T>* columns_ = nullptr;
  std::vector<RadialRow> rows_;
  std::vector<Entries> entries_;
  std::size_t count_ = 0;           // of all entries
  std::vector<const T*> pointers_;  // the columns of the rows, one after the other

  std::vector<std::uint64_t> bits_;    // one per feature of four rows
  std::vector<std::uint16_t> places_;  // of those features among them
  std::vector<const T*> united_pointers_;
  std::vector<T> united_values_;
  RadialRow united_[simd::kTogether];
  int pause_ = 0;
};

}  // namespace alder
