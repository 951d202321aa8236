#include "alder/metrics.h"

#include <array>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "model/some_predictions.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::Batch;
using testing::expect_same;
using testing::message_of;
using testing::saved;
using testing::some_classes;
using testing::some_values;
using testing::values_of;
using testing::weight_at;

// The expected calibration error, row by row: 15 bins, of the second class's probability if there are two, else of the
// largest one.
double literal_calibration_error(const Batch& batch, std::size_t classes) {
  std::map<int, std::array<double, 3>> bins;
  double all = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const double* const row = batch.made.probabilities.data() + i * classes;
    const auto told = classes == 2 ? 1 : std::max_element(row, row + classes) - row;
    const int bin = row[told] == 1.0 ? 14 : static_cast<int>(std::floor(15.0 * row[told]));
    const double w = weight_at(batch, i);
    all += w;
    bins[bin][0] += w;
    bins[bin][1] += w * row[told];
    bins[bin][2] += static_cast<double>(told) == batch.targets[i] ? w : 0.0;
  }
  double error = 0.0;
  for (const auto& [bin, sums] : bins) {
    error += sums[0] / all * std::fabs(sums[1] / sums[0] - sums[2] / sums[0]);
  }
  return error;
}

// accuracy_score, balanced_accuracy_score, cohen_kappa_score, f1_score, log_loss, brier_score_loss of scikit-learn,
// written out.
std::map<std::string, double> literal_classification(const Batch& batch, std::size_t classes) {
  double weight = 0.0;
  double wrong = 0.0;
  double mistakes = 0.0;
  double hinge = 0.0;
  double log_loss = 0.0;
  double brier = 0.0;
  double recalls = 0.0;
  double chance = 0.0;
  std::vector<double> f1(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    double both = 0.0;
    double predicted = 0.0;
    double actual = 0.0;
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
      const bool is_predicted = batch.made.classes[i] == k;
      const bool is_actual = batch.targets[i] == static_cast<double>(k);
      both += is_predicted && is_actual ? weight_at(batch, i) : 0.0;
      predicted += is_predicted ? weight_at(batch, i) : 0.0;
      actual += is_actual ? weight_at(batch, i) : 0.0;
    }
    const double precision = both / predicted;
    const double recall = both / actual;
    recalls += recall;
    chance += predicted * actual;
    f1[k] = 2.0 * precision * recall / (precision + recall);
  }
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    const double w = weight_at(batch, i);
    const auto target = static_cast<std::size_t>(batch.targets[i]);
    weight += w;
    mistakes += batch.made.classes[i] != target ? 1.0 : 0.0;
    wrong += batch.made.classes[i] != target ? w : 0.0;
    if (classes == 2) hinge += w * std::max(0.0, 1.0 - (target == 1 ? 1.0 : -1.0) * batch.made.scores[i]);
    log_loss -= w * std::log(batch.made.probabilities[i * classes + target]);
    for (std::size_t k = 0; k < classes; ++k) {
      brier += 0.5 * w * std::pow((k == target ? 1.0 : 0.0) - batch.made.probabilities[i * classes + k], 2.0);
    }
  }
  double mean_f1 = 0.0;
  for (const double one : f1) mean_f1 += one / static_cast<double>(classes);
  const auto rows = static_cast<double>(batch.targets.size());
  std::map<std::string, double> values = {
      {"rows", rows},
      {"weight", weight},
      {"mistakes", mistakes},
      {"error", wrong / weight},
      {"balanced_error", 1.0 - recalls / static_cast<double>(classes)},
      {"kappa", (1.0 - wrong / weight - chance / (weight * weight)) / (1.0 - chance / (weight * weight))},
      {"calibration_error", literal_calibration_error(batch, classes)},
      {"macro_f1", mean_f1},
      {"log_loss", log_loss / weight},
      {"brier", brier / weight},
      {"probability_rows", rows}};
  if (classes == 2) values.insert({{"hinge_loss", hinge}, {"hinge_rows", rows}, {"f1", f1[1]}});
  return values;
}

// roc_auc_score: the weighted share of pairs in the right order. `most_wrong` gets the share of pairs that bins may
// take for equal ones.
double literal_auc(const Batch& batch, double& most_wrong) {
  double right = 0.0;
  double all = 0.0;
  double close = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    for (std::size_t j = 0; j < batch.targets.size(); ++j) {
      if (batch.targets[i] != 1.0 || batch.targets[j] != 0.0) continue;
      const double one = batch.made.probabilities[2 * i + 1];
      const double zero = batch.made.probabilities[2 * j + 1];
      const double pair = weight_at(batch, i) * weight_at(batch, j);
      all += pair;
      right += one > zero ? pair : one == zero ? 0.5 * pair : 0.0;
      close += std::fabs(one - zero) < 1.0 / 4096.0 ? pair : 0.0;
    }
  }
  most_wrong = 0.5 * close / all;
  return right / all;
}

TEST(Metrics, OfTwoClassesFollowTheDefinitions) {
  for (const bool weighted : {false, true}) {
    const Batch batch = some_classes(1, 700, 2, weighted);
    Metrics metrics(Task::kClassification);
    testing::add(metrics, batch);
    auto values = values_of(metrics);
    double most_wrong = 0.0;
    const double auc = literal_auc(batch, most_wrong);
    EXPECT_LT(most_wrong, 1e-3);
    EXPECT_GT(auc, 0.6);
    EXPECT_NEAR(values.at("auc"), auc, most_wrong + 1e-12);
    values.erase("auc");
    expect_same(values, literal_classification(batch, 2));
  }
}

TEST(Metrics, OfManyClassesFollowTheDefinitions) {
  for (const bool weighted : {false, true}) {
    const Batch batch = some_classes(2, 900, 5, weighted);
    Metrics metrics(Task::kClassification);
    testing::add(metrics, batch);
    expect_same(values_of(metrics), literal_classification(batch, 5));
  }
}

TEST(Metrics, HingeLossIsTheSameToTheBitAsAddedRowByRow) {
  const Batch batch = some_classes(3, 500, 2, false);
  Metrics metrics(Task::kClassification);
  testing::add(metrics, batch);
  double hinge_loss = 0.0;
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    hinge_loss += std::max(0.0, 1.0 - (batch.targets[i] == 1.0 ? 1.0 : -1.0) * batch.made.scores[i]);
  }
  EXPECT_EQ(metrics.sums().hinge_loss, hinge_loss);
}

TEST(Metrics, TheAucOfEqualProbabilitiesIsAHalfAndOfSeparateOnesOne) {
  for (const double one : {0.5, 0.75, 1.0}) {
    Metrics metrics(Task::kClassification);
    Predictions made;
    made.classes = {0, 1, 0};
    made.probabilities = {0.5, 0.5, 1.0 - one, one, 0.5, 0.5};
    metrics.add(made, std::vector<double>{0, 1, 0});
    EXPECT_EQ(values_of(metrics).at("auc"), one > 0.5 ? 1.0 : 0.5);
  }
}

TEST(Metrics, ThereIsNoAucOnceProbabilitiesAreOfThreeClasses) {
  Metrics metrics(Task::kClassification);
  testing::add(metrics, some_classes(18, 50, 2, false));
  EXPECT_TRUE(values_of(metrics).contains("auc"));
  Predictions made;
  made.classes = {1};
  made.probabilities = {0.25, 0.5, 0.25};
  metrics.add(made, std::vector<double>{1});
  EXPECT_FALSE(values_of(metrics).contains("auc"));
  EXPECT_EQ(values_of(metrics).at("probability_rows"), 51.0);
  (void)Metrics::load(saved(metrics));  // is sound
}

TEST(Metrics, ClassesFollowFromScores) {
  for (const std::size_t classes : {2, 4}) {
    Batch batch = some_classes(4, 100, classes, false);
    Metrics given(Task::kClassification);
    testing::add(given, batch);
    batch.made.classes.clear();
    Metrics derived(Task::kClassification);
    testing::add(derived, batch);
    EXPECT_EQ(saved(given).encode(), saved(derived).encode());
  }
}

TEST(Metrics, ThePositiveClassMayBeTheFirst) {
  Predictions made;
  made.outputs = 1;
  made.positive = 0;
  made.scores = {2.0, 0.0, -0.5, 0.25};  // classes 0, 0, 1, 0
  Metrics metrics(Task::kClassification);
  metrics.add(made, std::vector<double>{0, 0, 1, 1});
  const auto values = values_of(metrics);
  EXPECT_EQ(values.at("mistakes"), 1.0);
  EXPECT_DOUBLE_EQ(values.at("hinge_loss"), 0.0 + 1.0 + 0.5 + 1.25);
  EXPECT_DOUBLE_EQ(values.at("f1"), 2.0 * 2.0 / (2.0 + 3.0));
}

TEST(Metrics, OtherIdsGiveTheSameMetricsToTheBit) {
  const std::vector<std::uint32_t> ids = {2, 0, 3, 1};
  const Batch batch = some_classes(7, 500, 4, true);
  Batch other = batch;
  for (std::size_t i = 0; i < 500; ++i) {
    other.targets[i] = ids[static_cast<std::size_t>(batch.targets[i])];
    other.made.classes[i] = ids[batch.made.classes[i]];
    for (std::size_t k = 0; k < 4; ++k) {
      other.made.probabilities[4 * i + ids[k]] = batch.made.probabilities[4 * i + k];
      other.made.scores[4 * i + ids[k]] = batch.made.scores[4 * i + k];
    }
  }
  Metrics one(Task::kClassification);
  Metrics same(Task::kClassification);
  testing::add(one, batch);
  testing::add(same, other);
  one.renumber(ids);
  EXPECT_EQ(saved(one).encode(), saved(same).encode());
}

TEST(Metrics, HingeLossEndsWithTheThirdClass) {
  Predictions made;
  made.outputs = 1;
  made.scores = {0.5, -0.5};
  made.classes = {1, 0};
  Metrics two(Task::kClassification);
  two.add(made, std::vector<double>{1, 1});
  EXPECT_EQ(two.sums().hinge_loss, 0.5 + 1.5);
  Metrics three = two;
  three.add(made, std::vector<double>{0, 2});
  EXPECT_EQ(three.sums().hinge_loss, 0.0);
  EXPECT_EQ(three.sums().hinge_rows, 0U);
  three.add(made, std::vector<double>{0, 1});
  EXPECT_EQ(values_of(three).count("hinge_loss"), 0U);
  two.merge(three);
  EXPECT_EQ(two.sums().hinge_rows, 0U);
  EXPECT_EQ(saved(two).encode(), saved(Metrics::load(saved(two))).encode());
}

TEST(Metrics, RowsWithoutATargetOrWeightChangeNothing) {
  const Batch batch = some_classes(5, 60, 3, true);
  Batch with_others = batch;
  Metrics expected(Task::kClassification);
  for (const std::size_t i : {0U, 7U, 59U}) with_others.targets[i] = kNoTarget;
  for (const std::size_t i : {3U, 58U}) with_others.weights[i] = 0.0;
  for (std::size_t i = 0; i < 60; ++i) {
    if (!std::set<std::size_t>{0, 3, 7, 58, 59}.contains(i)) testing::add(expected, batch.part(i, 1));
  }
  Metrics metrics(Task::kClassification);
  testing::add(metrics, with_others);
  EXPECT_EQ(metrics.rows(), 55U);
  EXPECT_EQ(saved(metrics).encode(), saved(expected).encode());
}

TEST(Metrics, BatchesDoNotMatter) {
  for (const auto& batch :
       {some_classes(6, 300, 2, true), some_classes(7, 300, 20, true), some_values(8, 300, 5, true)}) {
    const Task task = batch.made.values.empty() ? Task::kClassification : Task::kRegression;
    Metrics whole(task);
    testing::add(whole, batch);
    for (const std::size_t size : {1U, 7U, 256U}) {
      Metrics parts(task);
      for (std::size_t at = 0; at < 300; at += size) testing::add(parts, batch.part(at, std::min(size, 300 - at)));
      EXPECT_EQ(saved(parts).encode(), saved(whole).encode());
    }
  }
}

TEST(Metrics, MergedPartsAreTheWhole) {
  for (const auto& batch :
       {some_classes(9, 300, 2, true), some_classes(10, 300, 40, true), some_values(11, 300, 5, true)}) {
    const Task task = batch.made.values.empty() ? Task::kClassification : Task::kRegression;
    Metrics whole(task);
    testing::add(whole, batch);
    Metrics merged(task);
    for (const auto& [first, count] : {std::pair(0, 90), std::pair(90, 0), std::pair(90, 1), std::pair(91, 209)}) {
      Metrics part(task);
      if (count > 0) testing::add(part, batch.part(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
      merged.merge(part);
    }
    expect_same(values_of(merged), values_of(whole));
    EXPECT_EQ(merged.rows(), whole.rows());
    EXPECT_EQ(merged.mistakes(), whole.mistakes());
    EXPECT_EQ(merged.confusion().entries(), whole.confusion().entries());
    (void)Metrics::load(saved(merged));  // is sound
  }
  Metrics classification(Task::kClassification);
  EXPECT_THROW(classification.merge(Metrics(Task::kRegression)), Error);
}

TEST(Metrics, WhatNeedsProbabilitiesIsOfTheRowsThatHaveThem) {
  const Batch batch = some_classes(12, 200, 2, false);
  Batch without = batch.part(0, 50);
  without.made.probabilities.clear();
  Batch some = batch.part(50, 50);
  for (std::size_t i = 0; i < 20; ++i) some.made.probabilities[2 * i] = kNoTarget;
  Metrics metrics(Task::kClassification);
  testing::add(metrics, without);
  EXPECT_FALSE(values_of(metrics).contains("log_loss"));
  EXPECT_FALSE(values_of(metrics).contains("probability_rows"));
  testing::add(metrics, some);
  testing::add(metrics, batch.part(100, 100));
  Metrics later(Task::kClassification);
  testing::add(later, batch.part(70, 130));
  const auto values = values_of(metrics);
  EXPECT_EQ(values.at("rows"), 200.0);
  EXPECT_EQ(values.at("probability_rows"), 130.0);
  for (const char* name : {"log_loss", "brier", "auc", "calibration_error"})
    EXPECT_EQ(values.at(name), values_of(later).at(name)) << name;
}

TEST(Metrics, AClassThatTheModelCannotKnowIsAMistakeWithoutALogLoss) {
  Metrics metrics(Task::kClassification);
  Predictions made;
  made.classes = {kNoClass};
  metrics.add(made, std::vector<double>{0});  // the first row of all
  made.classes = {0, 0};
  made.probabilities = {1.0, 1.0};
  metrics.add(made, std::vector<double>{0, 1});  // class 1 has no column yet
  made.probabilities = {0.25, 0.75, 0.0, 0.5, 0.5, 0.0};
  metrics.add(made, std::vector<double>{1, 2});  // class 2 has a name, and probability 0
  auto values = values_of(metrics);
  EXPECT_EQ(values.at("rows"), 5.0);
  EXPECT_EQ(values.at("mistakes"), 4.0);
  EXPECT_EQ(values.at("probability_rows"), 2.0);
  EXPECT_DOUBLE_EQ(values.at("log_loss"), -0.5 * std::log(0.75));
  EXPECT_DOUBLE_EQ(values.at("brier"), 0.5 * 0.0625);
  EXPECT_FALSE(values.contains("auc"));
  EXPECT_FALSE(values.contains("f1"));
  made.classes = {0};
  made.probabilities = {0.5, 0.5, 0.0};
  metrics.add(made, std::vector<double>{2});  // now it ought to know
  values = values_of(metrics);
  EXPECT_EQ(values.at("probability_rows"), 3.0);
  EXPECT_NEAR(values.at("log_loss"), (52.0 * std::log(2.0) - std::log(0.75)) / 3.0, 1e-12);
}

TEST(Metrics, WithoutRowsOnlyCountsAreDefined) {
  const std::vector<std::pair<std::string_view, double>> none = {{"rows", 0.0}, {"weight", 0.0}, {"mistakes", 0.0}};
  EXPECT_EQ(Metrics(Task::kClassification).values(), none);
  EXPECT_EQ(Metrics(Task::kRegression).values().size(), 2U);
}

TEST(Metrics, RefuseWhatDoesNotFitAndStayAsTheyWere) {
  Metrics metrics(Task::kClassification);
  testing::add(metrics, some_classes(15, 20, 2, false));
  const std::string before = saved(metrics).encode();
  const auto with = [&](const std::function<void(Batch&)>& change) {
    Batch batch = some_classes(16, 4, 2, true);
    change(batch);
    return message_of([&] { testing::add(metrics, batch); });
  };
  EXPECT_EQ(with([](Batch& batch) { batch.targets[3] = 0.5; }),
            "target 3 of the batch, from 0, is 0.5; expected a class id, 0 to 1048575");
  EXPECT_NE(with([](Batch& batch) { batch.weights[3] = -1.0; }), "nothing thrown");
  EXPECT_EQ(with([](Batch& batch) { batch.made.classes.pop_back(); }), "there are 3 classes; expected 4");
  EXPECT_EQ(with([](Batch& batch) { batch.made.classes[1] = 1048576; }),
            "class 1 of the batch, from 0, is 1048576; expected a class id, 0 to 1048575");
  EXPECT_EQ(with([](Batch& batch) { batch.made.scores.pop_back(); }), "there are 3 scores; expected 4");
  EXPECT_EQ(with([](Batch& batch) { batch.made.scores[3] = kNoTarget; }),
            "score 3 of the batch, from 0, is nan; expected a finite number");
  EXPECT_EQ(with([](Batch& batch) { batch.made.positive = 2; }), "the positive class is 2; expected 0 or 1");
  EXPECT_EQ(with([](Batch& batch) { batch.made.probabilities.pop_back(); }), "there are 7 probabilities; expected 4");
  EXPECT_EQ(with([](Batch& batch) { batch.made.probabilities[6] = 1.5; }),
            "a probability of row 3 of the batch, from 0, is 1.5; expected 0 to 1");
  EXPECT_EQ(with([](Batch& batch) {
              batch.made.probabilities = {1, 0.5, 1, 1};
            }),
            "the probabilities of row 1 of the batch, from 0, sum to 0.5; expected 1");
  EXPECT_EQ(with([](Batch& batch) { batch.made = {}; }),
            "there are no classes, and 0 outputs; expected the classes, or scores");
  EXPECT_EQ(saved(metrics).encode(), before);
}

}  // namespace
}  // namespace alder
