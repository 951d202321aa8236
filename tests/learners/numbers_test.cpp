// Learners of numbers: what their options say, and what does not change what they learn.
#include "support/numbers.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/learners.h"
#include "alder/registry.h"
#include "alder/score_parts.h"

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::finders_of_no_units;
using testing::learn_one;
using testing::losses_of;
using testing::message_of;
using testing::number_rows;
using testing::NumberRows;
using testing::numbers_learner;

constexpr const char* kPrecisions[] = {"float", "double"};

double learn_number(Learner& learner, const NumberRows& data, std::size_t t) {
  return learn_one(learner, Example{Row::dense(data.rows[t]), data.targets[t]});
}

Error::Kind kind_of_error(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error::Kind::kArgument;
}

TEST(Numbers, TheLossDecidesTheTask) {
  for (const LearnerInfo& info : learner_infos()) {
    EXPECT_EQ(make_learner(info.name)->task(), Task::kClassification) << info.name;
    if (!info.traits.learns_numbers) continue;
    for (const std::string& loss : losses_of(info, Task::kRegression)) {
      const auto learner = make_learner(info.name, Json{{"loss", loss}}.dump());
      EXPECT_EQ(learner->task(), Task::kRegression) << info.name << " " << loss;
      EXPECT_EQ(learner->outputs(), 1U);
      EXPECT_EQ(learner->response(0.7), loss == "poisson" ? std::exp(0.7) : 0.7) << info.name << " " << loss;
      EXPECT_TRUE(std::isfinite(learner->response(1e300)));
    }
  }
}

TEST(Numbers, ATraitSaysWhoLearnsThem) {
  for (const LearnerInfo& info : learner_infos()) {
    EXPECT_EQ(info.traits.learns_numbers, !losses_of(info, Task::kRegression).empty()) << info.name;
    EXPECT_EQ(info.find("target_center") != nullptr, info.traits.learns_numbers && !info.traits.finds_units);
    EXPECT_EQ(info.find("target_scale") != nullptr, info.traits.learns_numbers && !info.traits.finds_units);
  }
}

TEST(Numbers, OptionsGetALossForTheTask) {
  EXPECT_EQ(Json::parse(options_for("ogd", "{}", Task::kRegression)), (Json{{"loss", "squared"}}));
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"step":2})", Task::kRegression)),
            (Json{{"step", 2}, {"loss", "squared"}}));
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"loss":null})", Task::kRegression)), (Json{{"loss", "squared"}}));
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"loss":"huber"})", Task::kRegression)), (Json{{"loss", "huber"}}));
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"step":2})", Task::kClassification)), (Json{{"step", 2}}));
  EXPECT_EQ(Json::parse(options_for("pegasos", "{}", Task::kClassification)), Json::object());
  // What is no loss at all is said by make_learner.
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"loss":"cross"})", Task::kRegression)), (Json{{"loss", "cross"}}));
  EXPECT_EQ(Json::parse(options_for("ogd", R"({"loss":3})", Task::kRegression)), (Json{{"loss", 3}}));
}

TEST(Numbers, OptionsForAnotherTaskAreRefusedByName) {
  const auto of_pegasos = [] { (void)options_for("pegasos", "{}", Task::kRegression); };
  EXPECT_EQ(kind_of_error(of_pegasos), Error::Kind::kUnsupported);
  EXPECT_EQ(message_of(of_pegasos).substr(0, 53), "pegasos learns classes and no numbers; expected one o");
  const auto hinge = [] { (void)options_for("ogd", R"({"loss":"hinge"})", Task::kRegression); };
  EXPECT_EQ(kind_of_error(hinge), Error::Kind::kUnsupported);
  EXPECT_EQ(message_of(hinge),
            "the loss hinge is of classes, and the targets are numbers; expected squared or absolute or "
            "epsilon_insensitive or quantile or huber or poisson");
  const auto squared = [] { (void)options_for("linear", R"({"loss":"squared"})", Task::kClassification); };
  EXPECT_EQ(kind_of_error(squared), Error::Kind::kUnsupported);
  EXPECT_EQ(message_of(squared),
            "the loss squared is of numbers, and the targets are classes; expected hinge or logistic");
  EXPECT_ANY_THROW((void)options_for("none", "{}", Task::kRegression));
  EXPECT_ANY_THROW((void)options_for("ogd", "[]", Task::kRegression));
  EXPECT_ANY_THROW((void)options_for("ogd", "{", Task::kRegression));
}

TEST(Numbers, ALossHasItsParameterOrAnotherOne) {
  const auto parameter = [](const Json& options) {
    const Json made = Json::parse(make_learner("linear", options.dump())->options());
    return made.contains("loss_parameter") ? made["loss_parameter"].get<double>() : -1.0;
  };
  EXPECT_EQ(parameter({{"loss", "epsilon_insensitive"}}), 0.1);
  EXPECT_EQ(parameter({{"loss", "quantile"}}), 0.5);
  EXPECT_EQ(parameter({{"loss", "huber"}}), 1.345);
  EXPECT_EQ(parameter({{"loss", "huber"}, {"loss_parameter", nullptr}}), 1.345);
  EXPECT_EQ(parameter({{"loss", "quantile"}, {"loss_parameter", 0.9}}), 0.9);
  EXPECT_EQ(parameter({{"loss", "epsilon_insensitive"}, {"loss_parameter", 0}}), 0.0);
  for (const char* without : {"hinge", "logistic", "squared", "absolute", "poisson"}) {
    EXPECT_EQ(parameter({{"loss", without}}), -1.0) << without;
    EXPECT_EQ(message_of([&] {
                parameter({{"loss", without}, {"loss_parameter", 0.5}});
              }),
              std::string("loss_parameter is 0.5; expected none, since the loss ") + without + " has none");
  }
  EXPECT_ANY_THROW(parameter({{"loss", "quantile"}, {"loss_parameter", 1}}));
  EXPECT_ANY_THROW(parameter({{"loss", "huber"}, {"loss_parameter", 0}}));
  EXPECT_ANY_THROW(parameter({{"loss", "huber"}, {"loss_parameter", -1}}));
  EXPECT_ANY_THROW(parameter({{"loss", "huber"}, {"loss_parameter", "x"}}));
  LinearOptions options;
  options.loss = Loss::of(Loss::Kind::kSquaredHinge);
  EXPECT_ANY_THROW(make_linear(options));
}

TEST(Numbers, UnitsAreOfNumbersAndInRange) {
  EXPECT_EQ(message_of([] { make_learner("ogd", R"({"target_scale":2})"); }),
            "target_scale is 2; expected none, since the loss hinge is not of numbers");
  EXPECT_EQ(message_of([] { make_learner("ogd", R"({"loss":"poisson","target_center":2})"); }),
            "target_center is 2; expected 0, since the loss is poisson");
  EXPECT_ANY_THROW(make_learner("ogd", R"({"loss":"squared","target_scale":0})"));
  EXPECT_ANY_THROW(make_learner("ogd", R"({"loss":"squared","target_scale":-1})"));
  EXPECT_ANY_THROW(make_learner("ogd", R"({"loss":"squared","target_center":1e60})"));
  EXPECT_ANY_THROW(make_learner("ogd", R"({"loss":"squared","target_center":"x"})"));
  EXPECT_EQ(message_of([] { make_learner("pegasos", R"({"target_scale":1})"); }).substr(0, 36),
            "there is no option \"target_scale\"; e");
}

TEST(Numbers, TargetsThatCannotBeAreRefused) {
  const std::vector<double> x = {0.5};
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      const auto learner = make_learner(name, Json{{"loss", loss}}.dump());
      for (const double target : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_EQ(kind_of_error([&] { learn_one(*learner, Example{Row::dense(x), target}); }), Error::Kind::kTarget);
      }
      if (loss != "poisson") {
        learn_one(*learner, Example{Row::dense(x), -2.0});
        continue;
      }
      EXPECT_EQ(message_of([&] {
                  learn_one(*learner, Example{Row::dense(x), -2.0});
                }),
                "the target is -2; expected a number from 0 on, since the loss is poisson");
    }
  }
}

// Weights multiply the slope: the first step of a row of the weight 3 is that of a step size of three times as much.
TEST(Numbers, WeightsMultiplyTheStep) {
  const std::vector<double> x = {0.4, -0.3};
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      Json options = {{"loss", loss},       {"step", 0.01},        {"precision", "double"},
                      {"target_center", 0}, {"target_scale", 1.0}, {"kernel", {{"name", "gaussian"}, {"sigma", 1.0}}}};
      const auto heavy = make_learner(name, testing::options_of(name, options));
      if (name != "linear") options["step"] = 0.03;  // AdaGrad divides by the size of the step
      const auto often = make_learner(name, testing::options_of(name, options));
      EXPECT_TRUE(heavy->takes_weights());
      learn_one(*heavy, Example{Row::dense(x), 3.5}, 3.0);
      learn_one(*often, Example{Row::dense(x), 3.5});
      EXPECT_NE(heavy->score(Row::dense(x)), 0.0);
      EXPECT_NEAR(heavy->score(Row::dense(x)), often->score(Row::dense(x)), 1e-14) << name << " " << loss;
      const std::string before = testing::encoded(*heavy);
      learn_one(*heavy, Example{Row::dense(x), 1e9}, 0.0);
      EXPECT_EQ(testing::encoded(*heavy), before);
    }
  }
}

// The same numbers in units of 2^20 are the same problem, to the bit.
TEST(Numbers, UnitsDoNotMatter) {
  const NumberRows data = number_rows(3, 200);
  NumberRows other = data;
  const double factor = std::ldexp(1.0, 20);
  for (double& target : other.targets) target *= factor;
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      const auto learner = numbers_learner(name, loss, "double");
      const auto scaled = numbers_learner(name, loss, "double");
      for (std::size_t t = 0; t < data.rows.size(); ++t) {
        const double score = learn_number(*learner, data, t);
        const double expected = learner->response(score) * factor;
        const double made = scaled->response(learn_number(*scaled, other, t));
        if (loss != "poisson") {
          ASSERT_EQ(made, expected) << name << " " << loss << " round " << t;
        } else if (t > 0) {  // the first is predicted as e^0
          ASSERT_NEAR(made / expected, 1.0, 1e-9) << name << " " << loss << " round " << t;
        }
      }
    }
  }
}

TEST(Numbers, FarFromZeroIsAsNearZero) {
  const NumberRows data = number_rows(5, 400);
  for (const std::string& name : finders_of_no_units()) {
    for (const char* loss : {"squared", "absolute", "epsilon_insensitive", "quantile", "huber"}) {
      const auto learner = numbers_learner(name, loss, "float");
      double errors = 0.0;
      double of_mean = 0.0;
      for (std::size_t t = 0; t < data.rows.size(); ++t) {
        const double target = 1e6 + data.targets[t];
        const double score = learn_one(*learner, Example{Row::dense(data.rows[t]), target});
        if (t < 100) continue;
        errors += std::pow(score - target, 2.0);
        of_mean += std::pow(data.targets[t] - testing::kMeanNumber, 2.0);
      }
      EXPECT_LT(errors, (name == "bogd" ? 0.9 : 0.6) * of_mean) << name << " " << loss;
    }
  }
}

TEST(Numbers, OneConstantTargetIsLearnedAtOnce) {
  const NumberRows data = number_rows(5, 150);
  for (const double constant : {0.0, 7.0, -3e5, 1e6, 1e-7}) {
    for (const std::string& name : finders_of_no_units()) {
      for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
        if (loss == "poisson" && constant < 0.0) continue;
        const auto learner = numbers_learner(name, loss, "float");
        for (std::size_t t = 0; t < data.rows.size(); ++t) {
          const double made = learner->response(learn_one(*learner, Example{Row::dense(data.rows[t]), constant}));
          ASSERT_TRUE(std::isfinite(made));
          if (t == 0 || (loss == "poisson" && constant == 0.0)) continue;
          ASSERT_NEAR(made, constant, 1e-9 * std::fabs(constant)) << name << " " << loss << " round " << t;
        }
      }
    }
  }
}

// What would grow without bound is cut, and nothing stops being a number.
TEST(Numbers, NothingOverflows) {
  const NumberRows data = number_rows(7, 300);
  const double extremes[] = {0.0, 1e308, 3.0, 1e-300, 1e150, 0.0, 1e4};
  const Json kernels[] = {{{"name", "gaussian"}, {"sigma", 0.5}},
                          {{"name", "polynomial"}, {"degree", 3}, {"gamma", 2.0}, {"coef0", 1.0}}};
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      for (const Json& kernel : kernels) {
        if (name == "fogd" && kernel["name"] != "gaussian") continue;
        for (const double step : {1e-3, 3.0, 1e6}) {
          const Json options = {{"loss", loss}, {"kernel", kernel}, {"step", step}, {"budget", 20}};
          auto learner = make_learner(name, testing::options_of(name, options));
          for (std::size_t t = 0; t < data.rows.size(); ++t) {
            const double target = t % 3 == 0 ? extremes[t / 3 % std::size(extremes)] : data.targets[t];
            const double score = learn_one(*learner, Example{Row::dense(data.rows[t]), target});
            ASSERT_TRUE(std::isfinite(score)) << name << " " << options.dump() << " round " << t;
            ASSERT_TRUE(std::isfinite(learner->response(score)));
          }
          const std::string bytes = testing::encoded(*learner);
          EXPECT_EQ(testing::encoded(*testing::restored(bytes)), bytes) << name << " " << options.dump();
        }
      }
    }
  }
}

TEST(Numbers, OptionsAtTheEndsOfTheirRangesAreHarmless) {
  const NumberRows data = number_rows(17, 120);
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      for (const bool high : {false, true}) {
        Json options = {{"loss", loss}, {"budget", 12}, {"horizon", 1}};
        for (const OptionInfo& info : learner_info(name).options) {
          if (info.name == "loss_parameter" || (info.name == "target_center" && loss == "poisson")) continue;
          if (info.type == OptionInfo::Type::kNumber) options[info.name] = high ? info.high : info.low;
        }
        const auto learner = make_learner(name, testing::options_of(name, options));
        for (std::size_t t = 0; t < data.rows.size(); ++t) {
          const double target = t % 5 == 4 ? 1e300 : data.targets[t];
          const double weight = t % 3 == 1 ? 1e6 : 1.0;
          const double score = learn_one(*learner, Example{Row::dense(data.rows[t]), target}, weight);
          ASSERT_TRUE(std::isfinite(score)) << name << " " << options.dump() << " round " << t;
        }
        const std::string bytes = testing::encoded(*learner);
        EXPECT_EQ(testing::encoded(*testing::restored(bytes)), bytes) << name << " " << options.dump();
      }
    }
  }
}

TEST(Numbers, FloatIsNearDouble) {
  const NumberRows data = number_rows(11, 300);
  for (const std::string& name : finders_of_no_units()) {
    for (const char* loss : {"squared", "huber", "poisson"}) {
      const auto exact = numbers_learner(name, loss, "double");
      const auto fast = numbers_learner(name, loss, "float");
      for (std::size_t t = 0; t < data.rows.size(); ++t) {
        const double expected = learn_number(*exact, data, t);
        ASSERT_NEAR(learn_number(*fast, data, t), expected, name == "skegd" ? 1e-2 : 1e-3)
            << name << " " << loss << " round " << t;
      }
    }
  }
}

TEST(Numbers, PartsAddUpToTheScore) {
  const NumberRows data = number_rows(13, 200);
  for (const char* precision : kPrecisions) {
    for (const std::string& name : finders_of_no_units()) {
      for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
        const auto learner = numbers_learner(name, loss, precision);
        for (std::size_t t = 0; t < data.rows.size(); ++t) learn_number(*learner, data, t);
        ScoreParts parts({0, 1, 2});
        const double direction = -2.0;
        const Row row = Row::dense(data.rows[1]);
        ASSERT_TRUE(learner->add_parts(row, std::span(&direction, 1), parts)) << name;
        double sum = parts.rest;
        for (const ScoreParts::Stored& stored : parts.rows) sum += stored.contribution;
        EXPECT_NEAR(sum, -2.0 * learner->score(row), 1e-4) << name << " " << loss;
        for (std::size_t j = 0; j < 3; ++j) {
          std::vector<double> moved = data.rows[1];
          moved[j] += 1e-3;
          const double above = learner->score(Row::dense(moved));
          moved[j] -= 2e-3;
          const double below = learner->score(Row::dense(moved));
          EXPECT_NEAR(parts.gradient[j], -2.0 * (above - below) / 2e-3, 2e-2 + 1e-2 * std::fabs(parts.gradient[j]))
              << name << " " << loss << " " << precision;
        }
      }
    }
  }
}

}  // namespace
}  // namespace alder
