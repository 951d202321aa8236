#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "alder/error.h"

#include "learners/alder/alder.h"

// What ALDER does with numbers otherwise than with classes.
namespace alder {

template <class T>
void Alder<T>::check_number(double target) const {
  if (std::fabs(target) <= TargetFrame::kMost) return;
  throw Error(Error::Kind::kTarget, fmt::format("the target is {}; expected a number from {} to {}", target,
                                                -TargetFrame::kMost, TargetFrame::kMost));
}

// Of numbers: the mean of what the nearest row has and of all rows.
template <class T>
void Alder<T>::value_nearest(const RecentRows::View& known, std::size_t nearest, Outputs out) const {
  const auto n = static_cast<double>(known.targets.size());
  double mean = 0.0;
  for (const double target : known.targets) mean += target / n;
  double squares = 0.0;
  for (const double target : known.targets) squares += (target - mean) * (target - mean) / n;
  out.scores[0] = 0.5 * mean + 0.5 * known.targets[nearest];
  if (!out.extras.empty()) out.extras[0] = std::sqrt(squares);
}

// The mean, and the deviation of the mixture.
template <class T>
void Alder<T>::combine_values(std::span<const double> values, std::span<const double> deviations, Outputs out) const {
  if (!is_racing()) {
    out.scores[0] = frame_->outside(values[0]);
    if (!out.extras.empty()) out.extras[0] = frame_->scale() * deviations[0];
    return;
  }
  const std::vector<double> shares = race_->shares();
  double mean = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) mean += shares[i] * values[i];
  out.scores[0] = frame_->outside(mean);
  if (out.extras.empty()) return;
  double variance = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    variance += shares[i] * (deviations[i] * deviations[i] + (values[i] - mean) * (values[i] - mean));
  }
  out.extras[0] = frame_->scale() * std::sqrt(variance);
}

// Learns the row of the latest forecast, of which all lanes together predicted this number; both are those inside the
// frame.
template <class T>
void Alder<T>::learn_value(std::size_t first, double target, double weight, double predicted) {
  learn_lanes(first, target, weight);
  if (is_racing()) race_->after_round(charges_, weight, frame_->charge(target - predicted));
  frame_->learn(target, target - predicted);
}

template void Alder<float>::check_number(double) const;
template void Alder<double>::check_number(double) const;
template void Alder<float>::value_nearest(const RecentRows::View&, std::size_t, Outputs) const;
template void Alder<double>::value_nearest(const RecentRows::View&, std::size_t, Outputs) const;
template void Alder<float>::combine_values(std::span<const double>, std::span<const double>, Outputs) const;
template void Alder<double>::combine_values(std::span<const double>, std::span<const double>, Outputs) const;
template void Alder<float>::learn_value(std::size_t, double, double, double);
template void Alder<double>::learn_value(std::size_t, double, double, double);

}  // namespace alder
