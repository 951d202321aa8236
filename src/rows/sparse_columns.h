#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alder/row.h"

#include "rows/feature_table.h"
#include "simd/aligned.h"
#include "simd/simd.h"

namespace alder {

/// Columns for data with far more features than any row has: of every column only those pieces of kLanes slots are
/// stored in which something is not 0. So memory and time follow the stored values, not the features times the slots.
/// Dot products are the same to the bit as those of whole columns, since what is left out are additions of 0.
template <class T>
class SparseColumns {
 public:
  static constexpr std::uint32_t kNone = FeatureTable::kNone;

  /// The numbers of the columns of some features, which ascend; kNone for those without. Returns whether all have one.
  bool find(const FeatureIndex* features, std::size_t count, std::uint32_t* columns) const {
    return table_.find(features, count, columns);
  }
  /// The number of a feature's column, which is made if there is none.
  std::uint32_t make(FeatureIndex feature);
  /// The feature of a column.
  [[nodiscard]] FeatureIndex feature(std::uint32_t column) const { return columns_[column].feature; }

  /// Puts a value (not 0) into a slot of a column that has none there.
  void put(std::uint32_t column, std::size_t slot, T value);
  /// Takes it out again. A column without values is given up, and its number used for another feature.
  void clear(std::uint32_t column, std::size_t slot);
  /// The value in a slot; 0 if there is none.
  [[nodiscard]] T value(std::uint32_t column, std::size_t slot) const;

  /// The dot products of a row, given by its columns and values by ascending feature, with the first `slots` slots, a
  /// multiple of kLanes. Values are of type T, or those as wider numbers. `pieces` is scratch memory.
  template <class V, class A>
  void dots(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
            std::vector<simd::Piece<T, A>>& pieces, A* out) const;

  /// Their overlaps, likewise.
  template <class V, class A>
  void overlaps(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
                std::vector<simd::Piece<T, A>>& pieces, A* out) const;

  [[nodiscard]] std::size_t bytes() const;

 private:
  /// kLanes slots of a column, from group·kLanes on.
  struct Part {
    std::uint32_t group;
    std::uint32_t piece;
  };
  struct Column {
    FeatureIndex feature = 0;
    std::vector<Part> parts;
  };

  static constexpr std::size_t kPiecesPerChunk = 1024;

  [[nodiscard]] const T* piece(std::uint32_t number) const {
    return chunks_[number / kPiecesPerChunk].data() + number % kPiecesPerChunk * kLanes;
  }
  [[nodiscard]] T* piece(std::uint32_t number) {
    return chunks_[number / kPiecesPerChunk].data() + number % kPiecesPerChunk * kLanes;
  }

  // Lists what is to be added to `out`, which becomes 0.
  template <class V, class A>
  void list(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
            std::vector<simd::Piece<T, A>>& pieces, A* out) const;

  std::vector<Column> columns_;
  std::vector<std::uint32_t> free_columns_;
  std::vector<AlignedVector<T>> chunks_;    // of pieces
  std::vector<std::uint32_t> free_pieces_;  // all zero
  FeatureTable table_;                      // feature -> column
};

}  // namespace alder
