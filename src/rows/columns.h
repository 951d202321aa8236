#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alder/row.h"

#include "rows/feature_table.h"
#include "simd/aligned.h"

namespace alder {

/// The storage of a feature-major matrix: for every feature in use a column with one number per slot. A column is made
/// when its feature is first stored, and its place is given to another feature some time after no row has it.
template <class T>
class Columns {
 public:
  static constexpr std::uint32_t kNone = FeatureTable::kNone;

  /// The number of a feature's column, or kNone.
  [[nodiscard]] std::uint32_t find(FeatureIndex feature) const { return table_.find(feature); }
  /// Those of several features. Returns whether all have one.
  bool find(const FeatureIndex* features, std::size_t count, std::uint32_t* columns) const {
    return table_.find(features, count, columns);
  }
  /// The number of a feature's column, which is made, all zeros, if there is none. Columns move when one is made.
  std::uint32_t make(FeatureIndex feature);
  /// The feature of a column.
  [[nodiscard]] FeatureIndex feature(std::uint32_t column) const { return features_[column]; }
  /// Those of all columns.
  [[nodiscard]] const FeatureIndex* features() const { return features_.data(); }

  /// The numbers of a column, slots() of them, aligned.
  [[nodiscard]] const T* data(std::uint32_t column) const { return numbers_.data() + column * stride_; }
  [[nodiscard]] T* data(std::uint32_t column) { return numbers_.data() + column * stride_; }

  /// The distance between columns: data(c) is data(0) + c·stride().
  [[nodiscard]] std::size_t stride() const { return stride_; }

  [[nodiscard]] std::size_t slots() const { return slots_; }
  /// Makes room for at least `slots` numbers in each column; keeps what is stored. Columns move.
  void widen(std::size_t slots);

  /// The columns by ascending feature; nothing if there are more than kMostSorted.
  [[nodiscard]] const std::vector<std::uint32_t>& sorted() const { return sorted_; }
  /// Their features.
  [[nodiscard]] const std::vector<FeatureIndex>& sorted_features() const { return sorted_features_; }
  static constexpr std::size_t kMostSorted = 1024;
  /// By feature: the place of its column in that order, counted from 1, or 0. Features from its size on have none.
  [[nodiscard]] const std::vector<std::uint16_t>& places() const { return places_; }

  /// How many columns there are.
  [[nodiscard]] std::size_t count() const { return features_.size() - free_.size(); }
  /// Takes the features from all columns but those that are marked (one mark per column number). They must hold zeros.
  void keep(const std::vector<bool>& marked);
  /// The column numbers in use are below this.
  [[nodiscard]] std::size_t numbers() const { return features_.size(); }

  [[nodiscard]] std::size_t bytes() const;

 private:
  void move_to(std::size_t columns, std::size_t slots);
  void sort();
  void number_from(std::size_t place);
  void insert_sorted(std::uint32_t column);

  std::size_t slots_ = 0;               // a multiple of kLanes
  std::size_t stride_ = 0;              // from one column to the next: an odd number of cache lines
  AlignedVector<T> numbers_;            // room for more columns than there are
  std::vector<FeatureIndex> features_;  // per column
  std::vector<std::uint32_t> free_;     // columns without a feature, all zero
  FeatureTable table_;                  // feature -> column
  std::vector<std::uint32_t> sorted_;
  std::vector<FeatureIndex> sorted_features_;
  std::vector<std::uint16_t> places_;
};

}  // namespace alder
