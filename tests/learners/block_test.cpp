// What is learned, and what is scored on the way, does not depend on how examples are cut into calls.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/stream.h"

#include "support/any_learner.h"
#include "support/any_rows.h"
#include "support/learning.h"
#include "support/sanitized.h"
#include "support/test_name.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_one;
using testing::name_of;
using testing::options_of;
using testing::restored;
using testing::Rows;
using testing::small_options;
using testing::some_rows;

constexpr const char* kPrecisions[] = {"float", "double"};

std::vector<double> scores_singly(Learner& learner, const Dataset& data) {
  std::vector<double> scores;
  for (std::size_t t = 0; t < data.size(); ++t) scores.push_back(learn_one(learner, data[t]));
  return scores;
}

// In calls of `most` examples, or of up to 70 at random if that is 0.
std::vector<double> scores_together(Learner& learner, const Dataset& data, std::size_t most) {
  std::mt19937_64 engine(data.size());
  std::vector<double> scores;
  std::vector<Row> rows;
  const Examples all = data.examples(0, data.size(), rows);
  for (std::size_t done = 0; done < all.size();) {
    const std::size_t count = std::min<std::size_t>(most > 0 ? most : 1 + engine() % 70, all.size() - done);
    std::vector<double> made(count);
    EXPECT_EQ(learner.learn(all.from(done, count), made), count);
    scores.insert(scores.end(), made.begin(), made.end());
    done += count;
  }
  return scores;
}

void expect_same(const std::string& name, const std::string& options, const Dataset& data, const std::string& where) {
  const auto single = make_learner(name, options);
  const std::vector<double> expected = scores_singly(*single, data);
  const std::string bytes = encoded(*single);
  for (const std::size_t most : {7, 8, 9, 64, 0}) {
    const auto together = make_learner(name, options);
    ASSERT_EQ(scores_together(*together, data, most), expected) << name << " " << options << where << " by " << most;
    ASSERT_TRUE(encoded(*together) == bytes) << name << " " << options << where << " by " << most;
  }
}

class Blocks : public ::testing::TestWithParam<std::string> {};

// Removals, restarts, maps and renewed maps.
TEST_P(Blocks, ChangeNoBitWithSmallBudgets) {
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    for (const char* kernel : {"gaussian", "laplacian", "polynomial"}) {
      for (const Rows kind : testing::kAllRows) {
        Json settings = small_options(precision);
        settings["kernel"] = {{"name", name == "fogd" ? "gaussian" : kernel}, {"gamma", 0.7}};
        if (std::string(kernel) == "polynomial" && name != "fogd") {
          settings["kernel"].update({{"degree", 2}, {"coef0", 1.0}});
        }
        for (const int window : {1, 15, 40}) {
          settings["window"] = window;
          expect_same(name, options_of(name, settings), some_rows(kind, 3, 150), std::string(", ") + name_of(kind));
          if (learner_info(name).find("window") == nullptr) break;
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

// ALDER's race and the growth of matrices.
TEST_P(Blocks, ChangeNoBitAtDefaultBudgets) {
  const std::string& name = GetParam();
  const std::size_t rows = testing::kSanitized ? 150 : 700;
  for (const char* precision : kPrecisions) {
    const std::string options = options_of(name, {{"precision", precision}, {"race", 500}});
    for (const Rows kind : {Rows::kDense, Rows::kSparse, Rows::kOneHot, Rows::kFar}) {
      expect_same(name, options, some_rows(kind, 4, rows), std::string(", ") + name_of(kind));
      if (HasFatalFailure()) return;
    }
    expect_same(name, options, Dataset::read(*make_generated("checkerboard", rows, 3)), ", checkerboard");
  }
}

// Both phases of POMDR and several removals; ALDER's labels too.
TEST_P(Blocks, ChangeNoBitOfALongRun) {
  const std::string& name = GetParam();
  for (const char* generator : {"checkerboard", "blobs"}) {
    const Dataset data = Dataset::read(*make_generated(generator, testing::kSanitized ? 300 : 1000, 3));
    for (const char* precision : kPrecisions) {
      const Json settings = {{"kernel", {{"name", "gaussian"}, {"sigma", 0.2}}},
                             {"horizon", data.size()},
                             {"budget", 60},
                             {"b0", 40},
                             {"seed", 1},
                             {"recent_labels", true},
                             {"precision", precision}};
      expect_same(name, options_of(name, settings), data, std::string(", ") + generator);
      if (HasFatalFailure()) return;
    }
  }
}

// Saved between two calls, at every place of a block.
TEST_P(Blocks, GoOnAfterLoading) {
  const std::string& name = GetParam();
  const Dataset data = some_rows(Rows::kDense, 5, 160);
  const std::string options = options_of(name, small_options("float"));
  const auto single = make_learner(name, options);
  const std::vector<double> expected = scores_singly(*single, data);
  auto split = make_learner(name, options);
  std::vector<double> scores;
  std::vector<Row> rows;
  for (std::size_t done = 0; done < data.size();) {
    const Examples next = data.examples(done, 1 + done % 13, rows);
    learn_all(*split, next, scores);
    done += next.size();
    split = restored(encoded(*split));
  }
  EXPECT_EQ(scores, expected);
  EXPECT_TRUE(encoded(*split) == encoded(*single));
}

// Rows of which some are refused: where, and what for.
struct BadRow {
  std::vector<double> values;
  std::vector<FeatureIndex> indices;  // empty: dense
  double target = 1.0;

  [[nodiscard]] Row row() const { return indices.empty() ? Row::dense(values) : Row::sparse(indices, values); }
};

TEST_P(Blocks, EndBeforeABadRowWhichIsRefusedWhenItIsTheFirst) {
  const std::string& name = GetParam();
  const BadRow bad_rows[] = {{{1.0, std::nan("")}, {}}, {{1e39, 0.0}, {}},          {{1e200, 1e200}, {}},
                             {{1.0, 1.0}, {2, 1}},      {{1.0, 1.0}, {}, 0.5},      {{1.0, 1.0}, {}, 3.0},
                             {{1.0, 1.0}, {}, -1.0},    {{1.0, 1.0}, {}, kNoTarget}};
  const Dataset data = some_rows(Rows::kDense, 6, 60);
  for (const BadRow& bad : bad_rows) {
    for (const std::size_t place : {0, 1, 6, 7, 8, 9, 30}) {
      for (const std::size_t before : {0, 3, 20}) {
        const auto quiet = testing::small_learner(name, "float");
        const auto learner = testing::small_learner(name, "float");
        std::vector<double> ignored;
        std::vector<Row> rows;
        learn_all(*quiet, data.examples(0, before, rows), ignored);
        learn_all(*learner, data.examples(0, before, rows), ignored);
        // `place` good rows, the bad one, and more.
        const Examples good = data.examples(before, 40, rows);
        std::vector<Row> tried(good.rows.begin(), good.rows.end());
        std::vector<double> targets(good.targets.begin(), good.targets.end());
        tried[place] = bad.row();
        targets[place] = bad.target;
        std::vector<double> scores(40, -77.0);
        std::vector<double> expected(40, -77.0);
        for (std::size_t i = 0; i < place; ++i) expected[i] = learn_one(*quiet, good[i]);
        if (place > 0) {
          ASSERT_EQ(learner->learn({tried, targets}, scores), place) << name;
          ASSERT_TRUE(std::equal(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(place), expected.begin()))
              << name << " " << place;
        }
        const std::string bytes = encoded(*quiet);
        ASSERT_TRUE(encoded(*learner) == bytes) << name << " " << place;
        const Examples left = Examples{tried, targets}.from(place, 40 - place);
        ASSERT_THROW(learner->learn(left, std::span(scores).subspan(place)), Error) << name << " " << place;
        ASSERT_TRUE(encoded(*learner) == bytes) << name << " " << place;
        // It goes on with what is behind.
        for (std::size_t i = place + 1; i < 40; ++i) expected[i] = learn_one(*quiet, good[i]);
        std::vector<double> found;
        learn_all(*learner, Examples{tried, targets}.from(place + 1, 39 - place), found);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + static_cast<std::ptrdiff_t>(place) + 1))
            << name << " " << place;
        ASSERT_TRUE(encoded(*learner) == encoded(*quiet)) << name << " " << place;
      }
    }
  }
}

TEST_P(Blocks, RowsOfWeightZeroAreScoredAndChangeNothing) {
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    const Dataset data = some_rows(Rows::kFar, 7, 200);
    const auto plain = testing::small_learner(name, precision);
    const auto disturbed = testing::small_learner(name, precision);
    std::mt19937_64 engine(8);
    for (std::size_t t = 0; t < 200;) {
      // Weights 0 and 1 mixed, in calls of up to 20.
      std::vector<Row> rows;
      std::vector<double> targets;
      std::vector<double> weights;
      std::vector<double> expected;
      while (rows.size() < 20 && t < 200) {
        const bool counts = engine() % 3 != 0;
        const Example example = data[counts ? t++ : engine() % 200];
        rows.push_back(example.row);
        targets.push_back(example.target);
        weights.push_back(counts ? 1.0 : 0.0);
        expected.push_back(counts ? learn_one(*plain, example) : plain->score(example.row));
      }
      std::vector<double> scores(rows.size());
      ASSERT_EQ(disturbed->learn({rows, targets, weights}, scores), rows.size()) << name;
      ASSERT_EQ(scores, expected) << name;
      ASSERT_EQ(disturbed->rounds(), plain->rounds());
    }
    ASSERT_TRUE(encoded(*disturbed) == encoded(*plain)) << name << " " << precision;
  }
}

TEST_P(Blocks, OfWrongSizesAreRefused) {
  const auto learner = testing::small_learner(GetParam(), "float");
  const Dataset data = some_rows(Rows::kDense, 8, 10);
  std::vector<Row> rows;
  const Examples all = data.examples(0, 10, rows);
  std::vector<double> scores(10);
  const std::vector<double> weights(10, 1.0);
  const std::string bytes = encoded(*learner);
  EXPECT_EQ(testing::message_of([&] { learner->learn(all, std::span(scores).first(9)); }),
            "there are 10 rows, 10 targets, 0 weights and room for 9 scores; expected as many targets as rows, as many "
            "weights or none, and 1 scores a row");
  EXPECT_THROW(learner->learn({all.rows, all.targets.first(9)}, scores), Error);
  EXPECT_THROW(learner->learn({all.rows, all.targets, std::span(weights).first(9)}, scores), Error);
  EXPECT_THROW(learner->learn({all.rows.first(9), all.targets}, scores), Error);
  EXPECT_THROW(learner->score(all.rows, std::span(scores).first(9)), Error);
  EXPECT_THROW(learner->score(all.rows.first(9), scores), Error);
  EXPECT_TRUE(encoded(*learner) == bytes);
  EXPECT_EQ(learner->learn({}, std::span<double>()), 0U);
  learner->score({}, std::span<double>());
  EXPECT_TRUE(encoded(*learner) == bytes);
  EXPECT_EQ(learner->learn({all.rows, all.targets, weights}, scores), 10U);
}

INSTANTIATE_TEST_SUITE_P(Learners, Blocks, ::testing::ValuesIn(learner_names()), testing::test_name);

}  // namespace
}  // namespace alder
