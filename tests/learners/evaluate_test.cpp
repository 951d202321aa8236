#include "alder/evaluate.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/pomdr.h"

#include "support/throws.h"

namespace alder {
namespace {

TEST(Evaluate, CountsWhatTheScoresSay) {
  PomdrOptions options;
  options.kernel = Kernel::gaussian(0.5);
  options.horizon = 500;
  const auto learner = make_pomdr(options);
  const auto rows = make_generated("rings", 500, 1);
  std::uint64_t rounds = 0;
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;
  const Outcome outcome = evaluate(*rows, *learner, [&](const Example& example, double score) {
    ++rounds;
    mistakes += (score >= 0.0 ? 1.0 : -1.0) != example.label ? 1 : 0;
    hinge_loss += std::max(0.0, 1.0 - example.label * score);
    return true;
  });
  EXPECT_EQ(outcome.report.rounds, 500U);
  EXPECT_EQ(rounds, 500U);
  EXPECT_EQ(outcome.report.mistakes, mistakes);
  EXPECT_DOUBLE_EQ(outcome.report.hinge_loss, hinge_loss);
  EXPECT_GT(outcome.report.bytes, 0U);
  EXPECT_GT(outcome.seconds, 0.0);
  EXPECT_LT(outcome.report.mistake_rate(), 0.2);
}

TEST(Evaluate, StopsWhenTheObserverSaysSo) {
  const auto learner = make_pomdr({});
  const auto rows = make_generated("rings", 500, 1);
  std::uint64_t seen = 0;
  evaluate(*rows, *learner, [&seen](const Example&, double) { return ++seen < 10; });
  EXPECT_EQ(learner->report().rounds, 10U);
}

// However far the learner was told of: the stream goes on behind the last row that was learned.
TEST(Evaluate, LeavesTheStreamBehindTheLastRow) {
  const auto generated = make_generated("rings", 100, 1);
  const Dataset dataset = Dataset::read(*generated);
  const auto rows = stream(dataset);
  const auto learner = make_pomdr({});
  std::size_t at = 0;
  for (const std::size_t more : {1, 7, 8, 9, 16, 30}) {
    std::size_t seen = 0;
    evaluate(*rows, *learner, [&](const Example& example, double) {
      EXPECT_TRUE(example.row.is_same_view(dataset[at + seen].row));
      EXPECT_EQ(example.label, dataset[at + seen].label);
      return ++seen < more;
    });
    at += more;
    EXPECT_EQ(learner->report().rounds, at);
  }
  Example example;
  ASSERT_TRUE(rows->next(example));
  EXPECT_TRUE(example.row.is_same_view(dataset[at].row));
}

// A stream that breaks when it is to move on behind rows that it has shown.
class Breaks final : public Stream {
 public:
  explicit Breaks(const Dataset& dataset) : dataset_(dataset) {}
  bool next(Example& /*example*/) override { throw Error("it is broken"); }
  std::span<const Example> ahead(std::size_t most) override {
    for (std::size_t i = 0; i < most; ++i) shown_.push_back(dataset_[i]);
    return shown_;
  }

 private:
  const Dataset& dataset_;
  std::vector<Example> shown_;
};

TEST(Evaluate, WhatAStreamThrowsWhenItMovesOnIsThrown) {
  const auto generated = make_generated("rings", 100, 1);
  const Dataset dataset = Dataset::read(*generated);
  for (const std::size_t most : {1, 3, 8, 20}) {
    Breaks rows(dataset);
    const auto learner = make_pomdr({});
    std::size_t seen = 0;
    const std::string message =
        testing::message_of([&] { evaluate(rows, *learner, [&](const Example&, double) { return ++seen < most; }); });
    EXPECT_EQ(message, "it is broken");
    EXPECT_EQ(learner->report().rounds, std::min<std::size_t>(most, Learner::kAhead));
  }
}

TEST(Evaluate, AnExceptionThatIsOnItsWayComesFirst) {
  const auto generated = make_generated("rings", 100, 1);
  const Dataset dataset = Dataset::read(*generated);
  Breaks rows(dataset);
  const auto learner = make_pomdr({});
  const Observer refuses = [](const Example&, double) -> bool { throw Error("the observer refuses"); };
  EXPECT_EQ(testing::message_of([&] { evaluate(rows, *learner, refuses); }), "the observer refuses");
}

TEST(Evaluate, AnEmptyStreamIsZeroRounds) {
  const auto learner = make_pomdr({});
  const Dataset empty;
  const auto rows = stream(empty);
  const Outcome outcome = evaluate(*rows, *learner);
  EXPECT_EQ(outcome.report.rounds, 0U);
  EXPECT_EQ(outcome.report.mistake_rate(), 0.0);
  EXPECT_EQ(outcome.report.support, 0U);
  EXPECT_FALSE(outcome.report.count("switch_round").has_value());
}

}  // namespace
}  // namespace alder
