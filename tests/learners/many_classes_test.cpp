// Every kind of learner with more than two classes: what all have in common.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "learners/core/first_rows.h"
#include "support/any_learner.h"
#include "support/class_rows.h"
#include "support/test_name.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::ClassRows;
using testing::encoded;
using testing::learn_each;
using testing::learn_next;
using testing::message_of;
using testing::options_of;
using testing::restored;
using testing::scores_of;
using testing::small_learner;

bool is_native(const std::string& name) {
  return learner_info(name).traits.many_classes == LearnerTraits::ManyClasses::kNative;
}

// With small options, whose kernel has a width, or with first rows that choose it and a scaling.
std::unique_ptr<Learner> any_learner(const std::string& name, bool has_first_rows) {
  if (!has_first_rows) return small_learner(name, "float");
  auto options = testing::small_options("float");
  options.erase("kernel");
  options["scale"] = "online";
  return make_learner(name, options_of(name, options));
}

class ManyClasses : public ::testing::TestWithParam<std::string> {};

TEST_P(ManyClasses, OfNativeLearnersAreOfOneLearner) {
  const auto learner = small_learner(GetParam(), "float");
  EXPECT_EQ(learner->most_classes() > 2, is_native(GetParam()));
  EXPECT_EQ(learner->outputs(), 1U);
}

TEST_P(ManyClasses, HaveAScoreEachFromTheThirdOn) {
  const ClassRows data(1, 300, 5, 3, 40);
  for (const bool has_first_rows : {false, true}) {
    auto learner = any_learner(GetParam(), has_first_rows);
    std::size_t met = 2;
    for (std::size_t t = 0; t < data.size(); ++t) {
      const std::size_t width = learner->outputs();
      EXPECT_EQ(width, met > 2 ? met : 1U);
      EXPECT_EQ(learn_next(learner, data.from(t, 1)).size(), width);
      met = std::max(met, static_cast<std::size_t>(data.targets[t]) + 1);
      EXPECT_EQ(learner->rounds(), t + 1);
    }
    EXPECT_EQ(met, 5U);
    EXPECT_EQ(learner->name(), GetParam());
    const Report report = learner->report();
    EXPECT_EQ(report.rounds, data.size());
    EXPECT_GT(report.bytes, 0U);
  }
}

// A call ends after a row that changed the outputs; where it is cut matters to nothing.
TEST_P(ManyClasses, MayComeAnywhereInACall) {
  for (const bool has_first_rows : {false, true}) {
    const std::size_t first = has_first_rows ? FirstRows::kForScaling : 0;
    for (std::size_t late = first + 3; late < first + 20; late += 5) {
      ClassRows data(late, late + 12, 2);
      for (std::size_t t = late; t < data.size(); t += 3) data.targets[t] = t < late + 6 ? 2.0 : 3.0;
      auto whole = any_learner(GetParam(), has_first_rows);
      const auto expected = learn_each(whole, data.all());
      const std::string bytes = encoded(*whole);
      for (std::size_t most = 1; most <= 30; most += 1 + most / 4) {
        auto learner = any_learner(GetParam(), has_first_rows);
        std::vector<std::vector<double>> found;
        while (found.size() < data.size()) {
          const Examples next = data.from(found.size(), std::min(most, data.size() - found.size()));
          make_room_for(next[0], next.weight(0), learner);
          const std::size_t width = learner->outputs();
          std::vector<double> scores(next.size() * width);
          const std::size_t count = learner->learn(next, scores);
          ASSERT_GT(count, 0U);
          if (count < next.size()) {
            EXPECT_TRUE(learner->outputs() != width || next.targets[count] >= 2.0);
          }
          for (std::size_t i = 0; i < count; ++i) {
            found.emplace_back(scores.data() + i * width, scores.data() + (i + 1) * width);
          }
        }
        ASSERT_EQ(found, expected) << "at " << late << ", calls of " << most;
        ASSERT_TRUE(encoded(*learner) == bytes) << "at " << late << ", calls of " << most;
      }
    }
  }
}

TEST_P(ManyClasses, GoOnFromASavedModelWithTheSameBits) {
  const ClassRows data(5, 330, 4, 5, 60);
  for (const char* precision : {"float", "double"}) {
    auto whole = small_learner(GetParam(), precision);
    auto split = small_learner(GetParam(), precision);
    for (std::size_t t = 0; t < data.size(); ++t) {
      if (t % 11 == 0 || (t > 0 && data.targets[t] >= static_cast<double>(split->outputs()))) {
        const std::string bytes = encoded(*split);
        split = restored(bytes);
        ASSERT_TRUE(encoded(*split) == bytes) << "round " << t;
      }
      ASSERT_EQ(learn_next(whole, data.from(t, 1)), learn_next(split, data.from(t, 1))) << "round " << t;
    }
    EXPECT_TRUE(encoded(*whole) == encoded(*split));
    EXPECT_EQ(whole->outputs(), 4U);
  }
}

TEST_P(ManyClasses, GoOnFromASavedModelAtDefaultSizesAndInFirstRows) {
  const ClassRows data(6, 900, 6, 4, 12);
  std::mt19937_64 random(11);
  for (const bool scales : {false, true}) {
    const std::string options = scales ? R"({"scale": "online"})" : "{}";
    auto whole = make_learner(GetParam(), options);
    const auto expected = learn_each(whole, data.all());
    for (int cut = 0; cut < 4; ++cut) {
      const std::size_t at = 1 + random() % (cut < 2 ? 140 : data.size() - 1);
      auto learner = make_learner(GetParam(), options);
      learn_each(learner, data.from(0, at));
      learner = restored(encoded(*learner));
      const auto rest = learn_each(learner, data.from(at, data.size() - at));
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), expected.begin() + static_cast<std::ptrdiff_t>(at))) << at;
      EXPECT_TRUE(encoded(*learner) == encoded(*whole)) << at;
    }
  }
}

// From its first rows on, a learner that chose a width is the one that was given it.
TEST_P(ManyClasses, AmongFirstRowsAreLearnedAsByTheLearnerOfThatWidth) {
  if (learner_info(GetParam()).finds_width() || learner_info(GetParam()).find("kernel") == nullptr) return;
  const ClassRows data(7, 200, 5, 4, 25);
  auto learner = make_learner(GetParam(), options_of(GetParam(), {{"budget", 30}, {"b0", 10}, {"seed", 9}}));
  const auto scores = learn_each(learner, data.all());
  auto plain = make_learner(GetParam(), learner->options());
  const auto expected = learn_each(plain, data.all());
  EXPECT_TRUE(std::equal(scores.begin() + FirstRows::kForWidth, scores.end(), expected.begin() + FirstRows::kForWidth));
  EXPECT_EQ(encoded(dynamic_cast<const FirstRows&>(*learner).learner()), encoded(*plain));
}

TEST_P(ManyClasses, AreScoredAsLearnReturns) {
  if (learner_info(GetParam()).traits.has_hint) return;
  const ClassRows data(8, 250, 4, 3, 20);
  for (const bool has_first_rows : {false, true}) {
    auto learner = any_learner(GetParam(), has_first_rows);
    for (std::size_t t = 0; t < data.size(); ++t) {
      const std::string before = encoded(*learner);
      const auto scores = scores_of(*learner, data.rows[t]);
      ASSERT_TRUE(encoded(*learner) == before);
      ASSERT_EQ(learn_next(learner, data.from(t, 1)), scores) << t;
    }
    // Rows that are scored together have the scores that they have alone.
    std::vector<double> together(data.size() * 4);
    learner->score(data.rows, together);
    for (std::size_t t = 0; t < data.size(); ++t) {
      const auto alone = scores_of(*learner, data.rows[t]);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(4 * t))) << t;
    }
  }
}

// An example that cannot be learned changes nothing, though it would have brought a class.
TEST_P(ManyClasses, OfBadRowsDoNotCome) {
  const testing::Vector good = {0.1, 0.2, 0.3};
  const testing::Vector bad = {0.1, std::nan(""), 0.3};
  const testing::Vector far = {0.1, 1e200, 0.3};
  for (const bool has_first_rows : {false, true}) {
    for (const std::size_t rounds : {5U, 150U}) {
      auto learner = any_learner(GetParam(), has_first_rows);
      learn_each(learner, ClassRows(9, rounds, 2).all());
      const std::string before = encoded(*learner);
      const auto fails = [&](const testing::Vector& x, double target, double weight) {
        const Row row = Row::dense(x);
        const Examples one = {std::span(&row, 1), std::span(&target, 1), std::span(&weight, 1)};
        EXPECT_THROW(learn_next(learner, one), Error) << target << " " << weight;
        EXPECT_TRUE(encoded(*learner) == before) << target << " " << weight;
      };
      fails(bad, 2.0, 1.0);
      fails(far, 2.0, 1.0);
      fails(good, 2.0, -1.0);
      fails(good, 2.0, std::nan(""));
      fails(good, 2.0, 1e7);
      fails(good, 3.0, 1.0);
      fails(good, 2.5, 1.0);
      fails(good, std::nan(""), 1.0);
      if (!learner->takes_weights()) fails(good, 2.0, 0.5);
      const Row row = Row::dense(good);
      const double target = 2.0;
      const double nothing = 0.0;
      learn_next(learner, {std::span(&row, 1), std::span(&target, 1), std::span(&nothing, 1)});
      EXPECT_TRUE(encoded(*learner) == before);
      EXPECT_EQ(learner->outputs(), 1U);
      learn_next(learner, {std::span(&row, 1), std::span(&target, 1)});
      EXPECT_EQ(learner->outputs(), 3U);
      const std::string grown = encoded(*learner);
      EXPECT_THROW(learn_next(learner, {std::span(&row, 1), std::span(&target, 1), std::span(&(far[1]), 1)}), Error);
      EXPECT_TRUE(encoded(*learner) == grown);
    }
  }
}

TEST_P(ManyClasses, HaveWeightsWhereTwoHave) {
  auto learner = small_learner(GetParam(), "double");
  ClassRows data(10, 120, 3);
  learn_each(learner, data.all());
  ASSERT_EQ(learner->outputs(), 3U);
  const std::string before = encoded(*learner);
  data.weights.assign(data.size(), 0.0);
  learn_each(learner, data.all());
  EXPECT_TRUE(encoded(*learner) == before);
  data.weights.assign(data.size(), 0.25);
  if (learner->takes_weights()) {
    learn_each(learner, data.all());
    EXPECT_FALSE(encoded(*learner) == before);
  } else {
    EXPECT_NE(message_of([&] { learn_next(learner, data.from(0, 1)); }).find(GetParam() + " has no place for weights"),
              std::string::npos);
    EXPECT_TRUE(encoded(*learner) == before);
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, ManyClasses, ::testing::ValuesIn(learner_names()), testing::test_name);

constexpr const char* kGradientLearners[] = {"fogd", "nogd", "skegd", "linear"};

// The row that brings the third class has hardly any weight, so that its own step changes nothing.
TEST(ThirdClass, KeepsTheDifferenceOfTheFirstTwo) {
  for (const std::string name : kGradientLearners) {
    for (const char* precision : {"float", "double"}) {
      for (const std::size_t rounds : {4U, 150U}) {
        auto learner = small_learner(name, precision);
        ClassRows data(12, rounds + 1, 2);
        learn_each(learner, data.from(0, rounds));
        std::vector<double> before(rounds);
        learner->score(std::span(data.rows).first(rounds), before);
        const double target = 2.0;
        const double weight = 1e-290;
        learn_next(learner, {std::span(data.rows).first(1), std::span(&target, 1), std::span(&weight, 1)});
        ASSERT_EQ(learner->outputs(), 3U);
        for (std::size_t t = 0; t < rounds; ++t) {
          const auto scores = scores_of(*learner, data.rows[t]);
          EXPECT_EQ(scores[1] - scores[0], before[t]) << name << " " << precision << " row " << t;
          EXPECT_EQ(scores[0], -scores[1]);
          EXPECT_NEAR(scores[2], 0.0, name == "linear" ? 3.0 : 1e-200);  // AdaGrad's first step is as long as any
        }
      }
    }
  }
}

// Every step adds to one function what it takes from another.
TEST(FunctionsOfClasses, SumToNothing) {
  for (const std::string name : {"fogd", "nogd", "skegd"}) {
    for (const char* loss : {"hinge", "logistic"}) {
      auto options = testing::small_options("double");
      options["loss"] = loss;
      auto learner = make_learner(name, options_of(name, options));
      const ClassRows data(13, 400, 5, 3, 30);
      std::size_t maps = 0;
      for (std::size_t t = 0; t < data.size(); ++t) {
        const auto scores = learn_next(learner, data.from(t, 1));
        if (scores.size() == 1) continue;
        double sum = 0.0;
        double size = 0.0;
        for (const double score : scores) {
          sum += score;
          size += std::fabs(score);
        }
        EXPECT_LE(std::fabs(sum), 1e-9 * (1.0 + size)) << name << " round " << t;
        maps += learner->report().norm ? 1 : 0;
      }
      EXPECT_GT(maps, 100U) << name;
    }
  }
}

TEST(ThousandsOfClasses, CanBeLearned) {
  constexpr std::size_t kClasses = 3000;
  for (const std::string name : {"linear", "fogd"}) {
    auto learner =
        make_learner(name, options_of(name, {{"frequencies", 8}, {"kernel", {{"name", "gaussian"}, {"sigma", 1.0}}}}));
    const testing::Vector x = {0.5, -0.25};
    const Row row = Row::dense(x);
    for (std::size_t t = 0; t < kClasses + 50; ++t) {
      const auto target = static_cast<double>(t % kClasses);
      const auto scores = learn_next(learner, {std::span(&row, 1), std::span(&target, 1)});
      for (const double score : scores) ASSERT_TRUE(std::isfinite(score));
    }
    EXPECT_EQ(learner->outputs(), kClasses);
    const auto again = restored(encoded(*learner));
    EXPECT_EQ(scores_of(*again, row), scores_of(*learner, row));
  }
}

TEST(RecentLabelsOfAlder, AreForTwoClasses) {
  for (const char* options : {R"({"recent_labels": true})", R"({"recent_labels": true, "scale": "online"})"}) {
    for (const std::size_t rounds : {3U, 200U}) {
      auto learner = make_learner("alder", options);
      const ClassRows data(14, rounds, 2);
      learn_each(learner, data.all());
      const double target = 2.0;
      const std::string message = message_of([&] {
        learn_next(learner, {std::span(data.rows).first(1), std::span(&target, 1)});
      });
      EXPECT_EQ(message, "the target is 2; expected a class from 0 to 1, since recent_labels is for two classes");
      EXPECT_EQ(learner->outputs(), 1U);
    }
  }
}

}  // namespace
}  // namespace alder
