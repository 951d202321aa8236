#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"

#include "kernel/dictionary.h"

namespace alder {

/// Does `work(i)` for all i < count on at most `threads` threads: on this one alone, if that is enough.
void share_out(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

/// Rows of the kernel matrix of all rows appended so far, in double; the latest that were asked for are kept, as many
/// as there is memory for.
class KernelRowCache {
 public:
  /// `bytes` of memory for rows; `threads` compute them.
  KernelRowCache(const Kernel& kernel, std::size_t bytes, unsigned threads);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// κ(x_i, x_i).
  [[nodiscard]] double self(std::size_t i) const { return selfs_[i]; }
  /// Throws Error for a row out of range, and is then unchanged. Forgets the rows that are kept.
  void append(const Row& row);

  /// The rows of these numbers will be looked at: computes those that are not there. At most `room()` at a time.
  void want(std::span<const std::size_t> numbers);
  /// κ(x_i, x_j) for all j: a row that was wanted last.
  [[nodiscard]] const double* operator[](std::size_t i) const { return kept_[i].data(); }
  [[nodiscard]] std::size_t room() const;

  /// Σ_j weights[j] κ(x_j, x_i) for i from `first` on; `weights` are padded with zeros.
  [[nodiscard]] std::vector<double> sums(std::size_t first, const AlignedVector<double>& weights) const;

 private:
  void make_room(std::size_t rows);

  std::size_t bytes_;
  unsigned threads_;
  Dictionary<double> rows_;
  std::vector<double> selfs_;
  std::vector<std::vector<double>> kept_;  // one per row; empty: not there
  std::vector<std::size_t> there_;         // those that are
  std::vector<std::uint64_t> used_;        // when each was wanted last
  std::uint64_t now_ = 0;
};

}  // namespace alder
