// Learners that minimise another loss than the hinge loss, if they are told to.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/learners.h"
#include "alder/registry.h"

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::learn_one;

// That have several of classes.
std::vector<std::string> learners_with_losses() {
  std::vector<std::string> names;
  for (const LearnerInfo& info : learner_infos()) {
    const OptionInfo* const loss = info.find("loss");
    if (loss != nullptr && std::count(loss->choices.begin(), loss->choices.end(), "logistic") > 0) {
      names.push_back(info.name);
    }
  }
  return names;
}

std::unique_ptr<Learner> made(const std::string& name, const char* loss) {
  nlohmann::ordered_json options = {{"loss", loss}, {"step", 0.5}, {"precision", "double"}};
  if (learner_info(name).find("kernel") != nullptr) options["kernel"] = {{"name", "gaussian"}, {"sigma", 1.0}};
  if (learner_info(name).find("horizon") != nullptr) options["horizon"] = 1;
  return make_learner(name, options.dump());
}

TEST(Losses, AreAnOptionOfTheGradientLearners) {
  EXPECT_EQ(learners_with_losses(), (std::vector<std::string>{"ogd", "bogd", "fogd", "nogd", "skegd", "linear"}));
}

// At the score 0 the slope of the hinge loss is −y and that of the logistic loss −y/2.
TEST(Losses, TheFirstStepIsTheSlope) {
  const std::vector<double> x = {0.3, -0.4};
  for (const std::string& name : learners_with_losses()) {
    for (const double label : {-1.0, 1.0}) {
      const auto hinge = made(name, "hinge");
      const auto logistic = made(name, "logistic");
      learn_one(*hinge, Row::dense(x), label);
      learn_one(*logistic, Row::dense(x), label);
      const double whole = hinge->score(Row::dense(x));
      EXPECT_GT(label * whole, 0.1) << name;
      // AdaGrad divides every step by its size.
      const double part = name == "linear" ? 1.0 : 0.5;
      EXPECT_NEAR(logistic->score(Row::dense(x)), part * whole, 1e-12) << name;
    }
  }
}

TEST(Losses, TheLogisticLossLearnsRowsThatAreRightAlready) {
  const std::vector<double> x = {0.3, -0.4};
  for (const std::string& name : learners_with_losses()) {
    const auto hinge = made(name, "hinge");
    const auto logistic = made(name, "logistic");
    for (int t = 0; t < 40; ++t) {
      learn_one(*hinge, Row::dense(x), 1.0);
      learn_one(*logistic, Row::dense(x), 1.0);
    }
    const double settled = hinge->score(Row::dense(x));
    EXPECT_GE(settled, 1.0) << name;
    learn_one(*hinge, Row::dense(x), 1.0);
    if (name != "bogd") {
      EXPECT_EQ(hinge->score(Row::dense(x)), settled) << name;  // BOGD also shrinks
    }
    const double before = logistic->score(Row::dense(x));
    learn_one(*logistic, Row::dense(x), 1.0);
    EXPECT_GT(logistic->score(Row::dense(x)), before) << name;
  }
}

// Against the definition: f += η·y·σ(−y·f(x))·κ(x,·), and the ball.
TEST(Losses, OgdWithTheLogisticLossIsItsDefinition) {
  const testing::LabelledVectors stream = testing::random_stream(7, 120, 3);
  OgdOptions options;
  options.kernel = Kernel::gaussian(0.8);
  options.step = 3.0;
  options.radius = 4.0;
  options.horizon = 120;
  options.loss = Loss::of(Loss::Kind::kLogistic);
  options.precision = Precision::kDouble;
  const auto learner = make_ogd(options);
  std::vector<double> a;
  const double rate = 3.0 / std::sqrt(120.0);
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    const auto kernel = [&](std::size_t i, std::size_t j) {
      return testing::kernel_value(options.kernel, stream.rows[i], stream.rows[j]);
    };
    double value = 0.0;
    for (std::size_t i = 0; i < t; ++i) value += a[i] * kernel(i, t);
    ASSERT_NEAR(learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]), value, 1e-9) << t;
    a.push_back(rate * stream.labels[t] / (1.0 + std::exp(stream.labels[t] * value)));
    double squared = 0.0;
    for (std::size_t i = 0; i <= t; ++i) {
      for (std::size_t j = 0; j <= t; ++j) squared += a[i] * a[j] * kernel(i, j);
    }
    if (squared > 16.0) {
      for (double& coefficient : a) coefficient *= 4.0 / std::sqrt(squared);
    }
  }
}

TEST(Losses, ArePartOfTheOptionsAndOfTheModel) {
  for (const std::string& name : learners_with_losses()) {
    EXPECT_EQ(nlohmann::json::parse(made(name, "logistic")->options()).at("loss"), "logistic");
    EXPECT_EQ(nlohmann::json::parse(made(name, "hinge")->options()).at("loss"), "hinge");
    EXPECT_ANY_THROW(made(name, "squared_hinge"));
    EXPECT_ANY_THROW(made(name, "cross"));
  }
}

}  // namespace
}  // namespace alder
