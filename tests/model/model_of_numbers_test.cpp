#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/explanation.h"
#include "alder/model.h"
#include "alder/registry.h"
#include "alder/row_buffer.h"

#include "archive/archive.h"
#include "base/random.h"
#include "model/quantiles.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

// Rows of three features and targets that are a linear function of them, with noise.
struct NumberRows {
  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;

  explicit NumberRows(int count, std::uint64_t seed = 1) {
    Random random(seed);
    for (int i = 0; i < count; ++i) {
      values.push_back({random.normal(), random.normal(), random.normal()});
      targets.push_back(100.0 + 3.0 * values.back()[0] - 2.0 * values.back()[1] + 0.5 * random.normal());
    }
    for (const auto& one : values) rows.push_back(Row::dense(one));
  }
  [[nodiscard]] Examples all() const { return {rows, targets, {}}; }
};

Model linear_model(const std::string& options = R"({"loss": "squared"})") {
  return Model("linear", options);
}

// Learns all, in calls of at most `most` rows, and returns what was predicted before.
Predictions learn_in_parts(Model& model, const Examples& examples, std::size_t most = 1000) {
  Predictions all;
  Predictions made;
  for (std::size_t done = 0; done < examples.size();) {
    const std::size_t count = model.learn(examples.from(done, std::min(most, examples.size() - done)), &made);
    all.values.insert(all.values.end(), made.values.begin(), made.values.end());
    all.deviations.insert(all.deviations.end(), made.deviations.begin(), made.deviations.end());
    all.quantiles.insert(all.quantiles.end(), made.quantiles.begin(), made.quantiles.end());
    all.levels = made.levels;
    done += count;
  }
  return all;
}

std::string options_of_numbers(const std::string& learner) {
  return options_for(learner, "{}", Task::kRegression);
}

TEST(ModelOfNumbers, PredictsValuesInUnitsOfTheTarget) {
  const NumberRows data(2000);
  Model model = linear_model();
  EXPECT_EQ(model.task(), Task::kRegression);
  const Predictions before = learn_in_parts(model, data.all());
  EXPECT_TRUE(std::isnan(before.values[0]));
  EXPECT_EQ(model.metrics().rows(), 1999U);
  EXPECT_EQ(model.features(), 3U);
  std::map<std::string, double> values;
  for (const auto& [name, value] : model.metrics().values()) values[std::string(name)] = value;
  EXPECT_LT(values.at("nrmse"), 0.35);
  EXPECT_NEAR(values.at("coverage_80"), 0.8, 0.03);
  EXPECT_NEAR(values.at("coverage_90"), 0.9, 0.03);
  EXPECT_NEAR(values.at("coverage_95"), 0.95, 0.02);
  Predictions made;
  model.predict(data.rows, made, {.threads = 2, .quantiles = {0.5, 0.05, 0.99}, .deviations = true});
  ASSERT_EQ(made.values.size(), 2000U);
  ASSERT_EQ(made.quantiles.size(), 6000U);
  EXPECT_EQ(made.levels, (std::vector<double>{0.5, 0.05, 0.99}));
  EXPECT_TRUE(made.classes.empty() && made.probabilities.empty());
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_NEAR(made.values[i], data.targets[i], 5.0);
    EXPECT_LT(made.quantiles[3 * i + 1], made.quantiles[3 * i + 2]);
    EXPECT_GT(made.deviations[i], 0.0);
  }
  // Nothing but the values, if nothing else is wanted.
  Predictions bare;
  model.predict(data.rows, bare);
  EXPECT_EQ(bare.values, made.values);
  EXPECT_TRUE(bare.quantiles.empty() && bare.deviations.empty());
}

TEST(ModelOfNumbers, EveryLearnerOfNumbersGoesOnExactlyWhereItWasSaved) {
  const NumberRows data(300);
  for (const std::string& learner : learners_with(&LearnerTraits::learns_numbers)) {
    Model whole(learner, options_of_numbers(learner));
    learn_in_parts(whole, data.all());
    for (const std::size_t cut : {1U, 40U, 130U}) {
      Model first(learner, options_of_numbers(learner));
      learn_in_parts(first, data.all().from(0, cut), 7);
      Model second = Model::decode(first.encode());
      EXPECT_EQ(second.encode(), first.encode()) << learner;
      Model third = second.clone();
      learn_in_parts(second, data.all().from(cut, 300 - cut), 50);
      learn_in_parts(third, data.all().from(cut, 300 - cut), 1);
      EXPECT_TRUE(second.encode() == whole.encode()) << learner << " from row " << cut;
      EXPECT_TRUE(third.encode() == whole.encode()) << learner << " from row " << cut;
    }
  }
}

TEST(ModelOfNumbers, PredictionsBeforeLearningAreThoseOfPredict) {
  const NumberRows data(150);
  Model model = linear_model();
  Predictions made;
  for (std::size_t i = 0; i < 150; ++i) {
    Predictions before;
    model.predict(data.all().from(i, 1).rows, made,
                  {.quantiles = std::vector<double>(kLevels.begin(), kLevels.end()), .deviations = true});
    model.learn(data.all().from(i, 1), &before);
    if (i == 0) {
      EXPECT_TRUE(std::isnan(made.values[0]) && std::isnan(before.values[0]) && std::isnan(made.quantiles[3]));
      continue;
    }
    EXPECT_EQ(made.values, before.values);
    EXPECT_EQ(made.levels, before.levels);
    if (i == 1) {
      EXPECT_TRUE(std::isnan(made.quantiles[0]) && std::isnan(before.quantiles[0]));  // no error was met
    } else {
      EXPECT_EQ(made.quantiles, before.quantiles) << i;
      EXPECT_EQ(made.deviations, before.deviations) << i;
    }
  }
}

TEST(ModelOfNumbers, RowsOfTheWeightZeroChangeNothing) {
  const NumberRows data(100);
  Model plain = linear_model();
  learn_in_parts(plain, data.all());
  Model model = linear_model();
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;
  for (std::size_t i = 0; i < 100; ++i) {
    rows.insert(rows.end(), {data.rows[(i + 1) % 100], data.rows[i]});
    targets.insert(targets.end(), {1e6, data.targets[i]});
    weights.insert(weights.end(), {0.0, 1.0});
  }
  const Predictions made = learn_in_parts(model, {rows, targets, weights});
  EXPECT_EQ(made.values.size(), 200U);
  EXPECT_TRUE(std::isnan(made.values[0]) && std::isnan(made.values[1]) && std::isfinite(made.values[2]));
  EXPECT_TRUE(model.encode() == plain.encode());
}

TEST(ModelOfNumbers, WhatIsOfClassesIsRefusedByName) {
  Model model = linear_model();
  const std::string reason = " are of classes; this model predicts numbers, by the loss of its learner";
  EXPECT_EQ(message_of([&] { model.set_classes({"a", "b"}); }), "names" + reason);
  EXPECT_EQ(message_of([&] { model.learn_probabilities(true); }), "probabilities" + reason);
  EXPECT_EQ(message_of([&] { model.set_threshold(0.5); }), "thresholds" + reason);
  EXPECT_EQ(message_of([&] { model.set_class_weights({.balanced = true, .factors = {}}); }), "class weights" + reason);
  Predictions made;
  const NumberRows data(1);
  EXPECT_EQ(message_of([&] { model.predict(data.rows, made, {.probabilities = true}); }), "probabilities" + reason);
  EXPECT_EQ(message_of([&] { model.predict(data.rows, made, {.quantiles = {1.5}}); }),
            "a quantile of the level 1.5; expected a number above 0 and below 1");
  EXPECT_FALSE(model.has_probabilities());
  const Model classes("linear");
  EXPECT_EQ(message_of([&] { classes.predict(data.rows, made, {.quantiles = {0.5}}); }),
            "quantiles and deviations are of numbers; this model predicts classes");
}

TEST(ModelOfNumbers, TargetsThatAreNoneAreRefused) {
  const NumberRows data(3);
  Model model = linear_model();
  model.learn(data.all());
  const std::string before = model.encode();
  for (const double bad : {std::numeric_limits<double>::infinity(), kNoTarget}) {
    const std::vector<double> targets = {bad};
    EXPECT_NE(message_of([&] {
                model.learn({std::span(data.rows).first(1), targets, {}});
              }).find("finite number"),
              std::string::npos);
  }
  EXPECT_EQ(model.encode(), before);
}

TEST(ModelOfNumbers, FilesThatContradictThemselvesAreRefused) {
  const NumberRows data(50);
  Model numbers = linear_model();
  learn_in_parts(numbers, data.all());
  Model classes("linear");
  std::vector<double> ids;
  for (const double target : data.targets) ids.push_back(target > 100.0 ? 1.0 : 0.0);
  learn_in_parts(classes, {data.rows, ids, {}});
  const auto changed = [](const Model& model, const std::function<void(Archive&)>& change) {
    Archive archive = Archive::decode(model.encode());
    change(archive);
    const std::string message = message_of([&] { (void)Model::decode(archive.encode()); });
    const std::string prefix = "not a sound alder model: ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  };
  EXPECT_EQ(changed(numbers, [](Archive&) {}), "nothing thrown");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.settings().erase("task"); }),
            "its task is not the one of its learner");
  EXPECT_EQ(changed(classes, [](Archive& archive) { archive.settings()["task"] = "regression"; }),
            "its task is not the one of its learner");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.settings()["classes"] = nlohmann::json::array(); }),
            "it predicts numbers, but has classes");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.settings()["threshold"] = 0.5; }),
            "it predicts numbers, but has threshold");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.put("calibration.theta", std::vector<double>(4)); }),
            "it predicts numbers, but has probabilities");
  EXPECT_EQ(changed(classes, [](Archive& archive) { TrackedQuantiles().save(archive); }),
            "it has classes and quantiles");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.settings().erase("quantiles"); }).empty(), false);
  EXPECT_NE(changed(numbers, [](Archive& archive) { archive.settings().erase("quantiles"); }), "nothing thrown");
  EXPECT_EQ(changed(numbers, [](Archive& archive) { archive.set("quantiles", "targets", std::uint64_t{51}); }),
            "its quantiles are of other rows than it has learned");
  EXPECT_EQ(changed(numbers, [&](Archive& archive) { Metrics(Task::kClassification).save(archive); }),
            "its metrics are of other rows than it has learned");
}

// One number of the quantiles or the metrics of a file becomes another one.
TEST(ModelOfNumbers, NumbersOfItsFileThatWereChangedAreRefusedOrHarmless) {
  const NumberRows data(60);
  Model model = linear_model();
  learn_in_parts(model, data.all().from(0, 50));
  const std::string bytes = model.encode();
  Random random(8);
  const std::vector<double> numbers = {
      kNoTarget, std::numeric_limits<double>::infinity(), -1.0,  0.0, 1e-300, 1.0, 7.5, 1e6, -1e6,
      1e300,     std::numeric_limits<double>::max(),      -1e308};
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    Archive archive = Archive::decode(bytes);
    const double number = numbers[random.below(numbers.size())];
    if (i % 2 == 0) {
      const char* const name = i % 4 == 0 ? "quantiles.tracked" : "quantiles.scale";
      auto values = archive.get<double>(name);
      values[random.below(values.size())] = number;
      archive.put(name, values);
    } else {
      auto& part = archive.settings()[i % 4 == 1 ? "quantiles" : "metrics"];
      auto at = std::next(part.begin(), static_cast<std::ptrdiff_t>(random.below(part.size())));
      if (at->is_number_float() && std::isfinite(number)) {
        *at = number;
      } else {
        *at = random.below(2) == 0 ? random.below(100) : random.bits();
      }
    }
    try {
      Model changed = Model::decode(archive.encode());
      ++accepted;
      learn_in_parts(changed, data.all().from(50, 10));
      Predictions made;
      changed.predict(data.rows, made, {.quantiles = {0.001, 0.5, 0.975}});
      EXPECT_EQ(message_of([&] { (void)Model::decode(changed.encode()); }), "nothing thrown");
    } catch (const Error&) {  // that is how it should be
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(ModelOfNumbers, AnExplanationIsOfTheValue) {
  const NumberRows data(500);
  Model model = linear_model();
  learn_in_parts(model, data.all());
  const Explanation found = explain(model, data.rows[7], {.top = 0});
  Predictions made;
  model.predict(std::span(data.rows).subspan(7, 1), made);
  ASSERT_TRUE(found.value);
  EXPECT_EQ(*found.value, made.values[0]);
  EXPECT_EQ(found.score, made.values[0]);
  EXPECT_EQ(found.predicted, kNoClass);
  ASSERT_EQ(found.features.size(), 3U);
  for (const FeatureEffect& one : found.features) {
    const double slope = one.feature == 0 ? 3.0 : one.feature == 1 ? -2.0 : 0.0;
    EXPECT_NEAR(one.gradient, slope, 0.4) << one.feature;
    EXPECT_NEAR(one.effect, one.gradient * one.value, 1e-4);
  }
  const auto json = nlohmann::json::parse(to_json(found, {}));
  EXPECT_EQ(json.at("value").get<double>(), made.values[0]);
  EXPECT_FALSE(json.contains("predicted") || json.contains("towards") || json.contains("probability"));
}

TEST(ModelOfNumbers, AValueOfPoissonIsTheResponseToItsScore) {
  Random random(5);
  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  for (int i = 0; i < 400; ++i) values.push_back({random.normal()});
  for (const auto& one : values) {
    rows.push_back(Row::dense(one));
    targets.push_back(std::floor(std::exp(1.0 + 0.5 * one[0]) + random.uniform()));
  }
  Model model = linear_model(R"({"loss": "poisson"})");
  learn_in_parts(model, {rows, targets, {}});
  Predictions made;
  model.predict(rows, made);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(made.values[i], std::exp(made.scores[i]), 1e-9);
  const Explanation found = explain(model, rows[0], {});
  EXPECT_EQ(found.score, made.scores[0]);
  EXPECT_EQ(found.value, made.values[0]);
}

}  // namespace
}  // namespace alder
