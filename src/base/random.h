#pragma once

#include <cassert>
#include <cstdint>
#include <random>

namespace alder {

/// SplitMix64 (Steele, Lea and Flood 2014): a counter whose every value is scrambled. Its state is one number.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }

  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

/// Random numbers that are the same for the same seed on every machine: the engines are fixed by the C++ standard or
/// here, and the distributions, which the standard leaves open, are made of exact operations only, without libm.
template <class Engine>
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] const Engine& engine() const { return engine_; }

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
  Engine engine_;
};

/// For data: streams and their order.
using Random = RandomNumbers<std::mt19937_64>;
/// For learners, which store its state in their models.
using LearnerRandom = RandomNumbers<SplitMix64>;

}  // namespace alder
