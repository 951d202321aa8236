#include "experiments/bench.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "alder/kernel.h"
#include "alder/theory.h"

#include "experiments/mini.h"

namespace alder {
namespace {

using test::TemporaryFolder;
using testing::lines_of;
using testing::mini_suite;
using testing::never;
using testing::run_bench;
using testing::StopAfter;
using testing::timeless;

void nobody(const BenchStatus&) {}

std::vector<Json> of_kind(const std::vector<Json>& lines, const std::string& kind) {
  std::vector<Json> chosen;
  for (const Json& line : lines) {
    if (line["kind"] == kind) chosen.push_back(line);
  }
  return chosen;
}

// What a group should come to: every candidate on the tuning permutations, one after the other.
std::size_t winner_of(const Group& group, const Dataset& data, std::uint64_t seed) {
  std::vector<std::uint64_t> mistakes;
  for (const Json& settings : group.candidates) {
    mistakes.push_back(0);
    for (std::uint64_t p = 0; p < group.tune; ++p) {
      Trial trial(data, permutation(data.size(), seed + p), group.learner, settings, seed + p);
      trial.advance(data.size(), never());
      mistakes.back() += trial.report().mistakes;
    }
  }
  return static_cast<std::size_t>(std::min_element(mistakes.begin(), mistakes.end()) - mistakes.begin());
}

TEST(Bench, ThreadsChangeNothing) {
  std::vector<Json> first;
  for (const unsigned threads : {0, 1, 2, 5, 50}) {
    const TemporaryFolder folder;
    const std::string path = folder.path("results");
    run_bench(mini_suite(), "", path, threads);
    const std::vector<Json> lines = timeless(lines_of(path));
    if (first.empty()) first = lines;
    EXPECT_EQ(lines, first) << threads;
  }
  EXPECT_GT(first.size(), 40U);
}

// All that a file should hold, and in which order, from runs made one by one.
TEST(Bench, HoldsExactlyWhatTheSuiteAsksFor) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  const std::vector<BenchBest> best = run_bench(mini_suite(), "", path, 2);
  const Suite suite = parse_suite(mini_suite().dump());
  std::vector<Dataset> data;
  for (const DataSpec& spec : suite.data) data.push_back(load_data(spec, "", suite.seed));

  std::vector<Json> expected = {head_of(suite)};
  std::set<std::string> known;
  const auto add = [&](const Json& line) {
    if (known.insert(key_of(line)).second) expected.push_back(line);
  };
  for (std::size_t d = 0; d < data.size(); ++d) {
    add({{"kind", "data"},
         {"data", suite.data[d].name},
         {"generate", suite.data[d].generate},
         {"scale", suite.data[d].scale},
         {"rows", data[d].size()},
         {"features", data[d].features()},
         {"checksum", checksum(data[d])}});
  }
  std::vector<Json> curves;
  std::size_t g = 0;
  // A run of one group may be on the way of another; which runs there are is collected first.
  std::set<std::string> wanted;
  for (const bool is_first_pass : {true, false}) {
    g = 0;
    for (const Group& group : groups_of(suite)) {
      const Dataset& rows = data[group.data];
      const std::size_t winner = winner_of(group, rows, suite.seed);
      for (std::size_t c = 0; c < group.candidates.size(); ++c) {
        for (std::uint64_t p = 0; p < group.permutations; ++p) {
          const std::uint64_t seed = suite.seed + p;
          Json line = {{"kind", "run"},
                       {"data", suite.data[group.data].name},
                       {"learner", group.learner},
                       {"settings", group.candidates[c]},
                       {"seed", seed}};
          if (is_first_pass) {
            if (p < group.tune || c == winner) wanted.insert(key_of(line));
            continue;
          }
          if (!wanted.contains(key_of(line))) continue;
          Trial trial(rows, permutation(rows.size(), seed), group.learner, group.candidates[c], seed);
          trial.advance(rows.size(), never());
          line.update(outcome_of(trial));
          add(line);
        }
      }
      if (is_first_pass) continue;
      EXPECT_EQ(best[g].settings, group.candidates[winner]) << g;
      EXPECT_EQ(best[g].learner, group.learner);
      EXPECT_EQ(best[g].data, suite.data[group.data].name);
      EXPECT_EQ(best[g].runs.size(), group.permutations);
      for (std::uint64_t p = 0; p < group.permutations; ++p) {
        EXPECT_EQ(best[g].runs[p]["seed"], suite.seed + p);
        EXPECT_EQ(best[g].runs[p]["settings"], best[g].settings);
      }
      ++g;
      if (!group.curve) continue;
      Trial trial(rows, permutation(rows.size(), suite.seed), group.learner, group.candidates[winner], suite.seed);
      Json line = {{"kind", "curve"},
                   {"data", suite.data[group.data].name},
                   {"learner", group.learner},
                   {"settings", group.candidates[winner]},
                   {"seed", suite.seed}};
      line.update(curve_of(trial, rows.size(), never()));
      curves.push_back(line);
    }
  }
  EXPECT_EQ(best.size(), g);
  for (const Json& curve : curves) add(curve);
  std::vector<Json> lines = lines_of(path);
  const std::vector<Json> spectra = of_kind(lines, "spectrum");
  EXPECT_EQ(spectra.size(), 4U);
  lines.resize(lines.size() - spectra.size());  // they come last; another test looks at them
  EXPECT_EQ(timeless(lines), timeless(expected));
}

TEST(Bench, OnlyTheBestSettingsGoOnToAllPermutations) {
  const TemporaryFolder folder;
  Json suite = mini_suite();
  suite["experiments"] = Json::parse(R"([{"learners": ["ogd"], "options": {"step": [1e-9, 100, 1e-8, 1e9]}, "tune": 1,
                                          "permutations": 5}])");
  suite.erase("spectrum");
  const std::string path = folder.path("results");
  const std::vector<BenchBest> best = run_bench(suite, "", path, 3);
  std::map<std::string, std::map<std::string, std::size_t>> runs;
  std::map<std::string, std::map<std::string, std::uint64_t>> mistakes;
  for (const Json& line : of_kind(lines_of(path), "run")) {
    ++runs[line["data"]][line["settings"].dump()];
    if (line["seed"] == 5) mistakes[line["data"]][line["settings"].dump()] = line["mistakes"];
  }
  ASSERT_EQ(best.size(), 2U);
  for (const BenchBest& entry : best) {
    ASSERT_EQ(runs[entry.data].size(), 4U);
    for (const auto& [settings, count] : runs[entry.data]) {
      EXPECT_EQ(count, settings == entry.settings.dump() ? 5U : 1U);
      EXPECT_GE(mistakes[entry.data][settings], mistakes[entry.data][entry.settings.dump()]);
    }
  }
}

// Steps that are both far too small never predict anything but what the first rows say.
TEST(Bench, TiesGoToTheFirst) {
  Json suite = mini_suite();
  for (const char* steps : {"[1e-20, 1e-21]", "[1e-21, 1e-20]"}) {
    const TemporaryFolder folder;
    suite["experiments"] = {{{"learners", {"fogd"}}, {"options", {{"step", Json::parse(steps)}}}, {"tune", 1}}};
    const std::vector<BenchBest> best = run_bench(suite, "", folder.path("results"), 4);
    EXPECT_EQ(best.at(0).settings["step"], Json::parse(steps)[0]);
  }
}

TEST(Bench, StoppedAnywhereAndResumedItIsNeverHavingStopped) {
  const TemporaryFolder whole;
  run_bench(mini_suite(), "", whole.path("results"));
  const std::vector<Json> expected = timeless(lines_of(whole.path("results")));
  const Suite suite = parse_suite(mini_suite().dump());
  for (const unsigned threads : {1, 3}) {
    std::set<std::size_t> sizes;
    for (const std::int64_t calls : {0, 1, 3, 9, 20, 47, 80, 150}) {
      const TemporaryFolder folder;
      const std::string path = folder.path("results");
      {
        Results results(path, head_of(suite));
        Bench bench(suite, "", results);
        StopAfter after(calls);
        if (bench.run(threads, after.stop(), nobody)) continue;
        EXPECT_TRUE(bench.best().empty());
      }
      const std::vector<Json> early = timeless(lines_of(path));
      sizes.insert(early.size());
      for (const Json& line : early) {
        EXPECT_NE(std::find(expected.begin(), expected.end(), line), expected.end()) << line;
      }
      run_bench(mini_suite(), "", path, threads);
      EXPECT_EQ(timeless(lines_of(path)), expected) << calls;
    }
    EXPECT_GT(sizes.size(), 3U);
  }
}

// As SIGKILL leaves it: at any place between two lines, or within one.
TEST(Bench, GoesOnWhereverItsFileEnds) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  run_bench(mini_suite(), "", path);
  const std::string text = testing::text_of(path);
  const std::vector<Json> expected = timeless(lines_of(path));
  const std::size_t first = text.find('\n') + 1;
  for (std::size_t size = first; size < text.size(); size += 1 + text.size() / 25) {
    (void)folder.write("results", text.substr(0, size));
    run_bench(mini_suite(), "", path, 2);
    ASSERT_EQ(timeless(lines_of(path)), expected) << size;
  }
}

TEST(Bench, WhatIsThereIsNotRunAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  run_bench(mini_suite(), "", path);
  const std::string text = testing::text_of(path);
  run_bench(mini_suite(), "", path, 3);
  EXPECT_EQ(testing::text_of(path), text);  // with the times of the first

  // A poisoned line stays, and decides which settings are the best.
  std::string poisoned;
  for (Json line : lines_of(path)) {
    if (line["kind"] == "run" && line["learner"] == "linear" && line["data"] == "rings" && line["seed"] == 5) {
      line["mistakes"] = line["settings"]["step"] == 0.1 ? 1000 : 1;
    }
    if (line["kind"] != "run" || line["learner"] != "linear" || line["data"] != "rings" || line["seed"] == 5) {
      poisoned += line.dump() + "\n";
    }
  }
  (void)folder.write("results", poisoned);
  for (const BenchBest& best : run_bench(mini_suite(), "", path)) {
    if (best.learner != "linear" || best.data != "rings") continue;
    EXPECT_EQ(best.settings["step"], 1);
    EXPECT_EQ(best.runs.at(0)["mistakes"], 1);
    EXPECT_EQ(best.runs.size(), 3U);
  }
}

TEST(Bench, GroupsThatShareSettingsRunThemOnce) {
  const TemporaryFolder folder;
  Json suite = mini_suite();
  const Json one = Json::parse(R"({"learners": ["pomdr", "pomdr"], "options": {"b0": 10, "budget": 20, "sigma": 1}})");
  suite["experiments"] = {one, one, one};
  suite["experiments"][1]["tune"] = 1;
  suite["experiments"][2]["curve"] = true;
  const std::string path = folder.path("results");
  const auto best = run_bench(suite, "", path, 3);
  EXPECT_EQ(best.size(), 12U);
  const std::vector<Json> lines = lines_of(path);
  EXPECT_EQ(of_kind(lines, "run").size(), 6U);
  EXPECT_EQ(of_kind(lines, "curve").size(), 2U);
}

TEST(Bench, SpectraAreThoseOfTheFirstRowsOfThePermutation) {
  const TemporaryFolder folder;
  Json json = mini_suite();
  json["spectrum"]["rows"] = 100;  // more than one of the data sets has
  const std::string path = folder.path("results");
  run_bench(json, "", path, 2);
  const Suite suite = parse_suite(json.dump());
  std::size_t seen = 0;
  for (const Json& line : of_kind(lines_of(path), "spectrum")) {
    const DataSpec& spec = suite.data[line["data"] == "rings" ? 0 : 1];
    const Dataset data = load_data(spec, "", suite.seed);
    std::vector<std::size_t> order = permutation(data.size(), suite.seed);
    order.resize(std::min<std::size_t>(100, order.size()));
    const std::vector<double> expected =
        kernel_spectrum(Dataset::read(*stream(data, order)), Kernel::gaussian(line["sigma"].get<double>()));
    EXPECT_EQ(line["seed"], suite.seed);
    EXPECT_EQ(line["rows"], expected.size());
    ASSERT_EQ(line["index"].size(), line["eigenvalue"].size());
    EXPECT_EQ(line["index"][0], 1);
    for (std::size_t i = 0; i < line["index"].size(); ++i) {
      const auto index = line["index"][i].get<std::size_t>();
      if (i > 0) {
        EXPECT_GT(index, line["index"][i - 1].get<std::size_t>());
      }
      ASSERT_LE(index, expected.size());
      EXPECT_NEAR(line["eigenvalue"][i].get<double>(), expected[index - 1], 1e-3 * expected[index - 1]);
    }
    ++seen;
  }
  EXPECT_EQ(seen, 4U);
}

TEST(Bench, TellsWhereItIs) {
  Json json = mini_suite();
  json["data"]["rings"]["rows"] = 4000;
  const Suite suite = parse_suite(json.dump());
  Results results("", head_of(suite));
  Bench bench(suite, "", results);
  std::vector<BenchStatus> told;
  const auto here = std::this_thread::get_id();
  const Stop slow = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that it takes long enough to be watched
    return false;
  };
  EXPECT_TRUE(bench.run(2, slow, [&](const BenchStatus& status) {
    EXPECT_TRUE(std::this_thread::get_id() == here);
    EXPECT_LE(status.done, status.total);
    EXPECT_GE(status.seconds_left, 0.0);
    told.push_back(status);
  }));
  ASSERT_FALSE(told.empty());
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i].done, told[i - 1].done);
}

}  // namespace
}  // namespace alder
