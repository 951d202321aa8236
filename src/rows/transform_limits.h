#pragma once

#include <cstddef>

namespace alder {

/// What a Transform keeps to, so that nothing it computes overflows.
inline constexpr double kLargestMapped = 1e30;
inline constexpr double kLeastMultiplier = 1e-30;
inline constexpr double kLargestMultiplier = 1e30;
/// Of `normal`. The difference of two knots is finite; values beyond count as these.
inline constexpr double kLargestKnot = 1e307;
inline constexpr std::size_t kMostKnots = 64;
/// 0.3·(Φ⁻¹(1 − u) − Φ⁻¹(u)) is less for every u ≥ 1e-18.
inline constexpr double kLargestImage = 10.0;

}  // namespace alder
