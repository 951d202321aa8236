#include "alder/batch.h"

#include <array>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "alder/evaluate.h"
#include "alder/learners.h"
#include "alder/model.h"

#include "learners/core/hypothesis.h"
#include "learners/pomdr/pomdr.h"
#include "support/any_learner.h"
#include "support/learning.h"
#include "support/literal_function.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::LabelledVectors;
using testing::learn_one;
using testing::LiteralFunction;
using testing::message_of;
using testing::Vector;
using Choice = BatchOptions::Choice;

// So small that 200 rounds have both phases and several removals.
PomdrOptions small(const Kernel& kernel, Precision precision = Precision::kDouble) {
  PomdrOptions options;
  options.kernel = kernel;
  options.budget = 16;
  options.b0 = 6;
  options.window = 4;
  options.radius = 5.0;
  options.factor = 0.5;
  options.horizon = 200;
  options.precision = precision;
  return options;
}

std::unique_ptr<Learner> learned(const LabelledVectors& stream, std::size_t rounds, const PomdrOptions& options) {
  auto learner = make_pomdr(options);
  for (std::size_t t = 0; t < rounds; ++t) learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
  return learner;
}

std::unique_ptr<Learner> hypothesis(const LabelledVectors& stream, const PomdrOptions& options,
                                    const BatchOptions& batch_options) {
  const auto learner = make_pomdr(options);
  Batch batch(*learner, batch_options);
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    batch.after({}, {});
  }
  Batch::Chosen chosen = batch.chosen();
  EXPECT_EQ(chosen.first_round, dynamic_cast<const AnyHypothesis&>(*chosen.hypothesis).origin().first_round);
  EXPECT_LE(chosen.first_round, chosen.last_round);
  return std::move(chosen.hypothesis);
}

std::uint64_t round_of(const Learner& hypothesis) {
  return dynamic_cast<const AnyHypothesis&>(hypothesis).origin().first_round;
}

// f' of the learner as it stands, as a list.
template <class T>
LiteralFunction function_of(const Learner& learner, const Kernel& kernel) {
  const auto& pomdr = dynamic_cast<const Pomdr<T>&>(learner);
  LiteralFunction f(kernel);
  for (std::size_t i = 0; i < pomdr.support().size(); ++i) {
    f.add(testing::dense_element(pomdr.support(), i), pomdr.coefficients()[i]);
  }
  return f;
}

// What a round with this row would predict: f' with the hint, which `score` leaves out.
double next_score(const Learner& learner, const Vector& x) {
  return learn_one(*testing::restored(testing::encoded(learner)), Row::dense(x), 1.0);
}

const std::vector<Vector>& probes() {
  static const std::vector<Vector> rows = testing::random_stream(99, 40, 5).rows;
  return rows;
}

TEST(Batch, TheLastHypothesisScoresAsTheNextRoundOfTheLearner) {
  for (const Kernel& kernel : {Kernel::gaussian(0.5), Kernel::laplacian(1.0)}) {
    for (const std::size_t rounds : {0, 1, 3, 5, 30, 31, 120, 200}) {
      LabelledVectors stream = testing::random_stream(21, 200, 5);
      const auto learner = learned(stream, rounds, small(kernel));
      stream.rows.resize(rounds);
      const auto last = hypothesis(stream, small(kernel), {Choice::kLast, 1, 0});
      EXPECT_EQ(round_of(*last), rounds + 1);
      for (const Vector& x : probes()) {
        ASSERT_NEAR(last->score(Row::dense(x)), next_score(*learner, x), 1e-12) << kernel.name() << " " << rounds;
      }
    }
  }
}

TEST(Batch, ARandomHypothesisIsThatOfItsRoundBeforeItsLabel) {
  const LabelledVectors stream = testing::random_stream(22, 200, 5);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PomdrOptions options = small(Kernel::gaussian(0.5));
    const auto random = hypothesis(stream, options, {Choice::kRandom, seed, 0});
    const std::uint64_t round = round_of(*random);
    ASSERT_GE(round, 1U);
    ASSERT_LE(round, 200U);
    const auto learner = learned(stream, round - 1, options);
    for (const Vector& x : probes()) {
      ASSERT_NEAR(random->score(Row::dense(x)), next_score(*learner, x), 1e-12) << seed;
    }
    EXPECT_EQ(random->report().rounds, 200U);
  }
}

TEST(Batch, EveryRoundIsAsLikelyToBeDrawn) {
  const LabelledVectors stream = testing::random_stream(23, 5, 2);
  std::array<int, 6> drawn = {};
  constexpr int kSeeds = 5000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    ++drawn.at(round_of(*hypothesis(stream, small(Kernel::gaussian(0.5)), {Choice::kRandom, seed, 0})));
  }
  EXPECT_EQ(drawn[0], 0);
  // Five standard deviations of a binomial with p = 1/5.
  for (std::size_t round = 1; round <= 5; ++round)
    EXPECT_NEAR(drawn[round], kSeeds / 5, 5.0 * std::sqrt(0.16 * kSeeds));
}

// f' of every round of the last half, added up one by one.
TEST(Batch, TheAverageIsTheMeanOfTheFunctionsOfTheLastHalf) {
  for (const Kernel& kernel : {Kernel::gaussian(0.5), Kernel::gaussian(3.0), Kernel::laplacian(1.0),
                               Kernel::polynomial(2, 0.5, 1.0), Kernel::linear()}) {
    for (const std::size_t rounds : {1, 2, 9, 60, 199, 200}) {
      LabelledVectors stream = testing::random_stream(24, 200, 5);
      stream.rows.resize(rounds);
      const PomdrOptions options = small(kernel);
      const auto average = hypothesis(stream, options, {Choice::kAverage, 1, rounds});
      EXPECT_EQ(round_of(*average), rounds / 2 + 1);
      LiteralFunction sum(kernel);
      const auto learner = make_pomdr(options);
      for (std::size_t t = 0; t < rounds; ++t) {
        if (t >= rounds / 2) sum.add(function_of<double>(*learner, kernel), 1.0);
        learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
      }
      const auto count = static_cast<double>(rounds - rounds / 2);
      for (const Vector& x : probes()) {
        ASSERT_NEAR(average->score(Row::dense(x)), sum.at(x) / count, 1e-10) << kernel.name() << " " << rounds;
      }
      if (rounds == 200 && kernel.is_radial() && kernel.gamma() > 0.9) {
        EXPECT_GE(learner->report().removals(), 2U);
        EXPECT_GT(average->report().support, 16U);
      }
    }
  }
}

TEST(Batch, ALearnerThatIsWatchedLearnsTheSame) {
  const LabelledVectors stream = testing::random_stream(25, 200, 5);
  const PomdrOptions options = small(Kernel::gaussian(0.5), Precision::kFloat);
  const std::string alone = testing::encoded(*learned(stream, 200, options));
  for (const Choice choice : {Choice::kRandom, Choice::kLast, Choice::kAverage}) {
    const auto learner = make_pomdr(options);
    Batch batch(*learner, {choice, 1, 200});
    for (std::size_t t = 0; t < 200; ++t) {
      learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
      batch.after({}, {});
    }
    EXPECT_EQ(testing::encoded(*learner), alone);
  }
}

TEST(Batch, FloatsAreOffByTheirRoundingOnly) {
  const LabelledVectors stream = testing::random_stream(26, 200, 5);
  const PomdrOptions options = small(Kernel::gaussian(0.5), Precision::kFloat);
  const auto learner = learned(stream, 200, options);
  const auto last = hypothesis(stream, options, {Choice::kLast, 1, 0});
  for (const Vector& x : probes()) EXPECT_NEAR(last->score(Row::dense(x)), next_score(*learner, x), 1e-5);
}

// All kernel values are about e^(−200): the sign of the sum is what counts.
TEST(Batch, TheHypothesisOfANarrowKernelKeepsItsSign) {
  LabelledVectors stream = testing::random_stream(27, 60, 5);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const PomdrOptions options = small(Kernel::gaussian(0.02), precision);
    const auto learner = learned(stream, 60, options);
    const auto last = hypothesis(stream, options, {Choice::kLast, 1, 0});
    for (const Vector& x : probes()) {
      EXPECT_EQ(class_of(last->score(Row::dense(x))), class_of(next_score(*learner, x)));
    }
  }
}

TEST(Batch, AHypothesisIsSmallerThanItsLearner) {
  const LabelledVectors stream = testing::random_stream(28, 200, 5);
  const PomdrOptions options = small(Kernel::gaussian(0.5), Precision::kFloat);
  const auto learner = learned(stream, 200, options);
  const auto last = hypothesis(stream, options, {Choice::kLast, 1, 0});
  EXPECT_EQ(last->report().support, learner->report().support + options.window);
  EXPECT_LT(last->report().bytes, learner->report().bytes);
}

TEST(Batch, AHypothesisIsSavedAndLoadedAndLearnsNoMore) {
  const LabelledVectors stream = testing::random_stream(29, 200, 5);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const Choice choice : {Choice::kRandom, Choice::kLast, Choice::kAverage}) {
      const auto chosen = hypothesis(stream, small(Kernel::gaussian(0.5), precision), {choice, 3, 200});
      const std::string bytes = testing::encoded(*chosen);
      const auto again = testing::restored(bytes);
      EXPECT_EQ(testing::encoded(*again), bytes);
      EXPECT_EQ(again->name(), "hypothesis");
      EXPECT_EQ(again->rounds(), chosen->rounds());
      for (const Vector& x : probes()) EXPECT_EQ(again->score(Row::dense(x)), chosen->score(Row::dense(x)));
      EXPECT_EQ(message_of([&] { learn_one(*again, Row::dense(probes()[0]), 1.0); }),
                "a hypothesis is a fixed function and learns no more; expected a model of a learner, which goes on");
      EXPECT_EQ(testing::encoded(*again), bytes);
    }
  }
}

TEST(Batch, FilesThatAreNoHypothesisAreRefused) {
  const LabelledVectors stream = testing::random_stream(30, 50, 5);
  const auto last = hypothesis(stream, small(Kernel::gaussian(0.5)), {Choice::kLast, 1, 0});
  const auto refused = [&last](const auto& change) {
    Archive archive;
    last->save(archive);
    change(archive);
    return message_of([&] { (void)restore_learner(archive); });
  };
  EXPECT_EQ(refused([](Archive&) {}), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"]["first_round"] = 0; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"]["first_round"] = 60; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"]["last_round"] = 60; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"]["last_round"] = -1; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"]["learner"] = "hypothesis"; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["state"].erase("learner"); }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["options"]["kernel"]["gamma"] = -1.0; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["options"]["precision"] = "half"; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.settings()["options"]["budget"] = 4; }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) { a.put("coefficients", std::vector<double>{1.0}); }), "nothing thrown");
  EXPECT_NE(refused([](Archive& a) {
              auto numbers = a.get<double>("coefficients");
              numbers[0] = std::nan("");
              a.put("coefficients", numbers);
            }),
            "nothing thrown");
  EXPECT_NE(refused([](Archive& a) {
              a.put("support.starts", std::vector<std::uint64_t>{0, 9, 3});
            }),
            "nothing thrown");
}

TEST(Batch, SaysWhatItCannotDo) {
  EXPECT_EQ(message_of([] { Batch(*make_fogd({}), {}); }), "fogd keeps no hypotheses to choose from; expected pomdr");
  EXPECT_NE(message_of([] {
              Batch(*make_pomdr({}), {Choice::kAverage, 1, 0});
            }).find("number of rows is 0"),
            std::string::npos);
  EXPECT_EQ(message_of([] { (void)BatchOptions::choice_named("best"); }),
            "there is no hypothesis \"best\"; expected one of random, last, average");
  EXPECT_EQ(BatchOptions::choice_named("average"), Choice::kAverage);
  EXPECT_NE(message_of([] { (void)make_learner("hypothesis"); }), "nothing thrown");
}

}  // namespace
}  // namespace alder
