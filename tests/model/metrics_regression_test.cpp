#include <array>
#include <cmath>
#include <limits>
#include <span>

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
  std::array<long double, 3> covered = {};
  long double pinball = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const long double w = weight_at(batch, i);
    const long double error = static_cast<long double>(batch.made.values[i]) - batch.targets[i];
    const long double deviation = batch.targets[i] - sum / weight;
    squared += w * error * error;
    absolute += w * std::fabs(error);
    spread += w * deviation * deviation;
    const std::span<const double> q = std::span(batch.made.quantiles).subspan(9 * i, 9);
    const double y = batch.targets[i];
    covered[0] += q[2] <= y && y <= q[6] ? w : 0.0L;
    covered[1] += q[1] <= y && y <= q[7] ? w : 0.0L;
    covered[2] += q[0] <= y && y <= q[8] ? w : 0.0L;
    for (std::size_t k = 0; k < 9; ++k) {
      const long double level = kLevels[k];
      pinball += w / 9.0L * std::max(level * (y - q[k]), (level - 1.0L) * (y - q[k]));
    }
  }
  const long double deviation = std::sqrt(spread / weight);
  const auto rows = static_cast<double>(batch.targets.size());
  return {{"rows", rows},
          {"weight", static_cast<double>(weight)},
          {"rmse", static_cast<double>(std::sqrt(squared / weight))},
          {"nrmse", static_cast<double>(std::sqrt(squared / weight) / deviation)},
          {"mae", static_cast<double>(absolute / weight)},
          {"nmae", static_cast<double>(absolute / weight / deviation)},
          {"r2", static_cast<double>(1.0L - squared / spread)},
          {"coverage_80", static_cast<double>(covered[0] / weight)},
          {"coverage_90", static_cast<double>(covered[1] / weight)},
          {"coverage_95", static_cast<double>(covered[2] / weight)},
          {"width_80", 1.3},
          {"width_90", 1.7},
          {"width_95", 2.1},
          {"pinball", static_cast<double>(pinball / weight)},
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
  EXPECT_FALSE(values_of(metrics).contains("nrmse"));
  EXPECT_FALSE(values_of(metrics).contains("coverage_90"));
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

// Quantiles of rows with one interval for all levels.
std::vector<double> wide(std::initializer_list<std::pair<double, double>> intervals) {
  std::vector<double> quantiles;
  for (const auto& [low, high] : intervals) {
    quantiles.insert(quantiles.end(), 4, low);
    quantiles.push_back(0.5 * (low + high));
    quantiles.insert(quantiles.end(), 4, high);
  }
  return quantiles;
}

TEST(RegressionMetrics, IntervalsThatAreNotFiniteAreNone) {
  Predictions made;
  made.values = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  made.levels.assign(kLevels.begin(), kLevels.end());
  made.quantiles = wide({{0.0, 2.0}, {-kInfinity, 2.0}, {0.0, kNoTarget}, {3.0, 4.0}, {1.0, 3.0}, {0.0, 0.5}});
  Metrics metrics(Task::kRegression);
  metrics.add(made, std::vector<double>{2.0, 1.0, 1.0, 1.0, 1.0, 1.0});  // both ends belong to it
  EXPECT_EQ(values_of(metrics).at("interval_rows"), 4.0);
  EXPECT_EQ(values_of(metrics).at("coverage_80"), 0.5);
  EXPECT_EQ(values_of(metrics).at("coverage_95"), 0.5);
  EXPECT_EQ(values_of(metrics).at("width_90"), 1.375);
}

TEST(RegressionMetrics, OtherLevelsMayStandAmongThoseThatAreCounted) {
  Batch batch = some_values(18, 50, 0.0, true);
  Metrics plain(Task::kRegression);
  testing::add(plain, batch);
  Batch more = batch;
  more.made.levels.insert(more.made.levels.begin() + 3, 0.3);
  more.made.quantiles.clear();
  for (std::size_t i = 0; i < batch.made.quantiles.size(); ++i) {
    if (i % 9 == 3) more.made.quantiles.push_back(17.0);
    more.made.quantiles.push_back(batch.made.quantiles[i]);
  }
  Metrics metrics(Task::kRegression);
  testing::add(metrics, more);
  EXPECT_EQ(values_of(metrics), values_of(plain));
  // Without one of them, nothing is said of intervals.
  more.made.levels.assign({0.1, 0.9});
  more.made.quantiles.assign(100, 0.0);
  Metrics few(Task::kRegression);
  testing::add(few, more);
  EXPECT_EQ(few.sums().interval_rows, 0U);
  EXPECT_EQ(few.rows(), 50U);
}

TEST(RegressionMetrics, RowsWithoutAPredictionAreSkipped) {
  Batch batch = some_values(19, 20, 5.0, false);
  Metrics rest(Task::kRegression);
  testing::add(rest, batch.part(1, 19));
  batch.made.values[0] = kNoTarget;
  Metrics metrics(Task::kRegression);
  testing::add(metrics, batch);
  EXPECT_EQ(values_of(metrics), values_of(rest));
}

TEST(RegressionMetrics, RefuseValuesThatAreNone) {
  Metrics regression(Task::kRegression);
  Batch values = some_values(17, 4, 0.0, false);
  values.made.values[2] = kInfinity;
  EXPECT_EQ(message_of([&] { testing::add(regression, values); }),
            "value 2 of the batch, from 0, is inf; expected a finite number");
  values.made.values.clear();
  EXPECT_EQ(message_of([&] { testing::add(regression, values); }), "there are 0 values; expected 4");
  values = some_values(17, 4, 0.0, false);
  values.made.levels.pop_back();
  EXPECT_EQ(message_of([&] { testing::add(regression, values); }), "there are 36 quantiles; expected 32");
  EXPECT_EQ(regression.rows(), 0U);
}

}  // namespace
}  // namespace alder
