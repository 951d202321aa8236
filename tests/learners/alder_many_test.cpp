// ALDER with more than two classes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "alder/evaluate.h"
#include "alder/learners.h"

#include "learners/alder/alder.h"
#include "learners/alder/arow.h"
#include "support/any_learner.h"
#include "support/literal_many.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::encoded;
using testing::restored;
using testing::Vector;

// Blobs of points, one or more for each class; class c first comes in row first(c).
struct Blobs {
  std::vector<Vector> rows;
  std::vector<double> targets;
};

Blobs blobs(std::uint64_t seed, std::size_t count, std::size_t classes, std::size_t late_every = 0) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Vector> centres(classes, Vector(4));
  for (Vector& centre : centres) {
    for (double& value : centre) value = 1.5 * normal(engine);
  }
  Blobs data;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t known = late_every == 0 ? classes : std::min(classes, 1 + t / late_every);
    const std::size_t c = engine() % known;
    Vector x = centres[c];
    for (double& value : x) value += 0.8 * normal(engine);
    data.rows.push_back(x);
    data.targets.push_back(static_cast<double>(c));
  }
  // Numbers are given in the order of appearance, as a Model does.
  std::vector<double> numbers;
  for (double& target : data.targets) {
    auto found = std::find(numbers.begin(), numbers.end(), target);
    if (found == numbers.end()) found = numbers.insert(numbers.end(), target);
    target = static_cast<double>(found - numbers.begin());
  }
  return data;
}

struct Made {
  std::vector<double> scores;
  std::vector<double> logits;
};

Made learn(Learner& learner, const Vector& x, double target, double weight = 1.0) {
  Made made = {std::vector<double>(learner.outputs()), std::vector<double>(learner.extras())};
  const Row row = Row::dense(x);
  EXPECT_EQ(learner.learn({{&row, 1}, {&target, 1}, {&weight, 1}}, {made.scores, made.logits}), 1U);
  return made;
}

Made score(const Learner& learner, const Vector& x) {
  Made made = {std::vector<double>(learner.outputs()), std::vector<double>(learner.extras())};
  const Row row = Row::dense(x);
  learner.score({&row, 1}, {made.scores, made.logits});
  return made;
}

std::size_t largest(const std::vector<double>& numbers) {
  return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

TEST(AlderManyClasses, AreTheTranscriptionToTheLastDigits) {
  for (const std::size_t late_every : {0U, 40U}) {
    for (const double forget : {0.0, 1e-3}) {
      AlderOptions options;
      options.kernel = Kernel::gaussian(1.5);
      options.budget = 30;
      options.forget = forget;
      options.precision = Precision::kDouble;
      const auto learner = make_alder(options);
      testing::LiteralManyClasses literal(options);
      const Blobs data = blobs(3, 400, 6, late_every);
      for (std::size_t t = 0; t < data.rows.size(); ++t) {
        const auto expected = literal.score(data.rows[t]);
        const double weight = t % 5 == 0 ? 2.5 : 1.0;
        const Made made = learn(*learner, data.rows[t], data.targets[t], weight);
        if (made.scores.size() == 1) {
          ASSERT_NEAR(made.scores[0], expected.scores[1] - expected.scores[0], 1e-9) << t;
          ASSERT_NEAR(made.logits[0], expected.logits[1] - expected.logits[0], 1e-9) << t;
        } else {
          ASSERT_EQ(made.scores.size(), literal.classes()) << t;
          for (std::size_t c = 0; c < made.scores.size(); ++c) {
            ASSERT_NEAR(made.scores[c], expected.scores[c], 1e-8) << t << " " << c;
            ASSERT_NEAR(made.logits[c], expected.logits[c], 1e-8) << t << " " << c;
          }
        }
        literal.learn(data.rows[t], static_cast<std::size_t>(data.targets[t]), weight);
        ASSERT_EQ(learner->report().support, literal.size()) << t;
      }
      EXPECT_EQ(learner->outputs(), 6U);
    }
  }
}

TEST(AlderManyClasses, InFloatAreNearThoseInDouble) {
  AlderOptions options;
  options.kernel = Kernel::gaussian(1.5);
  const auto single = make_alder(options);
  options.precision = Precision::kDouble;
  const auto precise = make_alder(options);
  const Blobs data = blobs(4, 1500, 5);
  std::size_t differ = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    const Made a = learn(*single, data.rows[t], data.targets[t]);
    const Made b = learn(*precise, data.rows[t], data.targets[t]);
    ASSERT_EQ(a.scores.size(), b.scores.size());
    differ += largest(a.scores) != largest(b.scores);
  }
  EXPECT_LE(differ, 5U);
}

// Two functions of opposite signs become two that differ by the old one.
TEST(AlderManyClasses, AThirdClassLeavesTheScoresOfTheFirstTwo) {
  AlderOptions options;
  options.kernel = Kernel::gaussian(1.0);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    options.precision = precision;
    const auto learner = make_alder(options);
    const Blobs data = blobs(5, 300, 2);
    for (std::size_t t = 0; t < 300; ++t) learn(*learner, data.rows[t], data.targets[t]);
    const Made before = score(*learner, data.rows[7]);
    learn(*learner, {12, 12, 12, 12}, 2.0);  // kernel values with all others are below 1e-100, in float 0
    const Made after = score(*learner, data.rows[7]);
    ASSERT_EQ(after.scores.size(), 3U);
    EXPECT_EQ(after.scores[1] - after.scores[0], before.scores[0]);
    EXPECT_EQ(after.logits[1] - after.logits[0], before.logits[0]);
  }
}

// Whatever one class gains others lose.
TEST(AlderManyClasses, ScoresSumToZeroOnceTheirClassIsThere) {
  AlderOptions options;
  options.kernel = Kernel::gaussian(1.0);
  options.precision = Precision::kDouble;
  const auto learner = make_alder(options);
  const Blobs data = blobs(6, 500, 7);
  for (std::size_t t = 0; t < 500; ++t) learn(*learner, data.rows[t], data.targets[t]);
  const Made made = score(*learner, data.rows[3]);
  EXPECT_NEAR(std::accumulate(made.scores.begin(), made.scores.end(), 0.0), 0.0, 1e-10);
}

TEST(AlderManyClasses, ScoreIsWhatLearnSaysToTheBit) {
  const Blobs data = blobs(7, 700, 5, 30);
  const auto learner = make_alder({});
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    const Made scored = score(*learner, data.rows[t]);
    const Made learned = learn(*learner, data.rows[t], data.targets[t]);
    ASSERT_EQ(scored.scores, learned.scores) << t;
    ASSERT_EQ(scored.logits, learned.logits) << t;
  }
}

// At the default size, through the first rows, the race and classes that come late.
TEST(AlderManyClasses, ResumeIsExactAtAnyCut) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    AlderOptions options;
    options.precision = precision;
    options.race = 500;
    const auto whole = make_alder(options);
    std::unique_ptr<Learner> split = make_alder(options);
    const Blobs data = blobs(8, 900, 6, 25);
    std::mt19937_64 engine(9);
    for (std::size_t t = 0; t < data.rows.size(); ++t) {
      if (engine() % 17 == 0) {
        const std::string bytes = encoded(*split);
        split = restored(bytes);
        ASSERT_EQ(encoded(*split), bytes) << t;
      }
      ASSERT_EQ(learn(*whole, data.rows[t], data.targets[t]).scores,
                learn(*split, data.rows[t], data.targets[t]).scores)
          << t;
    }
    EXPECT_EQ(encoded(*whole), encoded(*split));
  }
}

void check_cuts(const AlderOptions& options, const Blobs& data) {
  std::vector<Row> rows;
  for (const Vector& x : data.rows) rows.push_back(Row::dense(x));
  const Examples all = {rows, data.targets};
  std::string expected;
  for (const std::size_t most : {1U, 7U, 8U, 9U, 64U, 600U}) {
    const auto learner = make_alder(options);
    std::vector<double> scores;
    for (std::size_t first = 0; first < all.size(); first += most) {
      learn_all(*learner, all.from(first, std::min(most, all.size() - first)), scores);
    }
    const std::string bytes = encoded(*learner);
    if (expected.empty()) expected = bytes;
    EXPECT_EQ(bytes, expected) << most;
  }
}

TEST(AlderManyClasses, WhatIsLearnedDoesNotDependOnTheCuts) {
  check_cuts({}, blobs(10, 600, 5, 20));
}

// The dictionary is full soon, and whole blocks are scored together.
TEST(AlderManyClasses, OfAFullDictionaryDoNotDependOnTheCuts) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    AlderOptions options;
    options.kernel = Kernel::gaussian(1.0);
    options.budget = 50;
    options.precision = precision;
    check_cuts(options, blobs(10, 1500, 130));
  }
}

// Rows of ten features that are not 0, of as many as there are.
std::size_t budget_for_features(std::size_t features) {
  const auto learner = make_alder({});
  std::mt19937 random(3);
  for (std::size_t t = 0; t < 300; ++t) {
    Vector x(features, 0.0);
    for (std::size_t j = 0; j < 10; ++j) x[random() % features] = 1.0;
    learn(*learner, x, static_cast<double>(t % 2));
  }
  for (const Detail& detail : learner->report().details) {
    if (detail.name == "budget") return static_cast<std::size_t>(std::get<std::uint64_t>(detail.value));
  }
  return 0;
}

TEST(AlderManyClasses, TheBudgetGrowsWithTheFeatures) {
  EXPECT_EQ(budget_for_features(300), 200U);
  EXPECT_GT(budget_for_features(2000), 300U);
  EXPECT_LE(budget_for_features(2000), 600U);
  EXPECT_EQ(budget_for_features(20000), 600U);
}

TEST(AlderManyClasses, TheBudgetGrowsWithTheClasses) {
  for (const auto& [classes, budget] : {std::pair{2, 200}, {3, 300}, {5, 500}, {9, 800}}) {
    AlderOptions options;
    options.kernel = Kernel::gaussian(0.05);  // no row is in the span of others
    const auto learner = make_alder(options);
    const Blobs data = blobs(11, 900, static_cast<std::size_t>(classes));
    for (std::size_t t = 0; t < data.rows.size(); ++t) learn(*learner, data.rows[t], data.targets[t]);
    EXPECT_EQ(learner->report().support, static_cast<std::size_t>(budget)) << classes;
  }
}

TEST(AlderManyClasses, ThousandsOfThemCanBeLearned) {
  AlderOptions options;
  options.kernel = Kernel::gaussian(1.0);
  options.budget = 40;
  const auto learner = make_alder(options);
  std::mt19937_64 engine(12);
  for (std::size_t t = 0; t < 3000; ++t) {
    const Vector x = {static_cast<double>(engine() % 100) / 10.0, static_cast<double>(engine() % 100) / 10.0};
    learn(*learner, x, static_cast<double>(t));
  }
  EXPECT_EQ(learner->outputs(), 3000U);
  const Made made = score(*restored(encoded(*learner)), {1.0, 1.0});
  EXPECT_EQ(made.scores, score(*learner, {1.0, 1.0}).scores);
  for (const double number : made.scores) ASSERT_TRUE(std::isfinite(number));
}

TEST(AlderManyClasses, ManyAreToldApart) {
  const auto learner = make_alder({});
  const Blobs data = blobs(13, 6000, 12);
  std::size_t mistakes = 0;
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    const Made made = learn(*learner, data.rows[t], data.targets[t]);
    if (t >= 3000) mistakes += static_cast<double>(largest(made.scores)) != data.targets[t];
  }
  EXPECT_LT(mistakes, 600U);  // the blobs overlap; a guess has 2,750
}

TEST(AlderManyClasses, RecentLabelsAreForTwo) {
  AlderOptions options;
  options.recent_labels = true;
  const auto learner = make_alder(options);
  learn(*learner, {0.0}, 0.0);
  learn(*learner, {1.0}, 1.0);
  EXPECT_EQ(testing::message_of([&] { learn(*learner, {2.0}, 2.0); }),
            "the target is 2; expected a class from 0 to 1, since recent_labels is for two classes");
}

// The smallest change: those that fall end at one level, and y's score 1 above it.
TEST(SmallestMove, GivesTheClassItsMarginAndMovesNoOtherThanItMust) {
  std::mt19937_64 engine(14);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> scores(2 + trial % 9);
    for (double& number : scores) number = normal(engine);
    const std::size_t y = engine() % scores.size();
    double most = -1e300;
    for (std::size_t c = 0; c < scores.size(); ++c) most = c == y ? most : std::max(most, scores[c]);
    if (scores[y] - most >= 1.0) continue;
    std::vector<double> moves(scores.size());
    const double gained = smallest_move(scores, y, moves);
    EXPECT_NEAR(std::accumulate(moves.begin(), moves.end(), 0.0), 0.0, 1e-12);
    EXPECT_EQ(gained, moves[y]);
    const double level = scores[y] + gained - 1.0;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      if (c == y) continue;
      EXPECT_LE(moves[c], 0.0);
      EXPECT_NEAR(scores[c] + moves[c], std::min(scores[c], level), 1e-12);
    }
    // Two classes share the move evenly.
    if (scores.size() == 2) {
      EXPECT_NEAR(gained, 0.5 * (1.0 - (scores[y] - scores[1 - y])), 1e-12);
    }
  }
}

}  // namespace
}  // namespace alder
