#include <cmath>
#include <string>

#include "alder/metrics.h"

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {
namespace {

// Calls visit(name, number) for each of the sums that a task has.
template <class Sums, class Visit>
void visit_sums(Task task, Sums& sums, const Visit& visit) {
  visit("rows", sums.rows);
  visit("weight", sums.weight);
  if (task == Task::kClassification) {
    visit("mistakes", sums.mistakes);
    visit("mistaken", sums.mistaken);
    visit("hinge_rows", sums.hinge_rows);
    visit("hinge_loss", sums.hinge_loss);
    visit("probability_rows", sums.probability_rows);
    visit("probability_weight", sums.probability_weight);
    visit("log_loss", sums.log_loss);
    visit("brier", sums.brier);
    visit("auc_rows", sums.auc_rows);
  } else {
    visit("squared_error", sums.squared_error);
    visit("absolute_error", sums.absolute_error);
    visit("target_mean", sums.target_mean);
    visit("target_spread", sums.target_spread);
    visit("interval_rows", sums.interval_rows);
    visit("interval_weight", sums.interval_weight);
    visit("covered_80", sums.covered[0]);
    visit("covered_90", sums.covered[1]);
    visit("covered_95", sums.covered[2]);
    visit("width_80", sums.interval_width[0]);
    visit("width_90", sums.interval_width[1]);
    visit("width_95", sums.interval_width[2]);
    visit("pinball", sums.pinball);
  }
}

bool are_classification_sums(const MetricSums& sums) {
  return sums.mistakes <= sums.rows && sums.hinge_rows <= sums.rows && sums.probability_rows <= sums.rows &&
         sums.auc_rows <= sums.probability_rows && is_weight(sums.mistaken, sums.mistakes) &&
         sums.mistaken <= sums.weight && is_sum(sums.hinge_loss, sums.hinge_rows) &&
         is_weight(sums.probability_weight, sums.probability_rows) && sums.probability_weight <= sums.weight &&
         is_sum(sums.log_loss, sums.probability_rows) && is_sum(sums.brier, sums.probability_rows);
}

bool are_regression_sums(const MetricSums& sums) {
  const auto are_intervals = [&sums] {
    for (std::size_t i = 0; i < sums.covered.size(); ++i) {
      if (!is_sum(sums.covered[i], sums.interval_rows) || !is_sum(sums.interval_width[i], sums.interval_rows) ||
          sums.covered[i] > sums.interval_weight) {
        return false;
      }
    }
    return is_sum(sums.pinball, sums.interval_rows);
  };
  return is_sum(sums.squared_error, sums.rows) && is_sum(sums.absolute_error, sums.rows) &&
         is_sum(std::fabs(sums.target_mean), sums.rows) && is_sum(sums.target_spread, sums.rows) &&
         sums.interval_rows <= sums.rows && is_weight(sums.interval_weight, sums.interval_rows) &&
         sums.interval_weight <= sums.weight && are_intervals();
}

// Whether these are sums of the same weights, added in different orders.
bool are_same_weights(double a, double b) {
  return a >= kMostSum || b >= kMostSum || std::fabs(a - b) <= kRoundingOfSums * b;
}

}  // namespace

void Metrics::save(Archive& archive) const {
  archive.set("metrics", "task", std::string(task_ == Task::kClassification ? "classification" : "regression"));
  visit_sums(task_, sums_, [&](const char* name, auto number) { archive.set("metrics", name, number); });
  if (task_ == Task::kRegression) return;
  archive.set("metrics", "positive", std::uint64_t{positive_});
  std::vector<double> numbers;
  for (const OfClass& one : classes_) numbers.insert(numbers.end(), {one.actual, one.predicted, one.hits});
  archive.put("metrics.classes", numbers);
  confusion_.save(archive, "metrics.confusion");
  if (sums_.auc_rows > 0) archive.put("metrics.auc", bins_);
  reliability_.save(archive, "metrics.reliability", sums_.auc_rows > 0);
}

Metrics Metrics::load(const Archive& archive) {
  const auto task = archive.setting<std::string>("metrics", "task");
  if (task != "classification" && task != "regression") throw_bad_archive("the task of its metrics is unknown");
  Metrics loaded(task == "classification" ? Task::kClassification : Task::kRegression);
  visit_sums(loaded.task_, loaded.sums_, [&](const char* name, auto& number) {
    number = archive.setting<std::decay_t<decltype(number)>>("metrics", name);
  });
  if (loaded.task_ == Task::kClassification) loaded.load_classes(archive);
  if (!loaded.is_sound()) throw_bad_archive("its metrics contradict each other");
  return loaded;
}

void Metrics::load_classes(const Archive& archive) {
  const auto positive = archive.setting<std::uint64_t>("metrics", "positive");
  if (positive > 1) throw_bad_archive("the positive class of its metrics is neither 0 nor 1");
  positive_ = static_cast<std::uint32_t>(positive);
  const auto numbers = archive.get<double>("metrics.classes");
  if (numbers.size() % 3 != 0) throw_bad_archive("tensor metrics.classes does not have three numbers for each class");
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    classes_.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  confusion_ = Confusion::load(archive, "metrics.confusion");
  // Once files had both: those of rows before and after the third class came.
  if (sums_.auc_rows < sums_.probability_rows) sums_.auc_rows = 0;
  if (sums_.auc_rows > 0) bins_ = archive.get<double>("metrics.auc", 2 * kBins);
  reliability_ = Reliability::load(archive, "metrics.reliability", sums_.auc_rows > 0);
}

bool Metrics::is_sound() const {
  if (sums_.rows > kMostCountedRows || !is_weight(sums_.weight, sums_.rows)) return false;
  if (task_ == Task::kRegression) return are_regression_sums(sums_);
  if (!are_classification_sums(sums_) || classes_.size() > kMostClasses || confusion_.rows() != sums_.rows)
    return false;

  OfClass sum;
  for (const OfClass& one : classes_) {
    const bool is_class = one.hits >= 0.0 && one.hits <= one.actual && one.hits <= one.predicted &&
                          one.actual <= sums_.weight && one.predicted <= sums_.weight;
    if (!is_class) return false;
    sum = {sum.actual + one.actual, sum.predicted + one.predicted, sum.hits + one.hits};
  }
  if (!classes_.empty() && !(classes_.back().actual + classes_.back().predicted > 0.0)) return false;
  if (!are_same_weights(sum.actual, sums_.weight) || !are_same_weights(sum.hits + sums_.mistaken, sums_.weight) ||
      sum.predicted > sums_.weight * (1.0 + kRoundingOfSums)) {
    return false;
  }
  for (const Confusion::Entry& entry : confusion_.entries()) {
    const auto is_known = [&](std::uint32_t id) { return id < classes_.size(); };
    if (!is_known(entry.actual) || !(entry.predicted == kNoClass || is_known(entry.predicted))) return false;
  }
  double binned = 0.0;
  for (const double weight : bins_) {
    if (!(weight >= 0.0 && weight <= sums_.weight)) return false;
    binned += weight;
  }
  // A file that was first written before there were such bins has in them the rows since.
  return reliability_.weight() <= sums_.probability_weight * (1.0 + kRoundingOfSums) &&
         (sums_.auc_rows == 0 || are_same_weights(binned, sums_.probability_weight));
}

}  // namespace alder
