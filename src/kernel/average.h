#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/expansion.h"

namespace alder {

/// The mean over rounds of a function f = Σ a_i κ(s_i,·) that changes on the way: Σ_i (Σ_t a_i(t)/n) κ(s_i,·), exactly,
/// over all rows that were in its support set meanwhile. A round costs nothing unless it changes f, then O(|S|); memory
/// grows by the rows that leave the support set.
///
/// The function is passed to every call that needs it: always the same one, and only ever growing but for `leave`.
template <class T>
class Average {
 public:
  explicit Average(const Kernel& kernel) : gone_(kernel) {}

  /// One more round in which f is as it is.
  void count() {
    ++pending_;
    ++rounds_;
  }
  /// Before f changes in any way.
  void settle(const Expansion<T>& f);
  /// Before the elements from `kept` on leave; in the round of a `settle`.
  void leave(const Expansion<T>& f, std::size_t kept);

  /// How many rounds were counted.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  /// The mean over those, of which there must be some.
  [[nodiscard]] Expansion<T> mean(const Expansion<T>& f) const;

  [[nodiscard]] std::size_t bytes() const { return gone_.bytes() + sums_.capacity() * sizeof(double); }

 private:
  std::uint64_t rounds_ = 0;
  std::uint64_t pending_ = 0;  // of those, the ones that are not in the sums yet
  std::vector<double> sums_;   // Σ_t a_i(t) of the elements
  Expansion<T> gone_;          // the same of those that have left
};

}  // namespace alder
