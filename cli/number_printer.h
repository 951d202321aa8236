#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "alder/examples.h"
#include "alder/predictions.h"

#include "prediction_printer.h"

namespace alder::cli {

/// Of which intervals it is told how many targets they hold, if no other is asked for.
inline constexpr double kUsualInterval = 0.9;

/// The levels whose quantiles are printed and counted: both ends of the interval first, then the quantiles asked for,
/// then kLevels.
std::vector<double> levels_of(const PrinterOptions& options);

/// Prints numbers: values, or what else is wanted beside them.
std::unique_ptr<Printer> make_number_printer(const PrinterOptions& options);

/// Counts how many targets are in the intervals that the first two of the levels are the ends of.
class IntervalCount {
 public:
  explicit IntervalCount(double share) : share_(share) {}

  void add(const Predictions& made, const Examples& rows);
  [[nodiscard]] double share() const { return share_; }
  /// The weight of the targets in their intervals, as a part of all; empty without any.
  [[nodiscard]] std::optional<double> coverage() const;

 private:
  double share_;
  double weight_ = 0.0;
  double covered_ = 0.0;
};

}  // namespace alder::cli
