#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"

#include "kernel/kernel_values.h"
#include "rows/column_store.h"
#include "rows/prepared_row.h"
#include "rows/stored_rows.h"

namespace alder {

class Archive;

/// How exactly a dictionary of floats computes a kernel row. (One of doubles is always exact.)
enum class Accuracy {
  kFast,   ///< float arithmetic wherever its rounding is harmless
  kExact,  ///< double arithmetic on the stored numbers: for the ALD test, which looks at differences of 1e-10
};

/// A scratch row of a dictionary, and where its kernel values go.
template <class T>
struct ScratchRow {
  std::size_t scratch;
  const PreparedRow<T>* row;
  KernelValues* out;
};

/// Rows that are compared with a dictionary without entering it, at most kRows at a time, and their kernel values. It
/// is scratch memory: one for each thread.
template <class T>
struct ScoredRows {
  static constexpr std::size_t kRows = RowBlock<T>::kRows;

  std::array<PreparedRow<T>, kRows> rows;
  std::array<KernelValues, kRows> values;
  RowBlock<T> block;
  // What `known` finds for each.
  std::array<std::vector<std::uint32_t>, kRows> columns;
  std::array<std::vector<T>, kRows> known;
};

/// Rows laid out feature by feature, the element index contiguous, so that one pass over the columns of a row's
/// features yields its kernel values with all elements.
///
/// Beside its elements it may have scratch rows: rows that come and go in places of their own, such as those of the
/// last rounds. Their kernel values come with the same pass.
template <class T>
class Dictionary {
 public:
  explicit Dictionary(const Kernel& kernel, std::size_t scratch_rows = 0);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  /// Adds the row as element size().
  void append(const PreparedRow<T>& row);
  /// The same for a row that is this scratch row.
  void append_scratch(std::size_t scratch, const PreparedRow<T>& row);
  /// Puts the row in the place of an element.
  void replace(std::size_t element, const PreparedRow<T>& row);
  /// Keeps the first `count` elements.
  void truncate(std::size_t count);

  /// Makes room for at least this number of scratch rows; those that are there keep their places. O(all that is stored)
  /// if there was less.
  void reserve_scratch_rows(std::size_t scratch_rows);
  /// Puts the row in a scratch row's place, which must be empty.
  void put_scratch(std::size_t scratch, const PreparedRow<T>& row) { fill(scratch, row); }
  /// Makes queries of rows and puts them in the places of scratch rows from `first` on, which must be empty: as many of
  /// them as are in the range of values and of the kernel and, if that is asked for, `is_near`. Returns how many.
  /// `block` is full afterwards if they have most features in common, and then belongs to them.
  std::size_t put_scratch_rows(std::size_t first, std::span<const Row> rows, PreparedRow<T>* const* queries, bool near,
                               RowBlock<T>& block);
  /// Empties a scratch row's place.
  void drop_scratch(std::size_t scratch) { drop(scratch); }

  /// Whether kernel rows of this row, and of others for which this holds, are fast if that is asked for: all that is
  /// stored is as near to the origin as float arithmetic wants it, and so is the row.
  [[nodiscard]] bool is_near(const PreparedRow<T>& row) const { return far_ == 0 && !is_far(row); }

  /// Whether `is_near` holds for no row at all.
  [[nodiscard]] bool is_always_exact() const { return farthest_ < 0.0; }

  /// κ(row, ·) for every scratch row and element. Allocates only when the dictionary has outgrown `out`.
  void kernel_row(const PreparedRow<T>& row, Accuracy accuracy, KernelValues& out) const;
  /// The same to the bit for several scratch rows at once, if `is_near` holds for none or for all of them. If they
  /// are those that `put_scratch_rows` has just put, their block is told.
  void scratch_rows(std::span<const ScratchRow<T>> rows, Accuracy accuracy, const RowBlock<T>* block = nullptr) const;

  /// The same to the bit for rows that are checked, at most kRows of them, with the elements; they are compared
  /// together where that is faster. Scratch rows count only if `with_scratch_rows`; otherwise a scratch row far from
  /// the origin changes no arithmetic, and values with scratch rows are not defined. Throws Error, with its number, for
  /// a row out of range.
  void kernel_rows(std::span<const Row> rows, Accuracy accuracy, ScoredRows<T>& out,
                   bool with_scratch_rows = false) const;

  /// ⟨row, ·⟩ for every scratch row and element, in double; `out` has padded(their number) entries afterwards.
  void dots(const PreparedRow<T>& row, AlignedVector<double>& out) const;

  /// The same scratch rows in a dictionary for another kernel, which has these elements of this one, in this order.
  [[nodiscard]] Dictionary rebuilt(const Kernel& kernel, std::span<const std::size_t> elements) const;

  /// κ(z, z) of a scratch row.
  [[nodiscard]] double scratch_self(std::size_t scratch) const { return kernel_.self(norms_[scratch]); }
  /// κ(s_i, s_i).
  [[nodiscard]] double self(std::size_t i) const { return kernel_.self(norms_[front_ + i]); }
  /// That of all elements.
  [[nodiscard]] std::vector<double> selfs() const;
  /// An element's features and values, as they are stored.
  [[nodiscard]] StoredRow<T> element(std::size_t i) const { return store_.row(front_ + i); }
  /// An element, or a scratch row, as a row to be stored elsewhere.
  [[nodiscard]] PreparedRow<T> query(std::size_t i) const { return query_of(front_ + i, kernel_); }
  [[nodiscard]] PreparedRow<T> scratch_query(std::size_t scratch) const { return query_of(scratch, kernel_); }

  /// Writes the elements as `save_rows` does.
  void save(Archive& archive, const std::string& name) const;
  /// The same for scratch rows.
  void save_scratch_rows(Archive& archive, const std::string& name, std::span<const std::size_t> scratch_rows) const;
  /// Appends the elements that `save` wrote to an empty dictionary.
  void load(const Archive& archive, const std::string& name);

  [[nodiscard]] std::size_t bytes() const;

 private:
  // The squared norm of a free slot.
  static constexpr double kFree = std::numeric_limits<double>::infinity();

  // A row with its columns and the values that go with them.
  struct KernelJob {
    const PreparedRow<T>* row;
    const std::uint32_t* columns;
    const T* values;
    std::size_t count;
    KernelValues* out;
  };

  // If the jobs are those of a block, that is told. In float or in double.
  void compute(std::span<const KernelJob> jobs, bool in_float, const RowBlock<T>* block) const;
  template <class A>
  void compute_in(std::span<const KernelJob> jobs, const AlignedVector<A>& norms, const RowBlock<T>* block) const;
  template <class A>
  void compute_plain(const KernelJob& job) const;
  template <class A>
  void dots_in(const KernelJob& job, AlignedVector<A>& out) const;
  void make_room(std::size_t slots);
  // The slot of the element to come.
  std::size_t next_slot();
  void fill(std::size_t slot, const PreparedRow<T>& row);
  bool put_together(std::size_t first, const Row* rows, PreparedRow<T>* const* queries, bool near, RowBlock<T>& block);
  // Marks the slot as used.
  void enter(std::size_t slot, const PreparedRow<T>& row);
  void clear(std::size_t slot);
  // The values may stay in the columns, since the infinite norm marks the slot as free. But values that are too far for
  // float arithmetic could overflow there, so those are cleared.
  void drop(std::size_t slot) {
    if (norms_[slot] > farthest_ || store_.is_in_pieces()) {
      clear(slot);
    } else {
      leave(slot);
    }
  }
  // Marks the slot as free.
  void leave(std::size_t slot) {
    norms_[slot] = kFree;
    float_norms_[slot] = std::numeric_limits<float>::infinity();
    rounded_ -= is_rounded_[slot];
    is_rounded_[slot] = 0;
  }
  KernelJob known(const PreparedRow<T>& row, KernelValues* out) const;
  KernelJob known(const PreparedRow<T>& row, KernelValues* out, std::vector<std::uint32_t>& columns,
                  std::vector<T>& values) const;
  bool take_together(std::span<const Row> rows, ScoredRows<T>& out) const;
  [[nodiscard]] bool is_far(const PreparedRow<T>& row) const { return row.norm() > farthest_; }
  [[nodiscard]] PreparedRow<T> query_of(std::size_t slot, const Kernel& kernel) const;

  Kernel kernel_;
  double farthest_;        // a larger norm is too far from the origin for float arithmetic
  std::size_t front_ = 0;  // scratch rows have the slots below, element i the slot front_ + i
  std::size_t size_ = 0;   // of the elements
  ColumnStore<T> store_;
  std::size_t far_ = 0;               // stored rows that are too far
  std::size_t far_scratch_rows_ = 0;  // scratch rows among them
  std::size_t rounded_ = 0;           // stored rows whose dot products are not known to be exact in float
  // One entry per slot; the norm of a free slot is infinite:
  std::vector<std::uint8_t> is_rounded_;  // 0 or 1
  AlignedVector<double> norms_;           // ‖s_i‖², or what norm_of says
  AlignedVector<float> float_norms_;      // the same to go with float dot products
};

}  // namespace alder
