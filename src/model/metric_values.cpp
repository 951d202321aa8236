#include <cmath>
#include <optional>

#include "alder/metrics.h"

#include "model/targets.h"

namespace alder {
namespace {

// The area under the ROC curve: the share of pairs, one row of each class, in which that of class 1 has the higher
// probability; equal ones count half. Empty unless there are rows of both classes.
std::optional<double> binned_auc(std::span<const double> bins) {
  double zeros = 0.0;  // in the bins so far
  double ones = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < bins.size(); i += 2) {
    pairs += bins[i + 1] * (zeros + 0.5 * bins[i]);
    zeros += bins[i];
    ones += bins[i + 1];
  }
  const double all = zeros * ones;
  if (!(all > 0.0) || !std::isfinite(all)) return std::nullopt;
  return pairs / all;
}

}  // namespace

std::optional<double> Metrics::recall(std::uint32_t id) const {
  if (!(weight_of_class(id) > 0.0)) return std::nullopt;
  return classes_[id].hits / classes_[id].actual;
}

std::vector<std::pair<std::string_view, double>> Metrics::values() const {
  if (task_ == Task::kRegression) return values_of_numbers();
  std::vector<std::pair<std::string_view, double>> values;
  const auto give = [&](std::string_view name, double value) { values.emplace_back(name, value); };
  // A sum at its limit says nothing any more.
  const auto give_sum = [&](std::string_view name, double sum, double value) {
    if (sum < kMostSum) give(name, value);
  };
  const auto give_rows = [&](std::string_view name, std::uint64_t rows) { give(name, static_cast<double>(rows)); };

  const MetricSums& sums = sums_;
  give_rows("rows", sums.rows);
  give("weight", sums.weight);
  give_rows("mistakes", sums.mistakes);
  if (sums.rows == 0 || sums.weight >= kMostSum) return values;

  const double error = sums.mistaken / sums.weight;
  give("error", error);
  double error_sum = 0.0;
  double error_classes = 0.0;
  double by_chance = 0.0;  // the share that would be right if what is predicted did not depend on the row
  for (const OfClass& one : classes_) {
    by_chance += one.actual / sums.weight * (one.predicted / sums.weight);
    if (!(one.actual > 0.0)) continue;
    error_sum += 1.0 - one.hits / one.actual;
    error_classes += 1.0;
  }
  give("balanced_error", error_sum / error_classes);
  if (by_chance < 1.0) give("kappa", 1.0 - error / (1.0 - by_chance));
  if (sums.hinge_rows > 0) {
    give_sum("hinge_loss", sums.hinge_loss, sums.hinge_loss);
    give_rows("hinge_rows", sums.hinge_rows);
  }
  double f1_sum = 0.0;
  double f1_classes = 0.0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const OfClass& one = classes_[i];
    if (!(one.actual + one.predicted > 0.0)) continue;
    const double f1 = 2.0 * one.hits / (one.actual + one.predicted);
    if (i == positive_ && classes_.size() <= 2) give("f1", f1);
    f1_sum += f1;
    f1_classes += 1.0;
  }
  give("macro_f1", f1_sum / f1_classes);
  if (sums.probability_rows == 0) return values;
  give_sum("log_loss", sums.log_loss, sums.log_loss / sums.probability_weight);
  give_sum("brier", sums.brier, sums.brier / sums.probability_weight);
  if (reliability_.weight() > 0.0) give("calibration_error", reliability_.error(is_of_two()));
  if (is_of_two()) {
    if (const auto auc = binned_auc(bins_)) give("auc", *auc);
  }
  give_rows("probability_rows", sums.probability_rows);
  return values;
}

}  // namespace alder
