#include "alder/explanation.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/registry.h"
#include "alder/score_parts.h"

#include "model/some_models.h"
#include "support/any_learner.h"
#include "support/class_rows.h"

namespace alder {
namespace {

using testing::ClassRows;
using Json = nlohmann::ordered_json;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// A learner that has learned rows of this many classes.
struct ExplainedLearner {
  ExplainedLearner(const std::string& name, const std::string& options, std::size_t classes, std::size_t rows = 300,
                   std::size_t features = 3)
      : data(7, rows + 20, classes, features, 1, 0.8), learner(make_learner(name, options)) {
    testing::learn_each(learner, data.from(0, rows));
    direction.assign(learner->outputs(), 0.0);
    direction.back() = 1.0;
    if (direction.size() > 1) direction.front() = -1.0;
  }

  [[nodiscard]] double score(const Row& row) const { return product(testing::scores_of(*learner, row), direction); }

  /// The magnitudes of all parts, those of each class alone: of the difference of two classes parts may cancel that
  /// were rounded before.
  [[nodiscard]] double magnitude_of_parts(const Row& row) const {
    double magnitude = 0.0;
    for (std::size_t c = 0; c < direction.size(); ++c) {
      if (direction[c] == 0.0) continue;
      std::vector<double> alone(direction.size(), 0.0);
      alone[c] = direction[c];
      ScoreParts parts({});
      EXPECT_TRUE(learner->add_parts(row, alone, parts));
      magnitude += std::fabs(parts.rest);
      for (const ScoreParts::Stored& part : parts.rows) magnitude += std::fabs(part.contribution);
    }
    return magnitude;
  }

  /// Looks at the last rows: parts add up to the score, gradients are those of central differences.
  void check(double sum_tolerance, double gradient_tolerance) const {
    double largest = 0.0;
    std::size_t kinks = 0;
    for (std::size_t t = data.size() - 20; t < data.size(); ++t) {
      const std::vector<double>& x = data.values[t];
      std::vector<FeatureIndex> features(x.size());
      std::iota(features.begin(), features.end(), FeatureIndex{0});
      ScoreParts parts(features);
      ASSERT_TRUE(learner->add_parts(data.rows[t], direction, parts));
      double sum = parts.rest;
      for (const ScoreParts::Stored& part : parts.rows) sum += part.contribution;
      const double magnitude = magnitude_of_parts(data.rows[t]);
      EXPECT_NEAR(sum, score(data.rows[t]), sum_tolerance * std::max(magnitude, 1e-6)) << learner->name();
      for (std::size_t j = 0; j < x.size() && gradient_tolerance > 0.0; ++j) {
        const auto moved = [&](double step) {
          std::vector<double> other = x;
          other[j] += step;
          return score(Row::dense(other));
        };
        constexpr double kStep = 1e-5;
        const double above = (moved(kStep) - moved(0.0)) / kStep;
        const double below = (moved(0.0) - moved(-kStep)) / kStep;
        // Where a score is cut, and at the knots of a transform, there is no derivative.
        if (std::fabs(above - below) > 1e-2 * (1.0 + std::fabs(above) + std::fabs(below))) {
          ++kinks;
          continue;
        }
        largest = std::max(largest, std::fabs(parts.gradient[j]));
        EXPECT_NEAR(parts.gradient[j], (above + below) / 2, gradient_tolerance * (1.0 + std::fabs(above)))
            << learner->name() << " feature " << j;
      }
    }
    if (gradient_tolerance > 0.0) {
      EXPECT_GT(largest, 1e-3) << learner->name();
      EXPECT_LE(kinks, 6U) << learner->name();
    }
  }

  ClassRows data;
  std::unique_ptr<Learner> learner;
  std::vector<double> direction;
};

TEST(Explanation, PartsOfEveryLearnerAddUpToTheScoreAndGradientsAreItsDerivatives) {
  for (const LearnerInfo& info : learner_infos()) {
    for (const std::size_t classes : {2U, 4U}) {
      SCOPED_TRACE(std::string(info.name) + " of " + std::to_string(classes) + " classes");
      const auto options = [&](const char* precision) {
        return testing::options_of(std::string(info.name), testing::small_options(precision));
      };
      ExplainedLearner(std::string(info.name), options("double"), classes).check(1e-9, 1e-5);
      ExplainedLearner(std::string(info.name), options("float"), classes).check(1e-6, 0.0);
    }
  }
}

TEST(Explanation, GradientsAreThoseOfEveryKernel) {
  for (const char* kernel :
       {R"({"name":"laplacian","sigma":0.7})", R"({"name":"polynomial","degree":3,"gamma":0.5,"coef0":1.0})",
        R"({"name":"polynomial","degree":2,"gamma":1.0,"coef0":0.0})", R"({"name":"linear"})"}) {
    for (const char* name : {"perceptron", "pomdr", "alder", "nogd"}) {
      SCOPED_TRACE(std::string(name) + " " + kernel);
      Json options = testing::small_options("double");
      options["kernel"] = Json::parse(kernel);
      ExplainedLearner(name, testing::options_of(name, options), 2).check(1e-8, 1e-4);
    }
  }
}

// In a race of candidates, and after it, with transforms, scales, linear inputs, several predictors and a fine layer.
TEST(Explanation, PartsAddUpInAllStagesOfALearnerThatFindsItsMetric) {
  for (const char* precision : {"double", "float"}) {
    for (const std::size_t classes : {2U, 3U}) {
      const bool is_double = precision == std::string("double");
      const ClassRows rows(11, 6000, classes, 3, 1, 0.8);
      ExplainedLearner learned("alder", Json{{"precision", precision}}.dump(), classes, 100);
      std::size_t done = 0;
      for (const std::size_t end : {500U, 1900U, 5900U}) {
        testing::learn_each(learned.learner, rows.from(done, end - done));
        done = end;
        SCOPED_TRACE(std::to_string(done) + " rows, " + std::to_string(classes) + " classes, " + precision);
        learned.check(is_double ? 1e-9 : 1e-6, is_double ? 1e-4 : 0.0);
      }
    }
  }
}

TEST(Explanation, WhatALearnerScalesItselfIsExplainedByTheValuesBefore) {
  ExplainedLearner("pomdr", R"({"scale":"online","precision":"double"})", 2).check(1e-9, 1e-5);
  ExplainedLearner("ogd", R"({"scale":"online","precision":"double"})", 3).check(1e-9, 1e-5);
}

TEST(Explanation, ALearnerThatStillCollectsRowsCannotTell) {
  const ExplainedLearner learned("pomdr", "{}", 2, 10);
  ScoreParts parts({0, 1});
  EXPECT_FALSE(learned.learner->add_parts(learned.data.rows[0], learned.direction, parts));
  EXPECT_TRUE(parts.rows.empty());
  EXPECT_EQ(parts.rest, 0.0);
}

/// Two classes that the first feature tells apart; the second does nothing, the third is 0.
testing::Listed told_by_first(double shift) {
  testing::Listed listed;
  for (int t = 0; t < 200; ++t) {
    const double target = t % 2;
    listed.add({shift + (target > 0 ? 1.0 : -1.0) + 0.01 * (t % 7), 0.5 + 0.01 * (t % 5), 0.0}, target);
  }
  return listed;
}

constexpr char kExplainedOptions[] = R"({"kernel":{"name":"gaussian","sigma":1.0},"precision":"double"})";

TEST(Explanation, TheFeatureThatTellsTheClassesHasTheLargestEffect) {
  const testing::Listed rows = told_by_first(0.0);
  Model model("perceptron", kExplainedOptions);
  model.set_classes({"a", "b"});
  testing::learn_all_of(model, rows);
  const Predictions made = testing::predicted(model, rows);
  for (const std::size_t i : {0U, 1U, 100U}) {
    const Explanation found = explain(model, rows.rows[i]);
    EXPECT_EQ(found.predicted, made.classes[i]);
    EXPECT_EQ(found.score, made.scores[i]);
    EXPECT_EQ(found.towards, model.positive());
    EXPECT_TRUE(found.has_exact_gradients);
    ASSERT_EQ(found.features.size(), 2U) << "a feature that is 0 has no effect";
    EXPECT_EQ(found.features[0].feature, 0U);
    EXPECT_EQ(found.features[0].value, rows.values[i][0]);
    EXPECT_EQ(found.features[0].effect > 0.0, found.score > 0.0);
    std::vector<double> without = rows.values[i];
    without[0] = 0.0;
    testing::Listed other;
    other.add(without, 0.0);
    EXPECT_EQ(found.features[0].effect, found.score - testing::predicted(model, other).scores[0]);
    ASSERT_TRUE(found.probability);
    EXPECT_GT(*found.probability, 0.5);
  }
}

TEST(Explanation, TheOrderOfClassesTurnsTheSignsOfScoreAndParts) {
  const testing::Listed rows = told_by_first(0.0);
  const auto explained = [&](std::vector<std::string> names) {
    Model model("perceptron", kExplainedOptions);
    model.set_classes(std::move(names), false);
    testing::learn_all_of(model, rows);
    return explain(model, rows.rows[3], {.top = 0});
  };
  const Explanation one = explained({"a", "b"});
  const Explanation other = explained({"b", "a"});
  EXPECT_NE(one.towards, other.towards);
  EXPECT_EQ(one.score, -other.score);
  EXPECT_EQ(one.features[0].gradient, -other.features[0].gradient);
  for (const Explanation& found : {one, other}) {
    double sum = found.rest;
    for (const RowEffect& row : found.rows) sum += row.contribution;
    EXPECT_NEAR(sum, found.score, 1e-12);
  }
}

TEST(Explanation, GradientsAreByTheValuesBeforeTheModelScalesThem) {
  const testing::Listed rows = told_by_first(5.0);
  Model model("perceptron", kExplainedOptions, Scaling::fit(Scaling::Kind::kStandard, rows.rows));
  testing::learn_all_of(model, rows);
  constexpr double kStep = 1e-5;
  for (const std::size_t i : {0U, 1U, 50U}) {
    const Explanation found = explain(model, rows.rows[i]);
    for (const FeatureEffect& one : found.features) {
      testing::Listed moved;
      for (const double step : {kStep, -kStep}) {
        std::vector<double> values = rows.values[i];
        values[one.feature] += step;
        moved.add(values, 0.0);
      }
      const Predictions made = testing::predicted(model, moved);
      EXPECT_NEAR(one.gradient, (made.scores[0] - made.scores[1]) / (2 * kStep), 1e-6 * (1.0 + std::fabs(one.gradient)))
          << one.feature;
    }
  }
}

TEST(Explanation, OfManyClassesTheLeadOverTheBestRivalIsExplained) {
  const ClassRows data(3, 500, 4);
  Model model("ogd", R"({"kernel":{"name":"gaussian","sigma":1.0},"precision":"double"})");
  model.set_classes({"w", "x", "y", "z"});
  for (std::size_t done = 0; done < data.size();) done += model.learn(data.from(done, data.size() - done));
  std::vector<double> scores(4);
  for (std::size_t i = 0; i < 20; ++i) {
    Predictions made;
    model.predict(std::span(&data.rows[i], 1), made);
    model.scores_by_class(made, 0, scores);
    const Explanation found = explain(model, data.rows[i], {.top = 0});
    EXPECT_EQ(found.towards, found.predicted);
    EXPECT_EQ(found.score, scores[found.towards] - scores[found.against]);
    EXPECT_GE(found.score, 0.0);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_TRUE(c == found.towards || scores[c] <= scores[found.against]);
    double sum = found.rest;
    for (const RowEffect& row : found.rows) sum += row.contribution;
    EXPECT_NEAR(sum, found.score, 1e-9);
  }
}

TEST(Explanation, ItNamesAsManyAsAreAskedFor) {
  const ExplainedLearner learned("perceptron", kExplainedOptions, 2, 300, 9);
  Model model("perceptron", kExplainedOptions);
  for (std::size_t done = 0; done < 300;) done += model.learn(learned.data.from(done, 300 - done));
  const Explanation found = explain(model, learned.data.rows[5], {.top = 3});
  ASSERT_EQ(found.features.size(), 3U);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_GE(std::fabs(found.features[0].effect), std::fabs(found.features[1].effect));
  EXPECT_GE(std::fabs(found.rows[0].contribution), std::fabs(found.rows[1].contribution));
  EXPECT_EQ(found.stored, model.learner().report().support);
  EXPECT_EQ(explain(model, learned.data.rows[5], {.top = 0}).rows.size(), found.stored);
}

TEST(Explanation, OfARowWithVeryManyFeaturesTheLargestAreLookedAt) {
  Model model("linear", "{}");
  std::vector<double> values(3000);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = 1.0 + static_cast<double>(j);
  const Row row = Row::dense(values);
  for (const double target : {0.0, 1.0}) model.learn({std::span(&row, 1), std::span(&target, 1)});
  const Explanation found = explain(model, row, {.top = 0});
  ASSERT_EQ(found.features.size(), Explanation::kMostFeatures);
  for (const FeatureEffect& one : found.features) EXPECT_GE(one.feature, 2000U);
}

TEST(Explanation, AModelThatHasLearnedNothingIsExplainedToo) {
  const Model model("alder", "{}");
  const std::vector<double> values = {1.0, 2.0};
  const Explanation found = explain(model, Row::dense(values));
  EXPECT_EQ(found.predicted, kNoClass);
  EXPECT_EQ(found.score, 0.0);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(Json::parse(to_json(found, {}))["predicted"], nullptr);
}

TEST(Explanation, AsJsonItHasAllItsMembers) {
  const testing::Listed rows = told_by_first(0.0);
  Model model("perceptron", kExplainedOptions);
  model.set_classes({"a", "b"});
  testing::learn_all_of(model, rows);
  const Explanation found = explain(model, rows.rows[1], {.top = 1});
  const Json json =
      Json::parse(to_json(found, model.classes(), [](FeatureIndex f) { return "f" + std::to_string(f); }));
  EXPECT_EQ(json["predicted"], "b");
  EXPECT_EQ(json["towards"], "b");
  EXPECT_EQ(json["against"], "a");
  EXPECT_EQ(json["score"], found.score);
  EXPECT_EQ(json["features"][0]["feature"], 1);
  EXPECT_EQ(json["features"][0]["name"], "f0");
  EXPECT_EQ(json["features"][0]["gradient"], found.features[0].gradient);
  EXPECT_EQ(json["stored_rows"][0]["row"], found.rows[0].row + 1);
  EXPECT_EQ(json["stored_rows"][0]["contribution"], found.rows[0].contribution);
}

}  // namespace
}  // namespace alder
