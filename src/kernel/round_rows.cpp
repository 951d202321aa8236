#include "kernel/round_rows.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "alder/error.h"
#include "alder/examples.h"

#include "archive/archive.h"
#include "kernel/gram.h"

namespace alder {
namespace {

// Room that there is from the beginning: enough for the window of the paper, and two of the widest vectors.
constexpr std::size_t kFirstScratchRows = 2 * kLanes;

}  // namespace

template <class T>
RoundRows<T>::RoundRows(std::size_t kept, bool keeps_values)
    : kept_(kept), ring_(padded(kept + kBlock)), keeps_values_(keeps_values), queries_(kBlock) {
  resize(std::min(ring_, kFirstScratchRows));
}

template <class T>
void RoundRows<T>::resize(std::size_t scratch_rows) {
  weights_.resize(scratch_rows);
  rows_.resize(keeps_values_ ? scratch_rows : kBlock);
}

// A window may be asked for that is far longer than the stream, so it grows with it.
template <class T>
void RoundRows<T>::make_room(Dictionary<T>& dictionary) {
  if (scratch_rows() == ring_ || now_ + kBlock <= scratch_rows()) return;
  resize(std::min(ring_, padded(2 * (now_ + kBlock))));
  dictionary.reserve_scratch_rows(scratch_rows());
}

template <class T>
void RoundRows<T>::begin_block(std::span<const Row> rows, Dictionary<T>& dictionary, Accuracy accuracy) {
  assert(pending_ == 0 && rows.size() <= kBlock);
  left_ = rows;
  prepare(dictionary, accuracy);
}

// Computes as many rows of the block as can be computed together.
template <class T>
void RoundRows<T>::prepare(Dictionary<T>& dictionary, Accuracy accuracy) {
  make_room(dictionary);
  const std::size_t most = std::min(left_.size(), ring_ - now_);  // scratch rows side by side
  std::array<PreparedRow<T>*, kBlock> queries;
  for (std::size_t p = 0; p < most; ++p) queries[p] = &queries_[(now_ + p) % kBlock];
  // Whether float arithmetic will do is decided in every round; here it must be certain for all of them. What is wrong
  // with a row is said when it is its turn.
  const bool near = accuracy == Accuracy::kFast && !dictionary.is_always_exact();
  pending_ = dictionary.put_scratch_rows(now_, left_.first(most), queries.data(), near, block_);
  if (pending_ > 0) compute(dictionary, accuracy);
}

// The next row is not computed, or with another accuracy.
template <class T>
void RoundRows<T>::begin_anew(Dictionary<T>& dictionary, Accuracy accuracy) {
  assert(!left_.empty());
  drop_pending(dictionary);
  prepare(dictionary, accuracy);
  if (pending_ > 0) return;
  PreparedRow<T>& query = queries_[now_ % kBlock];
  query.borrow(left_.front(), dictionary.kernel());
  block_.clear();
  dictionary.put_scratch(now_, query);
  pending_ = 1;
  compute(dictionary, accuracy);
}

template <class T>
void RoundRows<T>::drop_pending(Dictionary<T>& dictionary) {
  for (std::size_t p = 0; p < pending_; ++p) dictionary.drop_scratch(slot(p));
  pending_ = 0;
}

template <class T>
void RoundRows<T>::compute(const Dictionary<T>& dictionary, Accuracy accuracy) {
  std::array<ScratchRow<T>, kBlock> rows;
  for (std::size_t p = 0; p < pending_; ++p) rows[p] = {slot(p), &queries_[slot(p) % kBlock], &rows_[row_of(slot(p))]};
  assert(accuracy == Accuracy::kExact || !keeps_values_);
  dictionary.scratch_rows(std::span(rows).first(pending_), accuracy, &block_);
  accuracy_ = accuracy;
}

// κ is symmetric to the bit, so the values of this round's row with the scratch rows are those of the scratch rows with
// it.
template <class T>
void RoundRows<T>::joined(std::size_t element) {
  // This round's own row is of no more use, unless it is kept.
  for (std::size_t p = keeps_values_ ? 0 : 1; p < pending_; ++p) {
    rows_[row_of(slot(p))].take(element, row(), slot(p));
  }
  if (!keeps_values_) return;
  for (std::size_t b = 1; b <= size_; ++b) rows_[slot_before(b)].take(element, row(), slot_before(b));
}

template <class T>
void RoundRows<T>::truncated(std::size_t size) {
  for (std::size_t p = 0; p < pending_; ++p) rows_[row_of(slot(p))].truncate(size);
}

template <class T>
void RoundRows<T>::forget_values() {
  if (!keeps_values_) return;
  keeps_values_ = false;
  for (std::size_t p = 0; p < pending_; ++p) {
    if (slot(p) != row_of(slot(p))) std::swap(rows_[slot(p)], rows_[row_of(slot(p))]);
  }
  rows_.resize(kBlock);
}

template <class T>
double RoundRows<T>::projected_hint(const Eigen::VectorXd& beta) const {
  if (size_ == 0) return 0.0;
  double sum = 0.0;
  for (std::size_t b = 1; b <= size_; ++b) sum += weights_[slot_before(b)] * rows_[slot_before(b)].dot(beta);
  return sum / static_cast<double>(size_);
}

template <class T>
void RoundRows<T>::add_hint(double factor, const Dictionary<T>& dictionary, Expansion<T>& function) const {
  for (std::size_t b = size_; b > 0; --b) {
    const std::size_t scratch = slot_before(b);
    function.append(dictionary.scratch_query(scratch), factor * weights_[scratch] / static_cast<double>(size_));
  }
}

template <class T>
void RoundRows<T>::save(Archive& archive, const Dictionary<T>& dictionary) const {
  std::vector<std::size_t> scratch_rows;
  std::vector<double> labels;
  std::vector<double> values;
  for (std::size_t b = size_; b > 0; --b) {
    const std::size_t scratch = slot_before(b);
    scratch_rows.push_back(scratch);
    labels.push_back(weights_[scratch]);
    for (std::size_t i = 0; keeps_values_ && i < dictionary.size(); ++i) values.push_back(rows_[scratch].kernel(i));
  }
  dictionary.save_scratch_rows(archive, "window", scratch_rows);
  archive.put("window.labels", labels);
  archive.put("window.support_values", values);
}

template <class T>
void RoundRows<T>::load(const Archive& archive, std::uint64_t rounds, Dictionary<T>& dictionary) {
  std::vector<PreparedRow<T>> queries = load_rows<T>(archive, "window", dictionary.kernel());
  size_ = queries.size();
  if (size_ != std::min<std::uint64_t>(rounds, kept_)) throw_bad_archive("its window has another size");
  now_ = rounds % ring_;
  if (rounds >= ring_) {
    resize(ring_);
    dictionary.reserve_scratch_rows(ring_);
  } else {
    make_room(dictionary);
  }
  const auto labels = archive.get<double>("window.labels", size_);
  const std::size_t support = keeps_values_ ? dictionary.size() : 0;
  const auto values = archive.get<double>("window.support_values", size_ * support);
  for (std::size_t z = 0; z < size_; ++z) {
    const std::size_t scratch = slot_before(size_ - z);
    if (!(std::fabs(labels[z]) > 0.0 && std::fabs(labels[z]) <= kMostWeight)) {
      throw_bad_archive("a label of its window is out of range");
    }
    weights_[scratch] = labels[z];
    dictionary.put_scratch(scratch, queries[z]);
    for (std::size_t i = 0; i < support; ++i) {
      if (!can_be_kernel_value(values[z * support + i], dictionary.scratch_self(scratch), dictionary.self(i))) {
        throw_bad_archive("a kernel value of its window is out of range");
      }
    }
    if (keeps_values_) rows_[scratch].restore(scratch_rows(), std::span(values).subspan(z * support, support));
  }
}

template <class T>
std::size_t RoundRows<T>::bytes() const {
  std::size_t total = weights_.capacity() * sizeof(double) + block_.bytes();
  for (const PreparedRow<T>& query : queries_) total += query.bytes();
  for (const KernelValues& row : rows_) total += row.bytes();
  return total;
}

template class RoundRows<float>;
template class RoundRows<double>;

}  // namespace alder
