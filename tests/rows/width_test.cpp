#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "alder/dataset.h"

#include "data/support.h"

namespace alder {
namespace {

using test::OwnedExample;
using test::OwnedStream;

Dataset rows(std::vector<OwnedExample> examples) {
  OwnedStream source(std::move(examples));
  return Dataset::read(source);
}

TEST(MedianDistance, MatchesTheDefinition) {
  for (const char* name : {"blobs", "sparse"}) {
    const Dataset data = Dataset::read(*make_generated(name, 60, 1));
    std::vector<double> distances;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::map<FeatureIndex, double> difference;
        for (std::size_t k = 0; k < data[i].row.size(); ++k) difference[data[i].row.feature(k)] += data[i].row.value(k);
        for (std::size_t k = 0; k < data[j].row.size(); ++k) difference[data[j].row.feature(k)] -= data[j].row.value(k);
        double sum = 0.0;
        for (const auto& [feature, value] : difference) sum += value * value;
        distances.push_back(std::sqrt(sum));
      }
    }
    std::sort(distances.begin(), distances.end());
    EXPECT_NEAR(median_distance(data, 40), distances[distances.size() / 2], 1e-12 * distances.back());
  }
}

TEST(MedianDistance, OfTwoPairsIsTheUpper) {
  EXPECT_EQ(median_distance(rows({{{0}, {0.0}, 1.0}, {{0}, {1.0}, 1.0}, {{0}, {3.0}, 1.0}, {{0}, {7.0}, 1.0}})), 4.0);
}

TEST(MedianDistance, IsTheSmallestPositiveOneIfItIsZero) {
  std::vector<OwnedExample> examples(10, OwnedExample{{0}, {2.0}, 1.0});
  EXPECT_EQ(median_distance(rows(examples)), 1.0);
  examples.push_back({{0}, {5.0}, 1.0});
  examples.push_back({{0}, {9.0}, 1.0});
  EXPECT_EQ(median_distance(rows(examples)), 3.0);
}

TEST(MedianDistance, IsOneWithoutPairs) {
  EXPECT_EQ(median_distance(Dataset()), 1.0);
  EXPECT_EQ(median_distance(rows({{{0}, {2.0}, 1.0}})), 1.0);
  EXPECT_EQ(median_distance(rows({{{0}, {2.0}, 1.0}, {{0}, {3.0}, 1.0}}), 0), 1.0);
}

TEST(MedianDistance, IsFinite) {
  EXPECT_TRUE(std::isfinite(median_distance(rows({{{0}, {1e308}, 1.0}, {{0}, {-1e308}, 1.0}}))));
}

TEST(MedianDistance, OfSpansIsTheSame) {
  const Dataset data = Dataset::read(*make_generated("sparse", 60, 1));
  std::vector<Row> first;
  (void)data.examples(0, 40, first);
  EXPECT_EQ(median_distance(first), median_distance(data, 40));
  EXPECT_EQ(median_distance(std::vector<Row>()), 1.0);
}

TEST(AutomaticWidth, IsHalfTheMedianDistanceOfTheFirstRows) {
  const Dataset data = Dataset::read(*make_generated("blobs", 600, 1));
  std::vector<Row> all;
  (void)data.examples(0, data.size(), all);
  EXPECT_EQ(automatic_width(all), 0.5 * median_distance(data, 500));
  EXPECT_NE(automatic_width(all), 0.5 * median_distance(data, 600));
  EXPECT_EQ(automatic_width(std::span(all).first(30)), 0.5 * median_distance(data, 30));
  EXPECT_EQ(automatic_width(std::vector<Row>()), 0.5);
}

}  // namespace
}  // namespace alder
