#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "kernel/expansion.h"

namespace alder {

/// The rows of a learner's rounds, as scratch rows of its dictionary: those of the block in hand, of which one is the
/// row of the round that is on, and those of the last `kept` rounds, W. The kernel values of a block are computed
/// together, with the dictionary and with each other, so that a row that joins the dictionary costs no value: those of
/// the rows behind it are known. Results are the same to the bit however rounds are cut into blocks.
///
/// W is what the optimistic gradient ∇̄ = −(1/|W|) Σ y κ(x,·) is made of. On request, and if all is exact, also the
/// values κ(z, s_i) of all z in W and elements s_i stay known: z brings its own along, and when x joins, the values are
/// those of the hint for x.
///
/// Its dictionary is passed to every call that needs it: always the same one.
template <class T>
class RoundRows {
 public:
  /// The most rows of a block.
  static constexpr std::size_t kBlock = RowBlock<T>::kRows;

  RoundRows(std::size_t kept, bool keeps_values);

  /// How many scratch rows the dictionary must have room for at the beginning; later they are asked for when they come.
  [[nodiscard]] std::size_t scratch_rows() const { return weights_.size(); }

  /// These rows, checked and at most kBlock of them, come in the next rounds, in this order. They must be there until
  /// `end_block`. What is wrong with a row is said when it is its turn.
  void begin_block(std::span<const Row> rows, Dictionary<T>& dictionary, Accuracy accuracy);
  /// Ends a block; rows of it that had no round are forgotten.
  void end_block(Dictionary<T>& dictionary) {
    drop_pending(dictionary);
    left_ = {};
  }
  /// Begins the round of the next row of the block. Throws Error for a row out of range, and is then as before.
  void begin(Dictionary<T>& dictionary, Accuracy accuracy) {
    if (pending_ == 0 || accuracy != accuracy_) begin_anew(dictionary, accuracy);
  }
  /// The row of the round that is on.
  [[nodiscard]] const PreparedRow<T>& x() const { return queries_[now_ % kBlock]; }
  [[nodiscard]] const KernelValues& row() const { return rows_[row_of(now_)]; }
  /// How many rows of the block are computed, from that one on, and what is known of them.
  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] const PreparedRow<T>& x_ahead(std::size_t ahead) const { return queries_[slot(ahead) % kBlock]; }
  [[nodiscard]] const KernelValues& row_ahead(std::size_t ahead) const { return rows_[row_of(slot(ahead))]; }
  /// Which scratch row it is.
  [[nodiscard]] std::size_t scratch() const { return now_; }
  /// That row is in the dictionary now, as this element.
  void joined(std::size_t element);
  /// Only the first `size` elements are left.
  void truncated(std::size_t size);
  /// Ends the round.
  void end(double label, Dictionary<T>& dictionary) {
    assert(pending_ > 0);
    weights_[now_] = label;
    if (size_ == kept_) {
      const std::size_t oldest = slot_before(kept_);
      weights_[oldest] = 0.0;
      dictionary.drop_scratch(oldest);
    } else {
      ++size_;
    }
    now_ = slot(1);
    --pending_;
    left_ = left_.subspan(1);
  }

  /// |W|.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// For the x that the kernel row belongs to: Σ_i a_i κ(s_i, x), and (1/|W|) Σ_{(z,y)∈W} y κ(z, x), or 0 if W is
  /// empty.
  [[nodiscard]] KernelValues::Sums sums(const KernelValues& row, const AlignedVector<double>& a) const {
    KernelValues::Sums sums = row.sums(a, weights_);
    if (size_ == 0) {
      sums.scratch_rows = {};
    } else {
      sums.scratch_rows.sum *= 1.0 / static_cast<double>(size_);  // off the critical path
    }
    return sums;
  }
  /// The row of W `back` rounds ago, 1 being the last: its label, and which scratch row it is.
  [[nodiscard]] double label_before(std::size_t back) const { return weights_[slot_before(back)]; }
  [[nodiscard]] std::size_t scratch_before(std::size_t back) const { return slot_before(back); }
  /// What is computed of the rows to come is forgotten, because the dictionary is going to be another one. To be called
  /// between rounds.
  void forget_ahead(Dictionary<T>& dictionary) { drop_pending(dictionary); }
  /// (1/|W|) Σ_{(z,y)∈W} y Σ_i β_i κ(s_i, z), if the values are kept.
  [[nodiscard]] double projected_hint(const Eigen::VectorXd& beta) const;
  /// Adds factor·(1/|W|) Σ_{(z,y)∈W} y κ(z,·) to a function on rows of its own.
  void add_hint(double factor, const Dictionary<T>& dictionary, Expansion<T>& function) const;
  /// Values need no longer be kept.
  void forget_values();

  /// Writes W as tensors window.*, from the oldest to the newest row.
  void save(Archive& archive, const Dictionary<T>& dictionary) const;
  /// Takes over what `save` wrote after `rounds` rounds, into a new object.
  void load(const Archive& archive, std::uint64_t rounds, Dictionary<T>& dictionary);

  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::size_t row_of(std::size_t scratch) const { return keeps_values_ ? scratch : scratch % kBlock; }
  // For `ahead` and `back` up to ring_.
  [[nodiscard]] std::size_t slot(std::size_t ahead) const { return wrapped(now_ + ahead); }
  [[nodiscard]] std::size_t slot_before(std::size_t back) const { return wrapped(now_ + ring_ - back); }
  [[nodiscard]] std::size_t wrapped(std::size_t place) const { return place < ring_ ? place : place - ring_; }
  void begin_anew(Dictionary<T>& dictionary, Accuracy accuracy);
  void prepare(Dictionary<T>& dictionary, Accuracy accuracy);
  void resize(std::size_t scratch_rows);
  void make_room(Dictionary<T>& dictionary);
  void drop_pending(Dictionary<T>& dictionary);
  void compute(const Dictionary<T>& dictionary, Accuracy accuracy);

  std::size_t kept_;
  std::size_t ring_;  // how many scratch rows there may be: then the places of the first ones are used again
  bool keeps_values_;
  // One entry per scratch row that there is room for:
  AlignedVector<double> weights_;        // y of a row of W, else 0
  std::vector<KernelValues> rows_;       // likewise while values are kept, else one per row of a block: near each other
  std::vector<PreparedRow<T>> queries_;  // one per row of a block
  RowBlock<T> block_;                    // those, if they came as a block
  std::size_t now_ = 0;                  // the scratch row of the round that is on or comes next
  std::size_t size_ = 0;                 // W is the scratch rows before it
  std::size_t pending_ = 0;              // rows from `now_` on that are computed
  Accuracy accuracy_ = Accuracy::kFast;  // of those
  std::span<const Row> left_;            // rows of the block that had no round yet; borrowed
};

}  // namespace alder
