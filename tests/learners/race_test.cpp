#include "learners/alder/race.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/examples.h"

#include "archive/archive.h"
#include "learners/core/margin.h"
#include "support/throws.h"

namespace alder {
namespace {

std::vector<Runner> runners(std::size_t count) {
  return std::vector<Runner>(count, Runner{.sigma = 0.5});
}

// A race that is long enough not to end by itself.
constexpr RaceRules kLong = {.rounds = 4000};

// A round of two classes, in which the runners made these scores.
void after_round(Race& race, const std::vector<double>& scores, double label) {
  std::vector<double> charges;
  for (const double score : scores) {
    charges.push_back(Race::charge(margin_of(std::span(&score, 1), class_of(label))));
  }
  race.after_round(charges);
}

double vote(const Race& race, const std::vector<double>& scores) {
  double score = 0.0;
  race.vote(scores, std::span(&score, 1));
  return score;
}

void repeat(Race& race, int rounds, const std::vector<double>& scores, double label = 1.0) {
  for (int t = 0; t < rounds; ++t) after_round(race, scores, label);
}

// What is charged in all for so many equal rounds.
double total(double charge, int rounds) {
  return charge * (1.0 - std::pow(0.999, rounds)) / (1.0 - 0.999);
}

TEST(Race, ChargesMistakesAndHalfOfTheHingeLossUpToTwo) {
  struct Case {
    double score;
    double label;
    double charge;
  };
  for (const Case& c : {Case{2.0, 1.0, 0.0}, Case{1.0, 1.0, 0.0}, Case{0.5, 1.0, 0.25}, Case{0.0, 1.0, 0.5},
                        Case{0.0, -1.0, 1.5}, Case{-0.5, 1.0, 1.75}, Case{-1.0, 1.0, 2.0}, Case{-9.0, 1.0, 2.0},
                        Case{-9.0, -1.0, 0.0}, Case{9.0, -1.0, 2.0}}) {
    Race race(runners(2), kLong);
    after_round(race, std::vector{c.score, c.label}, c.label);
    EXPECT_DOUBLE_EQ(race.runners()[0].charge, c.charge) << c.score << " " << c.label;
    EXPECT_EQ(race.runners()[0].rounds, 1U);
    EXPECT_EQ(race.runners()[1].charge, 0.0);
  }
}

TEST(Race, WhatWasChargedBeforeFades) {
  Race race(runners(2), kLong);
  repeat(race, 250, {-5.0, 0.5});
  EXPECT_NEAR(race.runners()[0].charge, total(2.0, 250), 1e-9);
  EXPECT_NEAR(race.runners()[1].charge, total(0.25, 250), 1e-9);
  const double before = race.runners()[0].charge;
  repeat(race, 10, {5.0, 0.5});
  EXPECT_NEAR(race.runners()[0].charge, before * std::pow(0.999, 10), 1e-9);
}

TEST(Race, TheLeastChargeLeadsAndOnATieTheOneThatLed) {
  Race race(runners(3), kLong);
  EXPECT_EQ(race.leader(), 0U);
  repeat(race, 3, {0.5, 0.5, 0.5});
  EXPECT_EQ(race.leader(), 0U);
  repeat(race, 1, {0.5, 0.9, 0.9});
  EXPECT_EQ(race.leader(), 1U);
  repeat(race, 1, {0.5, 0.9, 0.95});
  EXPECT_EQ(race.leader(), 2U);
  repeat(race, 1, {0.5, 0.9, 0.8});
  EXPECT_EQ(race.leader(), 1U);
}

// Charges s and s' of one with the handicap h and one without: it leads from s + h sqrt(s + 1) < s' on.
TEST(Race, OneWithAHandicapLeadsOnlyWhenItIsBetterByThatManyDeviations) {
  for (const double handicap : {0.1, 0.7, 1.0}) {
    std::vector<Runner> two = runners(2);
    two[0].handicap = handicap;
    Race race(two, kLong);
    EXPECT_EQ(race.leader(), 1U);
    after_round(race, std::vector{5.0, 5.0}, 1.0);
    EXPECT_EQ(race.leader(), 1U);
    Race again(two, kLong);
    int rounds = 0;
    for (; again.leader() == 1 && rounds < 200; ++rounds) after_round(again, std::vector{0.8, 0.0}, 1.0);
    const auto leads = [handicap](int n) {
      return total(0.1, n) + handicap * std::sqrt(total(0.1, n) + 1.0) < total(0.5, n);
    };
    EXPECT_TRUE(leads(rounds));
    EXPECT_FALSE(leads(rounds - 1));
  }
}

TEST(Race, AWeightMultipliesWhatIsCharged) {
  Race race(runners(2), kLong);
  race.after_round(std::vector{0.5, 1.0}, 3.0);
  EXPECT_DOUBLE_EQ(race.runners()[0].charge, 1.5);
  race.after_round(std::vector{0.5, 1.0}, 0.5);
  EXPECT_DOUBLE_EQ(race.runners()[1].charge, 0.999 * 3.0 + 0.5);
}

TEST(Race, AVoteCountsTheMoreTheLessItsOwnerWasCharged) {
  Race race(runners(3), kLong);
  EXPECT_DOUBLE_EQ(vote(race, std::vector{0.5, -5.0, 1.0}), 0.5 / 3.0);
  after_round(race, std::vector{5.0, 0.0, -5.0}, 1.0);  // charges 0, 0.5 and 2
  const double expected = (0.5 - std::exp(-0.5) + std::exp(-2.0)) / (1.0 + std::exp(-0.5) + std::exp(-2.0));
  EXPECT_DOUBLE_EQ(vote(race, std::vector{0.5, -5.0, 1.0}), expected);
  repeat(race, 300, {5.0, 0.9, -5.0});
  ASSERT_FALSE(race.is_in(2));
  EXPECT_EQ(vote(race, std::vector{0.5, 0.5, std::nan("")}), 0.5);
}

// Of more than two classes none is more than 1 below the largest.
TEST(Race, VotesOfManyClassesAreCutBelowTheLargest) {
  Race race(runners(2), kLong);
  race.after_round(std::vector{0.0, 0.5});
  std::vector<double> out(3);
  race.vote(std::vector{5.0, 4.5, -9.0, 0.0, 0.2, 0.1}, out);
  const double less = std::exp(-0.5);
  EXPECT_DOUBLE_EQ(out[0], -0.2 * less / (1.0 + less));
  EXPECT_DOUBLE_EQ(out[1], -0.5 / (1.0 + less));
  EXPECT_DOUBLE_EQ(out[2], (-1.0 - 0.1 * less) / (1.0 + less));
}

TEST(Race, AMeanIsNotCut) {
  Race race(runners(3), kLong);
  race.after_round(std::vector{0.0, 0.5, 2.0});
  std::vector<double> out(2);
  race.mean(std::vector{5.0, -7.0, 1.0, 2.0, 0.0, 30.0}, out);
  const double second = std::exp(-0.5);
  const double third = std::exp(-2.0);
  EXPECT_DOUBLE_EQ(out[0], (5.0 + second) / (1.0 + second + third));
  EXPECT_DOUBLE_EQ(out[1], (-7.0 + 2.0 * second + 30.0 * third) / (1.0 + second + third));
}

TEST(Race, EqualVotesDoNotDependOnCharges) {
  Race race(runners(2), {.rounds = 4000, .discount = 1.0, .has_equal_votes = true});
  repeat(race, 100, {0.9, 0.5});
  EXPECT_DOUBLE_EQ(race.runners()[1].charge, 25.0);  // nothing fades
  EXPECT_DOUBLE_EQ(vote(race, std::vector{0.5, -5.0}), -0.25);
  std::vector<double> out(1);
  race.mean(std::vector{0.5, -5.5}, out);
  EXPECT_DOUBLE_EQ(out[0], -2.5);
}

TEST(Race, NobodyLeavesBeforeRound300) {
  Race race(runners(3), kLong);
  repeat(race, 299, {-5.0, 5.0, -5.0});
  EXPECT_EQ(race.leader(), 1U);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_TRUE(race.is_in(r));
  EXPECT_FALSE(race.is_over());
  repeat(race, 1, {-5.0, 5.0, -5.0});
  EXPECT_FALSE(race.is_in(0));
  EXPECT_TRUE(race.is_in(1));
  EXPECT_FALSE(race.is_in(2));
  EXPECT_TRUE(race.is_over());
}

TEST(Race, OneWhoLeftIsChargedNoMore) {
  Race race(runners(3), kLong);
  repeat(race, 300, {-5.0, 0.9, 0.9});
  ASSERT_FALSE(race.is_in(0));
  ASSERT_FALSE(race.is_over());
  const double charge = race.runners()[0].charge;
  repeat(race, 70, {std::nan(""), 0.9, 0.9});
  EXPECT_EQ(race.runners()[0].charge, charge);
  EXPECT_EQ(race.runners()[0].rounds, 300U);
  EXPECT_EQ(race.runners()[1].rounds, 370U);
  // Even if all the others become worse than it was.
  repeat(race, 900, {5.0, -5.0, -5.0});
  EXPECT_GT(race.runners()[1].charge, charge);
  EXPECT_NE(race.leader(), 0U);
}

// Behind by more than three deviations, and that is looked at every 50 rounds only.
TEST(Race, WhoIsBehindByThreeDeviationsLeavesWhenItIsLookedAt) {
  for (const double score : {0.95, 0.935, 0.933, 0.931, 0.93, 0.928, 0.9, 0.8}) {
    Race race(runners(2), kLong);
    const double charge = 0.5 * (1.0 - score);
    int expected = 300;
    while (total(charge, expected) <= 3.0 * std::sqrt(total(charge, expected)) && expected < 3950) expected += 50;
    int left = 0;
    for (int t = 1; t < 3950 && left == 0; ++t) {
      after_round(race, std::vector{5.0, score}, 1.0);
      if (!race.is_in(1)) left = t;
    }
    EXPECT_EQ(left == 0 ? 3950 : left, expected) << score;
  }
}

// The rules may look sooner and more often, as those of a duel do.
TEST(Race, IsLookedAtWhenItsRulesSay) {
  Race race(runners(2), {.rounds = 4000, .discount = 1.0, .first_look = 64, .between_looks = 64});
  const double score = 0.8;  // 0.1 a round: behind by more than 3 sqrt(0.1 n) after 90 rounds
  int left = 0;
  for (int t = 1; t < 400 && left == 0; ++t) {
    after_round(race, std::vector{5.0, score}, 1.0);
    if (!race.is_in(1)) left = t;
  }
  EXPECT_EQ(left, 128);
}

// But not while nobody makes mistakes.
TEST(Race, NarrowsToSixFiveAndFour) {
  struct Case {
    bool is_asked;
    bool is_easy;
  };
  for (const auto [is_asked, is_easy] : {Case{true, false}, Case{false, false}, Case{true, true}}) {
    const bool is_narrowing = is_asked && !is_easy;
    std::vector<double> scores;
    for (int r = 0; r < 9; ++r) scores.push_back((is_easy ? 0.999 : 0.1) - 0.0001 * r);
    Race race(runners(9), {.rounds = 4000, .is_narrowing = is_asked});
    for (int t = 1; t <= 1300; ++t) {
      after_round(race, scores, 1.0);
      const std::size_t left = !is_narrowing || t < 300 ? 9U : t < 600 ? 6U : t < 1200 ? 5U : 4U;
      ASSERT_EQ(race.left(), left) << t;
      for (std::size_t r = 0; r < 9; ++r) ASSERT_EQ(race.is_in(r), r < left) << t;
    }
    EXPECT_EQ(race.best(2), (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(race.best(100).size(), race.left());
  }
}

// The best in the order of their numbers, those with less handicapped charges first when there are too many.
TEST(Race, TheBestAreTheLeastChargedButForTheirHandicaps) {
  std::vector<Runner> four = runners(4);
  four[2].handicap = 1.0;
  Race race(four, kLong);
  race.after_round(std::vector{2.0, 0.4, 0.3, 0.5});
  EXPECT_EQ(race.best(1), std::vector<std::size_t>{1});
  EXPECT_EQ(race.best(2), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(race.best(3), (std::vector<std::size_t>{1, 2, 3}));
}

TEST(Race, AtTheLastRoundAllButTheFinalistsLeave) {
  for (const std::uint64_t last : {1, 2, 33, 301, 4000}) {
    for (const std::size_t finalists : {1U, 2U}) {
      Race race(runners(4), {.rounds = last, .finalists = finalists});
      const std::vector<double> scores = {0.97, 0.98, 0.99, 0.975};
      repeat(race, static_cast<int>(last) - 1, scores);
      if (last > 1) {
        EXPECT_FALSE(race.is_over()) << last;
        EXPECT_EQ(race.left(), 4U) << last;
      }
      repeat(race, 1, scores);
      EXPECT_TRUE(race.is_over()) << last;
      EXPECT_EQ(race.left(), finalists) << last;
      EXPECT_EQ(race.leader(), 2U) << last;
      for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(race.is_in(r), r == 2 || (r == 1 && finalists == 2)) << last;
    }
  }
}

TEST(Race, OfOneIsOverBeforeItBegins) {
  EXPECT_TRUE(Race(runners(1), kLong).is_over());
}

std::string saved(const Race& race) {
  Archive archive;
  race.save(archive);
  return archive.settings().dump();
}

Race loaded(const std::string& settings) {
  Archive archive;
  archive.settings() = nlohmann::ordered_json::parse(settings);
  return Race::load(archive);
}

TEST(Race, GoesOnToTheBitAfterLoading) {
  std::vector<Runner> five = runners(5);
  five[1] = {.transform = "normal", .is_scaled = true, .kernel = "laplacian-l1", .sigma = 0.1, .handicap = 0.7};
  five[3].handicap = -0.2;
  for (const RaceRules& rules :
       {RaceRules{.rounds = 700}, RaceRules{.rounds = 700, .finalists = 2, .is_narrowing = true},
        RaceRules{.rounds = ~std::uint64_t{0},
        .discount = 1.0,
        .first_look = 64,
        .between_looks = 64,
        .has_equal_votes = true}}) {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    Race whole(five, rules);
    Race split = whole;
    for (int t = 1; t <= 700 && !whole.is_over(); ++t) {
      std::vector<double> scores;
      for (int r = 0; r < 5; ++r) scores.push_back(0.2 * r + normal(engine));
      const double label = normal(engine) < 1.0 ? 1.0 : -1.0;
      ASSERT_EQ(vote(split, scores), vote(whole, scores));
      after_round(whole, scores, label);
      after_round(split, scores, label);
      const std::string settings = saved(split);
      split = loaded(settings);
      ASSERT_EQ(saved(split), settings);
      ASSERT_EQ(saved(split), saved(whole)) << t;
      ASSERT_EQ(split.leader(), whole.leader());
      ASSERT_EQ(split.left(), whole.left());
      ASSERT_EQ(split.is_over(), whole.is_over());
    }
    EXPECT_TRUE(split.is_over() || rules.rounds > 700);
  }
}

TEST(Race, ContradictionsAreRefused) {
  using Json = nlohmann::ordered_json;
  Race race(runners(3), {.rounds = 1000});
  repeat(race, 400, {-5.0, 0.95, 0.96});
  ASSERT_FALSE(race.is_over());
  ASSERT_FALSE(race.is_in(0));
  const Json sound = Json::parse(saved(race));
  const auto message = [](const Json& settings) { return testing::message_of([&] { loaded(settings.dump()); }); };
  EXPECT_EQ(message(sound), "nothing thrown");

  const auto is_refused = [&](const char* pointer, const Json& value) {
    Json changed = sound;
    changed[Json::json_pointer(pointer)] = value;
    EXPECT_NE(message(changed), "nothing thrown") << pointer << " " << value;
  };
  is_refused("/state/race/rounds", 400);                    // two are left of a race that is over
  is_refused("/state/race/leader", 0);                      // who is out
  is_refused("/state/race/leader", 1 + 2 - race.leader());  // who is behind
  is_refused("/state/race/leader", 3);
  is_refused("/state/race/leader", -1);
  is_refused("/state/race/leader", "first");
  is_refused("/state/race/round", 1000);
  is_refused("/state/race/round", Json());
  is_refused("/state/race/finalists", 0);
  is_refused("/state/race/between_looks", 0);
  is_refused("/state/race/discount", 0.0);
  is_refused("/state/race/discount", 1.1);
  is_refused("/state/race/discount", -0.5);
  is_refused("/state/race/is_narrowing", 2);
  is_refused("/state/race/has_equal_votes", "no");
  is_refused("/state/race/runners", Json());
  is_refused("/state/race/runners", Json::array());
  is_refused("/state/race/runners", Json(std::vector<Json>(101, sound["state"]["race"]["runners"][1])));
  is_refused("/state/race/runners/1", 7);
  is_refused("/state/race/runners/2/is_out", 1.5);
  is_refused("/state/race/runners/1/sigma", -1.0);
  is_refused("/state/race/runners/1/sigma", 1e300);
  is_refused("/state/race/runners/1/handicap", 1e3);
  is_refused("/state/race/runners/1/handicap", Json());
  is_refused("/state/race/runners/1/charge", -0.1);
  is_refused("/state/race/runners/1/charge", 3000.0 * kMostWeight);
  is_refused("/state/race/runners/1/transform", "a\"b");
  is_refused("/state/race/runners/1/kernel", "{}");
  Json all_out = sound;
  for (auto& runner : all_out["state"]["race"]["runners"]) runner["is_out"] = true;
  EXPECT_NE(message(all_out), "nothing thrown");
  for (const auto& [key, value] : sound["state"]["race"]["runners"][1].items()) {
    Json missing = sound;
    missing["state"]["race"]["runners"][1].erase(key);
    EXPECT_NE(message(missing), "nothing thrown") << key;
  }
  for (const auto& [key, value] : sound["state"]["race"].items()) {
    Json missing = sound;
    missing["state"]["race"].erase(key);
    EXPECT_NE(message(missing), "nothing thrown") << key;
  }
}

}  // namespace
}  // namespace alder
