#include "alder/evaluate.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
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
    mistakes += (score >= 0.0 ? 1.0 : 0.0) != example.target ? 1 : 0;
    hinge_loss += std::max(0.0, 1.0 - sign_of(example.target) * score);
    return true;
  });
  EXPECT_EQ(outcome.report.rounds, 500U);
  EXPECT_EQ(rounds, 500U);
  EXPECT_EQ(outcome.metrics.rows(), 500U);
  EXPECT_EQ(outcome.metrics.mistakes(), mistakes);
  EXPECT_DOUBLE_EQ(outcome.metrics.sums().hinge_loss, hinge_loss);
  EXPECT_GT(outcome.report.bytes, 0U);
  EXPECT_GT(outcome.seconds, 0.0);
  EXPECT_LT(outcome.metrics.mistakes(), 100U);
}

TEST(Evaluate, StopsWhenTheObserverSaysSo) {
  const auto learner = make_pomdr({});
  const auto rows = make_generated("rings", 500, 1);
  std::uint64_t seen = 0;
  evaluate(*rows, *learner, [&seen](const Example&, double) { return ++seen < 10; });
  EXPECT_EQ(learner->report().rounds, 10U);
}

// The stream goes on behind the last row that was learned.
TEST(Evaluate, LeavesTheStreamBehindTheLastRow) {
  const auto generated = make_generated("rings", 100, 1);
  const Dataset dataset = Dataset::read(*generated);
  const auto rows = stream(dataset);
  const auto learner = make_pomdr({});
  std::size_t at = 0;
  for (const std::size_t more : {1, 7, 8, 9, 16, 30}) {
    std::size_t seen = 0;
    evaluate(*rows, *learner, [&](const Example& example, double) {
      EXPECT_EQ(example.row.values(), dataset[at + seen].row.values());
      EXPECT_EQ(example.target, dataset[at + seen].target);
      return ++seen < more;
    });
    at += more;
    EXPECT_EQ(learner->report().rounds, at);
  }
  Example example;
  ASSERT_TRUE(rows->next(example));
  EXPECT_EQ(example.row.values(), dataset[at].row.values());
}

// A stream that breaks after some rows.
class Breaks final : public Stream {
 public:
  Breaks(const Dataset& dataset, std::size_t after) : dataset_(dataset), after_(after) {}
  Examples read(std::size_t most) override {
    if (at_ == after_) throw Error("it is broken");
    const Examples next = dataset_.examples(at_, std::min(most, after_ - at_), rows_);
    at_ += next.size();
    return next;
  }

 private:
  const Dataset& dataset_;
  std::size_t after_;
  std::size_t at_ = 0;
  std::vector<Row> rows_;
};

TEST(Evaluate, WhatAStreamThrowsIsThrownAfterTheRowsBeforeIt) {
  const auto generated = make_generated("rings", 600, 1);
  const Dataset dataset = Dataset::read(*generated);
  for (const std::size_t after : {0, 1, 3, 8, 20, 255, 256, 257, 600}) {
    for (const bool is_observed : {false, true}) {
      Breaks rows(dataset, after);
      const auto learner = make_pomdr({});
      std::size_t seen = 0;
      const auto observe = [&seen](const Example&, double) { return ++seen > 0; };
      EXPECT_EQ(testing::message_of([&] { evaluate(rows, *learner, is_observed ? Observer(observe) : Observer()); }),
                "it is broken");
      EXPECT_EQ(learner->rounds(), after);
      EXPECT_EQ(seen, is_observed ? after : 0U);
    }
  }
}

TEST(Evaluate, WhatAnObserverThrowsIsThrown) {
  const auto generated = make_generated("rings", 100, 1);
  const Dataset dataset = Dataset::read(*generated);
  for (const std::size_t most : {1, 7, 8, 9, 40}) {
    Breaks rows(dataset, 100);
    const auto learner = make_pomdr({});
    std::size_t seen = 0;
    const Observer refuses = [&](const Example&, double) {
      if (++seen == most) throw Error("the observer refuses");
      return true;
    };
    EXPECT_EQ(testing::message_of([&] { evaluate(rows, *learner, refuses); }), "the observer refuses");
    EXPECT_EQ(learner->rounds(), most);
  }
}

TEST(Evaluate, WhatALearnerThrowsIsThrownAfterTheRowsBeforeIt) {
  const double nan = std::nan("");
  std::vector<std::vector<double>> values(20, {1.0, 2.0});
  values[13][1] = nan;
  class Listed final : public Stream {
   public:
    explicit Listed(const std::vector<std::vector<double>>& all) : targets_(all.size(), 1.0) {
      for (const auto& row : all) rows_.push_back(Row::dense(row));
    }
    Examples read(std::size_t most) override {
      const std::size_t first = std::exchange(at_, std::min(rows_.size(), at_ + most));
      return Examples{rows_, targets_}.from(first, at_ - first);
    }

   private:
    std::vector<Row> rows_;
    std::vector<double> targets_;
    std::size_t at_ = 0;
  };
  Listed rows(values);
  const auto learner = make_pomdr({});
  EXPECT_NE(testing::message_of([&] { evaluate(rows, *learner); }), "nothing thrown");
  EXPECT_EQ(learner->rounds(), 13U);
}

// A hook that must see the state after certain numbers of examples.
class AfterEach final : public Hook {
 public:
  AfterEach(const Learner& learner, std::uint64_t every) : learner_(learner), every_(every) {}
  [[nodiscard]] std::uint64_t due() const override { return every_ - learner_.rounds() % every_; }
  bool after(const Examples& learned, const Predictions& made) override {
    EXPECT_EQ(made.scores.size(), learned.size());
    seen_ += learned.size();
    EXPECT_EQ(learner_.rounds(), seen_);
    if (seen_ % every_ == 0) ++calls_;
    return seen_ < 500;
  }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  const Learner& learner_;
  std::uint64_t every_;
  std::uint64_t seen_ = 0;
  std::uint64_t calls_ = 0;
};

TEST(Drive, BatchesEndWhereAHookIsDue) {
  const auto rows = make_generated("rings", 1000, 1);
  const auto learner = make_pomdr({});
  AfterEach sevens(*learner, 7);
  AfterEach hundreds(*learner, 100);
  Hook* const hooks[] = {&sevens, &hundreds};
  drive(
      *rows,
      [&](const Examples& examples, Predictions& made) {
        made.scores.resize(examples.size());
        const std::size_t count = learner->learn(examples, made.scores);
        made.scores.resize(count);
        return count;
      },
      hooks);
  EXPECT_EQ(learner->rounds(), 500U);
  EXPECT_EQ(sevens.calls(), 71U);
  EXPECT_EQ(hundreds.calls(), 5U);
}

TEST(Evaluate, AnEmptyStreamIsZeroRounds) {
  const auto learner = make_pomdr({});
  const Dataset empty;
  const auto rows = stream(empty);
  const Outcome outcome = evaluate(*rows, *learner);
  EXPECT_EQ(outcome.report.rounds, 0U);
  EXPECT_EQ(outcome.metrics.rows(), 0U);
  EXPECT_EQ(outcome.metrics.mistakes(), 0U);
  EXPECT_EQ(outcome.report.support, 0U);
  EXPECT_FALSE(outcome.report.count("switch_round").has_value());
}

}  // namespace
}  // namespace alder
