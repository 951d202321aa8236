#include "alder/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/registry.h"

#include "model/report_json.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/race.h"

namespace alder {
namespace {

using testing::learn_one;

using Json = nlohmann::ordered_json;

Report example() {
  Report report;
  report.rounds = 10;
  report.support = 3;
  report.bytes = 1000;
  report.norm = 0.5;
  report.details = {{"removals", std::uint64_t{2}}, {"sigma", 4.0}, {"race", R"([{"sigma":4.0}])"}, {"own", 1.5}};
  return report;
}

TEST(Report, GivesItsDetailsByNameAndType) {
  const Report report = example();
  ASSERT_NE(report.find("own"), nullptr);
  EXPECT_EQ(report.find("switch_round"), nullptr);
  EXPECT_EQ(report.number("own"), 1.5);
  EXPECT_EQ(report.number("removals"), 2.0);
  EXPECT_EQ(report.count("removals"), 2U);
  EXPECT_EQ(report.removals(), 2U);
  EXPECT_FALSE(report.count("own").has_value());
  EXPECT_FALSE(report.number("race").has_value());
  EXPECT_FALSE(report.number("sum_delta").has_value());
  EXPECT_EQ(report.json("race"), R"([{"sigma":4.0}])");
  EXPECT_EQ(report.json("own"), "");
  EXPECT_EQ(Report().removals(), 0U);
}

TEST(Report, IsOneJsonObjectInWhichTheUsualDetailsNeverMiss) {
  EXPECT_EQ(to_json(example()),
            R"({"rounds":10,"support":3,"switch_round":null,)"
            R"("removals":2,"sum_delta":null,"norm":0.5,"learning_rate":0.0,"sigma":4.0,"race":[{"sigma":4.0}],)"
            R"("metric":null,"bytes":1000,"own":1.5})");
  EXPECT_EQ(
      to_json({}),
      R"({"rounds":0,"support":0,"switch_round":null,)"
      R"("removals":0,"sum_delta":null,"norm":null,"learning_rate":0.0,"sigma":null,"race":[],"metric":null,"bytes":0})");
}

TEST(Report, StandsBesideCountsInOneJsonObject) {
  EXPECT_EQ(to_json({10, 4, 2.5}, example()),
            R"({"rounds":10,"mistakes":4,"mistake_rate":0.4,"hinge_loss":2.5,"support":3,"switch_round":null,)"
            R"("removals":2,"sum_delta":null,"norm":0.5,"learning_rate":0.0,"sigma":4.0,"race":[{"sigma":4.0}],)"
            R"("metric":null,"bytes":1000,"own":1.5})");
  EXPECT_EQ(
      to_json({}, {}),
      R"({"rounds":0,"mistakes":0,"mistake_rate":0.0,"hinge_loss":0.0,"support":0,"switch_round":null,)"
      R"("removals":0,"sum_delta":null,"norm":null,"learning_rate":0.0,"sigma":null,"race":[],"metric":null,"bytes":0})");
}

TEST(Report, HasOtherNamesBesideThoseOfAModel) {
  const Json json = model_json({10, 4, 2.5}, example());
  EXPECT_EQ(json.at("support_vectors"), 3);
  EXPECT_EQ(json.at("chosen_sigma"), 4.0);
  EXPECT_EQ(json.at("model_bytes"), 1000);
  EXPECT_EQ(json.at("own"), 1.5);
  EXPECT_EQ(json.at("mistake_rate"), 0.4);
  EXPECT_FALSE(json.contains("support") || json.contains("sigma") || json.contains("bytes"));
}

// A report that was another learner's keeps nothing of it.
TEST(Report, CanBeUsedAgain) {
  const auto stream = testing::random_stream(1, 100, 3);
  for (const std::string& name : learner_names()) {
    const auto learner = make_learner(name);
    for (std::size_t t = 0; t < stream.rows.size(); ++t)
      learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    Report used = example();
    learner->report(used);
    EXPECT_EQ(to_json(used), to_json(learner->report())) << name;
  }
}

TEST(Report, TellsOfTheRaceToTheBit) {
  std::vector<Runner> race(2);
  race[0].sigma = 0.1;
  race[0].charge = 1.0;
  race[0].rounds = 3;
  race[0].is_out = true;
  race[1] = {.transform = "normal",
             .is_scaled = true,
             .kernel = "laplacian-l1",
             .sigma = 1e22,
             .handicap = -0.1,
             .charge = 1.0 / 3.0,
             .rounds = 4};
  Report report;
  report.details.push_back({"race", race_json(race)});
  const std::vector<Runner> again = testing::race_of(report);
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(again[r].transform, race[r].transform);
    EXPECT_EQ(again[r].is_scaled, race[r].is_scaled);
    EXPECT_EQ(again[r].kernel, race[r].kernel);
    EXPECT_EQ(again[r].sigma, race[r].sigma);
    EXPECT_EQ(again[r].handicap, race[r].handicap);
    EXPECT_EQ(again[r].charge, race[r].charge);
    EXPECT_EQ(again[r].rounds, race[r].rounds);
    EXPECT_EQ(again[r].is_out, race[r].is_out);
  }
  EXPECT_TRUE(Json::parse(report.json("race"))[0]["charge"].is_number_float());
}

}  // namespace
}  // namespace alder
