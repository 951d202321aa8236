// Every kind of learner: save, load and go on gives the same bits as never having stopped.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_one;
using testing::options_of;
using testing::restored;
using testing::small_learner;
using testing::small_options;

constexpr const char* kPrecisions[] = {"float", "double"};

std::string any_name() {
  return *rc::gen::elementOf(learner_names());
}

std::string any_options_of(const std::string& name) {
  Json options = small_options(*rc::gen::element<std::string>("float", "double"));
  options["kernel"] = *rc::gen::element<Json>(
      Json{{"name", "gaussian"}, {"sigma", 0.2}}, Json{{"name", "laplacian"}, {"sigma", 1.0}},
      Json{{"name", name == "fogd" ? "gaussian" : "polynomial"}, {"gamma", 1.0}, {"degree", 2}, {"coef0", 1.0}});
  options["removal"] = *rc::gen::element("uniform", "weighted");
  options["seed"] = *rc::gen::inRange(0, 100);
  options["step"] = *rc::gen::element(0.17, 1.7, 17.0);
  if (*rc::gen::arbitrary<bool>()) options.erase("horizon");
  return options_of(name, options);
}

RC_GTEST_PROP(LearnerResume, AnySplitGivesTheSameBits, ()) {
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 120, 5);
  const std::string name = any_name();
  const std::string options = any_options_of(name);
  const auto whole = make_learner(name, options);
  auto split = make_learner(name, options);
  const std::size_t stop = *rc::gen::inRange<std::size_t>(1, 60);
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    if (t % stop == 0) {
      const std::string bytes = encoded(*split);
      split = restored(bytes);
      RC_ASSERT(encoded(*split) == bytes);
    }
    const Row row = Row::dense(stream.rows[t]);
    RC_ASSERT(learn_one(*whole, row, stream.labels[t]) == learn_one(*split, row, stream.labels[t]));
  }
  RC_ASSERT(encoded(*whole) == encoded(*split));
}

// Rows of very different lengths: what a learner remembers of those that it has removed must not matter.
TEST(LearnerResume, RowsOfAllScalesCanBeSplitToo) {
  for (const std::string& name : learner_names()) {
    for (const char* precision : kPrecisions) {
      const auto whole = small_learner(name, precision);
      auto split = small_learner(name, precision);
      auto stream = testing::random_stream(7, 200, 5);
      for (std::size_t t = 0; t < 200; ++t) {
        for (double& value : stream.rows[t]) value *= std::pow(10.0, t % 11 == 3 ? 4.0 : 0.0);
        split = restored(encoded(*split));
        const Row row = Row::dense(stream.rows[t]);
        ASSERT_EQ(learn_one(*whole, row, stream.labels[t]), learn_one(*split, row, stream.labels[t]))
            << name << " round " << t;
      }
      EXPECT_EQ(encoded(*whole), encoded(*split)) << name;
    }
  }
}

// The count sketch can make a Gram matrix of equal rows vanish, and a map with it.
TEST(LearnerResume, EqualRowsCanBeSplitToo) {
  const testing::Vector x = {0.3, -0.2};
  for (const std::string& name : learner_names()) {
    for (const char* precision : kPrecisions) {
      for (int seed = 0; seed < 3; ++seed) {
        Json options = small_options(precision);
        options["budget"] = 2;
        options["b0"] = 1;
        options["sketch"] = 1;
        options["seed"] = seed;
        const auto whole = make_learner(name, options_of(name, options));
        auto split = make_learner(name, options_of(name, options));
        for (std::size_t t = 0; t < 40; ++t) {
          split = restored(encoded(*split));
          const double label = t % 2 == 0 ? 1.0 : -1.0;
          ASSERT_EQ(learn_one(*whole, Row::dense(x), label), learn_one(*split, Row::dense(x), label))
              << name << " seed " << seed << " round " << t;
        }
      }
    }
  }
}

// A learner with a hint adds it in a round, but not to a score.
RC_GTEST_PROP(LearnerResume, ScoreIsWhatLearnReturnsAndChangesNothing, ()) {
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 80, 5);
  const std::string name = any_name();
  const auto learner = make_learner(name, any_options_of(name));
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    const std::string before = encoded(*learner);
    const double score = learner->score(Row::dense(stream.rows[t]));
    RC_ASSERT(encoded(*learner) == before);
    const double learned = learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    RC_ASSERT((learner_info(name).traits.has_hint || learned == score));
  }
}

// Learners on one thread share scratch memory.
TEST(LearnerResume, LearnersDoNotDisturbEachOther) {
  const auto stream = testing::random_stream(3, 150, 5);
  for (const std::string& name : learner_names()) {
    for (const char* precision : kPrecisions) {
      Json options = small_options(precision);
      options["rank"] = 3;
      const auto alone = make_learner(name, options_of(name, options));
      std::vector<double> expected;
      for (std::size_t t = 0; t < 150; ++t) {
        expected.push_back(learn_one(*alone, Row::dense(stream.rows[t]), stream.labels[t]));
      }
      const auto learner = make_learner(name, options_of(name, options));
      options["budget"] = 40;
      options["b0"] = 20;
      options["rank"] = 40;
      options["frequencies"] = 40;
      options["samples"] = 30;
      options["sketch"] = 40;
      options["kernel"] = {{"name", "laplacian"}, {"sigma", 0.3}};
      const auto other = make_learner(name, options_of(name, options));
      for (std::size_t t = 0; t < 150; ++t) {
        for (int i = 0; t == 0 && i < 300; ++i) {
          learn_one(*other, Row::dense(stream.rows[static_cast<std::size_t>(i % 150)]), i % 2 == 0 ? 1.0 : -1.0);
        }
        ASSERT_EQ(learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]), expected[t])
            << name << " in " << precision << ", round " << t;
        (void)other->score(Row::dense(stream.rows[t]));
      }
      EXPECT_EQ(encoded(*learner), encoded(*alone)) << name << " in " << precision;
    }
  }
}

RC_GTEST_PROP(LearnerResume, SparseRowsEqualDenseRowsToTheBit, ()) {
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 80, 6);
  const std::string name = any_name();
  const std::string options = any_options_of(name);
  const auto sparse = make_learner(name, options);
  const auto dense = make_learner(name, options);
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    const testing::SparseVector x(stream.rows[t]);
    RC_ASSERT(learn_one(*sparse, x.row(), stream.labels[t]) ==
              learn_one(*dense, Row::dense(stream.rows[t]), stream.labels[t]));
  }
  RC_ASSERT(encoded(*sparse) == encoded(*dense));
}

TEST(LearnerResume, OptionsMakeTheSameLearnerAgain) {
  for (const std::string& name : learner_names()) {
    for (const auto& learner : {make_learner(name), small_learner(name, "float"), small_learner(name, "double")}) {
      EXPECT_EQ(learner->name(), name);
      EXPECT_EQ(make_learner(learner->name(), learner->options())->options(), learner->options());
      EXPECT_EQ(restored(encoded(*learner))->options(), learner->options());
      EXPECT_EQ(restored(encoded(*learner))->report().rounds, 0U);
    }
  }
}

}  // namespace
}  // namespace alder
