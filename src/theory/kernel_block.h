#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alder/dataset.h"
#include "alder/kernel.h"

#include "kernel/dictionary.h"

namespace alder {

/// Some rows of a dataset, whose kernel values with any row come for several kernels at once: their dot products are
/// computed once, and several widths share the squared distances. Always in double. For one thread at a time.
class KernelBlock {
 public:
  /// The kernels must outlive it.
  explicit KernelBlock(std::span<const Kernel> kernels) : kernels_(kernels), rows_(Kernel::linear()) {}

  void append(const Row& row);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// The row whose values are wanted next; its arrays must be there until then.
  void look_at(const Row& row);
  /// κ_k(row, ·) of all rows of the block: size() numbers, with room for padded(size()). Until the next call.
  const double* values(std::size_t k);

 private:
  std::span<const Kernel> kernels_;
  Dictionary<double> rows_;
  AlignedVector<double> norms_;  // of its rows, and infinity up to the next multiple of kLanes
  PreparedRow<double> query_;
  AlignedVector<double> dots_;       // of the row looked at
  AlignedVector<double> exponents_;  // of one kernel
  AlignedVector<double> values_;     // likewise
};

/// κ(x,x) of all rows for one kernel, summed up.
struct Selfs {
  double sum = 0.0;
  double largest = 0.0;
  double smallest = 0.0;
};
/// Throws Error for a row that is not finite or too large for the kernel.
Selfs selfs_of(const Dataset& dataset, const Kernel& kernel);

}  // namespace alder
