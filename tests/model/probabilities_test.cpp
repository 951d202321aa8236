// Probabilities, class weights and thresholds of a Model.
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "alder/model.h"

#include "support/dense.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::Vector;

// Points of overlapping classes on a line through the plane; class c has (c + 1)-fold or less of the others.
struct Points {
  std::vector<Vector> values;
  std::vector<Row> rows;
  std::vector<double> targets;

  [[nodiscard]] Examples all() const { return {rows, targets}; }
};

Points points(std::uint64_t seed, std::size_t count, const std::vector<double>& frequencies) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::discrete_distribution<std::size_t> draw(frequencies.begin(), frequencies.end());
  Points data;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t c = draw(engine);
    data.values.push_back({static_cast<double>(c) + 0.6 * normal(engine), 0.6 * normal(engine)});
    data.targets.push_back(static_cast<double>(c));
  }
  for (const Vector& x : data.values) data.rows.push_back(Row::dense(x));
  return data;
}

struct Learned {
  std::vector<double> probabilities;  // of the true class, before it was learned; NaN where there are none
  std::vector<std::uint32_t> classes;
};

Learned learn(Model& model, const Examples& examples, std::size_t most = 1000000) {
  Learned out;
  Predictions made;
  for (std::size_t done = 0; done < examples.size();) {
    const std::size_t count = model.learn(examples.from(done, std::min(most, examples.size() - done)), &made);
    const std::size_t columns = made.probabilities.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
      out.classes.push_back(made.classes[i]);
      if (columns > 0)
        out.probabilities.push_back(
            made.probabilities[i * columns + static_cast<std::size_t>(examples.targets[done + i])]);
    }
    done += count;
  }
  return out;
}

double value(const Model& model, std::string_view name) {
  for (const auto& [found, number] : model.metrics().values()) {
    if (found == name) return number;
  }
  return std::nan("");
}

TEST(Probabilities, AreLearnedOnTheWayAndCounted) {
  for (const std::size_t classes : {2U, 3U, 5U}) {
    Model model("alder");
    const Points data = points(1, 4000, std::vector<double>(classes, 1.0));
    const Learned made = learn(model, data.all());
    double loss = 0.0;
    std::size_t counted = 0;
    for (const double p : made.probabilities) {
      if (!(p > 0.0)) continue;  // the first row of a class
      loss -= std::log(p);
      ++counted;
    }
    EXPECT_GE(counted, 4000 - classes);
    EXPECT_NEAR(value(model, "log_loss"), loss / static_cast<double>(counted), 1e-9);
    EXPECT_LT(value(model, "log_loss"), 0.9 * std::log(static_cast<double>(classes)));
    EXPECT_EQ(value(model, "probability_rows"), static_cast<double>(counted));
  }
}

TEST(Probabilities, SumToOneAndFavourThePredictedClass) {
  Model model("alder");
  const Points data = points(2, 2000, {1.0, 2.0, 3.0, 0.2});
  learn(model, data.all());
  Predictions made;
  model.predict(data.rows, made, {.threads = 2, .probabilities = true});
  ASSERT_EQ(made.probabilities.size(), data.rows.size() * 4);
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const auto row = std::span(made.probabilities).subspan(4 * i, 4);
    ASSERT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-12);
    ASSERT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), made.classes[i]);
  }
  Predictions alone;
  model.predict(data.rows, alone);
  EXPECT_TRUE(alone.probabilities.empty());
  EXPECT_EQ(alone.scores, made.scores);
}

TEST(Probabilities, OfClassesThatWereNotMetAreZero) {
  Model model("alder");
  model.set_classes({"never", "a", "b"});
  Predictions made;
  const Points data = points(3, 200, {0.0, 1.0, 1.0});
  model.predict({data.rows.data(), 1}, made, {.probabilities = true});
  for (const double p : made.probabilities) EXPECT_NEAR(p, 1.0 / 3.0, 1e-12);  // before anything was learned
  model.learn(data.all().from(0, 1));
  model.predict({data.rows.data(), 1}, made, {.probabilities = true});
  EXPECT_EQ(made.probabilities[static_cast<std::size_t>(data.targets[0])], 1.0);  // the only class there is
  learn(model, data.all().from(1, 199));
  model.predict(data.rows, made, {.probabilities = true});
  for (std::size_t i = 0; i < data.rows.size(); ++i) ASSERT_EQ(made.probabilities[3 * i], 0.0);
}

TEST(Probabilities, AreResumedExactlyAndDoNotDependOnTheCuts) {
  const Points data = points(4, 1500, {1.0, 1.0, 0.3});
  Model whole("alder");
  const Learned expected = learn(whole, data.all());
  Model cut("alder");
  Learned made;
  for (std::size_t first = 0; first < 1500; first += 173) {
    const Learned part = learn(cut, data.all().from(first, std::min<std::size_t>(173, 1500 - first)), 13);
    made.probabilities.insert(made.probabilities.end(), part.probabilities.begin(), part.probabilities.end());
    cut = Model::decode(cut.encode());
  }
  ASSERT_EQ(made.probabilities.size(), expected.probabilities.size());
  for (std::size_t i = 0; i < 1500; ++i) {
    if (expected.probabilities[i] == expected.probabilities[i]) {
      ASSERT_EQ(made.probabilities[i], expected.probabilities[i]) << i;
    }
  }
  EXPECT_EQ(cut.encode(), whole.encode());
}

TEST(Probabilities, CanBeLeftOut) {
  const Points data = points(5, 300, {1.0, 1.0});
  Model with("alder");
  Model without("alder");
  without.learn_probabilities(false);
  EXPECT_FALSE(without.has_probabilities());
  EXPECT_EQ(learn(with, data.all()).classes, learn(without, data.all()).classes);
  Predictions made;
  EXPECT_EQ(testing::message_of([&] { without.predict(data.rows, made, {.probabilities = true}); }),
            "this model has learned no probabilities; expected one that has");
  EXPECT_EQ(testing::message_of([&] { with.learn_probabilities(false); }),
            "whether probabilities are learned cannot change any more: rows were learned");
  EXPECT_FALSE(Model::decode(without.encode()).has_probabilities());
  EXPECT_TRUE(Model::decode(with.encode()).has_probabilities());
}

TEST(Probabilities, OfLearnersWithoutAHeadAreCalibratedToo) {
  for (const char* learner : {"ogd", "perceptron", "linear", "fogd", "pomdr"}) {
    Model model(learner);
    const Points data = points(6, 6000, {1.0, 1.0});
    learn(model, data.all());
    // ln 2 is a guess; the best there is has about 0.43.
    EXPECT_LT(value(model, "log_loss"), 0.6) << learner;
  }
}

TEST(Threshold, DecidesByProbabilityAndIsKept) {
  Model model("alder");
  model.set_classes({"a", "b"});
  const Points data = points(7, 2000, {1.0, 1.0});
  learn(model, data.all());
  std::size_t before = data.rows.size() + 1;
  Predictions made;
  for (const double threshold : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    model.set_threshold(threshold);
    model.predict(data.rows, made, {.probabilities = true});
    std::size_t positive = 0;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      ASSERT_EQ(made.classes[i] == 1, made.probabilities[2 * i + 1] >= threshold);
      positive += made.classes[i];
    }
    EXPECT_LT(positive, before) << threshold;
    before = positive;
    EXPECT_EQ(Model::decode(model.encode()).threshold(), threshold);
  }
  model.set_threshold(std::nullopt);
  EXPECT_EQ(Model::decode(model.encode()).threshold(), std::nullopt);
  EXPECT_EQ(testing::message_of([&] { model.set_threshold(1.5); }),
            "the threshold is 1.5; expected a probability, 0 to 1");
}

TEST(ClassWeights, BalancedOnesCountRareClassesForMore) {
  const Points data = points(8, 4000, {30.0, 1.0});
  Model plain("alder");
  Model balanced("alder");
  balanced.set_class_weights({.balanced = true, .factors = {}});
  const Learned a = learn(plain, data.all());
  const Learned b = learn(balanced, data.all());
  const auto recall = [&](const Learned& made) {
    double hits = 0.0;
    double all = 0.0;
    for (std::size_t i = 1000; i < 4000; ++i) {
      if (data.targets[i] == 0.0) continue;
      all += 1.0;
      hits += made.classes[i] == 1;
    }
    return hits / all;
  };
  EXPECT_GT(recall(b), recall(a) + 0.2);
}

// Every row with the weight that the definition gives it.
TEST(ClassWeights, AreThoseOfTheDefinition) {
  const Points data = points(9, 300, {5.0, 1.0, 2.0});
  Model model("alder");
  model.set_class_weights({.balanced = true, .factors = {{"b", 3.0}}});
  model.set_classes({"a", "b", "c"});
  learn(model, data.all(), 37);
  Model expected("alder");
  expected.set_classes({"a", "b", "c"});
  std::vector<double> met(3);
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    const auto c = static_cast<std::size_t>(data.targets[t]);
    met[c] += 1.0;
    const double classes = static_cast<double>(std::count_if(met.begin(), met.end(), [](double n) { return n > 0.0; }));
    double weight = std::clamp(static_cast<double>(t + 1) / (classes * met[c]), 0.01, 100.0) * (c == 1 ? 3.0 : 1.0);
    expected.learn({{&data.rows[t], 1}, {&data.targets[t], 1}, {&weight, 1}});
  }
  Predictions a, b;
  model.predict(data.rows, a);
  expected.predict(data.rows, b);
  EXPECT_EQ(a.scores, b.scores);
}

TEST(ClassWeights, AreSavedAndGoOnExactly) {
  const Points data = points(10, 600, {5.0, 1.0});
  Model whole("alder");
  whole.set_class_weights({.balanced = true, .factors = {}});
  Model split("alder");
  split.set_class_weights({.balanced = true, .factors = {}});
  learn(whole, data.all());
  learn(split, data.all().from(0, 251));
  split = Model::decode(split.encode());
  EXPECT_TRUE(split.class_weights().balanced);
  learn(split, data.all().from(251, 349));
  EXPECT_EQ(split.encode(), whole.encode());
}

// A class whose weight is 0 is not learned, and has no number.
TEST(ClassWeights, MayLeaveAClassOut) {
  const Points data = points(11, 400, {1.0, 1.0, 1.0});
  Model model("alder");
  model.set_class_weights({.balanced = false, .factors = {{"a", 0.0}}});
  model.set_classes({"a", "b", "c"});
  learn(model, data.all());
  EXPECT_EQ(model.learner().outputs(), 1U);
  Predictions made;
  model.predict(data.rows, made, {.probabilities = true});
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    ASSERT_NE(made.classes[i], 0U);
    ASSERT_EQ(made.probabilities[3 * i], 0.0);
  }
  const Model loaded = Model::decode(model.encode());
  EXPECT_EQ(loaded.encode(), model.encode());
}

TEST(Weights, OfZeroNeedAClassAllTheSame) {
  const Points data = points(12, 50, {1.0, 1.0});
  Model model("alder");
  learn(model, data.all());
  const std::string bytes = model.encode();
  const double weight = 0.0;
  for (const double target : {-1.0, 0.5, std::nan(""), 1e300}) {
    EXPECT_NE(testing::message_of([&] {
                model.learn({{data.rows.data(), 1}, {&target, 1}, {&weight, 1}});
              }),
              "nothing thrown")
        << target;
  }
  const double third = 7.0;
  EXPECT_EQ(model.learn({{data.rows.data(), 1}, {&third, 1}, {&weight, 1}}), 1U);
  EXPECT_EQ(model.encode(), bytes);
}

TEST(ClassWeights, AreRefusedWhereThereIsNoPlaceForThem) {
  Model model("bao2ks");
  EXPECT_EQ(testing::message_of([&] { model.set_class_weights({.balanced = true, .factors = {}}); }),
            model.learner().takes_weights() ? "nothing thrown"
                                            : "class weights are given, but bao2ks has no place for weights");
  Model alder("alder");
  EXPECT_EQ(testing::message_of([&] {
              alder.set_class_weights({.balanced = false, .factors = {{"a", -1.0}}});
            }),
            "the weight of class 'a' is -1; expected a number from 0 to 1000000");
}

}  // namespace
}  // namespace alder
