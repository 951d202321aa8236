#include "alder/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "model/targets.h"

namespace alder {
namespace {

constexpr double kLeastProbability = 0x1.0p-52;
// Probabilities of a row sum to 1 up to this: those in float do, and one column that is meant for the positive class of
// two is noticed.
constexpr double kRoundingOfProbabilities = 1e-4;

void expect_size(std::string_view what, std::size_t size, std::size_t expected) {
  if (size != expected) throw Error(fmt::format("there are {} {}; expected {}", size, what, expected));
}

void check_finite(std::string_view what, std::span<const double> numbers, bool may_be_nan = false) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]) && !(may_be_nan && std::isnan(numbers[i]))) {
      throw Error(fmt::format("{} {} of the batch, from 0, is {}; expected a finite number", what, i, numbers[i]));
    }
  }
}

void check_probabilities(std::span<const double> probabilities, std::size_t row) {
  if (std::isnan(probabilities[0])) return;  // none
  double sum = 0.0;
  for (const double probability : probabilities) {
    if (!(probability >= 0.0 && probability <= 1.0)) {
      throw Error(
          fmt::format("a probability of row {} of the batch, from 0, is {}; expected 0 to 1", row, probability));
    }
    sum += probability;
  }
  if (std::fabs(sum - 1.0) > kRoundingOfProbabilities) {
    throw Error(fmt::format("the probabilities of row {} of the batch, from 0, sum to {}; expected 1", row, sum));
  }
}

// The class that a row's scores mean.
std::uint32_t class_of_scores(const double* scores, std::size_t outputs, std::uint32_t positive) {
  if (outputs == 1) return positive ^ static_cast<std::uint32_t>(scores[0] < 0.0);
  return static_cast<std::uint32_t>(std::max_element(scores, scores + outputs) - scores);
}

// The sums of a batch in registers.
struct BatchSums {
  std::uint64_t rows;
  double weight;
  std::uint64_t mistakes;
  double mistaken;
  std::uint64_t hinge_rows;
  double hinge_loss;
};

// max(0, x), exactly; compilers make a branch of that.
double positive_part(double x) {
  return 0.5 * (x + std::fabs(x));
}

// A square in units of 2^-60, so that a sum of them, which is 2 at most for the probabilities of a row, does not depend
// on their order: classes have other ids in another model of the same rows.
std::uint64_t square_in_units(double difference) {
  return static_cast<std::uint64_t>(0x1.0p60 * (difference * difference));
}

double half_of_squares(std::uint64_t units) {
  return 0x1.0p-61 * static_cast<double>(units);
}

double limited(double sum) {
  return std::min(sum, kMostSum);
}

}  // namespace

void Metrics::add(const Predictions& made, std::span<const double> targets, std::span<const double> weights) {
  check_targets(task_, targets, weights);
  if (targets.empty()) return;
  check_predictions(made, targets.size());
  if (task_ == Task::kClassification) {
    add_classes(made, targets, weights);
  } else {
    add_values(made, targets, weights);
  }
  limit_sums();
}

void Metrics::check_predictions(const Predictions& made, std::size_t rows) const {
  if (task_ == Task::kRegression) {
    expect_size("values", made.values.size(), rows);
    check_finite("value", made.values, true);
    if (!made.quantiles.empty()) expect_size("quantiles", made.quantiles.size(), made.levels.size() * rows);
    return;
  }
  if (made.classes.empty()) {
    if (made.outputs == 0 || made.outputs > kMostClasses) {
      throw Error(fmt::format("there are no classes, and {} outputs; expected the classes, or scores", made.outputs));
    }
    expect_size("scores", made.scores.size(), made.outputs * rows);
  } else {
    expect_size("classes", made.classes.size(), rows);
    if (!made.scores.empty()) expect_size("scores", made.scores.size(), made.outputs * rows);
  }
  for (std::size_t i = 0; i < made.classes.size(); ++i) {
    if (made.classes[i] >= kMostClasses && made.classes[i] != kNoClass) {
      throw Error(fmt::format("class {} of the batch, from 0, is {}; expected a class id, 0 to {}", i, made.classes[i],
                              kMostClasses - 1));
    }
  }
  check_finite("score", made.scores);
  if (made.positive > 1) throw Error(fmt::format("the positive class is {}; expected 0 or 1", made.positive));
  const std::size_t columns = made.probabilities.size() / rows;
  expect_size("probabilities", made.probabilities.size(), columns * rows);
  for (std::size_t i = 0; columns > 0 && i < rows; ++i) {
    check_probabilities(std::span(made.probabilities).subspan(i * columns, columns), i);
  }
}

// Whether the class of a row of the batch was met neither before the batch nor in the rows before it.
bool Metrics::is_new(std::span<const double> targets, std::span<const double> weights, std::size_t row) const {
  if (weight_of_class(static_cast<std::uint32_t>(targets[row])) > 0.0) return false;
  for (std::size_t i = 0; i < row; ++i) {
    if (targets[i] == targets[row] && is_counted(targets[i], weight_of(weights, i))) return false;
  }
  return true;
}

// Rows with one or two columns.
void Metrics::add_two(const Predictions& made, std::span<const double> targets, std::span<const double> weights) {
  const std::size_t columns = made.probabilities.size() / targets.size();
  const bool has_auc = is_of_two();
  std::uint64_t rows = 0;
  double sum = sums_.probability_weight;
  double log_loss = sums_.log_loss;
  double brier = sums_.brier;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double* const probabilities = made.probabilities.data() + i * columns;
    const double weight = weight_of(weights, i);
    const double first = probabilities[0];
    if (!is_counted(targets[i], weight) || std::isnan(first)) continue;
    const auto target = static_cast<std::uint32_t>(targets[i]);
    if (target >= columns) continue;
    const double second = columns == 2 ? probabilities[1] : 0.0;
    const double probability = probabilities[target];
    if (probability == 0.0 && is_new(targets, weights, i)) continue;
    ++rows;
    sum += weight;
    brier +=
        weight * half_of_squares(square_in_units(first - (1.0 - targets[i])) + square_in_units(second - targets[i]));
    reliability_.add(std::max(first, second), (second > first) == (target == 1), weight);
    if (has_auc) {
      if (bins_.empty()) bins_.resize(2 * kBins, 0.0);
      const auto bin =
          std::min<std::size_t>(static_cast<std::uint32_t>(second * static_cast<double>(kBins)), kBins - 1);
      bins_[2 * bin + target] += weight;
      reliability_.add_two(first, second, target, weight);
    }
    log_loss -= weight * std::log(std::max(probability, kLeastProbability));
  }
  sums_.probability_rows += rows;
  sums_.auc_rows += has_auc ? rows : 0;
  sums_.probability_weight = sum;
  sums_.log_loss = log_loss;
  sums_.brier = brier;
}

// Rows with more columns.
void Metrics::add_many(const Predictions& made, std::span<const double> targets, std::span<const double> weights) {
  const std::size_t columns = made.probabilities.size() / targets.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double* const probabilities = made.probabilities.data() + i * columns;
    const double weight = weight_of(weights, i);
    if (!is_counted(targets[i], weight) || std::isnan(probabilities[0])) continue;
    if (sums_.auc_rows > 0) {
      sums_.auc_rows = 0;
      bins_ = {};
      reliability_.forget_two();
    }
    const auto target = static_cast<std::uint32_t>(targets[i]);
    if (target >= columns) continue;
    const double probability = probabilities[target];
    if (probability == 0.0 && is_new(targets, weights, i)) continue;
    std::uint64_t squares = 0;
    // If several are the largest, the one that is predicted counts.
    std::size_t largest = !made.classes.empty() && made.classes[i] < columns ? made.classes[i] : 0;
    for (std::size_t k = 0; k < columns; ++k) {
      squares += square_in_units(probabilities[k] - (k == target ? 1.0 : 0.0));
      if (probabilities[k] > probabilities[largest]) largest = k;
    }
    ++sums_.probability_rows;
    sums_.probability_weight += weight;
    sums_.log_loss -= weight * std::log(std::max(probability, kLeastProbability));
    sums_.brier += weight * half_of_squares(squares);
    reliability_.add(probabilities[largest], largest == target, weight);
  }
}

void Metrics::add_classes(const Predictions& made, std::span<const double> targets, std::span<const double> weights) {
  // First, as it matters which classes were met before.
  if (made.probabilities.size() > 2 * targets.size()) {
    add_many(made, targets, weights);
  } else if (!made.probabilities.empty()) {
    add_two(made, targets, weights);
  }
  const bool has_hinge = made.outputs == 1 && !made.scores.empty();
  const std::array<double, 2> labels = {made.positive == 0 ? 1.0 : -1.0, made.positive == 0 ? -1.0 : 1.0};
  positive_ = made.positive;
  BatchSums counted = {sums_.rows, sums_.weight, sums_.mistakes, sums_.mistaken, sums_.hinge_rows, sums_.hinge_loss};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (!is_counted(targets[i], weight)) continue;
    const auto target = static_cast<std::uint32_t>(targets[i]);
    const std::uint32_t predicted =
        made.classes.empty() ? class_of_scores(made.scores.data() + i * made.outputs, made.outputs, made.positive)
                             : made.classes[i];
    // A processor cannot foresee classes and mistakes, so there are products and tables here instead of branches.
    const bool is_mistake = predicted != target;
    const double mistaken = weight * static_cast<double>(is_mistake);
    ++counted.rows;
    counted.weight += weight;
    counted.mistakes += static_cast<std::uint64_t>(is_mistake);
    counted.mistaken += mistaken;
    const std::uint32_t largest = predicted == kNoClass ? target : std::max(target, predicted);
    if (largest >= classes_.size()) classes_.resize(largest + 1);
    if (classes_.size() > 2) {
      counted.hinge_rows = 0;
      counted.hinge_loss = 0.0;
    } else if (has_hinge) {
      ++counted.hinge_rows;
      counted.hinge_loss += weight * positive_part(1.0 - labels[target] * made.scores[i]);
    }
    classes_[target].actual += weight;
    classes_[target].hits += weight - mistaken;
    if (predicted != kNoClass) classes_[predicted].predicted += weight;
    confusion_.add(target, predicted);
  }
  sums_.rows = counted.rows;
  sums_.weight = counted.weight;
  sums_.mistakes = counted.mistakes;
  sums_.mistaken = counted.mistaken;
  sums_.hinge_rows = counted.hinge_rows;
  sums_.hinge_loss = counted.hinge_loss;
}

void Metrics::limit_sums() {
  for (double* const sum :
       {&sums_.weight, &sums_.mistaken, &sums_.hinge_loss, &sums_.probability_weight, &sums_.log_loss, &sums_.brier,
        &sums_.squared_error, &sums_.absolute_error, &sums_.target_spread, &sums_.interval_weight, &sums_.pinball}) {
    *sum = limited(*sum);
  }
  for (double& sum : sums_.covered) sum = limited(sum);
  for (double& sum : sums_.interval_width) sum = limited(sum);
  if (sums_.weight < kMostSum) return;  // what follows are parts of it
  for (OfClass& one : classes_) one = {limited(one.actual), limited(one.predicted), limited(one.hits)};
  for (double& weight : bins_) weight = limited(weight);
  reliability_.limit(kMostSum);
}

void Metrics::renumber(std::span<const std::uint32_t> ids) {
  std::vector<OfClass> classes(std::max(classes_.size(), ids.size()));
  for (std::size_t id = 0; id < classes_.size(); ++id) classes[id < ids.size() ? ids[id] : id] = classes_[id];
  while (!classes.empty() && classes.back().actual + classes.back().predicted == 0.0) classes.pop_back();
  classes_ = std::move(classes);
  confusion_.renumber(ids);
  if (ids.size() != 2 || ids[0] == 0) return;
  positive_ = 1 - positive_;
  // Bins of the other class's probability, each with its two weights exchanged.
  std::reverse(bins_.begin(), bins_.end());
  reliability_.exchange_two();
}

void Metrics::merge(const Metrics& another) {
  if (another.task_ != task_) throw Error("metrics of classification and of regression cannot be merged");
  if (another.rows() == 0) return;
  if (rows() == 0) {
    *this = another;
    return;
  }
  const MetricSums& b = another.sums_;
  MetricSums a = sums_;
  // The mean and the spread of both (Chan, Golub and LeVeque 1979), before the weights are added.
  const double share = b.weight / (a.weight + b.weight);
  const double change = b.target_mean - a.target_mean;
  a.target_spread += b.target_spread + change * share * change * a.weight;
  a.target_mean += change * share;

  const bool are_of_two = is_of_two() && another.is_of_two();
  a.auc_rows = are_of_two ? a.auc_rows + b.auc_rows : 0;
  a.rows += b.rows;
  a.weight += b.weight;
  a.mistakes += b.mistakes;
  a.mistaken += b.mistaken;
  const bool have_two = std::max(classes_.size(), another.classes_.size()) <= 2;
  a.hinge_rows = have_two ? a.hinge_rows + b.hinge_rows : 0;
  a.hinge_loss = have_two ? a.hinge_loss + b.hinge_loss : 0.0;
  a.probability_rows += b.probability_rows;
  a.probability_weight += b.probability_weight;
  a.log_loss += b.log_loss;
  a.brier += b.brier;
  a.squared_error += b.squared_error;
  a.absolute_error += b.absolute_error;
  a.interval_rows += b.interval_rows;
  a.interval_weight += b.interval_weight;
  for (std::size_t i = 0; i < a.covered.size(); ++i) {
    a.covered[i] += b.covered[i];
    a.interval_width[i] += b.interval_width[i];
  }
  a.pinball += b.pinball;

  if (classes_.size() < another.classes_.size()) classes_.resize(another.classes_.size());
  for (std::size_t i = 0; i < another.classes_.size(); ++i) {
    classes_[i].actual += another.classes_[i].actual;
    classes_[i].predicted += another.classes_[i].predicted;
    classes_[i].hits += another.classes_[i].hits;
  }
  reliability_.merge(another.reliability_);
  if (are_of_two) {
    if (bins_.size() < another.bins_.size()) bins_.resize(another.bins_.size(), 0.0);
    for (std::size_t i = 0; i < another.bins_.size(); ++i) bins_[i] += another.bins_[i];
  } else {
    bins_ = {};
    reliability_.forget_two();
  }
  confusion_.merge(another.confusion_);
  positive_ = another.positive_;
  sums_ = a;
  limit_sums();
}

}  // namespace alder
