#include "alder/model.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/registry.h"
#include "alder/stream.h"

#include "model/some_models.h"
#include "support/any_learner.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_all_of;
using testing::Listed;
using testing::predicted;

// A row for each of three far clouds, so that one row of a class is enough to tell it.
Listed two_clouds(const std::vector<double>& targets) {
  Listed rows;
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal(0.0, 0.1);
  for (const double target : targets) rows.add({target + normal(engine), 1.0 - target + normal(engine)}, target);
  return rows;
}

TEST(Model, KnowsNoClassBeforeItLearns) {
  Model model("alder");
  EXPECT_TRUE(model.classes().empty());
  EXPECT_EQ(model.positive(), 1U);
  EXPECT_EQ(model.features(), 0U);
  EXPECT_EQ(model.counts().rows, 0U);
  EXPECT_EQ(model.counts().mistake_rate(), 0.0);
  const Predictions made = predicted(model, two_clouds({0.0, 1.0}));
  EXPECT_EQ(made.outputs, 1U);
  EXPECT_EQ(made.classes, (std::vector<std::uint32_t>{kNoClass, kNoClass}));
  EXPECT_EQ(made.scores, (std::vector<double>{0.0, 0.0}));
}

// Whichever class comes first, scores are positive for positive(), and the classes that are told are ids.
TEST(Model, NumbersClassesAsTheyAreLearned) {
  for (const char* learner : {"ogd", "alder", "linear"}) {
    for (const bool is_first : {false, true}) {
      std::vector<double> targets;
      for (int t = 0; t < 80; ++t) targets.push_back((t % 3 == 0) == is_first ? 1.0 : 0.0);
      const Listed rows = two_clouds(targets);
      Model model(learner);
      learn_all_of(model, rows);
      const Predictions made = predicted(model, rows);
      EXPECT_EQ(made.positive, 1U);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        ASSERT_EQ(made.classes[i], targets[i]) << learner << " " << i;
        ASSERT_EQ(made.scores[i] >= 0.0, targets[i] == 1.0) << learner << " " << i;
      }
    }
  }
}

// The learner sees the same numbers, whatever the ids are: its scores agree to the bit, but for their side.
TEST(Model, IdsAndNamesDoNotChangeWhatIsLearned) {
  std::vector<double> targets;
  for (int t = 0; t < 200; ++t) targets.push_back(t % 7 < 3 ? 1.0 : 0.0);
  const Listed rows = two_clouds(targets);
  Listed swapped = rows;
  for (double& target : swapped.targets) target = 1.0 - target;
  for (const char* learner : {"ogd", "alder", "pomdr"}) {
    Model one(learner);
    one.set_classes({"a", "b"}, true);
    Model other(learner);
    other.set_classes({"b", "a"}, true);
    Model sorted(learner);
    sorted.set_classes({"b", "a"});
    EXPECT_EQ(one.positive(), 1U);
    EXPECT_EQ(other.positive(), 1U);
    EXPECT_EQ(sorted.positive(), 0U);
    const std::vector<double> before = learn_all_of(one, rows);
    const std::vector<double> mirrored = learn_all_of(other, swapped);
    EXPECT_EQ(learn_all_of(sorted, swapped), before) << learner;
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(mirrored[i], -before[i]) << learner << " " << i;
    EXPECT_EQ(testing::encoded(one.learner()), testing::encoded(other.learner())) << learner;
    EXPECT_EQ(testing::encoded(one.learner()), testing::encoded(sorted.learner())) << learner;
    const Predictions found = predicted(one, rows);
    const Predictions same = predicted(sorted, rows);
    EXPECT_EQ(found.scores, same.scores) << learner;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      ASSERT_EQ(one.classes()[found.classes[i]], sorted.classes()[same.classes[i]]) << learner << " " << i;
    }
    EXPECT_EQ(one.counts().mistakes, sorted.counts().mistakes);
    EXPECT_EQ(one.counts().hinge_loss, sorted.counts().hinge_loss);
  }
}

TEST(Model, OfOneNamedClassShowsItAsPositiveIfItIsANumberAboveZero) {
  for (const auto& [name, positive] : {std::pair("+1", 0U), std::pair("0.5", 0U), std::pair("0", 1U),
                                       std::pair("-1", 1U), std::pair("yes", 1U), std::pair("", 1U)}) {
    Model model("alder");
    model.set_classes({name});
    EXPECT_EQ(model.positive(), positive) << name;
    const Listed rows = two_clouds(std::vector<double>(20, 0.0));
    learn_all_of(model, rows);
    for (const double score : predicted(model, rows).scores) ASSERT_EQ(score > 0.0, positive == 0U) << name;
    EXPECT_EQ(Model::decode(model.encode()).positive(), positive) << name;
  }
}

TEST(Model, ShowsClassesByNumberOrElseByText) {
  Model model("alder");
  model.set_classes({"10", "9", "-2"});
  EXPECT_EQ(model.shown(), (std::vector<std::uint32_t>{2, 1, 0}));
  model.set_classes({"10", "9", "-2", "x"});
  EXPECT_EQ(model.shown(), (std::vector<std::uint32_t>{2, 0, 1, 3}));
  Model ordered("alder");
  ordered.set_classes({"10", "9", "-2"}, true);
  EXPECT_EQ(ordered.shown(), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Model, OfOneClassPredictsIt) {
  for (const double target : {0.0, 1.0}) {
    const Listed rows = two_clouds(std::vector<double>(50, target));
    Model model("alder");
    Predictions before;
    ASSERT_EQ(model.learn(rows.examples(0, 1), &before), 1U);
    EXPECT_EQ(before.classes[0], kNoClass);
    learn_all_of(model, rows);
    EXPECT_EQ(model.classes(), std::vector<std::string>(static_cast<std::size_t>(target) + 1));
    const Predictions made = predicted(model, rows);
    for (std::size_t i = 0; i < 50; ++i) {
      ASSERT_EQ(made.classes[i], target);
      ASSERT_EQ(made.scores[i] > 0.0, target == 1.0) << i;
    }
    // A row that is far from all others is of the only class, too.
    Listed far;
    far.add({-90.0, 70.0}, target);
    EXPECT_EQ(predicted(model, far).classes[0], target);
    EXPECT_EQ(model.counts().mistakes, 1U);  // the very first
  }
}

// Recent labels are for two classes; a third is refused, and nothing has changed.
TEST(Model, RefusesAThirdClassOfALearnerOfTwo) {
  Model model("alder", R"({"recent_labels": true})");
  const Listed rows = two_clouds({1.0, 0.0, 1.0, 2.0, 0.0});
  std::vector<double> scores(5);
  Predictions before;
  EXPECT_EQ(model.learn(rows.examples(0, 5), &before), 3U);
  EXPECT_EQ(before.scores.size(), 3U);
  EXPECT_EQ(before.classes.size(), 3U);
  const std::string bytes = model.encode();
  EXPECT_EQ(testing::message_of([&] { model.learn(rows.examples(3, 2)); }),
            "the target is 2; expected a class from 0 to 1, since recent_labels is for two classes");
  EXPECT_EQ(model.encode(), bytes);
  for (const double bad : {-1.0, 0.5, 1e30, kNoTarget}) {
    Listed other = two_clouds({1.0});
    other.targets[0] = bad;
    EXPECT_NE(testing::message_of([&] { model.learn(other.examples(0, 1)); }), "nothing thrown") << bad;
  }
  EXPECT_EQ(model.encode(), bytes);
}

TEST(Model, NamesOfClassesCanBeAddedButNotChanged) {
  Model model("ogd");
  model.set_classes({"no"});
  model.set_classes({"no", "yes"});
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"no", "yes"}));
  EXPECT_NE(testing::message_of([&] { model.set_classes({"no", "maybe"}); }), "nothing thrown");
  EXPECT_NE(testing::message_of([&] { model.set_classes({"no", "yes", "no"}); }), "nothing thrown");
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"no", "yes"}));
  Model numbers("ogd");
  EXPECT_NE(testing::message_of([&] { numbers.set_classes({"1", "+1.0"}); }), "nothing thrown");
  numbers.set_classes({"10", "9"});
  EXPECT_EQ(numbers.positive(), 0U);
}

// Counts are those of the scores before, as anybody would count them.
TEST(Model, CountsWhatItPredictedBefore) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 500, 1));
  Model model("alder");
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const Example example = data[t];
    Predictions before;
    model.learn({std::span(&example.row, 1), std::span(&example.target, 1)}, &before);
    mistakes += before.classes[0] != example.target ? 1 : 0;
    hinge_loss += std::max(0.0, 1.0 - sign_of(example.target) * before.scores[0]);
  }
  EXPECT_EQ(model.counts().rows, 500U);
  EXPECT_EQ(model.counts().mistakes, mistakes);
  EXPECT_DOUBLE_EQ(model.counts().hinge_loss, hinge_loss);
  EXPECT_EQ(model.metrics().mistakes(), mistakes);
  EXPECT_DOUBLE_EQ(model.counts().mistake_rate(), static_cast<double>(mistakes) / 500.0);
  EXPECT_GT(mistakes, 10U);
  EXPECT_LT(mistakes, 200U);
}

// A row with the weight 0 is predicted, and is no row otherwise: no class, no count.
TEST(Model, RowsOfWeightZeroChangeNothing) {
  const Dataset data = Dataset::read(*make_generated("blobs", 200, 1));
  Model plain("alder");
  Model disturbed("alder");
  for (std::size_t t = 0; t < data.size(); ++t) {
    const Example example = data[t];
    const Row rows[] = {example.row, example.row, data[(t * 7) % 200].row};
    const double targets[] = {1.0 - example.target, example.target, 0.0};
    const double weights[] = {0.0, 1.0, 0.0};
    Predictions made;
    Predictions alone;
    ASSERT_EQ(disturbed.learn({rows, targets, weights}, &made), 3U);
    ASSERT_EQ(plain.learn({std::span(rows).subspan(1, 1), std::span(targets).subspan(1, 1)}, &alone), 1U);
    ASSERT_EQ(made.scores[0], made.scores[1]) << t;
    ASSERT_EQ(made.scores[1], alone.scores[0]) << t;
  }
  EXPECT_EQ(disturbed.encode(), plain.encode());
  Model untouched("alder");
  const std::string bytes = untouched.encode();
  const double nothing = 0.0;
  const double target = 1.0;
  const Row row = data[0].row;
  untouched.learn({std::span(&row, 1), std::span(&target, 1), std::span(&nothing, 1)});
  EXPECT_TRUE(untouched.classes().empty());
  EXPECT_EQ(untouched.encode(), bytes);
}

// How rows are cut into calls does not matter, to the bit.
TEST(Model, LearnsTheSameHoweverRowsAreCut) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 400, 2));
  std::vector<Row> rows;
  const Examples all = data.examples(0, 400, rows);
  for (const std::string& name : learner_names()) {
    std::vector<std::string> bytes;
    for (const std::size_t most : {1, 7, 64, 400}) {
      Model model(name, "{}", Scaling::fit(Scaling::Kind::kStandard, std::span(rows).first(100)));
      for (std::size_t done = 0; done < 400;) {
        done += model.learn(all.from(done, std::min<std::size_t>(most, 400 - done)));
      }
      bytes.push_back(model.encode());
      ASSERT_EQ(bytes.back(), bytes.front()) << name << " " << most;
    }
  }
}

TEST(Model, PredictsTheSameOnAnyNumberOfThreads) {
  const Dataset data = Dataset::read(*make_generated("blobs", 2600, 1));
  std::vector<Row> rows;
  const Examples all = data.examples(0, 2600, rows);
  for (const std::string& name : learner_names()) {
    Model model(name, "{}", Scaling::fit(Scaling::Kind::kMinmax, std::span(rows).first(200)));
    for (std::size_t done = 0; done < 300;) done += model.learn(all.from(done, 300 - done));
    Predictions one;
    model.predict(all.rows, one);
    for (const unsigned threads : {0U, 2U, 3U, 16U}) {
      Predictions made;
      model.predict(all.rows, made, {.threads = threads});
      ASSERT_EQ(made.scores, one.scores) << name << " " << threads;
      ASSERT_EQ(made.classes, one.classes) << name << " " << threads;
    }
    for (std::size_t i = 0; i < 2600; i += 37) {
      Predictions made;
      model.predict(all.rows.subspan(i, 1), made);
      ASSERT_EQ(made.scores[0], one.scores[i]) << name << " " << i;
    }
  }
}

// Rows are as they were read: the model scales them, when it learns and when it predicts.
TEST(Model, ScalesItsRows) {
  const Dataset data = Dataset::read(*make_generated("blobs", 300, 1));
  std::vector<Row> rows;
  const Examples all = data.examples(0, 300, rows);
  const Scaling scaling = Scaling::fit(Scaling::Kind::kStandard, std::span(rows).first(100));
  Model model("alder", "{}", scaling);
  Model scaled("alder");
  RowBuffer buffer;
  scaling.apply(rows, buffer);
  const Examples ready = {buffer.rows(), all.targets};
  Predictions made;
  Predictions expected;
  for (std::size_t t = 0; t < 300; ++t) {
    ASSERT_EQ(model.learn(all.from(t, 1), &made), 1U);
    ASSERT_EQ(scaled.learn(ready.from(t, 1), &expected), 1U);
    ASSERT_EQ(made.scores, expected.scores) << t;
  }
  model.predict(all.rows, made);
  scaled.predict(ready.rows, expected);
  EXPECT_EQ(made.scores, expected.scores);
  EXPECT_EQ(testing::encoded(model.learner()), testing::encoded(scaled.learner()));
}

TEST(Model, SaysWhichRowIsBad) {
  const Dataset data = Dataset::read(*make_generated("blobs", 3000, 1));
  std::vector<Row> rows;
  const Examples all = data.examples(0, 3000, rows);
  const std::vector<double> not_a_number = {1.0, std::nan("")};
  const std::vector<double> too_large = {1e39, 0.0};
  for (const bool has_scaling : {false, true}) {
    std::optional<Scaling> scaling;
    if (has_scaling) scaling = Scaling(Scaling::Kind::kMinmax, {1}, {0.0}, {1.0});
    Model model("pomdr", "{}", scaling);
    for (std::size_t done = 0; done < 100;) done += model.learn(all.from(done, 100 - done));
    for (const std::vector<double>* bad : {&not_a_number, &too_large}) {
      for (const std::size_t place : {0, 7, 8, 63, 64, 700, 2999}) {
        std::vector<Row> some = rows;
        some[place] = Row::dense(*bad);
        for (const unsigned threads : {1U, 2U}) {
          Predictions made;
          try {
            model.predict(some, made, {.threads = threads});
            FAIL() << place;
          } catch (const Error& error) {
            EXPECT_EQ(error.row(), place);
            EXPECT_EQ(error.kind(), Error::Kind::kRow);
          }
        }
        if (place < 64) {
          const std::string bytes = model.encode();
          Model copy = model.clone();
          const Examples tried = {std::span(some).first(place + 1), all.targets.first(place + 1)};
          if (place == 0) {
            EXPECT_THROW(copy.learn(tried), Error);
            EXPECT_EQ(copy.encode(), bytes);
          } else {
            EXPECT_EQ(copy.learn(tried), place);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace alder
