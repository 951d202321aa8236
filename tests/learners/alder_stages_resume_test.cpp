#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "alder/learners.h"

#include "archive/archive.h"
#include "learners/alder/alder.h"
#include "support/made_rows.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using testing::MadeRows;

// Classes by the sign of a product, and from row 2,000 on by a ring: the race opens again. A third class comes in the
// first race.
double by_changing_rule(const std::vector<double>& x, std::size_t t, std::size_t classes) {
  if (classes == 3 && t > 400 && x[2] > 0.8) return 2.0;
  return (t < 2000 ? x[0] * x[1] > 0.0 : x[1] * x[1] + x[2] * x[2] < 1.4) ? 1.0 : 0.0;
}

MadeRows changing_rows(std::size_t count, std::size_t classes) {
  const auto rule = [classes](const std::vector<double>& x, std::size_t t) { return by_changing_rule(x, t, classes); };
  MadeRows data(count, 3, 0.02, rule);
  for (std::size_t t = 0; t < count; ++t) data.weights.push_back(t % 13 == 0 ? 2.0 : 1.0);
  return data;
}

AlderOptions quick_race(bool recent_labels = false) {
  AlderOptions options;
  options.race = 1100;
  options.recent_labels = recent_labels;
  return options;
}

// All scores and log-odds, row by row, learned at most `most` at a time.
std::vector<std::vector<double>> all_scores(Learner& learner, const MadeRows& data, std::size_t first, std::size_t last,
                                            std::size_t most) {
  std::vector<std::vector<double>> all;
  while (first < last) {
    const std::size_t width = learner.outputs();
    const std::size_t count = std::min(most, last - first);
    std::vector<double> scores(count * width);
    std::vector<double> extras(count * width);
    const std::size_t done = learner.learn(data.all().from(first, count), {scores, extras});
    for (std::size_t r = 0; r < done; ++r) {
      std::vector<double>& row = all.emplace_back(scores.data() + r * width, scores.data() + (r + 1) * width);
      row.insert(row.end(), extras.data() + r * width, extras.data() + (r + 1) * width);
    }
    first += done;
  }
  return all;
}

std::uint64_t stage_of(const Archive& archive) {
  return archive.setting<std::uint64_t>("state", "stage");
}

class AlderStagesOf : public ::testing::TestWithParam<std::tuple<std::size_t, bool>> {};

TEST_P(AlderStagesOf, RowsDoNotDependOnHowTheseAreCutIntoCalls) {
  const auto [classes, recent_labels] = GetParam();
  const std::size_t n = testing::kSanitized ? 1300 : 3100;
  const MadeRows data = changing_rows(n, classes);
  Alder<float> whole(quick_race(recent_labels));
  const auto expected = all_scores(whole, data, 0, n, 1000);
  Alder<float> cut(quick_race(recent_labels));
  const auto scores = all_scores(cut, data, 0, n, 13);
  for (std::size_t t = 0; t < n; ++t) ASSERT_EQ(scores[t], expected[t]) << t;
  EXPECT_EQ(whole.report().count("reopened"), testing::kSanitized ? 0U : 1U);
}

TEST_P(AlderStagesOf, RowsGoOnFromAnArchiveToTheBit) {
  const auto [classes, recent_labels] = GetParam();
  const std::size_t n = testing::kSanitized ? 1300 : 3100;
  const MadeRows data = changing_rows(n, classes);
  Alder<float> learner(quick_race(recent_labels));
  std::set<std::uint64_t> stages;
  std::size_t at = 0;
  for (const std::size_t rows : {20, 200, 400, 961, 1070, 2435, 2600}) {
    if (rows + 100 > n) break;
    all_scores(learner, data, at, rows, 64);
    Archive archive;
    learner.save(archive);
    const Archive decoded = Archive::decode(archive.encode());
    stages.insert(stage_of(decoded));
    Alder<float> loaded(quick_race(recent_labels), decoded);
    at = rows + 100;
    const auto expected = all_scores(learner, data, rows, at, 64);
    const auto scores = all_scores(loaded, data, rows, at, 64);
    for (std::size_t r = 0; r < expected.size(); ++r) ASSERT_EQ(scores[r], expected[r]) << rows << " and " << r;
    Archive saved_again;
    loaded.save(saved_again);
    Archive saved;
    learner.save(saved);
    ASSERT_EQ(saved_again.encode(), saved.encode()) << rows;
  }
  EXPECT_GE(stages.size(), testing::kSanitized ? 4U : 6U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AlderStagesOf,
                         ::testing::Values(std::tuple{std::size_t{2}, true}, std::tuple{std::size_t{3}, false}));

}  // namespace
}  // namespace alder
