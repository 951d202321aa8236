// Trials and benches on more than two classes, and what probabilities add to their lines.
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "experiments/mini.h"
#include "experiments/one_by_one.h"
#include "experiments/trial.h"

namespace alder {
namespace {

using test::TemporaryFolder;
using testing::generated;
using testing::lines_of;
using testing::never;
using testing::run_bench;

// Points on a ring, which three classes share.
Dataset three_classes(std::size_t rows) {
  Random random(5);
  Dataset data;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto target = static_cast<double>(random.below(3));
    const double angle = 2.0 * target + 0.5 * random.normal();
    const double x[] = {std::cos(angle), std::sin(angle)};
    data.append({Row::dense(x), target});
  }
  return data;
}

double number_of(const Model& model, std::string_view name) {
  for (const auto& [each, value] : model.metrics().values()) {
    if (each == name) return value;
  }
  return std::nan("");
}

TEST(ClassesTrial, TellsWhatAModelTellsThatIsDrivenByHand) {
  const Dataset data = three_classes(400);
  const auto order = permutation(400, 7);
  Trial trial(data, order, "alder", Json::object(), 2, true);
  ASSERT_TRUE(trial.advance(400, never()));
  Model model("alder", learner_options("alder", Json::object(), 400, 2));
  std::map<std::pair<double, double>, std::uint64_t> counts;
  for (const std::size_t i : order) {
    const Example example = data[i];
    Predictions before;
    model.learn({std::span(&example.row, 1), std::span(&example.target, 1)}, &before);
    const bool has_class = before.classes[0] != kNoClass;
    ++counts[{example.target, has_class ? static_cast<double>(before.classes[0]) : -1.0}];
  }
  const Json outcome = outcome_of(trial);
  for (const char* name : {"balanced_error", "kappa", "log_loss", "calibration_error"}) {
    EXPECT_EQ(outcome[name], number_of(model, name)) << name;
  }
  EXPECT_LT(outcome["log_loss"].get<double>(), 0.7);
  EXPECT_GT(outcome["kappa"].get<double>(), 0.6);

  const Json matrices = matrices_of(trial);
  EXPECT_EQ(matrices.size(), 2U);
  ASSERT_EQ(matrices["confusion"].size(), counts.size());
  for (const Json& entry : matrices["confusion"]) {
    const double predicted = entry[1].is_null() ? -1.0 : entry[1].get<double>();
    EXPECT_EQ(entry[2], (counts[{entry[0].get<double>(), predicted}])) << entry;
  }
  const auto bins = model.metrics().reliability();
  for (const char* name : {"weight", "probability", "right"}) ASSERT_EQ(matrices["reliability"][name].size(), 15U);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(matrices["reliability"]["weight"][i], bins[i].weight);
    EXPECT_NEAR(matrices["reliability"]["probability"][i].get<double>(), bins[i].probability, 1e-5);
    EXPECT_NEAR(matrices["reliability"]["right"][i].get<double>(), bins[i].right, 1e-5);
  }
}

TEST(ClassesTrial, ProbabilitiesChangeNoPrediction) {
  const Dataset data = three_classes(300);
  Json outcomes[2];
  for (const bool probabilities : {false, true}) {
    Trial trial(data, permutation(300, 1), "alder", Json::object(), 2, probabilities);
    ASSERT_TRUE(trial.advance(300, never()));
    outcomes[static_cast<int>(probabilities)] = outcome_of(trial);
    EXPECT_EQ(matrices_of(trial)["reliability"].is_null(), !probabilities);
  }
  EXPECT_TRUE(outcomes[0]["log_loss"].is_null());
  EXPECT_TRUE(outcomes[0]["calibration_error"].is_null());
  EXPECT_TRUE(outcomes[1]["log_loss"].is_number());
  for (const char* name : {"mistakes", "balanced_error", "kappa", "support"}) {
    EXPECT_EQ(outcomes[0][name], outcomes[1][name]) << name;
    EXPECT_TRUE(outcomes[0][name].is_number()) << name;
  }
}

// Those of POMDR end when it becomes a learner for each class.
TEST(ClassesTrial, ACurveHasSumsOfDeltasToItsEndOrNone) {
  for (const std::size_t classes : {2U, 3U}) {
    Dataset data;
    const Dataset three = three_classes(600);
    for (std::size_t i = 0; i < three.size(); ++i) {
      if (three[i].target < static_cast<double>(classes)) data.append(three[i]);
    }
    const auto order = permutation(data.size(), 7);
    Trial trial(data, order, "pomdr", Json{{"sigma", 0.5}}, 2, true);
    const Json curve = curve_of(trial, data.size(), never());
    EXPECT_EQ(curve["mistakes"].size(), curve["round"].size());
    EXPECT_EQ(curve["sum_delta"].is_null(), classes > 2);
    if (classes == 2) {
      EXPECT_EQ(curve["sum_delta"].size(), curve["round"].size());
    }
  }
}

TEST(ClassesBench, TheFirstPermutationOfASuiteWithProbabilitiesHasMatrices) {
  for (const bool probabilities : {false, true}) {
    const TemporaryFolder folder;
    Json suite = Json::parse(R"({
      "name": "small", "seed": 3, "permutations": 3,
      "data": {"rings": {"generate": "rings", "rows": 200, "settings": {"sigma": 0.5}}},
      "experiments": [{"learners": ["alder", "pomdr"], "curve": true}]
    })");
    if (probabilities) suite["probabilities"] = true;
    run_bench(suite, "", folder.path("results"));
    std::size_t runs = 0;
    for (const Json& line : lines_of(folder.path("results"))) {
      if (line["kind"] != "run") {
        EXPECT_FALSE(line.contains("confusion"));
        continue;
      }
      ++runs;
      EXPECT_EQ(line["log_loss"].is_number(), probabilities);
      EXPECT_EQ(line["calibration_error"].is_number(), probabilities);
      EXPECT_TRUE(line["balanced_error"].is_number());
      const bool has_matrices = probabilities && line["seed"] == 3;
      EXPECT_EQ(line.contains("confusion"), has_matrices) << line;
      EXPECT_EQ(line.contains("reliability"), has_matrices) << line;
      if (!has_matrices) continue;
      std::uint64_t rows = 0;
      for (const Json& entry : line["confusion"]) rows += entry[2].get<std::uint64_t>();
      EXPECT_EQ(rows, 200U);
    }
    EXPECT_EQ(runs, 6U);
  }
}

TEST(ClassesData, TheChecksumTellsEveryClassFromTheOthers) {
  const double x[] = {1.0};
  std::set<std::string> sums;
  for (const double target : {0.0, 1.0, 2.0, 3.0}) {
    Dataset data;
    data.append({Row::dense(x), target});
    sums.insert(checksum(data));
  }
  EXPECT_EQ(sums.size(), 4U);
}

TEST(ClassesSuite, AsksForProbabilitiesOnSevenSets) {
  const Suite suite = parse_suite(*builtin_suite("classes"));
  EXPECT_TRUE(suite.probabilities);
  EXPECT_EQ(suite.data.size(), 7U);
  EXPECT_FALSE(parse_suite(*builtin_suite("paper")).probabilities);
  for (const Group& group : groups_of(suite)) {
    EXPECT_EQ(group.permutations, 5U);
    if (group.learner == "alder") {
      EXPECT_EQ(group.candidates.size(), 1U);
    }
  }
}

}  // namespace
}  // namespace alder
