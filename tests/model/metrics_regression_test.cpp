#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/metrics.h"

#include "model/some_predictions.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::Batch;
using testing::expect_same;
using testing::message_of;
using testing::saved;
using testing::some_values;
using testing::values_of;
using testing::weight_at;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// mean_squared_error, mean_absolute_error and r2_score of scikit-learn, in long double and two passes.
std::map<std::string, double> literal_regression(const Batch& batch) {
  long double weight = 0.0;
  long double sum = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    weight += weight_at(batch, i);
    sum += static_cast<long double>(weight_at(batch, i)) * batch.targets[i];
  }
  long double squared = 0.0;
  long double absolute = 0.0;
  long double spread = 0.0;
  long double covered = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const long double w = weight_at(batch, i);
    const long double error = static_cast<long double>(batch.made.values[i]) - batch.targets[i];
    const long double deviation = batch.targets[i] - sum / weight;
    squared += w * error * error;
    absolute += w * std::fabs(error);
    spread += w * deviation * deviation;
    const bool is_covered =
        batch.made.quantiles[3 * i] <= batch.targets[i] && batch.targets[i] <= batch.made.quantiles[3 * i + 2];
    covered += is_covered ? w : 0.0L;
  }
  const auto rows = static_cast<double>(batch.targets.size());
  return {{"rows", rows},
          {"weight", static_cast<double>(weight)},
          {"rmse", static_cast<double>(std::sqrt(squared / weight))},
          {"mae", static_cast<double>(absolute / weight)},
          {"r2", static_cast<double>(1.0L - squared / spread)},
          {"coverage", static_cast<double>(covered / weight)},
          {"interval_width", 1.3},
          {"interval_rows", rows}};
}

TEST(RegressionMetrics, FollowTheDefinitions) {
  for (const bool weighted : {false, true}) {
    const Batch batch = some_values(13, 1000, 3.0, weighted);
    Metrics metrics(Task::kRegression);
    testing::add(metrics, batch);
    expect_same(values_of(metrics), literal_regression(batch));
  }
}

TEST(RegressionMetrics, RSquaredIsSoundFarFromZero) {
  // Σy² − (Σy)²/n would have no digit left.
  const Batch batch = some_values(14, 2000, 1e9, false);
  Metrics metrics(Task::kRegression);
  testing::add(metrics, batch.part(0, 500));
  Metrics rest(Task::kRegression);
  testing::add(rest, batch.part(500, 1500));
  metrics.merge(rest);
  EXPECT_NEAR(values_of(metrics).at("r2"), literal_regression(batch).at("r2"), 1e-7);
}

TEST(RegressionMetrics, EqualTargetsHaveNoRSquaredAndHugeErrorsNoRoot) {
  Predictions made;
  made.values = {1.0, 2.0, 4.0};
  Metrics metrics(Task::kRegression);
  metrics.add(made, std::vector<double>{0.1, 0.1, 0.1});
  EXPECT_FALSE(values_of(metrics).contains("r2"));
  EXPECT_FALSE(values_of(metrics).contains("coverage"));
  made.values = {-1e308, 1e308, 0.0};
  metrics.add(made, std::vector<double>{1e308, -1e308, 0.0});
  for (const auto& [name, value] : metrics.values()) EXPECT_TRUE(std::isfinite(value)) << name;
  EXPECT_FALSE(values_of(metrics).contains("rmse"));
  EXPECT_FALSE(values_of(metrics).contains("r2"));
  EXPECT_EQ(saved(Metrics::load(Archive::decode(saved(metrics).encode()))).encode(), saved(metrics).encode());
}

TEST(RegressionMetrics, TheLargestTargetsLeaveSoundSums) {
  Predictions made;
  made.values = {0.0, 0.0};
  Metrics metrics(Task::kRegression);
  metrics.add(made, std::vector<double>{1.7e308, -1.7e308});
  EXPECT_EQ(saved(Metrics::load(Archive::decode(saved(metrics).encode()))).encode(), saved(metrics).encode());
}

TEST(RegressionMetrics, IntervalsThatAreNotFiniteAreNone) {
  Predictions made;
  made.values = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  made.quantiles = {0.0, 2.0, -kInfinity, 2.0, 0.0, kNoTarget, 3.0, 4.0, 1.0, 3.0, 0.0, 0.5};
  Metrics metrics(Task::kRegression);
  metrics.add(made, std::vector<double>{2.0, 1.0, 1.0, 1.0, 1.0, 1.0});  // both ends belong to it
  EXPECT_EQ(values_of(metrics).at("interval_rows"), 4.0);
  EXPECT_EQ(values_of(metrics).at("coverage"), 0.5);
  EXPECT_EQ(values_of(metrics).at("interval_width"), 1.375);
}

TEST(RegressionMetrics, RefuseValuesThatAreNone) {
  Metrics regression(Task::kRegression);
  Batch values = some_values(17, 4, 0.0, false);
  values.made.values[2] = kInfinity;
  EXPECT_EQ(message_of([&] { testing::add(regression, values); }),
            "value 2 of the batch, from 0, is inf; expected a finite number");
  values.made.values.clear();
  EXPECT_EQ(message_of([&] { testing::add(regression, values); }), "there are 0 values; expected 4");
  EXPECT_EQ(regression.rows(), 0U);
}

}  // namespace
}  // namespace alder
