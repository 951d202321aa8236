#include "alder/dataset.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "data/input.h"
#include "data/support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::owned;
using test::OwnedExample;
using test::OwnedStream;
using test::PiecewiseBytes;

Dataset from_text(const std::string& text) {
  return Dataset::read(*read_input(std::make_unique<PiecewiseBytes>(text, 1000), "f", {.classes = {"-1", "+1"}}));
}

std::vector<OwnedExample> rows_of(const Dataset& dataset) {
  return collect(*stream(dataset));
}

TEST(Dataset, HoldsWhatTheStreamDelivered) {
  const Dataset dataset = from_text("+1 1:0.5 3:-2\n-1\n+1 9:1\n");
  EXPECT_EQ(dataset.size(), 3U);
  EXPECT_EQ(dataset.features(), 9U);
  EXPECT_EQ(owned(dataset[0]), (OwnedExample{{0, 2}, {0.5, -2.0}, 1.0}));
  EXPECT_EQ(owned(dataset[1]), (OwnedExample{{}, {}, 0.0}));
  EXPECT_EQ(owned(dataset[2]), (OwnedExample{{8}, {1.0}, 1.0}));
}

TEST(Dataset, HoldsDenseRows) {
  const Dataset dataset = Dataset::read(*make_generated("blobs", 50, 1));
  EXPECT_EQ(dataset.features(), 8U);
  EXPECT_EQ(rows_of(dataset), collect(*make_generated("blobs", 50, 1)));
}

TEST(Dataset, HandsOutRowsWithoutCopies) {
  const Dataset dataset = from_text("+1 1:0.5 3:-2\n-1\n+1 9:1\n-1 2:4\n");
  std::vector<Row> rows(100);
  const auto check = [&](std::size_t first, std::size_t count, std::size_t expected) {
    const Examples found = dataset.examples(first, count, rows);
    ASSERT_EQ(found.size(), expected);
    ASSERT_EQ(found.targets.size(), expected);
    EXPECT_TRUE(found.weights.empty());
    EXPECT_EQ(rows.size(), expected);
    for (std::size_t i = 0; i < expected; ++i) {
      EXPECT_EQ(found.rows[i].values(), dataset[first + i].row.values());
      EXPECT_TRUE(found.rows[i].is_checked());
      EXPECT_EQ(found.targets[i], dataset[first + i].target);
    }
  };
  check(0, 4, 4);
  check(1, 2, 2);
  check(2, 256, 2);
  check(3, ~std::size_t{0}, 1);
  check(4, 1, 0);
  check(9, 1, 0);
  EXPECT_EQ(std::vector<double>(dataset.targets().begin(), dataset.targets().end()),
            (std::vector<double>{1.0, 0.0, 1.0, 0.0}));
  EXPECT_TRUE(Dataset().targets().empty());
}

std::vector<double> weights_of(Stream& stream) {
  std::vector<double> weights;
  Example example;
  while (stream.next(example)) weights.push_back(example.weight);
  return weights;
}

TEST(Dataset, KeepsWeightsWithTheirRows) {
  Dataset dataset = from_text("+1 1:1\n-1 2.5 1:2\n+1 0 1:3\n-1 1:4\n");
  const std::vector<double> expected = {1.0, 2.5, 0.0, 1.0};
  EXPECT_EQ(std::vector<double>(dataset.weights().begin(), dataset.weights().end()), expected);
  EXPECT_EQ(dataset.bytes(), 4 * (12 + 16 + 8));
  EXPECT_EQ(weights_of(*stream(dataset)), expected);
  EXPECT_EQ(weights_of(*stream(dataset, {2, 1, 1})), (std::vector<double>{0.0, 2.5, 2.5}));
  std::vector<Row> rows;
  const Examples some = dataset.examples(1, 2, rows);
  EXPECT_EQ(std::vector<double>(some.weights.begin(), some.weights.end()), (std::vector<double>{2.5, 0.0}));
  EXPECT_EQ(weights_of(*stream(Dataset::read(*stream(dataset)))), expected);
  dataset.scale_minmax();
  EXPECT_EQ(weights_of(*stream(dataset)), expected);
  dataset.clear();
  dataset.append({Row(), 1.0});
  EXPECT_TRUE(dataset.weights().empty());
  EXPECT_EQ(dataset[0].weight, 1.0);
}

TEST(Dataset, HasNoWeightsIfAllAreOne) {
  const Dataset dataset = from_text("+1 1 1:1\n-1 1.0 1:2\n");
  EXPECT_TRUE(dataset.weights().empty());
  EXPECT_TRUE(stream(dataset, {1, 0})->read(2).weights.empty());
}

TEST(Dataset, MayBeEmpty) {
  Dataset dataset = from_text("");
  dataset.scale_minmax();
  EXPECT_EQ(dataset.size(), 0U);
  EXPECT_EQ(dataset.features(), 0U);
  EXPECT_TRUE(rows_of(dataset).empty());
  EXPECT_EQ(from_text("1\n").features(), 0U);
}

TEST(Dataset, GrowsRowByRowAndStartsAgain) {
  Dataset dataset;
  const std::vector<double> x = {1.0, 2.0};
  dataset.append({Row::dense(x), 1.0});
  dataset.append({Row(), 1.0});
  dataset.set_target(1, 0.0);
  EXPECT_EQ(rows_of(dataset), (std::vector<OwnedExample>{{{0, 1}, {1.0, 2.0}, 1.0}, {{}, {}, 0.0}}));
  EXPECT_EQ(dataset.features(), 2U);
  EXPECT_EQ(dataset.bytes(), 2 * 12U + 2 * 16U);
  dataset.clear();
  EXPECT_EQ(dataset.size(), 0U);
  EXPECT_EQ(dataset.features(), 0U);
  EXPECT_EQ(dataset.bytes(), 0U);
  dataset.append({Row::dense(x), 0.0});
  EXPECT_EQ(rows_of(dataset), (std::vector<OwnedExample>{{{0, 1}, {1.0, 2.0}, 0.0}}));
}

// Rows are checked when they come, and then known to be sound for as long as they stay.
TEST(Dataset, RejectsBadRowsAndIsAsBefore) {
  Dataset dataset;
  dataset.append({Row::dense(std::vector<double>{1.0, 2.0}), 1.0});
  for (const double bad : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(dataset.append({Row::dense(std::vector<double>{1.0, bad}), 1.0}), Error);
  }
  const std::vector<FeatureIndex> descending = {3, 2};
  const std::vector<double> values = {1.0, 1.0};
  EXPECT_THROW(dataset.append({Row::sparse(descending, values), 1.0}), Error);
  ASSERT_EQ(dataset.size(), 1U);
  EXPECT_EQ(dataset.features(), 2U);
  EXPECT_EQ(dataset[0].row.value(1), 2.0);
}

TEST(Dataset, PassesErrorsOfTheStreamOn) {
  EXPECT_EQ(error_of([] { from_text("1 1:x"); }), "f:1: value 'x' of feature 1 is not a number; a number is expected");
}

TEST(Dataset, HighestIndexCostsNoMemory) {
  Dataset dataset = from_text("1 4294967295:2\n-1\n");
  EXPECT_EQ(dataset.features(), 4294967295U);
  dataset.scale_minmax();
  EXPECT_EQ(owned(dataset[0]), (OwnedExample{{4294967294U}, {1.0}, 1.0}));
}

TEST(Dataset, ScalingCountsAbsentValuesAsZero) {
  // Column 1: {2, 4, 0}. Column 2: {-1, 0, 1}. Column 3: {5, 6, 7}. Column 4: constant 3. Column 5: {0, -2, 0}.
  Dataset dataset = from_text("1 1:2 2:-1 3:5 4:3\n1 1:4 3:6 4:3 5:-2\n-1 2:1 3:7 4:3\n");
  dataset.scale_minmax();
  EXPECT_EQ(rows_of(dataset),
            (std::vector<OwnedExample>{
                {{0, 4}, {0.5, 1.0}, 1.0}, {{0, 1, 2}, {1.0, 0.5, 0.5}, 1.0}, {{1, 2, 4}, {1.0, 1.0, 1.0}, 0.0}}));
  EXPECT_EQ(dataset.features(), 5U);
}

TEST(Dataset, ScalesColumnsOfTinyRange) {
  Dataset dataset = from_text("1 1:5e-324\n1 1:1e-323\n1\n");
  dataset.scale_minmax();
  EXPECT_EQ(rows_of(dataset), (std::vector<OwnedExample>{{{0}, {0.5}, 1.0}, {{0}, {1.0}, 1.0}, {{}, {}, 1.0}}));
}

TEST(Dataset, ScalingTwiceChangesNothingMore) {
  Dataset dataset = Dataset::read(*make_generated("rings", 100, 3));
  dataset.scale_minmax();
  const std::vector<OwnedExample> once = rows_of(dataset);
  dataset.scale_minmax();
  EXPECT_EQ(rows_of(dataset), once);
}

RC_GTEST_PROP(Dataset, ScalingMatchesTheDefinition, ()) {
  constexpr std::size_t kColumns = 6;
  constexpr int kAbsent = 4;  // and what is above; a listed value is from -3 to 3, also 0
  const auto rows = *rc::gen::container<std::vector<std::array<int, kColumns>>>(
      rc::gen::container<std::array<int, kColumns>>(rc::gen::inRange(-3, 8)));
  std::vector<OwnedExample> examples;
  std::vector<std::vector<double>> dense;
  for (const auto& row : rows) {
    OwnedExample& example = examples.emplace_back();
    example.target = 1.0;
    dense.emplace_back(kColumns, 0.0);
    for (std::size_t j = 0; j < kColumns; ++j) {
      if (row[j] >= kAbsent) continue;
      example.indices.push_back(static_cast<FeatureIndex>(j));
      example.values.push_back(row[j]);
      dense.back()[j] = row[j];
    }
  }
  for (std::size_t j = 0; j < kColumns && !dense.empty(); ++j) {
    const auto less = [j](const auto& a, const auto& b) { return a[j] < b[j]; };
    const double lowest = (*std::min_element(dense.begin(), dense.end(), less))[j];
    const double highest = (*std::max_element(dense.begin(), dense.end(), less))[j];
    for (auto& row : dense) row[j] = lowest == highest ? 0.0 : (row[j] - lowest) / (highest - lowest);
  }

  OwnedStream source(examples);
  Dataset dataset = Dataset::read(source);
  dataset.scale_minmax();
  RC_ASSERT(dataset.size() == rows.size());
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const Example example = dataset[i];
    example.row.check();
    std::vector<double> found(kColumns, 0.0);
    for (std::size_t j = 0; j < example.row.size(); ++j) {
      RC_ASSERT(example.row.value(j) != 0.0);
      found[example.row.feature(j)] = example.row.value(j);
    }
    RC_ASSERT(found == dense[i]);
  }
}

TEST(DatasetStream, FollowsTheOrder) {
  const Dataset dataset = from_text("1 1:0\n-1 1:1\n1 1:2\n");
  std::vector<double> values;
  for (const OwnedExample& example : collect(*stream(dataset, {2, 0, 2}))) values.push_back(example.values[0]);
  EXPECT_EQ(values, (std::vector<double>{2.0, 0.0, 2.0}));
}

TEST(DatasetStream, HandsOutRowsInAnyNumberWithoutCopies) {
  Dataset dataset;
  for (int i = 0; i < 20; ++i) dataset.append({Row::dense(std::vector<double>{1.0 + i}), i % 2 == 0 ? 1.0 : 0.0});
  for (const std::uint64_t seed : {0, 1}) {
    const std::vector<std::size_t> order = seed == 0 ? std::vector<std::size_t>() : permutation(20, seed);
    const auto all = stream(dataset, order);
    std::size_t at = 0;
    Example example;
    while (at < 20) {
      const Examples shown = all->read(1 + at % 7);
      ASSERT_EQ(shown.size(), std::min<std::size_t>(1 + at % 7, 20 - at));
      ASSERT_EQ(shown.targets.size(), shown.size());
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const Example expected = dataset[order.empty() ? at + i : order[at + i]];
        ASSERT_EQ(shown[i].row.values(), expected.row.values());
        ASSERT_TRUE(shown[i].row.is_checked());
        ASSERT_EQ(shown[i].target, expected.target);
      }
      at += shown.size();
      if (at % 3 > 0 || at == 20) continue;
      ASSERT_TRUE(all->next(example));
      ASSERT_EQ(example.row.value(0), dataset[order.empty() ? at : order[at]].row.value(0));
      ++at;
    }
    EXPECT_TRUE(all->read(3).empty());
    EXPECT_FALSE(all->next(example));
  }
}

TEST(DatasetStream, RejectsRowsThatDoNotExist) {
  const Dataset dataset = from_text("1\n1\n");
  EXPECT_EQ(error_of([&] { stream(dataset, {0, 2}); }), "an order names row 2; rows below 2 are expected");
}

TEST(Permutation, HoldsEveryRowOnce) {
  for (const std::size_t n : {0, 1, 2, 1000}) {
    std::vector<std::size_t> order = permutation(n, 5);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> expected(n);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(order, expected);
  }
}

TEST(Permutation, DependsOnTheSeedAlone) {
  EXPECT_EQ(permutation(100, 1), permutation(100, 1));
  EXPECT_NE(permutation(100, 1), permutation(100, 2));
}

TEST(Permutation, IsTheSameOnEveryMachine) {
  EXPECT_EQ(permutation(8, 42), (std::vector<std::size_t>{7, 0, 5, 1, 2, 4, 3, 6}));
}

TEST(Permutation, MakesEveryOrderAsLikely) {
  std::map<std::vector<std::size_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++counts[permutation(3, seed)];
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);  // 5 standard deviations
}

}  // namespace
}  // namespace alder
