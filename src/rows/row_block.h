#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rows/columns.h"
#include "rows/prepared_row.h"
#include "simd/simd.h"

namespace alder {

/// simd::kTogether rows that come at once, transposed: from here come their norms and, if they have most of the columns
/// that there are, the numbers that are put into these and the values that these are multiplied with. It is scratch
/// memory: meant to be used again and again.
template <class T>
class RowBlock {
 public:
  static constexpr std::size_t kRows = simd::kTogether;

  /// Takes over the values of rows, and tells their norms. Afterwards it is full if the rows have at least half of all
  /// columns, and features that have none do not occur.
  void take(PreparedRow<T>* const* rows, const Columns<T>& columns, simd::SquaredNorms* norms,
            Norm norm = Norm::kSquared);
  /// Nothing is in it.
  void clear() { is_full_ = false; }
  [[nodiscard]] bool is_full() const { return is_full_; }

  /// Of a full block: writes the rows into the slots from `first` on, in all columns, with zeros where a row has
  /// nothing.
  void write(std::size_t first, Columns<T>& columns);
  /// The same without writing: for rows that are only compared with those stored.
  void list(const Columns<T>& columns);
  /// After one of both: the columns in which a row is not 0, by ascending feature, and kRows values for each of them.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::uint32_t* columns() const { return columns_.data(); }
  [[nodiscard]] const T* values() const { return has_all_ ? block_.data() : values_.data(); }

  [[nodiscard]] std::size_t bytes() const;

 private:
  const T* spread(const PreparedRow<T>& row, const Columns<T>& columns, T* out);
  void write_all(std::size_t first, Columns<T>& columns);
  void write_some(std::size_t first, Columns<T>& columns);

  bool is_full_ = false;
  bool has_all_ = false;   // some row has a value in every column
  std::vector<T> spread_;  // rows with a number for every column, one after the other
  std::vector<T> block_;   // kRows numbers for every column, by ascending feature; or as they are listed, if not full
  std::size_t count_ = 0;
  std::vector<std::uint32_t> columns_;
  std::vector<T> values_;  // those of block_ that are not left out, if there are any
};

}  // namespace alder
