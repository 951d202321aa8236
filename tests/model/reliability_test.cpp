#include "alder/reliability.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/metrics.h"

#include "model/some_predictions.h"

namespace alder {
namespace {

using testing::Batch;
using testing::saved;
using testing::some_classes;
using testing::values_of;

// Rows of two classes: the probability of the second, and whether the row is of it.
void add_two(Metrics& metrics, const std::vector<std::pair<double, bool>>& rows) {
  Batch batch;
  for (const auto& [probability, is_second] : rows) {
    batch.made.probabilities.insert(batch.made.probabilities.end(), {1.0 - probability, probability});
    batch.made.classes.push_back(probability > 0.5 ? 1 : 0);
    batch.targets.push_back(is_second ? 1.0 : 0.0);
  }
  testing::add(metrics, batch);
}

double weight_of(const std::vector<Reliability::Bin>& bins) {
  double sum = 0.0;
  for (const Reliability::Bin& bin : bins) sum += bin.weight;
  return sum;
}

TEST(Reliability, OfTwoClassesBinsTheProbabilityOfTheSecond) {
  Metrics metrics(Task::kClassification);
  EXPECT_TRUE(metrics.reliability().empty());
  add_two(metrics, {{0.0, false}, {0.01, true}, {0.3, false}, {0.95, true}, {1.0, true}, {0.99, false}});
  const auto bins = metrics.reliability();
  ASSERT_EQ(bins.size(), 15U);
  EXPECT_EQ(bins[0].weight, 2.0);
  EXPECT_DOUBLE_EQ(bins[0].probability, 0.005);
  EXPECT_DOUBLE_EQ(bins[0].right, 0.5);
  EXPECT_EQ(bins[4].weight, 1.0);
  EXPECT_EQ(bins[4].right, 0.0);
  EXPECT_EQ(bins[14].weight, 3.0);
  EXPECT_DOUBLE_EQ(bins[14].right, 2.0 / 3.0);
  EXPECT_EQ(bins[7].weight, 0.0);
  EXPECT_EQ(bins[7].probability, 0.0);
  EXPECT_EQ(weight_of(bins), 6.0);
  EXPECT_NEAR(values_of(metrics).at("calibration_error"), (2.0 * 0.495 + 0.3 + (2.94 - 2.0)) / 6.0, 1e-12);
}

TEST(Reliability, OfMoreClassesBinsTheLargestOfAllRowsThatHadProbabilities) {
  Metrics metrics(Task::kClassification);
  add_two(metrics, {{0.1, false}, {0.9, false}});  // 0.9 that it is class 0, or 1: right, wrong
  Predictions made;
  made.classes = {2, 1};
  made.probabilities = {0.25, 0.25, 0.5, 0.125, 0.625, 0.25};
  metrics.add(made, std::vector<double>{1, 1});
  auto bins = metrics.reliability();
  EXPECT_EQ(bins[13].weight, 2.0);
  EXPECT_DOUBLE_EQ(bins[13].right, 0.5);
  EXPECT_EQ(bins[1].weight, 0.0);
  EXPECT_EQ(bins[7].weight, 1.0);  // 0.5, and it was not class 2
  EXPECT_EQ(bins[7].right, 0.0);
  EXPECT_EQ(bins[9].weight, 1.0);
  EXPECT_EQ(bins[9].right, 1.0);
  EXPECT_NEAR(values_of(metrics).at("calibration_error"), (0.8 + 0.5 + 0.375) / 4.0, 1e-12);
  add_two(metrics, {{0.1, false}});  // fewer columns again: no way back
  EXPECT_EQ(metrics.reliability()[13].weight, 3.0);
  EXPECT_FALSE(values_of(metrics).contains("auc"));
}

// A model tells the same of the rows before a third class whether or not it knew of that class.
TEST(Reliability, ColumnsOfClassesThatDidNotOccurYetChangeNothingInTheEnd) {
  const Batch two = some_classes(1, 100, 2, true);
  const Batch three = some_classes(2, 100, 3, true);
  Batch wide = two;
  wide.made.probabilities.clear();
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      wide.made.probabilities.push_back(k < 2 ? two.made.probabilities[2 * i + k] : 0.0);
    }
  }
  std::vector<std::string> bytes;
  for (const std::size_t narrow : {0U, 1U, 40U, 100U}) {
    Metrics metrics(Task::kClassification);
    if (narrow > 0) testing::add(metrics, two.part(0, narrow));
    if (narrow < 100) testing::add(metrics, wide.part(narrow, 100 - narrow));
    testing::add(metrics, three);
    bytes.push_back(saved(metrics).encode());
    EXPECT_EQ(bytes.back(), bytes.front()) << narrow;
  }
}

TEST(Reliability, ClassesThatExchangeTheirIdsExchangeTheirBins) {
  Batch batch = some_classes(3, 400, 2, true);
  Metrics metrics(Task::kClassification);
  testing::add(metrics, batch);
  Metrics exchanged = metrics;
  const std::uint32_t ids[] = {1, 0};
  exchanged.renumber(ids);
  for (std::size_t i = 0; i < 400; ++i) {
    std::swap(batch.made.probabilities[2 * i], batch.made.probabilities[2 * i + 1]);
    batch.made.classes[i] = 1 - batch.made.classes[i];
    batch.targets[i] = 1.0 - batch.targets[i];
  }
  batch.made.positive = 0;
  Metrics expected(Task::kClassification);
  testing::add(expected, batch);
  testing::expect_same(values_of(exchanged), values_of(expected));
  const auto bins = exchanged.reliability();
  const auto expected_bins = expected.reliability();
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(bins[i].weight, expected_bins[i].weight) << i;
    EXPECT_EQ(bins[i].probability, expected_bins[i].probability) << i;
    EXPECT_EQ(bins[i].right, expected_bins[i].right) << i;
  }
  EXPECT_EQ(exchanged.recall(0), metrics.recall(1));
  EXPECT_EQ(values_of(exchanged).at("calibration_error"), values_of(metrics).at("calibration_error"));  // to the bit
  exchanged.renumber(ids);
  EXPECT_EQ(saved(exchanged).encode(), saved(metrics).encode());
}

TEST(Reliability, RenumberingManyClassesMovesTheirRecalls) {
  const Batch batch = some_classes(4, 300, 4, true);
  Metrics metrics(Task::kClassification);
  testing::add(metrics, batch);
  Metrics moved = metrics;
  const std::uint32_t ids[] = {2, 0, 3, 1};
  moved.renumber(ids);
  for (std::uint32_t id = 0; id < 4; ++id) {
    ASSERT_TRUE(metrics.recall(id).has_value());
    EXPECT_EQ(moved.recall(ids[id]), metrics.recall(id));
  }
  testing::expect_same(values_of(moved), values_of(metrics));
}

TEST(Reliability, RecallIsEmptyForAClassWithoutRows) {
  Metrics metrics(Task::kClassification);
  Predictions made;
  made.classes = {0, 0, 3, 1};
  metrics.add(made, std::vector<double>{0, 1, 1, 1}, std::vector<double>{1.0, 0.5, 0.25, 0.25});
  EXPECT_EQ(metrics.recall(0), 1.0);
  EXPECT_EQ(metrics.recall(1), 0.25);
  EXPECT_EQ(metrics.recall(2), std::nullopt);
  EXPECT_EQ(metrics.recall(3), std::nullopt);  // predicted, but of no row
  EXPECT_EQ(metrics.recall(1000), std::nullopt);
  const auto values = values_of(metrics);
  EXPECT_EQ(values.at("balanced_error"), 0.375);
  EXPECT_DOUBLE_EQ(values.at("kappa"), 1.0 - 0.375 / (1.0 - (0.5 * 0.75 + 0.5 * 0.125)));
}

TEST(Reliability, KappaIsNotDefinedIfAllIsOneClass) {
  Metrics metrics(Task::kClassification);
  Predictions made;
  made.classes = {1, 1};
  metrics.add(made, std::vector<double>{1, 1});
  EXPECT_FALSE(values_of(metrics).contains("kappa"));
  EXPECT_EQ(values_of(metrics).at("balanced_error"), 0.0);
  made.classes = {0};
  metrics.add(made, std::vector<double>{1});
  EXPECT_NEAR(values_of(metrics).at("kappa"), 0.0, 1e-12);
}

TEST(Reliability, MergingTwoClassesWithMoreLeavesTheLargestProbabilities) {
  Metrics two(Task::kClassification);
  testing::add(two, some_classes(5, 100, 2, true));
  Metrics three(Task::kClassification);
  testing::add(three, some_classes(6, 100, 3, true));
  Metrics whole(Task::kClassification);
  testing::add(whole, some_classes(5, 100, 2, true));
  testing::add(whole, some_classes(6, 100, 3, true));
  Metrics merged = two;
  merged.merge(three);
  three.merge(two);
  testing::expect_same(values_of(merged), values_of(whole));
  testing::expect_same(values_of(three), values_of(whole));
  EXPECT_FALSE(values_of(three).contains("auc"));
  testing::add(merged, some_classes(7, 10, 2, false));
  (void)Metrics::load(saved(merged));  // is sound
}

TEST(Reliability, AFileWithoutBinsIsLoadedAndCountsFromThereOn) {
  for (const std::size_t classes : {2, 4}) {
    const Batch batch = some_classes(8, 200, classes, false);
    Metrics metrics(Task::kClassification);
    testing::add(metrics, batch);
    const Archive with = saved(metrics);
    Archive without;
    without.set_object("metrics", with.object("metrics"));
    for (const char* name : {"metrics.classes", "metrics.auc"}) {
      if (with.sizes().count(name) > 0) without.put(name, with.get<double>(name));
    }
    for (const char* name : {"metrics.confusion", "metrics.confusion.other"}) {
      without.put(name, with.get<std::uint64_t>(name));
    }
    Metrics loaded = Metrics::load(without);
    EXPECT_FALSE(values_of(loaded).contains("calibration_error"));
    EXPECT_EQ(values_of(loaded).at("log_loss"), values_of(metrics).at("log_loss"));
    EXPECT_EQ(saved(loaded).encode(), without.encode());
    testing::add(loaded, batch.part(50, 20));
    Metrics later(Task::kClassification);
    testing::add(later, batch.part(50, 20));
    EXPECT_EQ(values_of(loaded).at("calibration_error"), values_of(later).at("calibration_error"));
    (void)Metrics::load(saved(loaded));  // is sound
  }
}

// Rows of two classes and of three, both counted: what files had before a third class ended the AUC.
TEST(Reliability, AnAucOfSomeRowsIsDroppedWhenItIsLoaded) {
  Metrics metrics(Task::kClassification);
  testing::add(metrics, some_classes(9, 50, 3, false));
  Archive archive = saved(metrics);
  archive.set("metrics", "auc_rows", std::uint64_t{20});
  EXPECT_EQ(saved(Metrics::load(archive)).encode(), saved(metrics).encode());
}

}  // namespace
}  // namespace alder
