#include "alder/stream_checks.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/stream.h"

#include "base/random.h"

namespace alder {
namespace {

std::string warning_of(const LabelRuns& runs) {
  return runs.warning().value_or("");
}

// The labels 0 … classes − 1, as many rows of each, one class after the other.
std::vector<double> sorted_labels(std::size_t rows, std::size_t classes) {
  std::vector<double> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<double>(i * classes / rows));
  return labels;
}

std::vector<double> in_order(const std::vector<double>& labels, const std::vector<std::size_t>& order) {
  std::vector<double> ordered;
  for (const std::size_t i : order) ordered.push_back(labels[i]);
  return ordered;
}

// A label that stays with probability `stays`, and is drawn anew otherwise.
std::vector<double> autocorrelated(std::size_t rows, std::size_t classes, double stays) {
  Random random(7);
  std::vector<double> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool same = i > 0 && random.uniform() < stays;
    labels.push_back(same ? labels.back() : std::floor(random.uniform() * static_cast<double>(classes)));
  }
  return labels;
}

void add_all(LabelRuns& runs, const std::vector<double>& labels) {
  for (const double label : labels) runs.add(label);
}

TEST(LabelRuns, SortedLabelsAreToldWithTheirFigures) {
  LabelRuns runs;
  for (int i = 0; i < 4000; ++i) runs.add(i < 1000 || (i >= 2000 && i < 3000) ? -1.0 : 1.0);
  EXPECT_EQ(runs.rows(), 4000U);
  EXPECT_EQ(runs.changes(), 3U);
  EXPECT_DOUBLE_EQ(runs.expected_changes(), 2000.0);
  EXPECT_EQ(warning_of(runs),
            "labels come in runs: 3 changes in 4000 rows; in random order about 2000 would be expected");
}

TEST(LabelRuns, HoldForAnyNumberOfClasses) {
  for (const std::size_t classes : {2, 3, 10, 100}) {
    const std::vector<double> labels = sorted_labels(5000, classes);
    LabelRuns sorted;
    LabelRuns random;
    add_all(sorted, labels);
    add_all(random, in_order(labels, permutation(labels.size(), 1)));
    EXPECT_EQ(sorted.changes(), classes - 1);
    EXPECT_NE(warning_of(sorted), "") << classes;
    EXPECT_EQ(warning_of(random), "") << classes;
    EXPECT_DOUBLE_EQ(sorted.expected_changes(), random.expected_changes());
  }
}

TEST(LabelRuns, LabelsThatComeBackAreCountedWithTheirClass) {
  LabelRuns runs;
  add_all(runs, {0, 0, 1, 0, 2, 1, 1, 2, 0, 0});
  EXPECT_EQ(runs.changes(), 6U);
  EXPECT_DOUBLE_EQ(runs.expected_changes(), 10.0 - (25.0 + 9.0 + 4.0) / 10.0);
}

TEST(LabelRuns, ExpectedChangesAreTheMeanOverPermutations) {
  const std::vector<double> labels = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 0, 0};
  double changes = 0.0;
  double expected = 0.0;
  constexpr int kTimes = 20000;
  for (int seed = 1; seed <= kTimes; ++seed) {
    LabelRuns runs;
    add_all(runs, in_order(labels, permutation(labels.size(), static_cast<std::uint64_t>(seed))));
    changes += static_cast<double>(runs.changes());
    expected = runs.expected_changes();
  }
  EXPECT_NEAR(changes / kTimes, expected, 0.05);
}

TEST(LabelRuns, RandomAndAlternatingOrdersAreFine) {
  for (const std::size_t rows : {50, 1000, 100000}) {
    LabelRuns alternating;
    for (std::size_t i = 0; i < rows; ++i) alternating.add(i % 2 == 0 ? -1.0 : 1.0);
    EXPECT_EQ(warning_of(alternating), "");
    for (const double stays : {0.0, 0.3}) {
      LabelRuns random;
      add_all(random, autocorrelated(rows, 2, stays));
      EXPECT_EQ(warning_of(random), "") << rows << " rows, " << stays;
    }
  }
}

TEST(LabelRuns, AreToldWhenALabelMostlyStays) {
  for (const std::size_t classes : {2, 7}) {
    LabelRuns runs;
    add_all(runs, autocorrelated(2000, classes, 0.7));
    EXPECT_TRUE(warning_of(runs).starts_with("labels come in runs: ")) << classes;
  }
}

TEST(LabelRuns, FewRowsSayNothing) {
  LabelRuns few;
  for (int i = 0; i < 38; ++i) few.add(i < 19 ? 0.0 : 1.0);
  EXPECT_LT(few.expected_changes(), 20.0);
  EXPECT_EQ(warning_of(few), "");
  LabelRuns more;
  for (int i = 0; i < 60; ++i) more.add(i < 30 ? 0.0 : 1.0);
  EXPECT_NE(warning_of(more), "");
  EXPECT_EQ(warning_of(LabelRuns()), "");
}

TEST(LabelRuns, MustBeBeyondChance) {
  // Runs of four: 10 changes in 44 rows instead of 22 are 3.6 standard deviations fewer.
  LabelRuns few;
  for (int i = 0; i < 44; ++i) few.add((i / 4) % 2 == 0 ? 0.0 : 1.0);
  EXPECT_GE(few.expected_changes(), 20.0);
  EXPECT_LT(static_cast<double>(few.changes()), 0.5 * few.expected_changes());
  EXPECT_EQ(warning_of(few), "");
  LabelRuns many;
  for (int i = 0; i < 440; ++i) many.add((i / 4) % 2 == 0 ? 0.0 : 1.0);
  EXPECT_NE(warning_of(many), "");
}

TEST(LabelRuns, ARareClassInOnePlaceIsARun) {
  LabelRuns runs;
  for (int i = 0; i < 50000; ++i) runs.add(i < 1500 ? 1.0 : 0.0);
  EXPECT_NE(warning_of(runs), "");
}

TEST(LabelRuns, OneLabelOnlyIsTold) {
  LabelRuns runs;
  for (int i = 0; i < 99; ++i) runs.add(1.0);
  EXPECT_EQ(warning_of(runs), "");
  runs.add(1.0);
  EXPECT_EQ(warning_of(runs), "all 100 rows have the same label");
}

TEST(LabelRuns, ValuesThatAreNoClassesAreNotCounted) {
  LabelRuns runs;
  for (int i = 0; i < 100000; ++i) runs.add(std::floor(i / 10.0));
  EXPECT_EQ(warning_of(runs), "");
  EXPECT_LT(runs.rows(), 50000U);
}

// Rows of `scales.size()` features, each uniform in [0, scale].
std::string warning_of(const std::vector<double>& scales, std::size_t rows = 500) {
  Random random(3);
  FeatureSpans spans;
  std::vector<double> values(scales.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = scales[j] * random.uniform();
    spans.add(Row::dense(values));
  }
  return spans.warning().value_or("");
}

TEST(FeatureSpans, OneWideFeatureHidesTheOthers) {
  const std::string warning = warning_of({1.0, 1e5, 1.0, 2.0});
  EXPECT_TRUE(warning.starts_with("scales of features differ: feature 2 spans ")) << warning;
  EXPECT_TRUE(warning.ends_with("distances between rows hardly depend on 3 of 4 features")) << warning;
}

TEST(FeatureSpans, TheHiddenFeatureInTheMiddleIsNamed) {
  EXPECT_NE(warning_of({1e-3, 1e-1, 1e-2, 1e5, 1e5}).find("feature 3 only "), std::string::npos);
}

TEST(FeatureSpans, LikeScalesAreFine) {
  EXPECT_EQ(warning_of({1.0, 1.0, 1.0}), "");
  EXPECT_EQ(warning_of({1.0, 50.0, 3.0}), "");
  // Less than a quarter of the features is hidden.
  EXPECT_EQ(warning_of({1e-4, 1.0, 1.0, 1.0, 1.0}), "");
  EXPECT_NE(warning_of({1e-4, 1.0, 1.0, 1.0}), "");
}

TEST(FeatureSpans, AConstantFeatureHasNoScale) {
  FeatureSpans spans;
  for (int i = 0; i < 100; ++i) spans.add(Row::dense(std::vector<double>{1e6, i % 2 == 0 ? 1.0 : 0.0}));
  EXPECT_EQ(spans.warning(), std::nullopt);
}

TEST(FeatureSpans, WhatIsNotListedIsZero) {
  FeatureSpans spans;
  const std::vector<FeatureIndex> wide = {0};
  const std::vector<FeatureIndex> narrow = {1};
  const std::vector<double> far = {1e6};
  const std::vector<double> one = {1.0};
  for (int i = 0; i < 100; ++i) spans.add(i % 2 == 0 ? Row::sparse(wide, far) : Row::sparse(narrow, one));
  EXPECT_EQ(spans.warning().value_or(""),
            "scales of features differ: feature 1 spans 1e+06, feature 2 only 1; distances between rows hardly depend "
            "on 1 of 2 features");
}

TEST(FeatureSpans, RareIndicatorsAreFine) {
  Random random(5);
  FeatureSpans spans;
  const std::vector<double> one = {1.0, 4.0 * random.uniform()};
  for (int i = 0; i < 500; ++i) {
    const auto word = static_cast<FeatureIndex>(random.uniform() * 2000.0);
    const std::vector<FeatureIndex> features = {word, word + 1};
    spans.add(Row::sparse(features, one));
  }
  EXPECT_EQ(spans.warning(), std::nullopt);
}

TEST(FeatureSpans, OnlyTheFirstRowsAndFeaturesAreLookedAt) {
  EXPECT_EQ(warning_of({1.0, 1e5}, 49), "");
  EXPECT_NE(warning_of({1.0, 1e5}, 50), "");
  FeatureSpans spans;
  Random random(5);
  for (std::size_t i = 0; i < FeatureSpans::kRows; ++i) {
    const std::vector<FeatureIndex> features = {0, 1, FeatureSpans::kFeatures, ~FeatureIndex{0}};
    spans.add(
        Row::sparse(features, std::vector<double>{random.uniform(), random.uniform(), 1e9 * random.uniform(), 1e9}));
  }
  spans.add(Row::dense(std::vector<double>{1e9, 0.0}));
  EXPECT_EQ(spans.warning(), std::nullopt);
}

TEST(FeatureSpans, NamesCanBeGiven) {
  FeatureSpans spans;
  for (int i = 0; i < 100; ++i) spans.add(Row::dense(std::vector<double>{i * 1.0, i * 1e4}));
  const auto warning = spans.warning([](FeatureIndex feature) { return feature == 0 ? "age" : "income"; });
  EXPECT_TRUE(warning.value_or("").starts_with("scales of features differ: income spans 9.9e+05, age only 99;"));
}

}  // namespace
}  // namespace alder
