#include "learners/pomdr/pomdr_options.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/pomdr.h"

#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_one;

template <class Change>
std::string message_with(const Change& change) {
  PomdrOptions options;
  change(options);
  return testing::message_of([&] { (void)make_pomdr(options); });
}

TEST(PomdrOptions, DefaultsAreThePapersExperiments) {
  const PomdrOptions options;
  EXPECT_EQ(options.radius, 25.0);
  EXPECT_EQ(options.budget, 400U);
  EXPECT_EQ(options.window, 15U);
  EXPECT_EQ(options.ald, 10.0);
  EXPECT_EQ(options.zeta, 2.0 / 3.0);
  EXPECT_EQ(options.factor, 0.05);
  EXPECT_NO_THROW(make_pomdr(options));
}

TEST(PomdrOptions, EachContradictionHasItsMessage) {
  EXPECT_EQ(message_with([](auto& o) { o.budget = 401; }),
            "budget is 401; expected an even number from 2 on, since half of it is removed");
  EXPECT_EQ(message_with([](auto& o) { o.budget = 0; }), "budget is 0; expected at least 2");
  EXPECT_EQ(message_with([](auto& o) {
              o.budget = 100;
              o.b0 = 100;
            }),
            "budget is 100; expected more than b0 = 100");
  EXPECT_EQ(message_with([](auto& o) {
              o.budget = 100;
              o.horizon = 50000;
            }),
            "budget is 100; expected more than b0 = 162 (b0 is round(15 ln T) with T = 50000; set b0 for a smaller "
            "budget)");
  EXPECT_EQ(message_with([](auto& o) { o.b0 = 0; }), "b0 is 0; expected at least 1");
  EXPECT_EQ(message_with([](auto& o) { o.horizon = 0; }), "horizon is 0; expected at least 1");
  EXPECT_EQ(message_with([](auto& o) { o.window = 0; }), "window is 0; expected at least 1");
  EXPECT_EQ(message_with([](auto& o) { o.radius = 0.0; }), "radius is 0; expected a number from 1e-50 to 1e+50");
  EXPECT_EQ(message_with([](auto& o) { o.ald = -1.0; }), "ald is -1; expected a number from 0 to 1e+50");
  EXPECT_EQ(message_with([](auto& o) { o.factor = 0.0; }), "factor is 0; expected a number from 1e-50 to 1e+50");
  EXPECT_EQ(message_with([](auto& o) { o.zeta = 0.0; }), "zeta is 0; expected a number from 1e-50 to 1");
  EXPECT_EQ(message_with([](auto& o) { o.zeta = 1.5; }), "zeta is 1.5; expected a number from 1e-50 to 1");
}

TEST(PomdrOptions, NothingThatIsNotFiniteIsTaken) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(message_with([bad](auto& o) { o.radius = bad; }), "nothing thrown");
    EXPECT_NE(message_with([bad](auto& o) { o.ald = bad; }), "nothing thrown");
    EXPECT_NE(message_with([bad](auto& o) { o.factor = bad; }), "nothing thrown");
    EXPECT_NE(message_with([bad](auto& o) { o.zeta = bad; }), "nothing thrown");
  }
}

TEST(PomdrOptions, HugeNumbersCostNothingUpFront) {
  PomdrOptions options;
  options.budget = std::size_t{1} << 53U;
  options.window = std::size_t{1} << 53U;
  options.horizon = std::uint64_t{1} << 53U;
  const auto learner = make_pomdr(options);
  const std::vector<double> x = {1.0, 2.0};
  for (int t = 0; t < 100; ++t) learn_one(*learner, Row::dense(x), t % 2 == 0 ? 1.0 : -1.0);
  EXPECT_LT(learner->report().bytes, 1000000U);
}

TEST(PomdrSchedule, AGivenHorizonFixesB0AndThreshold) {
  PomdrOptions options;
  options.horizon = 1000;
  PomdrSchedule schedule(options);
  for (const std::uint64_t t : {1, 1000, 1001, 1000000}) {
    schedule.begin_round(t);
    EXPECT_EQ(schedule.b0(), 104U);  // 15 ln 1000 = 103.6
    EXPECT_DOUBLE_EQ(schedule.threshold(), 0.1);
  }
}

TEST(PomdrSchedule, AnUnknownHorizonDoublesAndB0AndThresholdFollow) {
  PomdrOptions options;
  PomdrSchedule schedule(options);
  schedule.begin_round(1 << 20);
  EXPECT_EQ(schedule.horizon(), 1U << 20U);
  EXPECT_EQ(schedule.b0(), 208U);
  EXPECT_NEAR(schedule.threshold(), 10.0 * std::pow(2.0, -40.0 / 3.0), 1e-17);
  schedule.begin_round((1 << 20) + 1);
  EXPECT_EQ(schedule.horizon(), 1U << 21U);
  EXPECT_EQ(schedule.b0(), 218U);
  EXPECT_NEAR(schedule.threshold(), 10.0 * std::pow(2.0, -14.0), 1e-17);
  schedule.begin_round(1 << 21);
  EXPECT_EQ(schedule.horizon(), 1U << 21U);
}

TEST(PomdrSchedule, AnAutomaticB0StaysBelowTheBudget) {
  PomdrOptions options;
  options.budget = 210;
  PomdrSchedule schedule(options);
  schedule.begin_round((1 << 20) + 1);
  EXPECT_EQ(schedule.b0(), 209U);
}

TEST(PomdrSchedule, AGivenB0StaysWhileTheThresholdFollows) {
  PomdrOptions options;
  options.b0 = 50;
  PomdrSchedule schedule(options);
  schedule.begin_round((1 << 20) + 1);
  EXPECT_EQ(schedule.b0(), 50U);
  EXPECT_NEAR(schedule.threshold(), 10.0 * std::pow(2.0, -14.0), 1e-17);
}

TEST(PomdrSchedule, OneRoundIsAHorizon) {
  PomdrOptions options;
  options.horizon = 1;
  EXPECT_EQ(PomdrSchedule(options).b0(), 1U);
}

}  // namespace
}  // namespace alder
