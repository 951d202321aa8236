#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/yardsticks.h"

#include "archive/archive.h"
#include "base/random.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

Archive archived(const NumberYardsticks& yardsticks) {
  Archive archive;
  yardsticks.save(archive);
  return archive;
}

NumberYardsticks some_number_yardsticks() {
  NumberYardsticks yardsticks;
  yardsticks.add(std::vector<double>{3.5, -1.0, 7.25}, std::vector<double>{1.0, 0.1, 2.0});
  return yardsticks;
}

TEST(NumberYardsticks, AStreamByHand) {
  NumberYardsticks yardsticks;
  EXPECT_EQ(yardsticks.rmse(yardsticks.of_mean()), 0.0);
  // The mean before each row: none, 1, 2, 3. The last target: none, 1, 3, 5.
  yardsticks.add(std::vector<double>{1.0, 3.0, 5.0, 3.0});
  EXPECT_EQ(yardsticks.rows(), 3U);
  EXPECT_DOUBLE_EQ(yardsticks.mae(yardsticks.of_mean()), (2.0 + 3.0 + 0.0) / 3.0);
  EXPECT_DOUBLE_EQ(yardsticks.rmse(yardsticks.of_mean()), std::sqrt((4.0 + 9.0 + 0.0) / 3.0));
  EXPECT_DOUBLE_EQ(yardsticks.mae(yardsticks.of_last()), 2.0);
  EXPECT_DOUBLE_EQ(yardsticks.rmse(yardsticks.of_last()), 2.0);
}

TEST(NumberYardsticks, AgreeWithTheDefinitionAndDoNotDependOnBatches) {
  Random random(5);
  std::vector<double> targets;
  std::vector<double> weights;
  for (int i = 0; i < 500; ++i) {
    targets.push_back(random.chance(0.1) ? kNoTarget : 1e6 + random.normal());
    weights.push_back(static_cast<double>(random.below(3)));
  }
  NumberYardsticks whole;
  whole.add(targets, weights);
  NumberYardsticks parts;
  long double weight = 0.0L;
  long double sum = 0.0L;
  long double counted = 0.0L;
  long double of_mean = 0.0L;
  long double of_last = 0.0L;
  double last = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    parts.add(std::span(targets).subspan(i, 1), std::span(weights).subspan(i, 1));
    if (std::isnan(targets[i]) || weights[i] == 0.0) continue;
    if (weight > 0.0L) {
      const long double error = sum / weight - targets[i];
      of_mean += weights[i] * error * error;
      of_last +=
          weights[i] * (static_cast<long double>(last) - targets[i]) * (static_cast<long double>(last) - targets[i]);
      counted += weights[i];
    }
    weight += weights[i];
    sum += weights[i] * static_cast<long double>(targets[i]);
    last = targets[i];
  }
  EXPECT_NEAR(whole.rmse(whole.of_mean()), static_cast<double>(std::sqrt(of_mean / counted)), 1e-9);
  EXPECT_NEAR(whole.rmse(whole.of_last()), static_cast<double>(std::sqrt(of_last / counted)), 1e-9);
  EXPECT_EQ(archived(whole).encode(), archived(parts).encode());
}

TEST(NumberYardsticks, GoOnExactlyWhereTheyWereSavedAlsoAfterTheLargestTargets) {
  NumberYardsticks large = some_number_yardsticks();
  large.add(std::vector<double>{1.7e308, -1.7e308, 1.7e308});
  for (NumberYardsticks yardsticks : {NumberYardsticks(), some_number_yardsticks(), large}) {
    NumberYardsticks loaded = NumberYardsticks::load(Archive::decode(archived(yardsticks).encode()));
    loaded.add(std::vector<double>{1.0, 2.0});
    yardsticks.add(std::vector<double>{1.0, 2.0});
    EXPECT_EQ(archived(loaded).encode(), archived(yardsticks).encode());
  }
}

TEST(NumberYardsticks, RefuseTargetsAndFilesThatAreNone) {
  NumberYardsticks yardsticks = some_number_yardsticks();
  EXPECT_EQ(message_of([&] {
              yardsticks.add(std::vector<double>{0.0, std::numeric_limits<double>::infinity()});
            }),
            "target 1 of the batch, from 0, is inf; expected a finite number");
  EXPECT_EQ(yardsticks.rows(), 2U);
  const auto load_with = [](const char* key, auto value) {
    Archive archive = archived(some_number_yardsticks());
    archive.set("number_yardsticks", key, value);
    return message_of([&] { (void)NumberYardsticks::load(archive); });
  };
  EXPECT_EQ(load_with("rows", std::uint64_t{2}), "nothing thrown");
  const std::string contradiction = "not a sound alder model: its yardsticks contradict each other";
  EXPECT_EQ(load_with("has_last", false), contradiction);
  EXPECT_EQ(load_with("rows", std::uint64_t{0}), contradiction);
  EXPECT_EQ(load_with("rows", ~std::uint64_t{0}), contradiction);
  for (const char* key : {"weight", "met", "mean_squared", "mean_absolute", "last_squared", "last_absolute"}) {
    EXPECT_EQ(load_with(key, -1.0), contradiction) << key;
    EXPECT_EQ(load_with(key, 2e300), contradiction) << key;
  }
  EXPECT_EQ(load_with("mean", -2e300), contradiction);
  EXPECT_EQ(load_with("last", 2e300), contradiction);
  EXPECT_NE(load_with("last", std::string("1")), "nothing thrown");
}

}  // namespace
}  // namespace alder
