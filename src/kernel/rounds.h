#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "kernel/expansion.h"

namespace alder {

/// The rows of a learner's rounds, as guests of its dictionary: that of the round that is on, those expected next, and
/// those of the last `kept` rounds, W. The kernel values of expected rows are computed together, with the dictionary
/// and with each other, so that a row that joins the dictionary costs no value: those of the rows behind it are known.
/// Results are the same to the bit as without expectations.
///
/// W is what the optimistic gradient ∇̄ = −(1/|W|) Σ y κ(x,·) is made of. On request, and if all is exact, also the
/// values κ(z, s_i) of all z in W and elements s_i stay known: z brings its own along, and when x joins, the values are
/// those of the hint for x.
///
/// Its dictionary is passed to every call that needs it: always the same one.
template <class T>
class Rounds {
 public:
  /// The most rows that are computed together.
  static constexpr std::size_t kAhead = RowBlock<T>::kRows;

  Rounds(std::size_t kept, bool keeps_values);

  /// How many guests the dictionary must have room for at the beginning; later they are asked for when they come.
  [[nodiscard]] std::size_t guests() const { return weights_.size(); }

  /// These rows, checked, come next, in this order. Takes over as many as it can compute ahead.
  void expect(std::span<const Row> rows, Dictionary<T>& dictionary, Accuracy accuracy);
  /// Begins the round of a row, expected or not. Throws Error for a row out of range, and is then as before.
  void begin(const Row& row, Dictionary<T>& dictionary, Accuracy accuracy) {
    if (pending_ > 0 && accuracy == accuracy_ && row.is_same_view(expected_[expected_.size() - pending_])) return;
    begin_anew(row, dictionary, accuracy);
  }
  /// The row of the round that is on.
  [[nodiscard]] const Query<T>& x() const { return queries_[now_ % kAhead]; }
  [[nodiscard]] const KernelRow& row() const { return rows_[row_of(now_)]; }
  /// Which guest it is.
  [[nodiscard]] std::size_t guest() const { return now_; }
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
      dictionary.drop_guest(oldest);
    } else {
      ++size_;
    }
    now_ = slot(1);
    if (--pending_ == 0) expected_.clear();
  }

  /// |W|.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// For the x that the kernel row belongs to: Σ_i a_i κ(s_i, x), and (1/|W|) Σ_{(z,y)∈W} y κ(z, x), or 0 if W is
  /// empty.
  [[nodiscard]] KernelRow::Sums sums(const KernelRow& row, const AlignedVector<double>& a) const {
    KernelRow::Sums sums = row.sums(a, weights_);
    if (size_ == 0) {
      sums.guests = {};
    } else {
      sums.guests.sum *= 1.0 / static_cast<double>(size_);  // off the critical path
    }
    return sums;
  }
  /// The row of W `back` rounds ago, 1 being the last: its label, and which guest it is.
  [[nodiscard]] double label_before(std::size_t back) const { return weights_[slot_before(back)]; }
  [[nodiscard]] std::size_t guest_before(std::size_t back) const { return slot_before(back); }
  /// Nothing is expected any more. To be called between rounds.
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
  [[nodiscard]] std::size_t row_of(std::size_t guest) const { return keeps_values_ ? guest : guest % kAhead; }
  // For `ahead` and `back` up to ring_.
  [[nodiscard]] std::size_t slot(std::size_t ahead) const { return wrapped(now_ + ahead); }
  [[nodiscard]] std::size_t slot_before(std::size_t back) const { return wrapped(now_ + ring_ - back); }
  [[nodiscard]] std::size_t wrapped(std::size_t place) const { return place < ring_ ? place : place - ring_; }
  void begin_anew(const Row& row, Dictionary<T>& dictionary, Accuracy accuracy);
  void resize(std::size_t guests);
  void make_room(Dictionary<T>& dictionary);
  void drop_pending(Dictionary<T>& dictionary);
  void compute(const Dictionary<T>& dictionary, Accuracy accuracy);

  std::size_t kept_;
  std::size_t ring_;  // how many guests there may be: then the places of the first ones are used again
  bool keeps_values_;
  // One entry per guest that there is room for:
  AlignedVector<double> weights_;  // y of a row of W, else 0
  std::vector<KernelRow> rows_;    // likewise while values are kept, else one per expected row, in which they stay near
  std::vector<Query<T>> queries_;  // one per expected row
  RowBlock<T> block_;              // those, if they came as a block
  std::size_t now_ = 0;            // the guest of the round that is on or comes next
  std::size_t size_ = 0;           // W is the guests before it
  std::size_t pending_ = 0;        // rows from `now_` on that are computed
  Accuracy accuracy_ = Accuracy::kFast;  // of those
  std::vector<Row> expected_;            // those, as they were given; borrowed
};

}  // namespace alder
