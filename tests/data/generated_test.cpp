#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <gtest/gtest.h>

#include "alder/stream.h"

#include "base/random.h"
#include "support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::OwnedExample;

std::vector<OwnedExample> draw(const std::string& name, std::uint64_t rows, std::uint64_t seed) {
  return collect(*make_generated(name, rows, seed));
}

class Generators : public testing::TestWithParam<std::string> {};

TEST_P(Generators, MakeAsManyRowsAsAskedFor) {
  for (const std::uint64_t rows : {1, 2, 100}) EXPECT_EQ(draw(GetParam(), rows, 1).size(), rows);
}

TEST_P(Generators, DependOnTheSeedAlone) {
  EXPECT_EQ(draw(GetParam(), 200, 7), draw(GetParam(), 200, 7));
  EXPECT_NE(draw(GetParam(), 200, 7), draw(GetParam(), 200, 8));
}

TEST_P(Generators, LongerStreamsBeginAlike) {
  std::vector<OwnedExample> longer = draw(GetParam(), 200, 7);
  longer.resize(100);
  EXPECT_EQ(draw(GetParam(), 100, 7), longer);
}

TEST_P(Generators, MakeValidRows) {
  const auto stream = make_generated(GetParam(), 1000, 2);
  Example example;
  while (stream->next(example)) {
    EXPECT_NO_THROW(example.row.check());
    EXPECT_GT(example.row.size(), 0U);
    EXPECT_TRUE(example.target == 1.0 || example.target == 0.0);
  }
  EXPECT_FALSE(stream->next(example));
}

TEST_P(Generators, BalanceTheClasses) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    double positive = 0;
    for (const OwnedExample& example : draw(GetParam(), 4000, seed)) positive += example.target > 0 ? 1 : 0;
    EXPECT_NEAR(positive / 4000, 0.5, 0.05) << seed;
  }
}

TEST_P(Generators, SayWhatTheyMakeInOneLine) {
  const std::string summary = generator_summary(GetParam());
  EXPECT_GT(summary.size(), 20U);
  EXPECT_EQ(summary.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Generators, testing::ValuesIn(generator_names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

TEST(Generator, UnknownNameListsTheKnown) {
  const std::string expected =
      "unknown generator 'rigns'; expected one of rings, blobs, checkerboard, hyperplane, sparse";
  EXPECT_EQ(error_of([] { make_generated("rigns", 10, 1); }), expected);
  EXPECT_EQ(error_of([] { generator_summary("rigns"); }), expected);
}

TEST(Generator, RejectsZeroRows) {
  EXPECT_EQ(error_of([] { make_generated("rings", 0, 1); }),
            "generator 'rings': 0 rows asked for; at least 1 is expected");
}

TEST(Generator, RingsAreTwoRadii) {
  int wrong = 0;
  for (const OwnedExample& example : draw("rings", 5000, 1)) {
    ASSERT_EQ(example.values.size(), 2U);
    wrong += (std::hypot(example.values[0], example.values[1]) < 0.75) != (example.target > 0) ? 1 : 0;
  }
  EXPECT_NEAR(wrong / 5000.0, 0.0062, 0.005);  // 2.5 standard deviations, one-sided
}

TEST(Generator, CheckerboardHasTwoPercentNoise) {
  int wrong = 0;
  for (const OwnedExample& example : draw("checkerboard", 10'000, 1)) {
    ASSERT_EQ(example.values.size(), 2U);
    const double field = std::floor(4 * example.values[0]) + std::floor(4 * example.values[1]);
    wrong += (std::fmod(field, 2.0) == 0.0) != (example.target > 0) ? 1 : 0;
  }
  EXPECT_NEAR(wrong / 10'000.0, 0.02, 0.007);
}

TEST(Generator, BlobsOverlapALittle) {
  const std::vector<OwnedExample> rows = draw("blobs", 2000, 1);
  int wrong = 0;
  for (std::size_t i = 1000; i < 2000; ++i) {  // the nearest of the first 1000
    double nearest = std::numeric_limits<double>::infinity();
    double target = 0;
    for (std::size_t k = 0; k < 1000; ++k) {
      double distance = 0;
      for (std::size_t j = 0; j < 8; ++j) distance += std::pow(rows[i].values[j] - rows[k].values[j], 2);
      if (distance < nearest) {
        nearest = distance;
        target = rows[k].target;
      }
    }
    wrong += target != rows[i].target ? 1 : 0;
  }
  EXPECT_GT(wrong, 2);
  EXPECT_LT(wrong, 150);
}

TEST(Generator, HyperplaneTurns) {
  const std::vector<OwnedExample> rows = draw("hyperplane", 21'000, 1);
  std::vector<double> weights(10, 0.0);
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < 10; ++j) weights[j] += sign_of(rows[i].target) * (rows[i].values[j] - 0.5);
  }
  const auto accuracy = [&](std::size_t begin) {
    int right = 0;
    for (std::size_t i = begin; i < begin + 1000; ++i) {
      double side = 0;
      for (std::size_t j = 0; j < 10; ++j) side += weights[j] * (rows[i].values[j] - 0.5);
      right += side * sign_of(rows[i].target) > 0 ? 1 : 0;
    }
    return right / 1000.0;
  };
  EXPECT_GT(accuracy(0), 0.85);
  EXPECT_NEAR(accuracy(10'000), 0.5, 0.1);  // a right angle later
  EXPECT_LT(accuracy(20'000), 0.15);        // the opposite
}

TEST(Generator, SparseRowsFollowAPowerLaw) {
  std::unordered_map<FeatureIndex, int> popularity;
  double listed = 0;
  FeatureIndex highest = 0;
  for (const OwnedExample& example : draw("sparse", 4000, 1)) {
    EXPECT_GE(example.indices.size(), 40U);
    EXPECT_LE(example.indices.size(), 60U);
    listed += static_cast<double>(example.indices.size());
    highest = std::max(highest, example.indices.back());
    for (const FeatureIndex feature : example.indices) ++popularity[feature];
  }
  EXPECT_NEAR(listed / 4000, 50.0, 1.0);
  EXPECT_LT(highest, 1'000'000U);
  EXPECT_GT(highest, 900'000U);
  std::vector<int> counts;
  for (const auto& [feature, count] : popularity) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  EXPECT_GT(counts[0], 3000);
  EXPECT_NEAR(static_cast<double>(counts[100]) / counts[1000], 10.0, 6.0);
  EXPECT_GT(counts.size(), 50'000U);
}

TEST(Generator, SparseRuleCanBeLearned) {
  std::unordered_map<FeatureIndex, double> weights;  // a perceptron's
  int late_mistakes = 0;
  int round = 0;
  for (const OwnedExample& example : draw("sparse", 20'000, 1)) {
    double score = 0;
    for (std::size_t j = 0; j < example.indices.size(); ++j) score += weights[example.indices[j]] * example.values[j];
    if (score * sign_of(example.target) <= 0) {
      for (std::size_t j = 0; j < example.indices.size(); ++j) {
        weights[example.indices[j]] += sign_of(example.target) * example.values[j];
      }
      if (round >= 15'000) ++late_mistakes;
    }
    ++round;
  }
  EXPECT_LT(late_mistakes / 5000.0, 0.3);
}

// The 1000th row: a single different draw before it would show.
TEST(Generator, IsTheSameOnEveryMachine) {
  struct Pin {
    std::string name;
    FeatureIndex last_feature;
    double first_value;
    double target;
  };
  const std::vector<Pin> pins = {{"rings", 1, 1.0906353395615553, 0.0},
                                 {"blobs", 7, 0.65577835324331202, 1.0},
                                 {"checkerboard", 1, 0.28964558106892169, 1.0},
                                 {"hyperplane", 9, 0.56558291388202087, 1.0},
                                 {"sparse", 983288, 1.0, 1.0}};
  ASSERT_EQ(pins.size(), generator_names().size());
  for (const Pin& pin : pins) {
    const OwnedExample row = draw(pin.name, 1000, 42).back();
    EXPECT_EQ(row.indices.back(), pin.last_feature) << pin.name;
    EXPECT_DOUBLE_EQ(row.values.front(), pin.first_value) << pin.name;
    EXPECT_EQ(row.target, pin.target) << pin.name;
  }
}

TEST(RandomNumbers, UniformFillsTheUnitInterval) {
  Random random(1);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 1e5, 1.0 / 2, 0.005);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
}

TEST(RandomNumbers, BelowIsUniform) {
  Random random(2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  // Without rejection the lowest third would be drawn twice as often, and the lower half in 5 of 8 draws.
  const std::uint64_t large = std::uint64_t{3} << 62;
  int lower = 0;
  for (int i = 0; i < 10'000; ++i) lower += random.below(large) < large / 2 ? 1 : 0;
  EXPECT_NEAR(lower, 5000, 250);
}

TEST(RandomNumbers, ExponentialHasItsMoments) {
  Random random(3);
  double sum = 0;
  double squares = 0;
  int above_two = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = random.exponential();
    sum += x;
    squares += x * x;
    above_two += x > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 2e5, 1.0, 0.015);
  EXPECT_NEAR(squares / 2e5, 2.0, 0.08);
  EXPECT_NEAR(above_two / 2e5, std::exp(-2.0), 0.005);
}

TEST(RandomNumbers, NormalHasItsMomentsAndTails) {
  Random random(4);
  std::vector<double> powers(5, 0.0);
  int within_one = 0;
  int beyond_two = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = random.normal();
    for (std::size_t k = 1; k <= 4; ++k) powers[k] += std::pow(x, static_cast<double>(k)) / 2e5;
    within_one += std::abs(x) < 1 ? 1 : 0;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(powers[1], 0.0, 0.012);
  EXPECT_NEAR(powers[2], 1.0, 0.02);
  EXPECT_NEAR(powers[3], 0.0, 0.05);
  EXPECT_NEAR(powers[4], 3.0, 0.15);
  EXPECT_NEAR(within_one / 2e5, 0.6827, 0.006);
  EXPECT_NEAR(beyond_two / 2e5, 0.0455, 0.003);
}

}  // namespace
}  // namespace alder
