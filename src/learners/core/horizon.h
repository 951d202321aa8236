#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "alder/loss.h"

namespace alder {

/// T, the number of rounds. If it is not known, it is taken as 2^20 and doubled whenever it is exceeded.
class Horizon {
 public:
  explicit Horizon(std::optional<std::uint64_t> rounds)
      : is_known_(rounds.has_value()), value_(rounds.value_or(std::uint64_t{1} << 20U)) {}

  [[nodiscard]] std::uint64_t value() const { return value_; }

  /// To be called before round t, t = 1, 2, … Returns whether T has changed.
  bool reach(std::uint64_t t) {
    if (is_known_ || t <= value_) return false;
    while (t > value_) value_ *= 2;
    return true;
  }

 private:
  bool is_known_;
  std::uint64_t value_;
};

/// The step of options that leave it to the loss: tuned on classes, and on numbers with mean 0 and variance 1. (The
/// default of "linear" is its own.)
inline double usual_step(const Loss& loss) {
  return loss.task() == Task::kRegression ? 3.0 : 100.0;
}

/// Options whose step is what they say, or else `usual`.
template <class Options>
Options with_step(Options options, double usual) {
  if (!options.step) options.step = usual;
  return options;
}

/// The step size η of round t: step/sqrt(T), or step/sqrt(t) when T is not known.
class StepSize {
 public:
  StepSize(double step, std::optional<std::uint64_t> rounds)
      : step_(step), constant_(rounds ? std::optional(step / std::sqrt(static_cast<double>(*rounds))) : std::nullopt) {}

  [[nodiscard]] double at(std::uint64_t t) const {
    return constant_ ? *constant_ : step_ / std::sqrt(static_cast<double>(t));
  }

 private:
  double step_;
  std::optional<double> constant_;
};

}  // namespace alder
