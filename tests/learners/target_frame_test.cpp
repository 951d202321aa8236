#include "learners/alder/target_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {
namespace {

using Numbers = std::vector<double>;

Numbers normal_numbers(std::size_t n, double center, double deviation, std::uint64_t seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(center, deviation);
  Numbers numbers(n);
  for (double& number : numbers) number = normal(engine);
  return numbers;
}

TargetFrame fitted(const Numbers& targets) {
  TargetFrame frame;
  frame.fit(targets);
  return frame;
}

std::string bytes_of(const TargetFrame& frame) {
  Archive archive;
  frame.save(archive, "f");
  return archive.encode();
}

TEST(TargetFrame, HasMeanAndDeviationOfItsTargets) {
  for (const auto& [center, deviation] :
       {std::pair{0.0, 1.0}, {5.0, 1e-3}, {-1e6, 1e-3}, {1e6, 1e-3}, {1e9, 1e-2}, {0.0, 1e-100}, {0.0, 1e149}}) {
    const Numbers targets = normal_numbers(32, center, deviation);
    const TargetFrame frame = fitted(targets);
    long double mean = 0.0L;
    for (const double target : targets) mean += static_cast<long double>(target) / 32.0L;
    long double squares = 0.0L;
    for (const double target : targets) squares += (target - mean) * (target - mean) / 32.0L;
    const auto expected = static_cast<double>(std::sqrt(squares));
    EXPECT_NEAR(frame.center(), static_cast<double>(mean), 1e-4 * expected);
    EXPECT_NEAR(frame.scale(), expected, 1e-6 * expected);
    for (const double target : targets) EXPECT_NEAR(frame.outside(frame.inside(target)), target, 1e-6 * deviation);
  }
}

TEST(TargetFrame, OfEqualTargetsHasTheScaleOne) {
  for (const double target : {0.0, 0.1, -7.0, 1e6 / 3.0, 1e-200, 1e149, -TargetFrame::kMost}) {
    const TargetFrame frame = fitted(Numbers(32, target));
    EXPECT_EQ(frame.scale(), 1.0) << target;
    EXPECT_NEAR(frame.center(), target, 1e-12 * std::fabs(target));
    EXPECT_NEAR(frame.outside(frame.cut(1e300)), target, 1e-12 * std::fabs(target)) << target;
  }
}

TEST(TargetFrame, CutsToTheRangeAndATenthOfIt) {
  TargetFrame frame = fitted({-1.0, 1.0});
  const double margin = frame.cut(100.0) - 1.0;
  EXPECT_NEAR(margin, 0.1 * 2.0, 1e-12);
  EXPECT_NEAR(frame.cut(-100.0), -1.0 - margin, 1e-12);
  for (const double score : {-1.2, -0.3, 0.0, 1.0, 1.2}) EXPECT_EQ(frame.cut(score), score);
  frame.learn(9.0, 0.1);
  EXPECT_NEAR(frame.cut(100.0), 9.0 + 1.0, 1e-12);
  EXPECT_NEAR(frame.cut(-100.0), -1.0 - 1.0, 1e-12);
}

// With s² the mean of squared errors lately, of which none is taken for more than 9 s².
TEST(TargetFrame, ChargesSquaredErrorsByTheirMean) {
  TargetFrame frame = fitted({-1.0, 1.0});
  const Numbers errors = normal_numbers(1000, 0.0, 0.2);
  double square = 0.0;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    const double e = t % 97 == 96 ? 50.0 : errors[t];
    frame.learn(0.0, e);
    const double own = t == 0 ? e * e : std::min(e * e, 9.0 * square);
    square += std::max(1.0 / static_cast<double>(t + 1), 1.0 / 200.0) * (own - square);
    ASSERT_NEAR(frame.error(), std::sqrt(square), 1e-12);
    for (const double error : {0.0, 0.1, -0.3, 1.0, 1e200}) {
      ASSERT_NEAR(frame.charge(error), 0.25 * std::min(error * error / square, 16.0), 1e-10);
    }
  }
}

TEST(TargetFrame, RemembersTheLatestTargets) {
  const Numbers targets = normal_numbers(50, 3.0, 2.0);
  TargetFrame frame = fitted(targets);
  double mean = 0.0;
  const auto push = [&](double y) { mean += (y - mean) / 15.0; };
  for (const double target : targets) push(frame.inside(target));
  EXPECT_EQ(frame.last(), frame.inside(targets.back()));
  EXPECT_NEAR(frame.recent_mean(), mean, 1e-12);
  frame.learn(4.5, 0.1);
  push(4.5);
  EXPECT_EQ(frame.last(), 4.5);
  EXPECT_NEAR(frame.recent_mean(), mean, 1e-12);
  frame.restart_recent();
  EXPECT_EQ(frame.last(), 0.0);
  EXPECT_EQ(frame.recent_mean(), 0.0);
  frame.push_recent(3.0);
  EXPECT_EQ(frame.last(), 3.0);
  EXPECT_NEAR(frame.recent_mean(), 0.2, 1e-12);
}

TEST(TargetFrame, GoesOnFromAnArchiveToTheBit) {
  TargetFrame frame = fitted(normal_numbers(32, 10.0, 3.0));
  for (const double y : normal_numbers(700, 0.0, 2.0, 5)) {
    frame.learn(y, 0.1 * y);
    Archive archive;
    frame.save(archive, "f");
    TargetFrame loaded;
    loaded.load(Archive::decode(archive.encode()), "f");
    ASSERT_EQ(bytes_of(loaded), bytes_of(frame));
    loaded.learn(0.3, 0.2);
    TargetFrame copy = frame;
    copy.learn(0.3, 0.2);
    ASSERT_EQ(bytes_of(loaded), bytes_of(copy));
  }
}

// Whatever the targets of a stream are, its numbers stay finite, and what is written can be read.
TEST(TargetFrame, StaysFiniteWithTargetsOfAnySize) {
  const double most = TargetFrame::kMost;
  for (const Numbers& first : {Numbers{0.0, 0.0}, Numbers{1e-149, -1e-149}, Numbers{most, -most}, Numbers{most, most},
                               Numbers{5e-324, 0.0}, Numbers{1e6, 1e6 + 1e-6}}) {
    for (const double later : {0.0, 1.0, -1e100, most, -most}) {
      TargetFrame frame = fitted(first);
      for (int t = 0; t < 100; ++t) {
        const double y = frame.inside(t % 3 == 0 ? -later : later);
        const double predicted = frame.cut(t % 2 == 0 ? 1e38 : -1e38);
        ASSERT_TRUE(std::isfinite(y) && std::isfinite(predicted)) << first[0] << " " << later;
        const double charge = frame.charge(y - predicted);
        ASSERT_TRUE(charge >= 0.0 && charge <= 4.0) << first[0] << " " << later << " " << t;
        frame.learn(y, y - predicted);
        ASSERT_TRUE(std::isfinite(frame.error()) && frame.error() > 0.0) << first[0] << " " << later << " " << t;
        ASSERT_TRUE(std::isfinite(frame.outside(frame.cut(y)))) << first[0] << " " << later;
        Archive archive;
        frame.save(archive, "f");
        TargetFrame loaded;
        ASSERT_NO_THROW(loaded.load(archive, "f")) << first[0] << " " << later << " " << t;
      }
    }
  }
}

TEST(TargetFrame, RefusesForgedNumbers) {
  const double nan = std::nan("");
  const double huge = std::numeric_limits<double>::infinity();
  const Numbers sound = {1.0, 2.0, -1.0, 1.0, 0.5, 0.25, 0.125};
  const auto load = [](const Numbers& numbers) {
    Archive archive;
    archive.put("f", numbers);
    archive.put("f.rows", std::vector<std::uint64_t>{7});
    TargetFrame frame;
    frame.load(archive, "f");
  };
  EXPECT_NO_THROW(load(sound));
  for (std::size_t i = 0; i < sound.size(); ++i) {
    for (const double forged : {nan, huge, -huge}) {
      Numbers numbers = sound;
      numbers[i] = forged;
      EXPECT_THROW(load(numbers), Error) << i << " " << forged;
    }
  }
  for (const auto& [i, forged] :
       {std::pair{0, 1e151}, {1, 0.0}, {1, -1.0}, {1, 1e151}, {2, 1.5}, {6, 0.0}, {6, -1.0}}) {
    Numbers numbers = sound;
    numbers[static_cast<std::size_t>(i)] = forged;
    EXPECT_THROW(load(numbers), Error) << i << " " << forged;
  }
  EXPECT_THROW(load({1.0, 2.0, -1.0, 1.0, 0.5, 0.25}), Error);
}

}  // namespace
}  // namespace alder
