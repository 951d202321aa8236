#include <cmath>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/learners.h"

#include "archive/archive.h"
#include "learners/alder/alder.h"
#include "support/made_rows.h"

namespace alder {
namespace {

using testing::MadeRows;
using testing::mistakes_of;
using Json = nlohmann::json;
using Part = AlderOptions::Part;

// The sign of the product of two features: nothing is linear.
double by_product(const std::vector<double>& x, std::size_t /*t*/) {
  return x[0] * x[1] > 0.0 ? 1.0 : 0.0;
}

AlderOptions without(Part part) {
  AlderOptions options;
  options.leave_out = part;
  return options;
}

struct Standing {
  explicit Standing(const Learner& learner) : report(learner.report()) {
    if (report.find("race") != nullptr) race = Json::parse(report.json("race"));
  }
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(
        std::count_if(race.begin(), race.end(), [](const Json& r) { return !r["is_out"]; }));
  }
  [[nodiscard]] std::size_t scaled() const {
    return static_cast<std::size_t>(
        std::count_if(race.begin(), race.end(), [](const Json& r) { return r["is_scaled"]; }));
  }
  [[nodiscard]] std::uint64_t tried() const { return report.count("tried").value_or(0); }
  [[nodiscard]] std::uint64_t budget() const { return report.count("budget").value_or(0); }
  [[nodiscard]] std::uint64_t fine_rows() const { return report.count("fine_rows").value_or(0); }

  Report report;
  Json race = Json::array();
};

// Features of even ranges: rows as they are, and `normal`, at first 3 widths each; then 5, 3 and 2 more with another
// kernel; then the best 3 and 6 with learned scales.
TEST(AlderStages, ShowInItsReport) {
  const MadeRows data(13000, 3, 0.2, by_product);  // so that charges come quickly
  const auto learner = make_alder({});
  std::size_t at = 0;
  const auto standing_after = [&](std::size_t rows) {
    mistakes_of(*learner, data, at, rows);
    at = rows;
    return Standing(*learner);
  };
  const Standing collecting = standing_after(31);
  EXPECT_EQ(collecting.report.support, 31U);
  EXPECT_EQ(collecting.report.find("race"), nullptr);
  EXPECT_EQ(collecting.report.find("budget"), nullptr);

  const Standing first = standing_after(32);
  EXPECT_EQ(first.race.size(), 6U);
  EXPECT_EQ(first.tried(), 6U);
  EXPECT_EQ(first.budget(), 200U);
  EXPECT_EQ(first.report.number("forgets"), 0.0);
  EXPECT_EQ(first.report.count("reopened"), 0U);
  for (const Json& runner : first.race) EXPECT_EQ(runner["rounds"], 0);
  EXPECT_NEAR(first.race[1]["sigma"].get<double>() / first.race[0]["sigma"].get<double>(), 2.0, 1e-9);
  EXPECT_NEAR(first.race[2]["handicap"].get<double>() - first.race[1]["handicap"].get<double>(), 0.1, 1e-9);
  EXPECT_EQ(standing_after(255).race.size(), 6U);

  const Standing second = standing_after(256);
  EXPECT_EQ(second.race.size(), 10U);
  EXPECT_EQ(second.tried(), 16U);
  EXPECT_EQ(second.scaled(), 0U);
  for (const Json& runner : second.race) EXPECT_EQ(runner["charge"], 0.0);
  const Standing before = standing_after(1023);
  EXPECT_EQ(before.race.size(), 10U);
  EXPECT_GE(before.left(), 1U);

  const Standing scaled = standing_after(1024);
  EXPECT_EQ(scaled.tried(), 22U);
  EXPECT_EQ(scaled.race.size(), 9U);
  EXPECT_EQ(scaled.scaled(), 6U);
  for (const Json& runner : scaled.race) EXPECT_EQ(runner["charge"], 0.0);
  EXPECT_LE(standing_after(1024 + 300).left(), 6U);
  EXPECT_LE(standing_after(1024 + 600).left(), 5U);
  EXPECT_LE(standing_after(1024 + 1200).left(), 4U);
  EXPECT_EQ(standing_after(4095).race.size(), 9U);

  const Standing duel = standing_after(4096);
  EXPECT_EQ(duel.race.size(), 2U);
  EXPECT_EQ(duel.left(), 2U);
  EXPECT_EQ(duel.tried(), 22U);
  EXPECT_GE(duel.budget(), 200U);
  EXPECT_LE(duel.budget(), 400U);
  EXPECT_EQ(duel.fine_rows(), 0U);
  for (const Json& runner : duel.race) {
    EXPECT_EQ(runner["charge"], 0.0);
    EXPECT_EQ(runner["handicap"], 0.0);
  }
  EXPECT_GT(standing_after(12287).fine_rows(), 0U);
  const Standing settled = standing_after(12288);
  EXPECT_EQ(settled.left(), 1U);
  EXPECT_EQ(settled.report.count("reopened"), 0U);
  EXPECT_LE(settled.report.support, settled.budget());
}

TEST(AlderStages, AreFewerWithoutSomeParts) {
  const MadeRows data(1250, 3, 0.05, by_product);
  for (const auto& [part, tried] : {std::pair{Part::kTransforms, 3 + 5 + 6},
                                    {Part::kScales, 6 + 10},
                                    {Part::kLaplacian, 6 + 8 + 4},
                                    {Part::kDuel, 6 + 10 + 6}}) {
    AlderOptions options = without(part);
    options.race = 1200;
    const auto learner = make_alder(options);
    mistakes_of(*learner, data, 0, 1200);
    const Standing standing(*learner);
    EXPECT_EQ(standing.tried(), static_cast<std::uint64_t>(tried));
    EXPECT_TRUE(part == Part::kDuel || standing.left() == 2);
    EXPECT_TRUE(part != Part::kScales || standing.scaled() == 0);
    mistakes_of(*learner, data, 1200, 1250);
  }
}

TEST(AlderStages, LeaveOneCandidateWithoutADuel) {
  const MadeRows data(300, 3, 0.05, by_product);
  AlderOptions options = without(Part::kDuel);
  options.race = 300;
  const auto learner = make_alder(options);
  mistakes_of(*learner, data, 0, 300);
  EXPECT_EQ(Standing(*learner).left(), 1U);
}

TEST(AlderStages, FindWhichFeaturesMatter) {
  const MadeRows data(5000, 10, 0.0, by_product);
  const auto usual = make_alder({});
  const auto plain = make_alder(without(Part::kScales));
  mistakes_of(*usual, data, 0, 2500);
  mistakes_of(*plain, data, 0, 2500);
  const int with = mistakes_of(*usual, data, 2500, 5000);
  const int other = mistakes_of(*plain, data, 2500, 5000);
  EXPECT_LT(2 * with, other);
  EXPECT_LT(with, 200);
}

TEST(AlderStages, DoNotMindFeaturesOfOtherScales) {
  MadeRows data(3500, 3, 0.0, by_product);
  const auto usual = make_alder({});
  mistakes_of(*usual, data, 0, 1500);
  const int even = mistakes_of(*usual, data, 1500, 3500);
  for (auto& row : data.values) row[2] *= 1e6;  // the one that does not matter
  data.view();
  const auto uneven = make_alder({});
  mistakes_of(*uneven, data, 0, 1500);
  EXPECT_LT(mistakes_of(*uneven, data, 1500, 3500), 1.2 * even + 20.0);
  EXPECT_LT(even, 200);
}

// Classes by the direction of the first two features; the fifth appears when the race is nearly over.
TEST(AlderStages, TakeClassesThatComeLate) {
  const auto by_direction = [](const std::vector<double>& x, std::size_t t) {
    const double sector = std::floor((std::atan2(x[1], x[0]) + 3.1416) / 6.2833 * 5.0);
    return t < 2000 && sector == 4.0 ? 0.0 : sector;
  };
  MadeRows data(5000, 3, 0.0, by_direction, 5);
  // New classes come in the order of their numbers.
  const double first[] = {0.0, 1.0, 2.0, 3.0};
  std::copy(std::begin(first), std::end(first), data.targets.begin());
  const auto learner = make_alder({});
  mistakes_of(*learner, data, 0, 2000);
  EXPECT_EQ(learner->outputs(), 4U);
  mistakes_of(*learner, data, 2000, 4200);
  EXPECT_EQ(learner->outputs(), 5U);
  EXPECT_LT(mistakes_of(*learner, data, 4200, 5000), 80);
  EXPECT_GE(Standing(*learner).budget(), 500U);
}

TEST(AlderStages, AreTheSameWithRowsOfNoWeightBetween) {
  const MadeRows data(1400, 3, 0.05, by_product);
  AlderOptions options;
  options.race = 1200;
  const auto alone = make_alder(options);
  const auto between = make_alder(options);
  std::vector<double> expected(data.rows.size());
  for (std::size_t done = 0; done < expected.size();) {
    const std::size_t count = std::min<std::size_t>(100, expected.size() - done);
    done += alone->learn(data.all().from(done, count), std::span(expected).subspan(done, count));
  }
  const MadeRows others(1400, 3, 0.5, by_product, 2, 77);
  const std::vector<double> weights = {1.0, 0.0, 0.0};
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const std::vector<Row> rows = {data.rows[t], others.rows[t], data.rows[t]};
    const std::vector<double> targets = {data.targets[t], others.targets[t], 1.0 - data.targets[t]};
    std::vector<double> scores(3);
    for (std::size_t done = 0; done < 3;) {
      done += between->learn(Examples{rows, targets, weights}.from(done, 3 - done), std::span(scores).subspan(done));
    }
    ASSERT_EQ(scores[0], expected[t]) << t;
  }
  EXPECT_EQ(between->rounds(), alone->rounds());
}

// Whatever stands behind the scores that there are.
TEST(AlderStages, CountAClassThatIsNewAsAMistake) {
  const auto alarm_mistakes = [](const Learner& learner) {
    Archive archive;
    learner.save(archive);
    return archive.get<std::uint64_t>("alarm", 5)[4];
  };
  for (const std::size_t classes : {2, 3}) {
    for (const double behind : {-1e9, 1e9}) {
      const auto rule = [classes](const std::vector<double>& x, std::size_t t) {
        const double sector = std::floor((std::atan2(x[1], x[0]) + 3.1416) / 6.2833 * static_cast<double>(classes));
        return t < classes ? static_cast<double>(t) : sector;
      };
      const MadeRows data(400, 2, 0.0, rule, classes);
      AlderOptions options;
      options.race = 300;
      const auto learner = make_alder(options);
      mistakes_of(*learner, data, 0, 340);
      const std::size_t width = learner->outputs();
      const std::uint64_t before = alarm_mistakes(*learner);
      std::size_t t = 340;
      std::vector<double> scores(width + 1, behind);
      const auto here = std::span(scores).first(width);
      do {  // one that two classes would take for class 1
        ++t;
        learner->score(data.all().from(t, 1).rows, here);
      } while (scores[0] < 0.0 && width == 1);
      const auto target = static_cast<double>(classes);
      learner->learn({data.all().from(t, 1).rows, std::span(&target, 1)}, here);
      EXPECT_EQ(alarm_mistakes(*learner), before + 1) << classes << " classes, " << behind;
    }
  }
}

// A learner in a duel, which one row will end, and that row is an alarm: the race opens again with the winner.
TEST(AlderStages, OpenTheRaceAgainInTheRoundThatEndsADuel) {
  const MadeRows data(1000, 3, 0.3, by_product);
  AlderOptions options;
  options.race = 300;
  Alder<float> learner(options);
  mistakes_of(learner, data, 0, 300 + 63);
  Archive archive;
  learner.save(archive);
  auto& race = archive.settings()["state"]["race"];
  ASSERT_EQ(race["round"], 63);
  race["runners"][0]["charge"] = race["leader"] == 0 ? 0.0 : 120.0;
  race["runners"][1]["charge"] = race["leader"] == 0 ? 120.0 : 0.0;
  archive.put("alarm", std::vector<std::uint64_t>{400, 0, 1, 199, 199});
  Alder<float> loaded(options, archive);
  mistakes_of(loaded, data, 363, 364);
  EXPECT_EQ(loaded.report().count("reopened"), 1U);
  mistakes_of(loaded, data, 364, 1000);
}

// However clear it is who is the best before there are learned scales, these still are to come.
TEST(AlderStages, TryLearnedScalesAlthoughOneIsLeft) {
  const MadeRows data(1100, 3, 0.05, by_product);
  Alder<float> learner{AlderOptions{}};
  mistakes_of(learner, data, 0, 600);
  Archive archive;
  learner.save(archive);
  auto& race = archive.settings()["state"]["race"];
  for (auto& runner : race["runners"]) runner["charge"] = 1000.0;
  race["runners"][race["leader"].get<std::size_t>()]["charge"] = 0.0;
  Alder<float> loaded(AlderOptions{}, archive);
  mistakes_of(loaded, data, 600, 1100);
  EXPECT_EQ(Standing(loaded).tried(), 22U);
}

}  // namespace
}  // namespace alder
