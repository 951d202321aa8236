#pragma once

#include <cstddef>
#include <cstdint>

#include "alder/pomdr.h"

namespace alder {

class Archive;

/// Throws Error for the first option that is out of its range or contradicts another.
void check(const PomdrOptions& options);

/// The options in an archive's settings, under "options".
void save(const PomdrOptions& options, Archive& archive);
/// Throws Error for what is missing or fails `check`.
PomdrOptions load_pomdr_options(const Archive& archive);

/// What depends on the horizon T: the ALD threshold θ and the support size B0 that ends phase 1. With an unknown
/// horizon both follow T as it doubles.
class PomdrSchedule {
 public:
  explicit PomdrSchedule(const PomdrOptions& options);

  /// To be called before round t, t = 1, 2, …
  void begin_round(std::uint64_t t);

  [[nodiscard]] std::uint64_t horizon() const { return horizon_; }
  [[nodiscard]] std::size_t b0() const { return b0_; }
  /// ald·T^(−ζ); times sqrt(D) it is the ALD threshold θ.
  [[nodiscard]] double threshold() const { return threshold_; }

 private:
  void follow();

  PomdrOptions options_;
  std::uint64_t horizon_;
  std::size_t b0_ = 0;
  double threshold_ = 0.0;
};

}  // namespace alder
