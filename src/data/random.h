#pragma once

#include <cassert>
#include <cstdint>
#include <random>

namespace alder {

/// Random numbers that are the same for the same seed on every machine: the engine is fixed by the C++ standard, and
/// the distributions, which are not, are made here of exact operations only, without libm.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  /// Uniform in [0, 1), a multiple of 2^−53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  /// Uniform in {0, …, n − 1}, without bias. Requires n >= 1.
  std::uint64_t below(std::uint64_t n) {
    assert(n >= 1);
    const std::uint64_t excess = (0 - n) % n;  // 2^64 mod n: so many of the lowest draws would be one too many
    std::uint64_t draw = engine_();
    while (draw < excess) draw = engine_();
    return draw % n;
  }

  bool chance(double probability) { return uniform() < probability; }

  /// Exponential with mean 1 (von Neumann 1951): the first of a falling run of uniforms, the run being of odd length
  /// with probability exp(−first). About 4.3 uniforms.
  double exponential() {
    for (double whole = 0.0;; whole += 1.0) {
      const double first = uniform();
      bool odd = true;
      double last = first;
      for (double next = uniform(); next < last; next = uniform()) {
        last = next;
        odd = !odd;
      }
      if (odd) return whole + first;
    }
  }

  /// Standard normal (Kahn 1949): |x| is exponential, kept with probability exp(−(|x| − 1)²/2), which is the density
  /// of the half normal over that of the exponential. Keeps 76 %.
  double normal() {
    while (true) {
      const double x = exponential();
      if ((x - 1.0) * (x - 1.0) <= 2.0 * exponential()) return (bits() >> 63) != 0 ? -x : x;
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace alder
