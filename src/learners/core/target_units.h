#pragma once

#include <optional>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "alder/loss.h"

namespace alder {

/// The units in which a learner of numbers learns them: of a number y it learns (y − center)/scale, and of its score s
/// for that the score of y is center + scale·s; or s + ln(scale), where scores are logarithms (the loss "poisson"), and
/// then the center is 0.
class TargetUnits {
 public:
  /// What is larger or smaller is taken as these.
  static constexpr double kLargestCenter = 1e50;
  static constexpr double kSmallestScale = 1e-50;
  static constexpr double kLargestScale = 1e50;

  TargetUnits(const Loss& loss, double center, double scale);

  [[nodiscard]] double center() const { return center_; }
  [[nodiscard]] double scale() const { return scale_; }

  /// What is learned of a number. It is finite.
  [[nodiscard]] double learned(double number) const;
  /// The score of the number by that of what was learned.
  [[nodiscard]] double score(double learned) const { return offset_ + slope_ * learned; }
  /// That score is offset + slope·score.
  [[nodiscard]] double offset() const { return offset_; }
  [[nodiscard]] double slope() const { return slope_; }

 private:
  double center_;
  double scale_;
  double offset_;
  double slope_;
};

/// What the options of a learner say of its units.
struct AskedUnits {
  Loss loss = Loss::of(Loss::Kind::kSquared);
  std::optional<double> center;
  std::optional<double> scale;

  /// Takes "target_center" and "target_scale" out of options, which are an object; empty if their loss is none of
  /// regression. Throws Error for values that are out of range, and for any if they cannot be.
  static std::optional<AskedUnits> taken_from(nlohmann::ordered_json& options);

  [[nodiscard]] bool are_complete() const { return center && scale; }
  /// Those that are asked for; what is not, as suits these numbers, at least one: their mean, and their standard
  /// deviation. If that is 0, it is the size of their mean, and 1 if that is 0 as well. The scale of counts is their
  /// mean.
  [[nodiscard]] TargetUnits of(std::span<const double> numbers) const;
  /// If they are complete.
  [[nodiscard]] TargetUnits given() const { return {loss, center.value(), scale.value()}; }
  /// Writes what is asked for into options.
  void write(nlohmann::ordered_json& options) const;
};

}  // namespace alder
