#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/gram.h"

namespace alder {

class Archive;

/// What the removal of half of a full support set needs (paper, section "OMDR"): the Gram matrix of the B/2 oldest
/// elements, which stay for ever, and for every later element the kept one most similar to it. Both come from the
/// kernel rows of the rounds that appended the elements; nothing is computed again.
class MergePlan {
 public:
  explicit MergePlan(std::size_t budget) : kept_(budget / 2) {}

  /// The element at position `row.size()` has been appended; `row` has its kernel values with those before it.
  void record(const KernelValues& row, double self);

  /// Gives the coefficient of every element beyond the first half to the most similar kept one and drops it: a has
  /// B/2 coefficients (and padding) afterwards. Returns aᵀ K a.
  double merge(AlignedVector<double>& a);

  /// Writes what was recorded, as tensors halving.*.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote, of elements with these κ(s_i,s_i).
  void load(const Archive& archive, std::span<const double> selfs);

  /// How many elements stay.
  [[nodiscard]] std::size_t kept() const { return kept_; }
  [[nodiscard]] std::size_t bytes() const { return gram_.bytes() + most_similar_.capacity() * sizeof(std::uint64_t); }

 private:
  std::size_t kept_;
  Gram gram_;                                // of the kept elements
  std::vector<std::uint64_t> most_similar_;  // of element kept_ + j: the index of a kept element
};

}  // namespace alder
