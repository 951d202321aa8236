#include "experiments/suite.h"

#include <gtest/gtest.h>

#include "experiments/mini.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;
using testing::mini_suite;

// The mini suite with one place changed: `pointer` as in RFC 6901; a value of null removes what is there.
Json changed(const char* pointer, const Json& value) {
  Json suite = mini_suite();
  const Json::json_pointer place(pointer);
  if (value.is_null()) {
    suite[place.parent_pointer()].erase(place.back());
  } else {
    suite[place] = value;
  }
  return suite;
}

std::string message(const Json& suite) {
  return message_of([&suite] { parse_suite(suite.dump()); });
}

bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(Suite, ThoseThatAreBuiltInParseAndHaveTheirOwnNames) {
  EXPECT_EQ(builtin_suite_names(), (std::vector<std::string>{"ablation", "classes", "paper", "quick"}));
  for (const std::string& name : builtin_suite_names()) {
    const Suite suite = parse_suite(*builtin_suite(name));
    EXPECT_EQ(suite.name, name);
    EXPECT_EQ(suite.json, Json::parse(suite_text(name)));
    EXPECT_EQ(suite_text(name), *builtin_suite(name));
    EXPECT_FALSE(groups_of(suite).empty());
    for (const DataSpec& data : suite.data) EXPECT_TRUE(data.file.empty() || data.source.starts_with("https://"));
  }
  EXPECT_FALSE(builtin_suite("mini"));
}

TEST(Suite, HoldsWhatWasWritten) {
  const Suite suite = parse_suite(mini_suite().dump(2));
  EXPECT_EQ(suite.name, "mini");
  EXPECT_EQ(suite.seed, 5U);
  EXPECT_EQ(suite.json, mini_suite());
  ASSERT_EQ(suite.data.size(), 2U);
  EXPECT_EQ(suite.data[1].name, "board");
  EXPECT_EQ(suite.data[1].generate, "checkerboard");
  EXPECT_EQ(suite.data[1].rows, 90U);
  EXPECT_EQ(suite.data[1].scale, "standard");
  EXPECT_EQ(suite.data[0].scale, "none");
  EXPECT_EQ(suite.data[0].settings, (Json{{"sigma", 0.5}}));
  EXPECT_EQ(suite.spectrum.rows, 40U);
  EXPECT_EQ(suite.spectrum.sigmas, (std::vector<double>{0.5, 2.0}));
}

TEST(Suite, WhatIsNotSaidHasItsDefault) {
  Json json = Json::parse(R"({"name": "n", "data": {"d": {"generate": "rings"}}, "experiments": [
    {"learners": ["linear"]}, {"learners": ["linear"], "tune": 3}, {"learners": ["linear"], "permutations": 4},
    {"learners": ["linear"], "permutations": 4, "tune": 9}]})");
  const auto numbers = [](const Suite& suite) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const Experiment& experiment : suite.experiments) all.emplace_back(experiment.permutations, experiment.tune);
    return all;
  };
  using Numbers = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const Suite suite = parse_suite(json.dump());
  EXPECT_EQ(suite.seed, 1U);
  EXPECT_EQ(suite.data[0].rows, 10000U);
  EXPECT_EQ(suite.spectrum.rows, 0U);
  EXPECT_EQ(suite.experiments[0].data, std::vector<std::string>{"d"});
  EXPECT_FALSE(suite.experiments[0].curve);
  EXPECT_EQ(numbers(suite), (Numbers{{10, 10}, {10, 3}, {4, 4}, {4, 4}}));
  json["permutations"] = 2;
  EXPECT_EQ(numbers(parse_suite(json.dump())), (Numbers{{2, 2}, {2, 2}, {4, 4}, {4, 4}}));
}

TEST(Suite, SaysWhereItIsBrokenAndWhatIsExpected) {
  struct Case {
    const char* pointer;
    Json value;
    const char* words;
  };
  const std::vector<Case> cases = {
      {"/name", nullptr, "suite: it has no name"},
      {"/name", "../evil", "suite: name is \"../evil\"; expected letters, digits, '-', '_' and '.'"},
      {"/name", "/tmp/evil", "suite: name is \"/tmp/evil\"; expected"},
      {"/name", "a/b", "suite: name is \"a/b\"; expected"},
      {"/name", ".", "suite: name is \".\"; expected"},
      {"/name", ".hidden", "suite: name is \".hidden\"; expected"},
      {"/name", "a b", "suite: name is \"a b\"; expected"},
      {"/name", "a\n", "suite: name is \"a\\n\"; expected"},
      {"/name", "é", "suite: name is \"é\"; expected"},
      {"/name", 3, "suite: name is 3; expected text"},
      {"/nmae", "x", "suite: unknown nmae; expected one of name, seed, permutations, data, experiments, spectrum"},
      {"/seed", -1, "suite: seed is -1; expected a whole number from 0 on"},
      {"/seed", "1", "suite: seed is \"1\"; expected a whole number"},
      {"/permutations", 0, "suite: permutations is 0; expected a whole number from 1 on"},
      {"/permutations", 2.5, "suite: permutations is 2.5; expected a whole number"},
      {"/data", nullptr, "suite: it has no data"},
      {"/data", Json::array({1}), "suite: data is [1]; expected an object"},
      {"/data/rings", "rings", "data set rings: it is \"rings\"; expected an object"},
      {"/data/rings/generate", nullptr, "data set rings: expected either a file or the stream to generate"},
      {"/data/rings/file", "a", "data set rings: expected either a file or the stream to generate"},
      {"/data/rings/rows", 0, "data set rings: rows is 0; expected a whole number from 1 on"},
      {"/data/rings/row", 5, "data set rings: unknown row; expected one of file, generate, rows"},
      {"/data/rings/settings", 5, "data set rings: settings is 5; expected an object"},
      {"/data/rings/scale", true, "data set rings: scale is true; expected text"},
      {"/experiments", nullptr, "suite: experiments is []; expected a list of experiments"},
      {"/experiments", 5, "suite: experiments is 5; expected a list of experiments"},
      {"/experiments/1", 5, "experiment 2: it is 5; expected an object"},
      {"/experiments/1/learners", nullptr, "experiment 2: it has no learners"},
      {"/experiments/1/learners", "pomdr", "experiment 2: learners is \"pomdr\"; expected a list of names"},
      {"/experiments/1/learners", Json::array({1}), "experiment 2: learners is [1]; expected a list of names"},
      {"/experiments/1/learners", Json::array({"svm"}), "experiment 2, svm on rings: there is no learner \"svm\""},
      {"/experiments/1/data", Json::array({"ring"}), "experiment 2: there is no data set ring in the suite"},
      {"/experiments/1/tune", 0, "experiment 2: tune is 0; expected a whole number from 1 on"},
      {"/experiments/1/curve", 1, "experiment 2: curve is 1; expected true or false"},
      {"/probabilities", "yes", "suite: probabilities is \"yes\"; expected true or false"},
      {"/experiments/1/option", Json::object(), "experiment 2: unknown option; expected one of data, learners"},
      {"/experiments/1/options", Json::array(), "experiment 2: options is []; expected an object"},
      {"/experiments/1/options/step", 1, "experiment 2, pomdr on rings: pomdr has no option step; expected one of"},
      {"/experiments/1/options/sigma", Json::array(), "experiment 2, pomdr on rings: sigma is an empty list"},
      {"/experiments/1/options/sigma", Json::array({1, -1}), "experiment 2, pomdr on rings: sigma is -1"},
      {"/experiments/1/options/zeta", Json::array({0.5, 2}), "experiment 2, pomdr on rings: zeta is 2"},
      {"/experiments/1/options/budget", 19, "experiment 2, pomdr on rings: budget is 19; expected an even number"},
      {"/experiments/2/options/kernel", "linear", "experiment 3, fogd on rings: "},
      {"/spectrum", 5, "spectrum: it is 5; expected an object"},
      {"/spectrum/rows", 0, "spectrum: rows is 0; expected a whole number from 1 on"},
      {"/spectrum/sigma", Json::array({1, "2"}), "spectrum: sigma is [1,\"2\"]; expected a list of numbers"},
      {"/spectrum/width", 1, "spectrum: unknown width; expected one of rows, sigma"},
  };
  for (const Case& test : cases) {
    const std::string found = message(changed(test.pointer, test.value));
    EXPECT_TRUE(holds(found, test.words)) << test.pointer << " = " << test.value << "\n  " << found;
  }
}

TEST(Suite, ThatIsNoJsonIsRejected) {
  for (const char* text : {"", "{", "name: quick", "{\"name\": \"a\",}"}) {
    EXPECT_TRUE(holds(message_of([text] { parse_suite(text); }), "it is no JSON")) << text;
  }
  EXPECT_TRUE(holds(message_of([] { parse_suite("[]"); }), "suite: it is []; expected an object"));
  const std::string deep = R"({"name": )" + std::string(200000, '[');
  EXPECT_TRUE(holds(message_of([&deep] { parse_suite(deep); }), "it is JSON of more than 64 levels"));
}

TEST(Suite, NamesTheDataSetWhoseStreamOrScaleIsUnknown) {
  EXPECT_TRUE(holds(message(changed("/data/rings/generate", "ring")), "data set rings: "))
      << message(changed("/data/rings/generate", "ring"));
  EXPECT_TRUE(holds(message(changed("/data/rings/scale", "log")), "data set rings: "))
      << message(changed("/data/rings/scale", "log"));
}

TEST(Suite, NamesTheOptionOfAKernelThatMakesNoSense) {
  EXPECT_TRUE(
      holds(message(changed("/experiments/1/options/sigma", "wide")), "experiment 2, pomdr on rings: sigma is "))
      << message(changed("/experiments/1/options/sigma", "wide"));
  EXPECT_TRUE(holds(message(changed("/experiments/1/options/kernel", 5)), "experiment 2, pomdr on rings: kernel is "))
      << message(changed("/experiments/1/options/kernel", 5));
  EXPECT_TRUE(holds(message(changed("/experiments/1/options/kernel", "rbf")), "expected gaussian"))
      << message(changed("/experiments/1/options/kernel", "rbf"));
}

TEST(Suite, NamesTheDataSetThatHasNoWidth) {
  Json suite = mini_suite();
  suite["data"]["board"].erase("settings");
  EXPECT_TRUE(holds(message(suite), "experiment 3, fogd on board: it has no sigma; expected one among the options"))
      << message(suite);
  suite["experiments"].erase(2);
  suite["experiments"].erase(2);
  EXPECT_EQ(message(suite), "nothing thrown");
}

TEST(Suite, RejectsASettingOfADataSetThatNoLearnerHas) {
  EXPECT_TRUE(holds(message(changed("/data/rings/settings/zeat", 0.5)), "zeat"))
      << message(changed("/data/rings/settings/zeat", 0.5));
}

TEST(Suite, RejectsAWidthOfTheSpectrumThatMakesNoKernel) {
  for (const double sigma : {0.0, -1.0}) {
    EXPECT_TRUE(holds(message(changed("/spectrum/sigma", Json::array({1, sigma}))), "spectrum: ")) << sigma;
  }
}

// Unless it is set, b0 is 15 ln T, and T is the number of rows: 73 for 130 rows, 242 for ten million.
TEST(Suite, TheBudgetIsMeasuredByTheRowsThatThereWillBe) {
  Json suite = changed("/data/rings/rows", 10000000);
  suite["experiments"][1]["options"] = {{"budget", 220}};
  EXPECT_TRUE(holds(message(suite), "experiment 2, pomdr on rings: budget is 220; expected more than b0 = 242"))
      << message(suite);
  suite = mini_suite();
  suite["experiments"][1]["options"] = {{"budget", 100}};
  EXPECT_EQ(message(suite), "nothing thrown");
}

// Learners take seeds up to 2^53.
TEST(Suite, RejectsASeedThatLearnersWouldReject) {
  EXPECT_TRUE(holds(message(changed("/seed", 9007199254740991)), "seed"))
      << message(changed("/seed", 9007199254740991));
  EXPECT_TRUE(holds(message(changed("/seed", 18446744073709551615U)), "seed"));
}

TEST(Suite, RejectsAnExperimentOnNoData) {
  EXPECT_TRUE(holds(message(changed("/experiments/1/data", Json::array())), "experiment 2: "))
      << message(changed("/experiments/1/data", Json::array()));
}

TEST(Suite, GroupsAreThoseOfTheFirstDataSetFirst) {
  const std::vector<Group> groups = groups_of(parse_suite(mini_suite().dump()));
  std::vector<std::string> names;
  for (const Group& group : groups) names.push_back(std::to_string(group.data) + " " + group.learner);
  EXPECT_EQ(names, (std::vector<std::string>{"0 pomdr", "0 pomdr", "0 fogd", "0 linear", "1 pomdr", "1 pomdr", "1 fogd",
                                             "1 linear", "1 bogd"}));
  EXPECT_EQ(groups[0].tune, 2U);
  EXPECT_EQ(groups[0].permutations, 3U);
  EXPECT_TRUE(groups[0].curve);
  EXPECT_FALSE(groups[1].curve);
  EXPECT_EQ(groups[8].permutations, 2U);
  EXPECT_EQ(groups[8].tune, 2U);
}

TEST(Suite, SettingsOfADataSetGoToLearnersThatHaveThemWhereTheExperimentHasNone) {
  const std::vector<Group> groups = groups_of(parse_suite(mini_suite().dump()));
  using Texts = std::vector<std::string>;
  const auto texts = [&groups](std::size_t group) {
    Texts all;
    for (const Json& settings : groups[group].candidates) all.push_back(settings.dump());
    return all;
  };
  EXPECT_EQ(texts(2), (Texts{R"({"sigma":0.5,"step":0.1})", R"({"sigma":0.5,"step":1})"}));
  EXPECT_EQ(texts(3), (Texts{R"({"step":0.1})", R"({"step":1})"}));
  EXPECT_EQ(texts(4), (Texts{R"({"sigma":0.1,"budget":20,"zeta":0.5,"b0":10})",
                             R"({"sigma":0.5,"budget":20,"zeta":0.5,"b0":10})"}));
  EXPECT_EQ(texts(8), Texts{R"({"sigma":0.1,"budget":5})"});
}

// `alder train`, by which a run can be repeated, takes no sigma beside gamma, nor with kernels that have none.
TEST(Suite, TheWidthOfADataSetIsNotForKernelsThatAreToldOtherwise) {
  for (const char* options : {R"({"gamma": 2})", R"({"kernel": "polynomial"})", R"({"kernel": "linear"})"}) {
    Json suite = mini_suite();
    suite["experiments"] = Json::array({Json{{"learners", {"ogd"}}, {"options", Json::parse(options)}}});
    for (const Group& group : groups_of(parse_suite(suite.dump()))) {
      EXPECT_FALSE(group.candidates.at(0).contains("sigma")) << group.candidates.at(0);
    }
  }
}

TEST(Suite, TextsComeFromFilesToo) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(suite_text(folder.write("own.json", "{\"name\": 1}")), "{\"name\": 1}");
  EXPECT_EQ(message_of([] { suite_text("no-such-suite"); }),
            "no-such-suite: no such suite; expected a file, or one of ablation, classes, paper, quick");
  EXPECT_TRUE(holds(message_of([&] { suite_text(folder.path("")); }), "no such suite"));
}

}  // namespace
}  // namespace alder
