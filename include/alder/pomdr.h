#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "alder/kernel.h"
#include "alder/learner.h"
#include "alder/precision.h"

namespace alder {

/// The options of POMDR. The defaults are the settings of the paper's experiments.
struct PomdrOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t budget = 400;  ///< B, even and larger than b0: reaching it removes half of the support set
  double radius = 25.0;      ///< U, the largest norm of the hypothesis
  std::size_t window = 15;   ///< M, how many recent examples form the optimistic gradient
  double zeta = 2.0 / 3.0;   ///< ζ in (0, 1], the exponent of the ALD threshold θ = ald·sqrt(D)·T^(−ζ)
  double ald = 10.0;         ///< the constant in that threshold
  double factor = 0.05;      ///< c, what the learning rate is multiplied by after the first removal
  /// B0, the support size that ends phase 1. Empty: round(15 ln T).
  std::optional<std::size_t> b0;
  /// T, the number of rounds to come. Empty: unknown; T is then taken as 2^20 and doubled whenever it is exceeded,
  /// B0 (if automatic) and θ following it.
  std::optional<std::uint64_t> horizon;
  Precision precision = Precision::kFloat;
};

/// POMDR, Algorithm 1 of "Improved Kernel Alignment Regret Bound for Online Kernel Learning" (AAAI 2023).
/// Throws Error for options that contradict the paper's conditions, with one message each.
std::unique_ptr<Learner> make_pomdr(const PomdrOptions& options);

}  // namespace alder
