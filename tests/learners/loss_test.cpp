#include "alder/loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "base/random.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Loss> all_losses() {
  return {Loss::of(Loss::Kind::kHinge),
          Loss::of(Loss::Kind::kSquaredHinge),
          Loss::of(Loss::Kind::kLogistic),
          Loss::of(Loss::Kind::kSquared),
          Loss::of(Loss::Kind::kAbsolute),
          Loss::of(Loss::Kind::kInsensitive, 0.0),
          Loss::of(Loss::Kind::kInsensitive, 0.7),
          Loss::of(Loss::Kind::kQuantile, 0.1),
          Loss::of(Loss::Kind::kQuantile, 0.5),
          Loss::of(Loss::Kind::kQuantile, 0.95),
          Loss::of(Loss::Kind::kHuber, 1e-3),
          Loss::of(Loss::Kind::kHuber, 1.5),
          Loss::of(Loss::Kind::kPoisson)};
}

// A target that the loss accepts.
double any_target(const Loss& loss, Random& random) {
  if (loss.task() == Task::kClassification) return random.chance(0.5) ? 1.0 : -1.0;
  if (loss.kind() == Loss::Kind::kPoisson) return random.chance(0.2) ? 0.0 : 5.0 * random.exponential();
  return 3.0 * random.normal();
}

// Where the slope or the curvature jumps; elsewhere central differences converge.
std::vector<double> kinks(const Loss& loss, double y) {
  switch (loss.kind()) {
    case Loss::Kind::kHinge:
    case Loss::Kind::kSquaredHinge:
      return {y};  // 1/y
    case Loss::Kind::kAbsolute:
    case Loss::Kind::kQuantile:
      return {y};
    case Loss::Kind::kInsensitive:
    case Loss::Kind::kHuber:
      return {y - loss.parameter(), y + loss.parameter()};
    default:
      return {};
  }
}

bool is_near_kink(const Loss& loss, double score, double y, double distance) {
  for (const double kink : kinks(loss, y)) {
    if (std::fabs(score - kink) <= distance) return true;
  }
  return false;
}

TEST(Loss, ValuesFollowTheDefinitions) {
  EXPECT_EQ(Loss::of(Loss::Kind::kHinge).value(0.25, -1.0), 1.25);
  EXPECT_EQ(Loss::of(Loss::Kind::kHinge).value(1.5, 1.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kSquaredHinge).value(0.25, -1.0), 1.5625);
  EXPECT_DOUBLE_EQ(Loss::of(Loss::Kind::kLogistic).value(0.25, -1.0), std::log(1.0 + std::exp(0.25)));
  EXPECT_EQ(Loss::of(Loss::Kind::kSquared).value(1.0, 4.0), 4.5);
  EXPECT_EQ(Loss::of(Loss::Kind::kAbsolute).value(1.0, 4.0), 3.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kInsensitive, 0.5).value(1.0, 4.0), 2.5);
  EXPECT_EQ(Loss::of(Loss::Kind::kInsensitive, 0.5).value(3.75, 4.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kQuantile, 0.25).value(1.0, 4.0), 0.75);
  EXPECT_EQ(Loss::of(Loss::Kind::kQuantile, 0.25).value(4.0, 1.0), 2.25);
  EXPECT_EQ(Loss::of(Loss::Kind::kHuber, 2.0).value(1.0, 2.0), 0.5);
  EXPECT_EQ(Loss::of(Loss::Kind::kHuber, 2.0).value(1.0, 5.0), 6.0);
  EXPECT_DOUBLE_EQ(Loss::of(Loss::Kind::kPoisson).value(0.5, 3.0), std::exp(0.5) - 1.5 + 3.0 * std::log(3.0) - 3.0);
  EXPECT_DOUBLE_EQ(Loss::of(Loss::Kind::kPoisson).value(4.0, 3.0), std::exp(4.0) - 12.0 + 3.0 * std::log(3.0) - 3.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kPoisson).value(0.5, 0.0), std::exp(0.5));
}

TEST(Loss, SlopesAndCurvaturesAreCentralDifferences) {
  Random random(1);
  for (const Loss& loss : all_losses()) {
    for (int i = 0; i < 2000; ++i) {
      const double y = any_target(loss, random);
      const double score = 2.0 * random.normal();
      const double h = 1e-5;
      if (is_near_kink(loss, score, y, 2.0 * h)) continue;
      const double scale = 1.0 + std::fabs(loss.slope(score, y)) + loss.value(score, y);
      EXPECT_NEAR(loss.slope(score, y), (loss.value(score + h, y) - loss.value(score - h, y)) / (2.0 * h), 1e-8 * scale)
          << loss.name() << " at " << score << ", " << y;
      EXPECT_NEAR(loss.curvature(score, y), (loss.slope(score + h, y) - loss.slope(score - h, y)) / (2.0 * h),
                  1e-8 * scale)
          << loss.name() << " at " << score << ", " << y;
    }
  }
}

TEST(Loss, AllAreConvexAndNeverNegative) {
  Random random(2);
  for (const Loss& loss : all_losses()) {
    for (int i = 0; i < 5000; ++i) {
      const double y = any_target(loss, random);
      const double a = 4.0 * random.normal();
      const double b = 4.0 * random.normal();
      const double share = random.uniform();
      const double scale = 1.0 + loss.value(a, y) + loss.value(b, y);
      EXPECT_GE(loss.value(a, y), 0.0);
      EXPECT_GE(loss.curvature(a, y), 0.0);
      EXPECT_LE(loss.value(share * a + (1.0 - share) * b, y),
                share * loss.value(a, y) + (1.0 - share) * loss.value(b, y) + 1e-13 * scale)
          << loss.name();
      // The slope is a subgradient: the line through a is below the loss.
      EXPECT_GE(loss.value(b, y), loss.value(a, y) + loss.slope(a, y) * (b - a) - 1e-13 * scale) << loss.name();
    }
  }
}

TEST(Loss, AtAKinkTheSlopeIsTheSubgradientNearestToZero) {
  EXPECT_EQ(Loss::of(Loss::Kind::kHinge).slope(1.0, 1.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kHinge).slope(0.999, 1.0), -1.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kSquaredHinge).curvature(-1.0, -1.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kAbsolute).slope(3.0, 3.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kInsensitive, 0.5).slope(3.5, 3.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kInsensitive, 0.5).slope(3.75, 3.0), 1.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kQuantile, 0.9).slope(3.0, 3.0), 0.0);
  EXPECT_EQ(Loss::of(Loss::Kind::kHuber, 0.5).slope(3.5, 3.0), 0.5);
  EXPECT_EQ(Loss::of(Loss::Kind::kHuber, 0.5).curvature(3.5, 3.0), 0.0);
}

TEST(Loss, TheQuantileLossIsLeastAtTheQuantile) {
  const Loss loss = Loss::of(Loss::Kind::kQuantile, 0.8);
  double best = 0.0;
  double least = kInfinity;
  for (int candidate = 0; candidate <= 100; ++candidate) {
    double sum = 0.0;
    for (int y = 0; y < 101; ++y) sum += loss.value(candidate, y);
    if (sum < least) {
      least = sum;
      best = candidate;
    }
  }
  EXPECT_EQ(best, 80.0);
}

TEST(Loss, HugeScoresGiveWhatFitsIntoADouble) {
  for (const Loss& loss : all_losses()) {
    const std::vector<double> targets = loss.task() == Task::kClassification ? std::vector<double>{-1.0, 1.0}
                                        : loss.kind() == Loss::Kind::kPoisson
                                            ? std::vector<double>{0.0, 1e-300, 3.0, 1e6}
                                            : std::vector<double>{0.0, -2.5, 1e9};
    for (const double size : {1.0, 30.0, 700.0, 800.0, 1e10, 1e100, 1e300}) {
      for (const double score : {-size, size}) {
        for (const double y : targets) {
          ASSERT_TRUE(loss.accepts(y));
          const double value = loss.value(score, y);
          const double slope = loss.slope(score, y);
          const double curvature = loss.curvature(score, y);
          EXPECT_FALSE(std::isnan(value)) << loss.name() << " at " << score << ", " << y;
          EXPECT_FALSE(std::isnan(slope) || std::isnan(curvature)) << loss.name() << " at " << score << ", " << y;
          EXPECT_FALSE(std::isnan(loss.response(score)));
          const bool is_square = loss.kind() == Loss::Kind::kSquared || loss.kind() == Loss::Kind::kSquaredHinge;
          const bool is_power = loss.kind() == Loss::Kind::kPoisson && score > 709.0;
          if (is_power) continue;
          EXPECT_TRUE(std::isfinite(value) || (is_square && size > 1e150)) << loss.name() << " at " << score;
          EXPECT_TRUE(std::isfinite(slope) && std::isfinite(curvature)) << loss.name() << " at " << score;
          EXPECT_TRUE(std::isfinite(loss.response(score)));
        }
      }
    }
  }
  EXPECT_EQ(Loss::of(Loss::Kind::kPoisson).value(1e300, 1e300), kInfinity);
  EXPECT_TRUE(std::isfinite(Loss::of(Loss::Kind::kSquared).value(1.5e154, 0.0)));  // whose square does not fit
}

TEST(Loss, LogisticKeepsItsPrecisionFarOut) {
  const Loss loss = Loss::of(Loss::Kind::kLogistic);
  EXPECT_EQ(loss.value(1e300, -1.0), 1e300);
  EXPECT_EQ(loss.value(1e300, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(loss.value(50.0, 1.0), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(loss.slope(50.0, 1.0), -std::exp(-50.0));
  EXPECT_DOUBLE_EQ(loss.curvature(-50.0, 1.0), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(loss.response(-50.0), std::exp(-50.0));
  EXPECT_EQ(loss.response(0.0), 0.5);
  EXPECT_EQ(loss.response(1e300), 1.0);
  EXPECT_EQ(loss.response(-1e300), 0.0);
}

TEST(Loss, PoissonIsPreciseAtItsMinimum) {
  const Loss loss = Loss::of(Loss::Kind::kPoisson);
  EXPECT_NEAR(loss.value(std::log(1e12), 1e12), 0.0, 1e-12);
  // y·(e^d − 1 − d) = y·d²/2 + …
  EXPECT_NEAR(loss.value(1e-6, 1.0), 0.5e-12, 1e-15);
  EXPECT_NEAR(loss.slope(std::log(7.0), 7.0), 0.0, 1e-14);
  EXPECT_DOUBLE_EQ(loss.response(2.0), std::exp(2.0));
}

TEST(Loss, NamesGoBothWays) {
  ASSERT_EQ(Loss::names().size(), 9U);
  for (std::size_t i = 0; i < Loss::names().size(); ++i) {
    const auto kind = static_cast<Loss::Kind>(i);
    const double parameter = kind == Loss::Kind::kQuantile || kind == Loss::Kind::kHuber ? 0.3 : 0.0;
    const Loss loss = Loss::named(Loss::names()[i], parameter);
    EXPECT_EQ(loss.kind(), kind);
    EXPECT_EQ(loss.name(), Loss::names()[i]);
    EXPECT_EQ(loss.parameter(), parameter);
    EXPECT_EQ(loss.task(), i < 3 ? Task::kClassification : Task::kRegression);
  }
  EXPECT_EQ(Loss::named("squared_hinge").kind(), Loss::Kind::kSquaredHinge);
  EXPECT_EQ(Loss::named("poisson").kind(), Loss::Kind::kPoisson);
  EXPECT_EQ(message_of([] { (void)Loss::named("hing"); }),
            "there is no loss \"hing\"; expected one of hinge, squared_hinge, logistic, squared, absolute, "
            "epsilon_insensitive, quantile, huber, poisson");
}

TEST(Loss, RejectsBadParameters) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1e-9, nan, kInfinity}) EXPECT_THROW(Loss::of(Loss::Kind::kInsensitive, bad), Error);
  for (const double bad : {0.0, 1.0, -0.5, 1.5, nan}) EXPECT_THROW(Loss::of(Loss::Kind::kQuantile, bad), Error);
  for (const double bad : {0.0, -1.0, nan, kInfinity}) EXPECT_THROW(Loss::of(Loss::Kind::kHuber, bad), Error);
  for (const auto kind : {Loss::Kind::kHinge, Loss::Kind::kSquaredHinge, Loss::Kind::kLogistic, Loss::Kind::kSquared,
                          Loss::Kind::kAbsolute, Loss::Kind::kPoisson}) {
    EXPECT_THROW(Loss::of(kind, 0.1), Error);
    EXPECT_THROW(Loss::of(kind, nan), Error);
  }
  EXPECT_EQ(message_of([] { (void)Loss::named("quantile", 2.0); }),
            "tau of the quantile loss is 2; expected a number between 0 and 1");
  EXPECT_EQ(message_of([] { (void)Loss::named("hinge", 2.0); }),
            "the parameter of the hinge loss is 2; expected 0, since it has none");
}

TEST(Loss, AcceptsItsTargetsOnly) {
  EXPECT_TRUE(Loss::of(Loss::Kind::kHinge).accepts(-1.0));
  EXPECT_FALSE(Loss::of(Loss::Kind::kHinge).accepts(0.0));
  EXPECT_TRUE(Loss::of(Loss::Kind::kSquared).accepts(-1e300));
  EXPECT_FALSE(Loss::of(Loss::Kind::kSquared).accepts(kInfinity));
  EXPECT_FALSE(Loss::of(Loss::Kind::kSquared).accepts(kNoTarget));
  EXPECT_TRUE(Loss::of(Loss::Kind::kPoisson).accepts(0.0));
  EXPECT_FALSE(Loss::of(Loss::Kind::kPoisson).accepts(-0.5));
}

}  // namespace
}  // namespace alder
