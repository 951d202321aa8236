#include "model/quantiles.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "base/random.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The definition, with other names and plain loops.
struct LiteralQuantiles {
  std::vector<double> q = {-1.959963984540054, -1.6448536269514722, -1.2815515655446004, -0.6744897501960817, 0.0,
                           0.6744897501960817, 1.2815515655446004,  1.6448536269514722,  1.959963984540054};
  double mean_u = 0.7978845608028654;
  int t = 0;

  void learn(double value, double deviation, double target) {
    const double u = (target - value) / deviation;
    ++t;
    const double counted = std::min(std::fabs(u), 10.0 * std::max(1.0, mean_u));
    mean_u += (counted - mean_u) * std::max(1.0 / (30 + t), 1.0 / std::max(500.0, 0.25 * (30 + t)));
    const double step = mean_u * std::max(0.5 / std::sqrt(t), 0.02);
    for (std::size_t k = 0; k < 9; ++k) q[k] += step * kLevels[k] - (u < q[k] ? step : 0.0);
    for (std::size_t k = 1; k < 9; ++k) q[k] = std::max(q[k], q[k - 1]);
  }
};

std::vector<double> ask(const TrackedQuantiles& tracked, double value, double deviation, std::vector<double> levels) {
  std::vector<double> out(levels.size());
  tracked.quantiles(value, deviation, TrackedQuantiles::places(levels), out);
  return out;
}

std::vector<double> all_levels() {
  return {kLevels.begin(), kLevels.end()};
}

Archive in_archive(const TrackedQuantiles& tracked) {
  Archive archive;
  tracked.save(archive);
  return archive;
}

TrackedQuantiles some_tracked(int rows = 300) {
  Random random(3);
  TrackedQuantiles tracked;
  for (int i = 0; i < rows; ++i) {
    const double value = random.normal();
    tracked.learn(value, 0.5 + random.uniform(), value + random.normal());
  }
  return tracked;
}

TEST(NormalQuantile, HasTheValuesOfTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.05), -1.6448536269514722, 1e-13);
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-11);
  EXPECT_TRUE(std::isfinite(normal_quantile(1e-300)));
}

TEST(TrackedQuantiles, FollowTheDefinition) {
  Random random(1);
  TrackedQuantiles tracked;
  LiteralQuantiles literal;
  tracked.learn(kUnknown, kUnknown, -1e6);  // a range that cuts nothing below
  tracked.learn(kUnknown, kUnknown, 1e6);
  for (int i = 0; i < 2000; ++i) {
    const double value = 10.0 * random.normal();
    const double deviation = 0.1 + random.uniform();
    const auto quantiles = ask(tracked, value, deviation, all_levels());
    for (std::size_t k = 0; k < 9; ++k) ASSERT_NEAR(quantiles[k], value + deviation * literal.q[k], 1e-9) << i;
    const double target = value + deviation * (random.exponential() - 1.0) * (i == 700 ? 1e5 : 1.0);
    tracked.learn(value, deviation, target);
    literal.learn(value, deviation, target);
  }
}

TEST(TrackedQuantiles, EveryLevelIsMetInTheLongRunWhateverTheScaleSays) {
  for (const double said : {0.05, 1.0, 2.0}) {  // what the deviation is taken for, while it is 1
    Random random(2);
    TrackedQuantiles tracked;
    std::vector<int> below(9, 0);
    const int rows = 20000;
    for (int i = 0; i < rows; ++i) {
      const double target = random.exponential() * (i % 7 == 0 ? 2.0 : 1.0);
      const auto quantiles = ask(tracked, 0.5, said, all_levels());
      for (std::size_t k = 0; k < 9; ++k) below[k] += target < quantiles[k] ? 1 : 0;
      tracked.learn(0.5, said, target);
    }
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(below[k] / static_cast<double>(rows), kLevels[k], 0.02) << said;
  }
}

TEST(TrackedQuantiles, OtherLevelsLieBetweenTheirNeighboursAndBeyondTheEnds) {
  const TrackedQuantiles fresh;
  // As begun they are normal quantiles, and so is what lies between and beyond.
  for (const double level : {0.001, 0.03, 0.2, 0.42, 0.5, 0.8, 0.97, 0.999}) {
    EXPECT_NEAR(ask(fresh, 3.0, 2.0, {level})[0], 3.0 + 2.0 * normal_quantile(level), 1e-9) << level;
  }
  const TrackedQuantiles tracked = some_tracked();
  std::vector<double> levels;
  for (int i = 1; i < 1000; ++i) levels.push_back(i / 1000.0);
  const auto rising = ask(tracked, 0.0, 1.0, levels);
  EXPECT_TRUE(std::is_sorted(rising.begin(), rising.end()));
  EXPECT_EQ(ask(tracked, 0.0, 1.0, {0.1, 0.975}), (std::vector<double>{rising[99], rising[974]}));
  for (const double bad : {0.0, 1.0, -0.5, 2.0, kUnknown}) {
    EXPECT_NE(message_of([&] { (void)TrackedQuantiles::places(std::vector<double>{0.5, bad}); }), "nothing thrown");
  }
  EXPECT_EQ(message_of([&] { (void)TrackedQuantiles::places(std::vector<double>{1.0}); }),
            "a quantile of the level 1; expected a number above 0 and below 1");
}

TEST(TrackedQuantiles, AreCutToTheRangeOfTheTargetsMet) {
  TrackedQuantiles tracked;
  tracked.learn(kUnknown, kUnknown, 10.0);
  EXPECT_LT(ask(tracked, 10.0, 100.0, {0.025})[0], 0.0);  // one target is no range
  tracked.learn(kUnknown, kUnknown, 30.0);
  EXPECT_EQ(ask(tracked, 20.0, 100.0, {0.025, 0.5, 0.975}), (std::vector<double>{9.0, 20.0, 31.0}));
}

TEST(TrackedQuantiles, WithoutDeviationsTheErrorsTellOneForAll) {
  TrackedQuantiles tracked;
  EXPECT_TRUE(std::isnan(tracked.deviation(kUnknown)));
  EXPECT_EQ(tracked.deviation(3.0), 3.0);
  EXPECT_TRUE(std::isnan(ask(tracked, 1.0, tracked.deviation(kUnknown), {0.5})[0]));
  Random random(4);
  for (int i = 0; i < 5000; ++i) tracked.learn(1.0, tracked.deviation(kUnknown), 1.0 + 7.0 * random.normal());
  EXPECT_NEAR(tracked.deviation(kUnknown), 7.0, 0.7);
  EXPECT_NEAR(ask(tracked, 1.0, tracked.deviation(kUnknown), {0.9})[0], 1.0 + 7.0 * 1.2816, 1.5);
}

TEST(TrackedQuantiles, WhatIsNotFiniteOrHugeLeavesThemSound) {
  TrackedQuantiles tracked = some_tracked();
  const double huge = std::numeric_limits<double>::max();
  for (const double deviation : {0.0, 1e-300, huge, kUnknown, std::numeric_limits<double>::infinity(), -1.0}) {
    for (const double value : {0.0, huge, -huge, kUnknown}) {
      for (const double target : {huge, -huge, 0.0}) {
        for (int i = 0; i < 30; ++i) tracked.learn(value, deviation, target);
        for (const double quantile : ask(tracked, value, deviation, {0.001, 0.5, 0.999})) {
          EXPECT_TRUE(std::isnan(quantile) || std::isfinite(quantile));
        }
      }
    }
  }
  EXPECT_EQ(message_of([&] { (void)TrackedQuantiles::load(in_archive(tracked)); }), "nothing thrown");
}

TEST(TrackedQuantiles, GoOnExactlyWhereTheyWereSaved) {
  for (const int rows : {0, 1, 2, 300}) {
    TrackedQuantiles tracked = some_tracked(rows);
    TrackedQuantiles loaded = TrackedQuantiles::load(Archive::decode(in_archive(tracked).encode()));
    EXPECT_EQ(in_archive(loaded).encode(), in_archive(tracked).encode());
    for (int i = 0; i < 10; ++i) {
      tracked.learn(i, 1.0, 2.5 * i);
      loaded.learn(i, 1.0, 2.5 * i);
    }
    EXPECT_EQ(in_archive(loaded).encode(), in_archive(tracked).encode());
  }
}

TEST(TrackedQuantiles, RefuseContradictions) {
  const std::string contradiction = "not a sound alder model: its quantiles contradict each other";
  const auto load_with = [](const std::function<void(Archive&)>& change) {
    Archive archive = in_archive(some_tracked());
    change(archive);
    return message_of([&] { (void)TrackedQuantiles::load(archive); });
  };
  EXPECT_EQ(load_with([](Archive&) {}), "nothing thrown");
  for (const char* key : {"targets", "errors", "steps"}) {
    EXPECT_EQ(load_with([&](Archive& archive) { archive.set("quantiles", key, ~std::uint64_t{0}); }), contradiction);
    EXPECT_NE(load_with([&](Archive& archive) { archive.set("quantiles", key, -1.0); }), "nothing thrown");
  }
  EXPECT_EQ(load_with([](Archive& archive) { archive.set("quantiles", "targets", std::uint64_t{0}); }), contradiction);
  for (const char* name : {"quantiles.tracked", "quantiles.scale"}) {
    const std::size_t size = std::string(name) == "quantiles.scale" ? 4 : 9;
    for (std::size_t i = 0; i < size; ++i) {
      for (const double bad : {kUnknown, std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(load_with([&](Archive& archive) {
                    auto numbers = archive.get<double>(name);
                    numbers[i] = bad;
                    archive.put(name, numbers);
                  }),
                  contradiction)
            << name << i << bad;
      }
    }
    EXPECT_NE(load_with([&](Archive& archive) { archive.put(name, std::vector<double>(size - 1)); }), "nothing thrown");
  }
  EXPECT_EQ(load_with([](Archive& archive) {
              auto numbers = archive.get<double>("quantiles.tracked");
              std::swap(numbers[2], numbers[5]);
              archive.put("quantiles.tracked", numbers);
            }),
            contradiction);
}

}  // namespace
}  // namespace alder
