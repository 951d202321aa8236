// Model with every learner on a stream of three blobs, the third of which comes late.
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/model.h"

#include "support/any_learner.h"
#include "support/class_rows.h"
#include "support/test_name.h"

namespace alder {
namespace {

using testing::ClassRows;

class ModelOfManyClasses : public ::testing::TestWithParam<std::string> {};

void learn(Model& model, const ClassRows& data, std::size_t begin, std::size_t end, std::size_t most = 50) {
  while (begin < end) begin += model.learn(data.from(begin, std::min(most, end - begin)));
}

TEST_P(ModelOfManyClasses, LearnsThemBetterThanTheMajority) {
  constexpr std::size_t kRows = 1500;
  constexpr std::size_t kTest = 500;
  for (const std::size_t every : {1U, 150U}) {
    const ClassRows data(21, kRows + kTest, 3, 3, every);
    for (const char* options : {"{}", R"({"scale": "online"})"}) {
      Model model(GetParam(), options);
      model.set_classes({"a", "b", "c"});
      learn(model, data, 0, kRows);
      Predictions made;
      model.predict(std::span(data.rows).subspan(kRows), made, {.threads = 1, .probabilities = true});
      ASSERT_EQ(made.outputs, 3U);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < kTest; ++i) {
        wrong += static_cast<double>(made.classes[i]) != data.targets[kRows + i] ? 1 : 0;
        double sum = 0.0;
        for (std::size_t c = 0; c < 3; ++c) sum += made.probabilities[3 * i + c];
        EXPECT_NEAR(sum, 1.0, 1e-9);
      }
      EXPECT_LT(wrong, kTest / 5) << options;  // the majority has two thirds of all wrong
      EXPECT_LT(model.metrics().mistakes(), kRows / 4) << options;

      const Model again = Model::decode(model.encode());
      EXPECT_EQ(again.encode(), model.encode());
      Predictions same;
      again.predict(std::span(data.rows).subspan(kRows), same, {.threads = 1, .probabilities = true});
      EXPECT_EQ(same.scores, made.scores);
      EXPECT_EQ(same.probabilities, made.probabilities);
    }
  }
}

TEST_P(ModelOfManyClasses, DoesNotDependOnWhereCallsAreCut) {
  const ClassRows data(22, 260, 4, 3, 45);
  for (const bool has_width : {false, true}) {
    auto options = testing::small_options("float");
    if (!has_width) options.erase("kernel");
    const auto make = [&] {
      Model model(GetParam(), testing::options_of(GetParam(), options));
      model.set_classes({"a", "b", "c", "d"});
      return model;
    };
    Model whole = make();
    learn(whole, data, 0, data.size(), 1);
    for (const std::size_t most : {3U, 8U, 64U, 1000U}) {
      Model model = make();
      learn(model, data, 0, data.size(), most);
      EXPECT_TRUE(model.encode() == whole.encode()) << most;
    }
    Model resumed = make();
    for (std::size_t begin = 0; begin < data.size(); begin += 13) {
      learn(resumed, data, begin, std::min(begin + 13, data.size()));
      resumed = resumed.clone();
    }
    EXPECT_TRUE(resumed.encode() == whole.encode());
  }
}

// A bad row that would bring a class leaves the model as it is.
TEST_P(ModelOfManyClasses, IsNotChangedByABadRow) {
  const ClassRows data(23, 200, 2);
  Model model(GetParam(), testing::options_of(GetParam(), testing::small_options("float")));
  learn(model, data, 0, data.size());
  const std::string before = model.encode();
  const testing::Vector bad = {1.0, HUGE_VAL, 0.0};
  const Row row = Row::dense(bad);
  const double target = 2.0;
  EXPECT_THROW(model.learn({std::span(&row, 1), std::span(&target, 1)}), Error);
  EXPECT_TRUE(model.encode() == before);
  EXPECT_EQ(model.learner().outputs(), 1U);
}

// docs/model-format.md names all keys and tensors.
TEST_P(ModelOfManyClasses, HoldsWhatTheDocumentSays) {
  std::ifstream file(std::string(ALDER_SOURCE_DIR) + "/docs/model-format.md");
  const std::string document((std::istreambuf_iterator<char>(file)), {});
  const auto is_named = [&document](const std::string& name) {
    return document.find("`" + name + "`") != std::string::npos;
  };
  ASSERT_TRUE(is_named("coefficients"));
  const auto check = [&is_named](const Archive& archive) {
    const auto check_state = [&](const nlohmann::ordered_json& state) {
      for (const auto& [key, value] : state.items()) {
        EXPECT_TRUE(is_named("state." + key) || value.is_object()) << "state." << key;
      }
    };
    for (const auto& [key, value] : archive.settings().items()) EXPECT_TRUE(is_named(key)) << key;
    check_state(archive.object("state"));
    const bool is_one_vs_rest = archive.has_part("one_vs_rest");
    if (is_one_vs_rest) {
      EXPECT_TRUE(is_named("one_vs_rest.states") && is_named("classC.*"));
      for (const auto& state : archive.object("one_vs_rest").at("states")) check_state(state);
    }
    for (const auto& [tensor, size] : archive.sizes()) {
      std::string name = std::regex_replace(tensor, std::regex("candidate[0-9]+"), "candidateC");
      name = std::regex_replace(name, std::regex("geometry[0-9]+"), "geometryG");
      name = std::regex_replace(name, std::regex("predictor[0-9]+"), "predictorP");
      if (is_one_vs_rest) name = std::regex_replace(name, std::regex("^class[0-9]+\\."), "");
      EXPECT_TRUE(is_named(name)) << tensor;
    }
  };
  auto options = testing::small_options("float");
  options["scale"] = "online";
  const ClassRows data(24, 400, 4, 3, 10);
  Model model(GetParam(), testing::options_of(GetParam(), options));
  for (const std::size_t end : {20U, 100U, 140U, 400U}) {
    learn(model, data, model.learner().rounds(), end);
    const Archive archive = Archive::decode(model.encode());
    check(archive);
    if (end == 400) {
      const bool is_native = learner_info(GetParam()).traits.many_classes == LearnerTraits::ManyClasses::kNative;
      EXPECT_EQ(archive.has_part("one_vs_rest"), !is_native);
      EXPECT_EQ(archive.object("state").contains("classes"), is_native);
    }
  }
  // ALDER without a kernel, in its first races, the duel and after it.
  if (!learner_info(GetParam()).traits.finds_width) return;
  for (const char* race : {"4000", "300"}) {
    Model alone(GetParam(), std::string(R"({"budget":12,"race":)") + race + "}");
    for (const std::size_t end : {20U, 100U, 280U, 400U}) {
      learn(alone, data, alone.learner().rounds(), end);
      check(Archive::decode(alone.encode()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, ModelOfManyClasses, ::testing::ValuesIn(learner_names()), testing::test_name);

}  // namespace
}  // namespace alder
