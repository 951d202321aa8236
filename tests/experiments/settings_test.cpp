#include "experiments/settings.h"

#include <gtest/gtest.h>

#include "alder/registry.h"

#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

std::vector<std::string> texts(const std::string& learner, const char* grid) {
  std::vector<std::string> list;
  for (const Json& settings : combinations(learner, Json::parse(grid))) list.push_back(settings.dump());
  return list;
}

using Texts = std::vector<std::string>;

TEST(Combinations, HoldEveryChoiceOnceAndTheLastNameChangesFastest) {
  EXPECT_EQ(texts("pomdr", R"({"zeta": [0.5, 0.7], "sigma": [1, 2, 3]})"),
            (Texts{R"({"sigma":1,"zeta":0.5})", R"({"sigma":1,"zeta":0.7})", R"({"sigma":2,"zeta":0.5})",
                   R"({"sigma":2,"zeta":0.7})", R"({"sigma":3,"zeta":0.5})", R"({"sigma":3,"zeta":0.7})"}));
  EXPECT_EQ(combinations("pomdr", Json::parse(R"({"zeta": [0.1, 0.2], "factor": [1, 2, 3], "radius": 5,
                                                  "sigma": [1, 2], "window": [1, 2, 3, 4]})"))
                .size(),
            48U);
}

TEST(Combinations, OfNothingAreOneThatSetsNothing) {
  EXPECT_EQ(texts("pomdr", "{}"), Texts{"{}"});
  EXPECT_EQ(texts("pomdr", R"({"sigma": 1})"), Texts{R"({"sigma":1})"});
}

// So that equal settings are equal as text, however the grid was written.
TEST(Combinations, NamesAreInTheLearnersOrderTheKernelsFirst) {
  for (const LearnerInfo& info : learner_infos()) {
    Json grid = Json::object();
    Texts names;
    if (info.find("kernel") != nullptr) names = {"kernel", "sigma", "gamma", "degree", "coef0"};
    for (const OptionInfo& option : info.options) {
      if (option.name != "kernel" && option.name != "seed") names.push_back(option.name);
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name) grid[*name] = 1;
    const std::vector<Json> all = combinations(info.name, grid);
    ASSERT_EQ(all.size(), 1U);
    Texts found;
    for (const auto& [name, value] : all[0].items()) found.push_back(name);
    EXPECT_EQ(found, names) << info.name;
  }
}

TEST(Combinations, WholeNumbersAreTheSameHoweverTheyAreWritten) {
  EXPECT_EQ(texts("ogd", R"({"sigma": [4.0, 4, 4e0, 0.5, 5e-1], "step": 100.0})"),
            (Texts{R"({"sigma":4,"step":100})", R"({"sigma":0.5,"step":100})"}));
  EXPECT_EQ(texts("ogd", R"({"step": [-0.0, 0, 1e20, 1e-3]})"),
            (Texts{R"({"step":0})", R"({"step":1e+20})", R"({"step":0.001})"}));
  EXPECT_EQ(texts("bogd", R"({"removal": ["uniform", "weighted", "uniform"]})"),
            (Texts{R"({"removal":"uniform"})", R"({"removal":"weighted"})"}));
}

TEST(Combinations, RejectWhatTheLearnerDoesNotHave) {
  EXPECT_EQ(message_of([] {
              combinations("linear", {{"sigma", 1}});
            }),
            "linear has no option sigma; expected one of step, loss, loss_parameter, precision, target_center, "
            "target_scale, scale");
  EXPECT_NE(message_of([] { combinations("fogd", {{"seed", 1}}); }).find("fogd has no option seed"), std::string::npos);
  EXPECT_NE(message_of([] {
              combinations("pomdr", {{"simga", 1}});
            }).find("expected one of kernel, sigma, gamma"),
            std::string::npos);
  EXPECT_EQ(message_of([] {
              combinations("ogd", {{"step", Json::array()}});
            }),
            "step is an empty list; expected at least one value");
  EXPECT_NE(message_of([] { combinations("none", Json::object()); }).find("there is no learner \"none\""),
            std::string::npos);
}

TEST(Settings, HasSettingKnowsTheKernelsNamesAndNotTheSeed) {
  EXPECT_TRUE(has_setting("pomdr", "sigma"));
  EXPECT_TRUE(has_setting("pomdr", "coef0"));
  EXPECT_TRUE(has_setting("pomdr", "zeta"));
  EXPECT_TRUE(has_setting("pomdr", "horizon"));
  EXPECT_FALSE(has_setting("pomdr", "step"));
  EXPECT_FALSE(has_setting("fogd", "seed"));
  EXPECT_FALSE(has_setting("linear", "sigma"));
  EXPECT_FALSE(has_setting("linear", "kernel"));
  EXPECT_TRUE(has_setting("linear", "step"));
}

TEST(Settings, AsFlagsAreThoseOfTrain) {
  EXPECT_EQ(as_flags(Json::object()), "");
  EXPECT_EQ(as_flags(Json::parse(R"({"kernel": "laplacian", "sigma": 4, "zeta": 0.6666666666666666, "step": 1e-3})")),
            "--kernel laplacian --sigma 4 --zeta 0.6666666666666666 --step 0.001");
}

// In settings, null leaves an option to the learner; on the command line that is "auto".
TEST(Settings, WhatIsLeftToTheLearnerIsAutoAsAFlag) {
  EXPECT_EQ(as_flags(Json::parse(R"({"sigma": 4, "b0": null, "horizon": null})")),
            "--sigma 4 --b0 auto --horizon auto");
}

TEST(Settings, MakeEveryLearnerWithEveryKernel) {
  const std::vector<Json> kernels = {
      Json::parse(R"({"sigma": 2})"),
      Json::parse(R"({"gamma": 0.125})"),
      Json::parse(R"({"kernel": "gaussian", "sigma": 2})"),
      Json::parse(R"({"kernel": "laplacian", "sigma": 2})"),
      Json::parse(R"({"kernel": "laplacian", "gamma": 0.5})"),
      Json::parse(R"({"kernel": "polynomial"})"),
      Json::parse(R"({"kernel": "polynomial", "degree": 2, "gamma": 0.25, "coef0": 0})"),
      Json::parse(R"({"kernel": "linear"})"),
  };
  const auto gamma = [](const Json& settings) {
    const std::string name = settings.value("kernel", "gaussian");
    return name == "laplacian" ? 0.5 : name == "gaussian" ? 0.125 : settings.value("gamma", 1.0);
  };
  for (const LearnerInfo& info : learner_infos()) {
    if (info.find("kernel") == nullptr) {
      EXPECT_NO_THROW(make_learner(info.name, learner_options(info.name, Json::object(), 1000, 7)));
      continue;
    }
    for (const Json& kernel : kernels) {
      const std::string name = kernel.value("kernel", "gaussian");
      if (info.name == "fogd" && (name == "polynomial" || name == "linear")) continue;
      const auto learner = make_learner(info.name, learner_options(info.name, kernel, 1000, 7));
      const Json options = Json::parse(learner->options());
      EXPECT_EQ(options["kernel"]["name"], name) << info.name;
      if (name != "linear") {
        EXPECT_EQ(options["kernel"]["gamma"], gamma(kernel)) << info.name << kernel;
      }
      if (name == "polynomial") {
        EXPECT_EQ(options["kernel"]["degree"], kernel.value("degree", 3)) << info.name;
      }
      if (name == "polynomial") {
        EXPECT_EQ(options["kernel"]["coef0"], kernel.value("coef0", 1.0)) << info.name;
      }
    }
  }
}

TEST(Settings, TheHorizonAndTheSeedGoToLearnersThatHaveThem) {
  for (const LearnerInfo& info : learner_infos()) {
    const Json options = Json::parse(learner_options(info.name, Json::object(), 1234, 77));
    EXPECT_EQ(options.contains("horizon"), info.find("horizon") != nullptr);
    EXPECT_EQ(options.contains("seed"), info.find("seed") != nullptr);
    if (options.contains("horizon")) {
      EXPECT_EQ(options["horizon"], 1234);
    }
    if (options.contains("seed")) {
      EXPECT_EQ(options["seed"], 77);
    }
  }
  EXPECT_FALSE(Json::parse(learner_options("pomdr", Json::object(), std::nullopt, 1)).contains("horizon"));
  EXPECT_EQ(Json::parse(learner_options("pomdr", {{"horizon", 9}}, 1234, 1))["horizon"], 9);
  EXPECT_EQ(Json::parse(learner_options("pomdr", {{"horizon", nullptr}}, 1234, 1))["horizon"], 1234);
}

// Every option of every learner, set to its own default, gives the learner that has nothing set.
TEST(Settings, EveryOptionOfALearnerIsASetting) {
  for (const LearnerInfo& info : learner_infos()) {
    const Json defaults =
        Json::parse(make_learner(info.name, learner_options(info.name, {{"sigma", 1}}, 50, 3))->options());
    for (const auto& [name, value] : defaults.items()) {
      if (name == "kernel" || name == "seed") continue;
      const Json settings = combinations(info.name, {{name, value}}).at(0);
      const std::string options = learner_options(
          info.name, info.find("kernel") != nullptr ? Json{{"sigma", 1}, {name, settings[name]}} : settings, 50, 3);
      EXPECT_EQ(make_learner(info.name, options)->options(), defaults.dump()) << info.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace alder
