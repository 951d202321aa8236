#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rows/columns.h"
#include "rows/prepared_row.h"
#include "rows/row_block.h"
#include "rows/sparse_columns.h"
#include "rows/stored_rows.h"
#include "simd/simd.h"

namespace alder {

/// The numbers of a dictionary's rows, feature by feature, each row in a slot of its own. They are laid out in one of
/// three ways, and dot products are the same to the bit in all of them:
///   ones    a byte for each feature and slot, while every row has nothing but ones (features that are there or not)
///   whole   a T for each feature and slot
///   pieces  only those parts of columns in which something is not 0, once whole columns would cost much more
template <class T>
class ColumnStore {
 public:
  explicit ColumnStore(bool begins_with_ones);

  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  /// Makes room for at least `slots` slots.
  void widen(std::size_t slots);

  /// Puts a row into a slot, in the place of what it may hold.
  void put(std::size_t slot, const PreparedRow<T>& row);
  /// Puts the row that stands in one slot into another one too.
  void copy(std::size_t from, std::size_t slot);
  /// Whether rows can be put together now: those that have nothing but ones, and pieces, cannot.
  [[nodiscard]] bool takes_blocks() const { return !ones_ && !pieces_; }
  /// Puts such rows on their way into the slots from `first` on, in much less time than one by one: a block takes them
  /// over first, and tells their norms; if it is full, it can be put, and each of its rows has all columns then.
  void take(PreparedRow<T>* const* rows, RowBlock<T>& block, simd::SquaredNorms* norms, Norm norm) const {
    block.take(rows, whole_, norms, norm);
  }
  void put_block(std::size_t first, RowBlock<T>& block);
  /// The same for rows that are only compared with what is stored: a full block is made ready for `radial_rows`.
  void list_block(RowBlock<T>& block) const { block.list(whole_); }
  /// Empties a slot.
  void clear(std::size_t slot);
  [[nodiscard]] bool is_in_pieces() const { return pieces_.has_value(); }

  /// The columns of the row in a slot, by ascending feature.
  [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t slot) const { return entries_[slot]; }
  /// Those of some features, which ascend; FeatureTable::kNone for those without. Returns whether all have one.
  bool find(std::span<const FeatureIndex> features, std::uint32_t* columns) const;
  /// The row in a slot, without zeros.
  [[nodiscard]] StoredRow<T> row(std::size_t slot) const;

  /// What is known of the values of rows on their way to kernel values.
  enum class Values {
    kAny,
    kExact,  ///< dot products with all that is stored are exact in float
    kOnes,   ///< the same, and they are all 1 as in PreparedRow::is_ones
  };
  /// The kernel values of rows that are given by columns of this store, or by a block that was put, if there is one.
  template <class A>
  void radial_rows(const simd::RadialElements<A>& elements, std::span<const simd::RadialRow<A>> rows, Values values,
                   const RowBlock<T>* block) const;
  /// The same where overlaps stand in the place of dot products: for the kernel of |x−s|₁.
  template <class A>
  void overlap_rows(const simd::RadialElements<A>& elements, std::span<const simd::RadialRow<A>> rows, Values values,
                    const RowBlock<T>* block) const;
  /// The dot products of such a row with the first `slots` slots; `out` has room for padded(slots) numbers.
  template <class A>
  void dots(std::span<const std::uint32_t> columns, const T* values, std::size_t slots, A* out) const;

  [[nodiscard]] std::size_t bytes() const;

 private:
  // The columns that are stored as such, of bytes or of T.
  template <class Body>
  auto with_columns(const Body& body) const {
    return ones_ ? body(*ones_) : body(whole_);
  }
  template <class Body>
  auto with_columns(const Body& body) {
    return ones_ ? body(*ones_) : body(whole_);
  }
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] bool has_columns_of(std::size_t slot, std::size_t size) const;
  void write(std::size_t slot, const PreparedRow<T>& row);
  template <class V, class A>
  void dots_of_ones_or_pieces(std::span<const std::uint32_t> columns, const V* values, std::size_t slots, A* out) const;
  template <class A>
  void overlaps_of_ones(const simd::RadialRow<A>& row, std::size_t slots) const;
  void find_or_make(std::size_t slot, std::span<const FeatureIndex> features);
  void forget_unused();
  void leave_ones();
  [[nodiscard]] bool wants_pieces(std::size_t more) const;
  void break_up();

  std::optional<Columns<std::uint8_t>> ones_;
  Columns<T> whole_;  // unless there are ones or pieces
  std::optional<SparseColumns<T>> pieces_;
  std::size_t values_ = 0;                           // numbers that are stored
  std::vector<std::vector<std::uint32_t>> entries_;  // by slot: the columns that have a number of it
  std::vector<std::uint32_t> found_;                 // the columns of a row on its way in
  std::vector<bool> used_;                           // columns that something has, while others are looked for
};

}  // namespace alder
