#include "experiments/trial.h"

#include <gtest/gtest.h>

#include "alder/evaluate.h"
#include "alder/registry.h"

#include "experiments/mini.h"
#include "experiments/one_by_one.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::generated;
using testing::message_of;
using testing::never;

// Options so small that a few hundred rows meet maps, removals and phase 2.
Json small_settings(const std::string& learner) {
  Json settings = Json::object();
  const Json small = {{"sigma", 0.1}, {"budget", 30}, {"b0", 10}, {"frequencies", 20}};
  for (const auto& [name, value] : small.items()) {
    if (has_setting(learner, name)) settings[name] = value;
  }
  return settings;
}

// What the trial should be: a model that someone drives by hand.
Model by_hand(const Dataset& data, const std::vector<std::size_t>& order, const std::string& name, const Json& settings,
              std::uint64_t seed) {
  Model model(name, learner_options(name, settings, order.size(), seed));
  for (const std::size_t i : order) testing::learn_one(model, data[i]);
  return model;
}

// What one costs that learned in batches, as a trial does: room for their rows is memory too.
std::uint64_t bytes_with_batches(const Dataset& data, const std::vector<std::size_t>& order, const std::string& name,
                                 const Json& settings, std::uint64_t seed) {
  auto learner = make_learner(name, learner_options(name, settings, order.size(), seed));
  evaluate(*stream(data, order), *learner);
  return learner->report().bytes;
}

Json timeless(Json json) {
  json.erase("seconds");
  return json;
}

TEST(Trial, IsTheLearnerDrivenByHand) {
  const Dataset data = generated("checkerboard", 500);
  for (const std::string& name : learner_names()) {
    const Json settings = small_settings(name);
    const auto order = permutation(data.size(), 9);
    Trial trial(data, order, name, settings, 4);
    ASSERT_TRUE(trial.advance(data.size(), never()));
    const Model model = by_hand(data, order, name, settings, 4);
    const Report expected = model.learner().report();
    const Json outcome = outcome_of(trial);
    EXPECT_EQ(outcome["rounds"], 500) << name;
    EXPECT_EQ(outcome["mistakes"], model.counts().mistakes) << name;
    EXPECT_EQ(outcome["hinge_loss"], model.counts().hinge_loss) << name;
    EXPECT_EQ(outcome["support"], expected.support) << name;
    EXPECT_EQ(outcome["bytes"], bytes_with_batches(data, order, name, settings, 4)) << name;
    EXPECT_EQ(outcome["removals"], expected.removals()) << name;
    EXPECT_EQ(outcome["switch_round"], expected.count("switch_round") ? Json(*expected.count("switch_round")) : Json())
        << name;
    EXPECT_EQ(outcome["sum_delta"], expected.number("sum_delta") ? Json(*expected.number("sum_delta")) : Json())
        << name;
    EXPECT_EQ(outcome["seconds"], trial.seconds()) << name;
    EXPECT_GT(trial.seconds(), 0.0);
    EXPECT_EQ(outcome.size(), 13U);
  }
}

TEST(Trial, PiecesAreAsGoodAsOneGo) {
  const Dataset data = generated("rings", 300);
  for (const char* name : {"pomdr", "bogd", "skegd", "linear"}) {
    Trial whole(data, permutation(300, 2), name, small_settings(name), 1);
    whole.advance(300, never());
    Trial pieces(data, permutation(300, 2), name, small_settings(name), 1);
    for (const std::uint64_t rows : {0, 1, 1, 63, 64, 65, 20, 128, 299, 300, 1000}) {
      EXPECT_TRUE(pieces.advance(rows, never()));
      EXPECT_GE(pieces.learner().report().rounds, std::min<std::uint64_t>(rows, 300));
    }
    // Room for the rows of a batch is memory, too, and depends on the batches.
    const auto result = [](const Trial& trial) {
      Json json = timeless(outcome_of(trial));
      json.erase("bytes");
      return json;
    };
    EXPECT_EQ(result(pieces), result(whole)) << name;
  }
}

TEST(Trial, AdvancesToTheRowsThatAreWantedAndNotBack) {
  const Dataset data = generated("rings", 100);
  Trial trial(data, {}, "linear", Json::object(), 1);
  EXPECT_EQ(trial.learner().report().rounds, 0U);
  trial.advance(40, never());
  EXPECT_EQ(trial.learner().report().rounds, 40U);
  trial.advance(10, never());
  EXPECT_EQ(trial.learner().report().rounds, 40U);
  trial.advance(~std::uint64_t{0}, never());
  EXPECT_EQ(trial.learner().report().rounds, 100U);
}

TEST(Trial, TheHorizonIsTheLengthOfTheOrder) {
  const Dataset data = generated("rings", 100);
  const auto horizon = [&data](std::vector<std::size_t> order, const Json& settings) {
    const Trial trial(data, std::move(order), "pomdr", settings, 1);
    return Json::parse(trial.learner().options())["horizon"];
  };
  EXPECT_EQ(horizon({}, {{"sigma", 1}}), 100);
  EXPECT_EQ(horizon({3, 4, 3}, {{"sigma", 1}}), 3);
  EXPECT_EQ(horizon({3, 4, 3}, {{"sigma", 1}, {"horizon", 70}}), 70);
}

TEST(Trial, StopsSoonWhenItIsTold) {
  const Dataset data = generated("rings", 1000);
  Trial trial(data, {}, "linear", Json::object(), 1);
  EXPECT_FALSE(trial.advance(1000, [] { return true; }));
  EXPECT_LT(trial.learner().report().rounds, 200U);
  testing::StopAfter later(5);
  Trial other(data, {}, "linear", Json::object(), 1);
  EXPECT_FALSE(other.advance(1000, later.stop()));
  EXPECT_GT(other.learner().report().rounds, trial.learner().report().rounds);
  EXPECT_TRUE(other.advance(1000, never()));
  EXPECT_EQ(other.learner().report().rounds, 1000U);
}

TEST(Trial, RejectsSettingsThatMakeNoSense) {
  const Dataset data = generated("rings", 10);
  EXPECT_TRUE(message_of([&] { Trial(data, {}, "pomdr", {{"sigma", -1}}, 1); }).starts_with("sigma is -1"));
  EXPECT_NE(message_of([&] { Trial(data, {10}, "pomdr", {{"sigma", 1}}, 1); }), "nothing thrown");
  EXPECT_NE(message_of([&] { Trial(data, {}, "none", {}, 1); }), "nothing thrown");
}

TEST(Curve, IsThePlainRunSeenAtItsRounds) {
  for (const std::uint64_t rows : {1, 2, 3, 129, 130, 131, 1000}) {
    const Dataset data = generated("checkerboard", rows);
    for (const char* name : {"pomdr", "bao2ks", "linear"}) {
      const Json settings = small_settings(name);
      const auto order = permutation(rows, 3);
      Trial trial(data, order, name, settings, 5);
      const Json curve = curve_of(trial, rows, never());
      EXPECT_EQ(trial.learner().report().rounds, rows);

      Model model(name, learner_options(name, settings, rows, 5));
      const Learner* const learner = &model.learner();
      std::vector<std::uint64_t> removal_rounds;
      std::size_t at = 0;
      for (std::uint64_t t = 1; t <= rows; ++t) {
        const std::uint64_t removals = learner->report().removals();
        testing::learn_one(model, data[order[t - 1]]);
        const Report report = learner->report();
        if (report.removals() > removals) removal_rounds.push_back(t);
        if (at == curve["round"].size() || curve["round"][at] != t) continue;
        ASSERT_EQ(curve["mistakes"][at], model.counts().mistakes) << name << t;
        ASSERT_EQ(curve["support"][at], report.support) << name << t;
        ASSERT_NEAR(curve["learning_rate"][at].get<double>(), report.learning_rate.value_or(0.0),
                    1e-4 * report.learning_rate.value_or(0.0));
        if (report.number("sum_delta")) {
          ASSERT_NEAR(curve["sum_delta"][at].get<double>(), *report.number("sum_delta"),
                      1e-4 * *report.number("sum_delta"))
              << name << t;
        }
        ++at;
      }
      // Ascending and without repetition, or the walk above would have missed some.
      EXPECT_EQ(at, curve["round"].size()) << name << rows;
      EXPECT_EQ(curve["round"].back(), rows);
      EXPECT_EQ(curve["round"].front(), 1);
      EXPECT_LE(curve["round"].size(), 150U);
      for (const char* array : {"mistakes", "support", "learning_rate"}) EXPECT_EQ(curve[array].size(), at) << array;
      EXPECT_EQ(curve["removal_rounds"], Json(removal_rounds)) << name << rows;
      const Report last = learner->report();
      EXPECT_EQ(curve["switch_round"], last.count("switch_round") ? Json(*last.count("switch_round")) : Json())
          << name << rows;
      EXPECT_EQ(curve["sum_delta"].is_null(), !last.number("sum_delta")) << name;
      if (last.number("sum_delta")) {
        EXPECT_EQ(curve["sum_delta"].size(), at);
      }
      if (rows == 1000 && std::string(name) != "linear") {
        EXPECT_FALSE(removal_rounds.empty()) << name;
      }
      if (rows == 1000 && std::string(name) == "pomdr") {
        EXPECT_FALSE(curve["switch_round"].is_null());
      }
    }
  }
}

// BOGD removes a row in nearly every round once it is full.
TEST(Curve, KeepsAThousandRemovalsAndNoMore) {
  const Dataset data = generated("checkerboard", 3000);
  const Json settings = {{"sigma", 0.1}, {"budget", 2}};
  Model model("bogd", learner_options("bogd", settings, 3000, 1));
  const Learner* const learner = &model.learner();
  std::vector<std::uint64_t> removal_rounds;
  for (std::size_t t = 0; t < 3000; ++t) {
    const std::uint64_t before = learner->report().removals();
    testing::learn_one(model, data[t]);
    if (learner->report().removals() > before) removal_rounds.push_back(t + 1);
  }
  ASSERT_GT(removal_rounds.size(), 1001U);
  for (const std::size_t count : {999, 1000, 1001}) {
    // Ends with the removal of that number; the horizon stays that of all rows.
    std::vector<std::size_t> order(removal_rounds[count - 1]);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    Json fixed = settings;
    fixed["horizon"] = 3000;
    Trial trial(data, order, "bogd", fixed, 1);
    const Json curve = curve_of(trial, order.size(), never());
    if (count > 1000) {
      EXPECT_TRUE(curve["removal_rounds"].is_null());
    } else {
      ASSERT_EQ(curve["removal_rounds"].size(), count);
      EXPECT_EQ(curve["removal_rounds"].back(), order.size());
    }
  }
}

TEST(Curve, IsNullWhenItWasStopped) {
  const Dataset data = generated("rings", 1000);
  for (const std::int64_t calls : {0, 1, 7}) {
    testing::StopAfter after(calls);
    Trial trial(data, {}, "linear", Json::object(), 1);
    EXPECT_TRUE(curve_of(trial, 1000, after.stop()).is_null());
    EXPECT_LT(trial.learner().report().rounds, 1000U);
  }
}

}  // namespace
}  // namespace alder
