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

std::vector<WidthTrial> runners(std::size_t count, std::initializer_list<std::size_t> forgetful = {}) {
  std::vector<WidthTrial> all;
  for (std::size_t r = 0; r < count; ++r) all.push_back({.sigma = 0.5});
  for (const std::size_t r : forgetful) all[r].forgets = true;
  return all;
}

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
    Race race(runners(2), 4000);
    after_round(race, std::vector{c.score, c.label}, c.label);
    EXPECT_DOUBLE_EQ(race.runners()[0].charge, c.charge) << c.score << " " << c.label;
    EXPECT_EQ(race.runners()[0].rounds, 1U);
    EXPECT_EQ(race.runners()[1].charge, 0.0);
  }
}

TEST(Race, WhatWasChargedBeforeFades) {
  Race race(runners(2), 4000);
  repeat(race, 250, {-5.0, 0.5});
  EXPECT_NEAR(race.runners()[0].charge, total(2.0, 250), 1e-9);
  EXPECT_NEAR(race.runners()[1].charge, total(0.25, 250), 1e-9);
  const double before = race.runners()[0].charge;
  repeat(race, 10, {5.0, 0.5});
  EXPECT_NEAR(race.runners()[0].charge, before * std::pow(0.999, 10), 1e-9);
}

TEST(Race, TheLeastChargeLeadsAndOnATieTheOneThatLed) {
  Race race(runners(3), 4000);
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

// Charges s and s' of one that forgets and one that does not: it leads from s + sqrt(s + 1) < s' on.
TEST(Race, OneThatForgetsLeadsOnlyWhenItIsBetterByADeviation) {
  Race race(runners(2, {0}), 4000);
  after_round(race, std::vector{5.0, 5.0}, 1.0);
  EXPECT_EQ(race.leader(), 1U);
  int rounds = 0;
  for (; race.leader() == 1 && rounds < 200; ++rounds) after_round(race, std::vector{0.8, 0.0}, 1.0);
  const auto leads = [](int n) { return total(0.1, n) + std::sqrt(total(0.1, n) + 1.0) < total(0.5, n); };
  EXPECT_TRUE(leads(rounds));
  EXPECT_FALSE(leads(rounds - 1));
}

// Charges s and s' of a narrow one and one of eight times its width: that leads from s' + 0.3 sqrt(s' + 1) < s on.
TEST(Race, WidthsAreHandicappedByTheirDoublings) {
  std::vector<WidthTrial> trials = runners(2);
  trials[1].sigma = 4.0;
  Race race(trials, 4000);
  int rounds = 0;
  for (; race.leader() == 0 && rounds < 200; ++rounds) after_round(race, std::vector{0.7, 0.8}, 1.0);
  const auto leads = [](int n) { return total(0.1, n) + 0.3 * std::sqrt(total(0.1, n) + 1.0) < total(0.15, n); };
  EXPECT_TRUE(leads(rounds));
  EXPECT_FALSE(leads(rounds - 1));
}

TEST(Race, AVoteCountsTheMoreTheLessItsOwnerWasCharged) {
  Race race(runners(3), 4000);
  EXPECT_DOUBLE_EQ(vote(race, std::vector{0.5, -5.0, 1.0}), 0.5 / 3.0);
  after_round(race, std::vector{5.0, 0.0, -5.0}, 1.0);  // charges 0, 0.5 and 2
  const double expected = (0.5 - std::exp(-0.5) + std::exp(-2.0)) / (1.0 + std::exp(-0.5) + std::exp(-2.0));
  EXPECT_DOUBLE_EQ(vote(race, std::vector{0.5, -5.0, 1.0}), expected);
  repeat(race, 300, {5.0, 0.9, -5.0});
  ASSERT_FALSE(race.is_in(2));
  EXPECT_EQ(vote(race, std::vector{0.5, 0.5, std::nan("")}), 0.5);
}

TEST(Race, NobodyLeavesBeforeRound300) {
  Race race(runners(3), 4000);
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
  Race race(runners(3), 4000);
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
    Race race(runners(2), 4000);
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

TEST(Race, AtTheLastRoundAllButTheLeaderLeave) {
  for (const std::uint64_t last : {1, 2, 33, 301, 4000}) {
    Race race(runners(4, {1, 3}), last);
    const std::vector<double> scores = {0.97, 0.98, 0.99, 0.98};
    repeat(race, static_cast<int>(last) - 1, scores);
    if (last > 1) {
      EXPECT_FALSE(race.is_over()) << last;
    }
    repeat(race, 1, scores);
    EXPECT_TRUE(race.is_over()) << last;
    EXPECT_EQ(race.leader(), 2U) << last;
    for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(race.is_in(r), r == 2) << last;
  }
}

TEST(Race, OfOneIsOverBeforeItBegins) {
  EXPECT_TRUE(Race(runners(1), 4000).is_over());
}

std::string saved(const Race& race) {
  Archive archive;
  race.save(archive);
  return archive.settings().dump();
}

Race loaded(const std::string& settings, std::size_t count, std::uint64_t last,
            std::initializer_list<std::size_t> forgetful = {}) {
  Archive archive;
  archive.settings() = nlohmann::ordered_json::parse(settings);
  Race race(runners(count, forgetful), last);
  race.load(archive);
  return race;
}

TEST(Race, GoesOnToTheBitAfterLoading) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  Race whole(runners(5, {1, 3}), 700);
  Race split = whole;
  for (int t = 1; t <= 700 && !whole.is_over(); ++t) {
    std::vector<double> scores;
    for (int r = 0; r < 5; ++r) scores.push_back(0.2 * r + normal(engine));
    const double label = normal(engine) < 1.0 ? 1.0 : -1.0;
    after_round(whole, scores, label);
    after_round(split, scores, label);
    const std::string settings = saved(split);
    split = loaded(settings, 5, 700, {1, 3});
    ASSERT_EQ(saved(split), settings);
    ASSERT_EQ(saved(split), saved(whole)) << t;
    ASSERT_EQ(split.leader(), whole.leader());
    ASSERT_EQ(split.is_over(), whole.is_over());
  }
  EXPECT_TRUE(split.is_over());
}

TEST(Race, ContradictionsAreRefused) {
  using Json = nlohmann::ordered_json;
  Race race(runners(3), 1000);
  repeat(race, 400, {-5.0, 0.95, 0.96});
  ASSERT_FALSE(race.is_over());
  ASSERT_FALSE(race.is_in(0));
  const Json sound = Json::parse(saved(race));
  const auto message = [](const Json& settings, std::size_t count = 3, std::uint64_t last = 1000) {
    return testing::message_of([&] { loaded(settings.dump(), count, last); });
  };
  EXPECT_EQ(message(sound), "nothing thrown");
  EXPECT_NE(message(sound, 2), "nothing thrown");
  EXPECT_NE(message(sound, 4), "nothing thrown");
  EXPECT_NE(message(sound, 3, 400), "nothing thrown") << "two are left of a race that is over";

  const auto is_refused = [&](const char* pointer, const Json& value) {
    Json changed = sound;
    changed[Json::json_pointer(pointer)] = value;
    EXPECT_NE(message(changed), "nothing thrown") << pointer << " " << value;
  };
  is_refused("/state/race/leader", 0);                      // who is out
  is_refused("/state/race/leader", 1 + 2 - race.leader());  // who is behind
  is_refused("/state/race/leader", 3);
  is_refused("/state/race/leader", -1);
  is_refused("/state/race/leader", "first");
  is_refused("/state/race/round", 1000);
  is_refused("/state/race/round", Json());
  is_refused("/state/race/runners", Json());
  is_refused("/state/race/runners", Json::array());
  is_refused("/state/race/runners/1", 7);
  is_refused("/state/race/runners/2/is_out", 1.5);
  is_refused("/state/race/runners/1/sigma", 0.0);
  is_refused("/state/race/runners/1/sigma", -1.0);
  is_refused("/state/race/runners/1/sigma", 1e300);
  is_refused("/state/race/runners/1/charge", -0.1);
  is_refused("/state/race/runners/1/charge", 3000.0 * kMostWeight);
  Json all_out = sound;
  for (auto& runner : all_out["state"]["race"]["runners"]) runner["is_out"] = true;
  EXPECT_NE(message(all_out), "nothing thrown");
  for (const char* key : {"sigma", "forgets", "charge", "rounds", "is_out"}) {
    Json missing = sound;
    missing["state"]["race"]["runners"][1].erase(key);
    EXPECT_NE(message(missing), "nothing thrown") << key;
  }
  for (const char* key : {"round", "leader", "runners"}) {
    Json missing = sound;
    missing["state"]["race"].erase(key);
    EXPECT_NE(message(missing), "nothing thrown") << key;
  }
}

}  // namespace
}  // namespace alder
