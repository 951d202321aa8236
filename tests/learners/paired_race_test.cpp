#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "archive/archive.h"
#include "learners/alder/race.h"

namespace alder {
namespace {

std::vector<Runner> equal_runners(std::size_t count) {
  return std::vector<Runner>(count, Runner{.sigma = 0.5});
}

// Charges that differ much from row to row, but hardly from runner to runner: in pairs who is a little worse is found,
// and who is as good stays.
TEST(PairedRace, ComparesChargesWithThoseOfWhatAllPredict) {
  RaceRules rules{.rounds = 100000, .discount = 0.995, .first_look = 100};
  rules.is_paired = true;
  Race race(equal_runners(4), rules);
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal;
  std::vector<double> charge(4);
  std::vector<double> spread(4);
  std::vector<bool> is_out(4);
  for (int t = 1; t <= 3000; ++t) {
    const double common = std::fabs(normal(engine)) * (t % 10 == 0 ? 4.0 : 0.3);
    const std::vector<double> charges = {common + 0.02 * normal(engine), common + 0.2 + 0.02 * normal(engine),
                                         common + 0.02 * normal(engine), common + 0.01 + 0.3 * normal(engine)};
    const double weight = t % 3 == 0 ? 2.0 : 0.5;
    race.after_round(charges, weight, common);
    std::size_t leader = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      if (is_out[r]) continue;
      charge[r] = 0.995 * charge[r] + weight * charges[r];
      spread[r] = 0.995 * spread[r] + weight * weight * (charges[r] - common) * (charges[r] - common);
      if (charge[r] < charge[leader]) leader = r;
    }
    for (std::size_t r = 0; t >= 100 && t % 50 == 0 && r < 4; ++r) {
      if (charge[r] - charge[leader] > 5.0 + 3.0 * std::sqrt(spread[r] + spread[leader])) is_out[r] = true;
    }
    for (std::size_t r = 0; r < 4; ++r) {
      ASSERT_EQ(race.is_in(r), !is_out[r]) << t << " " << r;
      ASSERT_NEAR(race.runners()[r].charge, charge[r], 1e-9);
      ASSERT_NEAR(race.runners()[r].spread, spread[r], 1e-9);
    }
    ASSERT_NEAR(race.runners()[race.leader()].charge, charge[leader], 1e-9);
  }
  EXPECT_FALSE(race.is_in(1));
  EXPECT_TRUE(race.is_in(0) && race.is_in(2));
}

TEST(PairedRace, SharesAddUpToOneAndFallWithTheCharge) {
  RaceRules rules{.rounds = 4000};
  rules.is_paired = true;
  Race race(equal_runners(3), rules);
  race.after_round(std::vector{0.5, 1.5, 4.0}, 1.0, 1.0);
  const std::vector<double> shares = race.shares();
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1.0, 1e-12);
  EXPECT_NEAR(shares[1] / shares[0], std::exp(-1.0), 1e-12);
  EXPECT_NEAR(shares[2] / shares[0], std::exp(-3.5), 1e-12);
  std::vector<double> out(1);
  race.mean(std::vector{1.0, 2.0, 5.0}, out);
  EXPECT_NEAR(out[0], shares[0] + 2.0 * shares[1] + 5.0 * shares[2], 1e-12);
  race.keep(2);
  EXPECT_EQ(race.shares()[2], 0.0);
}

TEST(PairedRace, GoesOnFromAnArchiveToTheBit) {
  RaceRules rules{.rounds = 4000, .discount = 0.995, .first_look = 100};
  rules.is_paired = true;
  Race race(equal_runners(5), rules);
  std::mt19937_64 engine(9);
  std::uniform_real_distribution<double> uniform(0.0, 4.0);
  for (int t = 0; t < 1000; ++t) {
    std::vector<double> charges;
    for (int r = 0; r < 5; ++r) charges.push_back(uniform(engine) * (1.0 + 0.1 * r));
    race.after_round(charges, 1.0, uniform(engine));
    Archive archive;
    race.save(archive);
    Race loaded = Race::load(Archive::decode(archive.encode()));
    EXPECT_TRUE(loaded.rules().is_paired);
    ASSERT_EQ(race_json(loaded.runners()), race_json(race.runners())) << t;
    ASSERT_EQ(loaded.shares(), race.shares());
    if (t % 7 == 0) race = loaded;
  }
}

}  // namespace
}  // namespace alder
