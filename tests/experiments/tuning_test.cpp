#include "experiments/tuning.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "alder/registry.h"

#include "experiments/mini.h"
#include "experiments/one_by_one.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::generated;
using testing::message_of;
using testing::never;

void nobody(const SearchStatus&) {}

TEST(SearchGrid, HoldsWhatTheLearnersFindWorthTryingAndSevenWidths) {
  const Dataset data = generated("rings", 700);
  for (const LearnerInfo& info : learner_infos()) {
    const Json grid = search_grid(info.name, Json::object(), data);
    std::size_t expected = 0;
    for (const OptionInfo& option : info.options) {
      if (option.trials.empty()) continue;
      ++expected;
      EXPECT_EQ(grid[option.name], Json(option.trials)) << info.name;
    }
    if (info.find("kernel") != nullptr && !info.finds_width()) {
      ++expected;
      ASSERT_EQ(grid["sigma"].size(), 7U);
      const double median = median_distance(data, 500);
      for (std::size_t i = 0; i < 7; ++i) {
        const double width = median * std::pow(2.0, static_cast<double>(i) - 4.0);
        EXPECT_NEAR(grid["sigma"][i].get<double>(), width, 0.006 * width);
      }
    }
    EXPECT_EQ(grid.size(), expected) << info.name << grid;
    EXPECT_GT(expected, 0U) << info.name;
    for (const Json& settings : combinations(info.name, grid)) {
      EXPECT_NO_THROW(make_learner(info.name, learner_options(info.name, settings, 700, 1))) << settings;
    }
  }
}

TEST(SearchGrid, WhatIsGivenIsNotChanged) {
  const Dataset data = generated("rings", 50);
  const Json given = Json::parse(R"({"sigma": [1, 2], "zeta": 0.5, "factor": [0.3], "window": [1, 2]})");
  EXPECT_EQ(search_grid("pomdr", given, data), given);
  EXPECT_FALSE(search_grid("pomdr", {{"gamma", 2}}, data).contains("sigma"));
  EXPECT_FALSE(search_grid("ogd", {{"kernel", "polynomial"}}, data).contains("sigma"));
  EXPECT_FALSE(search_grid("ogd", {{"kernel", "linear"}}, data).contains("sigma"));
  EXPECT_EQ(search_grid("ogd", {{"kernel", "laplacian"}}, data)["sigma"].size(), 7U);
  EXPECT_EQ(search_grid("ogd", {{"sigma", 3}}, data)["step"].size(), 7U);
}

TEST(SearchGrid, TakesAListOfKernels) {
  const Json given = {{"kernel", {"gaussian", "laplacian"}}};
  EXPECT_EQ(search_grid("ogd", given, generated("rings", 50))["sigma"].size(), 7U);
}

TEST(SearchGrid, RowsThatAreAllAlikeHaveAWidthToo) {
  Dataset data;
  const std::vector<double> x = {1.0, 2.0};
  data.append({Row::dense(x), 1.0});
  for (int copies = 0; copies < 2; ++copies) {
    const Json grid = search_grid("ogd", Json::object(), data);
    for (const Json& sigma : grid["sigma"]) EXPECT_GT(sigma.get<double>(), 0.0);
    data.append({Row::dense(x), -1.0});
  }
}

TEST(DrawSettings, StayBetweenTheLeastAndTheGreatest) {
  const Json grid = Json::parse(R"({"zeta": [0.7, 0.2, 0.5], "sigma": [0.001, 1000.0], "ald": [0, 1.5, 1],
                                    "window": [1, 40, 3], "radius": 25, "precision": ["float", "double"],
                                    "factor": [0.25]})");
  std::set<std::string> precisions;
  std::set<std::int64_t> windows;
  std::size_t narrow = 0;
  const std::vector<Json> drawn = draw_settings("pomdr", grid, 400, 3);
  ASSERT_EQ(drawn.size(), 400U);
  for (const Json& settings : drawn) {
    EXPECT_EQ(settings.size(), 7U);
    EXPECT_GE(settings["zeta"], 0.2);
    EXPECT_LE(settings["zeta"], 0.7);
    EXPECT_GE(settings["ald"], 0.0);
    EXPECT_LE(settings["ald"], 1.5);
    EXPECT_GE(settings["sigma"], 0.001);
    EXPECT_LE(settings["sigma"], 1000);
    narrow += settings["sigma"].get<double>() < 1.0 ? 1 : 0;
    ASSERT_TRUE(settings["window"].is_number_integer());
    windows.insert(settings["window"].get<std::int64_t>());
    EXPECT_EQ(settings["radius"], 25);
    EXPECT_EQ(settings["factor"], 0.25);
    precisions.insert(settings["precision"].get<std::string>());
    EXPECT_NO_THROW(make_learner("pomdr", learner_options("pomdr", settings, 100, 1)));
  }
  EXPECT_NEAR(static_cast<double>(narrow), 200.0, 50.0);  // half of a logarithmic scale; 5 standard deviations
  EXPECT_EQ(precisions.size(), 2U);
  EXPECT_GE(*windows.begin(), 1);
  EXPECT_LE(*windows.rbegin(), 40);
  EXPECT_GT(windows.size(), 15U);
}

// Rounding to a few digits must not leave the range, which an option may not allow.
TEST(DrawSettings, StayInNarrowRanges) {
  for (const Json& settings : draw_settings("pomdr", Json::parse(R"({"sigma": [0.12346, 0.12349]})"), 20, 1)) {
    EXPECT_GE(settings["sigma"], 0.12346);
    EXPECT_LE(settings["sigma"], 0.12349);
  }
  for (const Json& settings : draw_settings("pomdr", Json::parse(R"({"zeta": [0.9, 0.9999]})"), 300, 1)) {
    EXPECT_LE(settings["zeta"], 0.9999);
  }
}

TEST(DrawSettings, FollowTheSeedAlone) {
  const Json grid = Json::parse(R"({"zeta": [0.1, 0.9], "sigma": [0.1, 10.0]})");
  EXPECT_EQ(draw_settings("pomdr", grid, 20, 7), draw_settings("pomdr", grid, 20, 7));
  EXPECT_NE(draw_settings("pomdr", grid, 20, 7), draw_settings("pomdr", grid, 20, 8));
  const std::vector<Json> more = draw_settings("pomdr", grid, 30, 7);
  EXPECT_EQ(std::vector<Json>(more.begin(), more.begin() + 20), draw_settings("pomdr", grid, 20, 7));
  EXPECT_TRUE(draw_settings("pomdr", grid, 0, 7).empty());
  EXPECT_NE(message_of([] { draw_settings("linear", {{"sigma", {1.0, 2.0}}}, 1, 1); }), "nothing thrown");
}

TEST(Rungs, BeginWithAllCandidatesAndEndWithAllRows) {
  for (const std::size_t candidates : {1, 2, 3, 4, 9, 10, 36, 100, 1000}) {
    for (const std::uint64_t rows : {1, 10, 499, 500, 1499, 1500, 1501, 4500, 100000, 5000000}) {
      const std::vector<Rung> stages = rungs(candidates, rows);
      ASSERT_FALSE(stages.empty());
      EXPECT_EQ(stages.front().candidates, candidates);
      EXPECT_EQ(stages.back().rows, rows);
      for (std::size_t r = 0; r < stages.size(); ++r) {
        if (stages.size() > 1) {
          EXPECT_GE(stages[r].rows, 500U);
        }
        EXPECT_GE(stages[r].candidates, 1U);
        if (r == 0) continue;
        EXPECT_GT(stages[r].rows, stages[r - 1].rows);
        EXPECT_NEAR(static_cast<double>(stages[r].rows), 3.0 * static_cast<double>(stages[r - 1].rows), 3.0);
        EXPECT_EQ(stages[r].candidates, std::max<std::size_t>(4, (stages[r - 1].candidates + 2) / 3));
      }
      // Four are left for all rows, unless the first stage is as short as a stage may be.
      EXPECT_TRUE(stages.back().candidates <= 4 || stages.front().rows < 1500) << candidates << " " << rows;
    }
  }
  EXPECT_EQ(rungs(36, 100000), (std::vector<Rung>{{36, 11111}, {12, 33333}, {4, 100000}}));
  EXPECT_EQ(rungs(5, 1500), (std::vector<Rung>{{5, 500}, {4, 1500}}));
  EXPECT_EQ(rungs(5, 1499), (std::vector<Rung>{{5, 1499}}));
  EXPECT_EQ(rungs(4, 100000), (std::vector<Rung>{{4, 100000}}));
}

std::vector<Json> pomdr_candidates() {
  return combinations("pomdr", Json::parse(R"({"sigma": [0.01, 0.05, 0.1, 0.5, 2, 100], "zeta": [0.5, 0.7]})"));
}

TEST(Search, RanksByWhatRunsOfTheirOwnComeTo) {
  const Dataset data = generated("checkerboard", 4600);
  const std::vector<Json> candidates = pomdr_candidates();
  const std::vector<Candidate> ranking = search(data, "pomdr", candidates, 3, 2, never(), nobody);
  ASSERT_EQ(ranking.size(), candidates.size());
  std::set<std::string> seen;
  std::map<std::uint64_t, std::size_t> reached;
  for (const Candidate& candidate : ranking) {
    seen.insert(candidate.settings.dump());
    ++reached[candidate.rows];
    Model model("pomdr", learner_options("pomdr", candidate.settings, data.size(), 3));
    for (std::size_t i = 0; i < candidate.rows; ++i) testing::learn_one(model, data[i]);
    EXPECT_EQ(candidate.mistakes, model.counts().mistakes) << candidate.settings;
    EXPECT_EQ(candidate.hinge_loss, model.counts().hinge_loss) << candidate.settings;
    EXPECT_EQ(candidate.support, model.learner().report().support) << candidate.settings;
    EXPECT_EQ(candidate.mistake_rate(), static_cast<double>(candidate.mistakes) / static_cast<double>(candidate.rows));
    EXPECT_GT(candidate.seconds, 0.0);
  }
  EXPECT_EQ(seen.size(), candidates.size());
  EXPECT_EQ(reached, (std::map<std::uint64_t, std::size_t>{{1533, 8}, {4600, 4}}));
}

// Every stage drops those that have more mistakes then, and first of all those that did exactly as others.
TEST(Search, KeepsTheBestThirdOfEveryStage) {
  const Dataset data = generated("rings", 1500);
  const std::vector<Json> candidates = pomdr_candidates();
  const auto after = [&data](const Json& settings, std::uint64_t rows) {
    Model model("pomdr", learner_options("pomdr", settings, data.size(), 1));
    for (std::size_t i = 0; i < rows; ++i) testing::learn_one(model, data[i]);
    return std::pair(model.counts().mistakes, model.counts().hinge_loss);
  };
  std::vector<Json> expected = candidates;
  std::size_t repeated = 0;
  const auto rank = [&](std::size_t count, std::uint64_t rows) {
    std::vector<Json> ranked(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count));
    std::stable_sort(ranked.begin(), ranked.end(), [&](const Json& a, const Json& b) {
      const auto index = [&](const Json& settings) {
        return std::find(candidates.begin(), candidates.end(), settings);
      };
      return std::pair(after(a, rows), index(a)) < std::pair(after(b, rows), index(b));
    });
    std::vector<Json> firsts;
    std::vector<Json> others;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_first = i == 0 || after(ranked[i], rows) != after(ranked[i - 1], rows);
      (is_first ? firsts : others).push_back(ranked[i]);
    }
    repeated += others.size();
    firsts.insert(firsts.end(), others.begin(), others.end());
    std::copy(firsts.begin(), firsts.end(), expected.begin());
  };
  rank(12, 500);
  rank(4, 1500);
  EXPECT_GT(repeated, 0U);  // or the test would say less than it seems to
  const std::vector<Candidate> ranking = search(data, "pomdr", candidates, 1, 1, never(), nobody);
  std::vector<Json> found;
  for (const Candidate& candidate : ranking) found.push_back(candidate.settings);
  EXPECT_EQ(found, expected);
}

TEST(Search, TiesGoToTheEarlierOne) {
  const Dataset data = generated("rings", 100);
  const std::vector<Json> candidates(5, Json{{"step", 0.1}});
  std::vector<Json> different = {{{"step", 0.1}}, {{"step", 0.1}, {"precision", "float"}}};
  EXPECT_EQ(search(data, "linear", different, 1, 2, never(), nobody)[0].settings, different[0]);
  std::swap(different[0], different[1]);
  EXPECT_EQ(search(data, "linear", different, 1, 2, never(), nobody)[0].settings, different[0]);
  EXPECT_EQ(search(data, "linear", candidates, 1, 2, never(), nobody).size(), 5U);
}

TEST(Search, ThreadsChangeNothing) {
  const Dataset data = generated("checkerboard", 1600);
  for (const char* learner : {"pomdr", "fogd", "bogd"}) {
    Json grid = Json::parse(R"({"sigma": [0.05, 0.1, 0.5]})");
    grid[std::string(learner) == "pomdr" ? "factor" : "step"] = {0.05, 0.1, 1};
    const std::vector<Json> candidates = combinations(learner, grid);
    std::vector<Candidate> first;
    for (const unsigned threads : {1, 2, 5, 30}) {
      const std::vector<Candidate> ranking = search(data, learner, candidates, 1, threads, never(), nobody);
      if (first.empty()) first = ranking;
      ASSERT_EQ(ranking.size(), 9U);
      for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(ranking[i].settings, first[i].settings);
        EXPECT_EQ(ranking[i].rows, first[i].rows);
        EXPECT_EQ(ranking[i].hinge_loss, first[i].hinge_loss);
      }
    }
  }
}

TEST(Search, ThatIsStoppedIsEmpty) {
  const Dataset data = generated("checkerboard", 1600);
  for (const std::int64_t calls : {0, 1, 10, 40}) {
    for (const unsigned threads : {1, 3}) {
      testing::StopAfter after(calls);
      EXPECT_TRUE(search(data, "pomdr", pomdr_candidates(), 1, threads, after.stop(), nobody).empty()) << calls;
    }
  }
}

TEST(Search, ErrorsAreThrownAndDoNotHang) {
  Dataset data = generated("rings", 1600);
  const std::vector<double> huge = {1e39, 1.0};
  data.append({Row::dense(huge), 1.0});
  for (const unsigned threads : {1, 3}) {
    EXPECT_NE(message_of([&] {
                search(data, "pomdr", pomdr_candidates(), 1, threads, never(), nobody);
              }).find("expected a value in the range of float"),
              std::string::npos);
  }
  EXPECT_TRUE(message_of([&] {
                search(data, "pomdr", {{{"sigma", -1}}}, 1, 2, never(), nobody);
              }).starts_with("sigma is -1"));
}

TEST(Search, TellsWhereItIs) {
  const Dataset data = generated("rings", 1600);
  std::vector<SearchStatus> told;
  const auto here = std::this_thread::get_id();
  search(data, "pomdr", pomdr_candidates(), 1, 2, never(), [&](const SearchStatus& status) {
    EXPECT_TRUE(std::this_thread::get_id() == here);
    told.push_back(status);
  });
  ASSERT_FALSE(told.empty());
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GE(std::tuple(told[i].rung, told[i].done), std::tuple(told[i - 1].rung, told[i - 1].done));
  }
  EXPECT_EQ(told.front().rung, 0U);
  EXPECT_EQ(told.back().rung, 1U);
  EXPECT_EQ(told.back().done, 4U);
}

}  // namespace
}  // namespace alder
