// Scores of many rows at once are those of each row alone, and depend on nothing but the row and what was learned.
#include <cmath>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/learners.h"

#include "support/any_learner.h"
#include "support/any_rows.h"
#include "support/learning.h"
#include "support/test_name.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_one;
using testing::options_of;
using testing::Rows;
using testing::small_options;
using testing::some_rows;

constexpr const char* kPrecisions[] = {"float", "double"};

// The kinds of rows meet the three layouts: whole columns, pieces of columns and lists of ones.
class Scores : public ::testing::TestWithParam<std::string> {
 protected:
  template <class Check>
  void for_all_kinds(const Check& check) {
    const std::string& name = GetParam();
    for (const char* precision : kPrecisions) {
      for (const Rows kind : testing::kAllRows) {
        for (const bool is_small : {false, true}) {
          Json settings = is_small ? small_options(precision) : Json{{"precision", precision}};
          settings["race"] = 150;
          const std::string options = options_of(name, settings);
          check(options, kind, options + " on " + testing::name_of(kind) + " rows");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
};

TEST_P(Scores, OfManyRowsAreThoseOfEachAlone) {
  for_all_kinds([](const std::string& options, Rows kind, const std::string& where) {
    const Dataset data = some_rows(kind, 11, 260);
    // Features that nothing stored has, and rows of another kind.
    const Dataset others = some_rows(kind == Rows::kWide ? Rows::kFar : Rows::kWide, 12, 40);
    const auto learner = make_learner(GetParam(), options);
    std::vector<Row> rows;
    for (const std::size_t learned : {0, 5, 40, 200}) {
      std::vector<double> ignored;
      const std::size_t before = learner->rounds();
      learn_all(*learner, data.examples(before, learned - before, rows), ignored);
      std::vector<Row> asked;
      for (std::size_t i = 0; i < 90; ++i)
        asked.push_back(i % 5 == 4 && i < 50 ? others[i % 40].row : data[i + 150].row);
      std::vector<double> alone;
      for (const Row& row : asked) alone.push_back(learner->score(row));
      const std::string bytes = encoded(*learner);
      for (const std::size_t count : {1, 2, 7, 8, 9, 16, 17, 90}) {
        std::vector<double> scores(asked.size());
        for (std::size_t first = 0; first < asked.size(); first += count) {
          const std::size_t some = std::min(count, asked.size() - first);
          learner->score(std::span(asked).subspan(first, some), std::span(scores).subspan(first, some));
        }
        ASSERT_EQ(scores, alone) << GetParam() << " " << where << " after " << learned << ", by " << count;
      }
      ASSERT_TRUE(encoded(*learner) == bytes) << GetParam() << " " << where;
    }
  });
}

TEST_P(Scores, AreWhatLearnReturnsNextUnlessThereIsAHint) {
  if (learner_info(GetParam()).traits.has_hint) return;
  for_all_kinds([](const std::string& options, Rows kind, const std::string& where) {
    const Dataset data = some_rows(kind, 13, 260);
    const auto learner = make_learner(GetParam(), options);
    std::vector<Row> rows;
    for (std::size_t t = 0; t < data.size();) {
      const Examples next = data.examples(t, 1 + t % 11, rows);
      std::vector<double> announced(next.size());
      learner->score(next.rows, announced);
      std::vector<double> scores(next.size());
      ASSERT_EQ(learner->learn(next, scores), next.size());
      ASSERT_EQ(scores[0], announced[0]) << GetParam() << " " << where << " round " << t;
      t += next.size();
    }
  });
}

// Whatever rows are shown without being learned, with whatever labels.
TEST_P(Scores, DoNotDependOnRowsThatAreNotLearned) {
  for_all_kinds([](const std::string& options, Rows kind, const std::string& where) {
    const Dataset data = some_rows(kind, 14, 200);
    const auto learner = make_learner(GetParam(), options);
    std::vector<double> ignored;
    std::vector<Row> rows;
    learn_all(*learner, data.examples(0, 170, rows), ignored);
    const std::string bytes = encoded(*learner);
    std::vector<double> expected;
    for (std::size_t i = 0; i < 30; ++i) expected.push_back(learner->score(data[170 + i].row));
    for (std::size_t i = 0; i < 30; ++i) {
      for (const double target : {0.0, 1.0}) {
        const double shown = learn_one(*learner, {data[i].row, target}, 0.0);
        ASSERT_EQ(shown, learner->score(data[i].row)) << GetParam() << " " << where;
      }
      ASSERT_EQ(learner->score(data[170 + i].row), expected[i]) << GetParam() << " " << where;
    }
    ASSERT_TRUE(encoded(*learner) == bytes) << GetParam() << " " << where;
  });
}

TEST_P(Scores, SayWhichRowIsBad) {
  const auto learner = testing::small_learner(GetParam(), "float");
  const Dataset data = some_rows(Rows::kDense, 15, 60);
  std::vector<Row> rows;
  std::vector<double> scores;
  learn_all(*learner, data.examples(0, 60, rows), scores);
  const std::vector<double> not_a_number = {1.0, std::nan("")};
  const std::vector<double> too_large = {1e39, 0.0};
  for (const auto* bad : {&not_a_number, &too_large}) {
    for (const std::size_t place : {0, 3, 7, 8, 21, 59}) {
      std::vector<Row> asked = rows;
      asked[place] = Row::dense(*bad);
      try {
        learner->score(asked, scores);
        FAIL() << GetParam() << " " << place;
      } catch (const Error& error) {
        EXPECT_EQ(error.row(), place) << GetParam();
        EXPECT_EQ(error.kind(), Error::Kind::kRow) << GetParam();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, Scores, ::testing::ValuesIn(learner_names()), testing::test_name);

// The same rows, and then others, with labels that come in runs: only who asks for recent labels sees them.
TEST(AlderScores, SeeTheLastLabelsOnlyIfThatIsAskedFor) {
  const Dataset data = some_rows(Rows::kDense, 16, 400);
  for (const bool recent_labels : {false, true}) {
    AlderOptions options;
    options.kernel = Kernel::gaussian(0.7);
    options.recent_labels = recent_labels;
    const auto learner = make_alder(options);
    Archive archive;
    for (std::size_t t = 0; t < data.size(); ++t) learn_one(*learner, data[t]);
    learner->save(archive);
    EXPECT_EQ(archive.get<double>("geometry0.window.labels").size(), recent_labels ? 15U : 0U);
    EXPECT_EQ(archive.get<std::uint64_t>("geometry0.window.starts").size(), recent_labels ? 16U : 1U);
    // A row that is known so well that its margin is not violated is learned without a change.
    const auto shown = testing::restored(encoded(*learner));
    const std::vector<double> x = {0.1, 0.2, -0.3, 0.1, 0.0, 0.2};
    const double before = shown->score(Row::dense(x));
    std::size_t unchanged = 0;
    for (std::size_t t = 0; t < data.size(); ++t) {
      const double label = sign_of(data[t].target);
      if (label * shown->score(data[t].row) < 1.02) continue;
      learn_one(*shown, data[t]);
      ++unchanged;
    }
    ASSERT_GT(unchanged, 5U);
    if (recent_labels) {
      EXPECT_NE(shown->score(Row::dense(x)), before);
    } else {
      EXPECT_NEAR(shown->score(Row::dense(x)), before, 1e-6);
    }
  }
}

}  // namespace
}  // namespace alder
