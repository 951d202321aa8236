#pragma once

#include <cstddef>
#include <cstdint>

#include "alder/pomdr.h"

#include "learners/core/horizon.h"

namespace alder {

class OptionVisitor;

void list(PomdrOptions& options, OptionVisitor& visit);
/// Throws Error for the first option that is out of its range or contradicts another.
void check(const PomdrOptions& options);

/// What depends on the horizon T: the ALD threshold θ and the support size B0 that ends phase 1. With an unknown
/// horizon both follow T as it doubles.
class PomdrSchedule {
 public:
  explicit PomdrSchedule(const PomdrOptions& options);

  /// To be called before round t, t = 1, 2, …
  void begin_round(std::uint64_t t);

  [[nodiscard]] std::uint64_t horizon() const { return horizon_.value(); }
  [[nodiscard]] std::size_t b0() const { return b0_; }
  /// ald·T^(−ζ); times sqrt(D) it is the ALD threshold θ.
  [[nodiscard]] double threshold() const { return threshold_; }

 private:
  void follow();

  PomdrOptions options_;
  Horizon horizon_;
  std::size_t b0_ = 0;
  double threshold_ = 0.0;
};

}  // namespace alder
