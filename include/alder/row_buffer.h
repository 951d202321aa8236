#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alder/row.h"

namespace alder {

/// Rows that it owns, one after the other in the same arrays: for rows that are converted, scaled or collected. Meant
/// to be filled again and again: once it has held as many rows and values, nothing is allocated.
class RowBuffer {
 public:
  /// Where a row can be written: both arrays have the length that was asked for.
  struct Room {
    std::span<FeatureIndex> indices;
    std::span<double> values;
  };

  RowBuffer() = default;
  RowBuffer(const RowBuffer&) = delete;
  RowBuffer& operator=(const RowBuffer&) = delete;
  /// The rows stay where they are; `other` is empty afterwards.
  RowBuffer(RowBuffer&& other) noexcept;
  RowBuffer& operator=(RowBuffer&& other) noexcept;
  ~RowBuffer() = default;

  /// Removes all rows, and keeps the memory for the next ones.
  void clear();

  /// Adds a copy of a row, which must not be one of its own. A dense row stays dense, one that is marked as checked
  /// stays so.
  void append(const Row& row);
  /// Adds a dense row; every float is a double.
  void append(std::span<const float> dense);

  /// Room for a row of at most `most` values behind the last one, valid until the next change.
  Room room(std::size_t most);
  /// Adds the row that was written there: a view of the first values of the room, and of as many indices unless it is
  /// dense. What was asked for beyond that is used for the next row.
  void append_written(const Row& row);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// All rows, valid until the next change.
  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  /// What the memory costs that it holds.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void grow(std::size_t size);

  // Both are as long as was ever needed; the rows take the first used_ numbers of them. A dense row leaves its indices
  // unused.
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
  std::size_t used_ = 0;
  std::vector<Row> rows_;
};

}  // namespace alder
