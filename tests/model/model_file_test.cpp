// Models through bytes and files.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/model.h"
#include "alder/pomdr.h"
#include "alder/registry.h"

#include "data/support.h"
#include "io/whole_file.h"
#include "model/some_models.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_all_of;
using testing::Listed;
using testing::predicted;

Listed some_rows(std::uint64_t seed, std::size_t count) {
  const auto stream = testing::random_stream(seed, count, 3);
  Listed rows;
  for (std::size_t t = 0; t < count; ++t) rows.add(stream.rows[t], testing::target_of(stream.labels[t]));
  return rows;
}

Model trained() {
  Model model("pomdr", R"({"kernel": {"name": "gaussian", "sigma": 1}})",
              Scaling(Scaling::Kind::kStandard, {0, 2}, {0.1, -5.0}, {1.0 / 3.0, 2.0}));
  model.set_classes({"nein", "ja, \"genau\""}, true);
  learn_all_of(model, some_rows(1, 50));
  return model;
}

TEST(ModelFile, BringsTheWholeModelBack) {
  const test::TemporaryFolder folder;
  const Model model = trained();
  model.save(folder.path("m"));
  const Model loaded = Model::load(folder.path("m"));
  EXPECT_EQ(loaded.classes(), model.classes());
  EXPECT_EQ(loaded.positive(), model.positive());
  EXPECT_EQ(loaded.features(), 3U);
  ASSERT_TRUE(loaded.scaling().has_value());
  EXPECT_EQ(loaded.scaling()->kind(), Scaling::Kind::kStandard);
  EXPECT_EQ(loaded.scaling()->features(), model.scaling()->features());
  EXPECT_EQ(loaded.scaling()->offsets(), model.scaling()->offsets());
  EXPECT_EQ(loaded.scaling()->divisors(), model.scaling()->divisors());
  const Listed rows = some_rows(2, 40);
  EXPECT_EQ(predicted(loaded, rows).scores, predicted(model, rows).scores);
  EXPECT_EQ(loaded.learner().options(), model.learner().options());
  EXPECT_EQ(loaded.counts().rows, 50U);
  EXPECT_EQ(loaded.counts().mistakes, model.counts().mistakes);
  EXPECT_EQ(loaded.counts().hinge_loss, model.counts().hinge_loss);
  EXPECT_EQ(loaded.metrics().values(), model.metrics().values());
  loaded.save(folder.path("again"));
  EXPECT_EQ(read_file(folder.path("again")), read_file(folder.path("m")));
}

// Classes get their ids in the order in which they are shown.
TEST(ModelFile, GivesIdsInTheOrderInWhichClassesAreShown) {
  const Listed rows = some_rows(3, 120);
  for (const bool is_ordered : {false, true}) {
    Model model("linear");
    model.set_classes({"10", "9"}, is_ordered);
    for (std::size_t t = 0; t < 120;) t += model.learn(rows.examples(t, 120 - t));
    const Model loaded = Model::decode(model.encode());
    const Model copy = model.clone();
    EXPECT_EQ(loaded.classes(), is_ordered ? model.classes() : (std::vector<std::string>{"9", "10"}));
    EXPECT_EQ(loaded.classes()[loaded.positive()], model.classes()[model.positive()]);
    EXPECT_EQ(predicted(loaded, rows).scores, predicted(model, rows).scores);
    EXPECT_EQ(loaded.metrics().values(), model.metrics().values());
    EXPECT_EQ(loaded.encode(), model.encode());
    EXPECT_EQ(copy.classes(), model.classes());
    EXPECT_EQ(predicted(copy, rows).classes, predicted(model, rows).classes);
    EXPECT_EQ(copy.metrics().values(), model.metrics().values());
  }
}

// However the classes are called and in whatever order they came.
TEST(ModelFile, GoesOnAsIfItHadNotBeenSaved) {
  const Listed rows = some_rows(3, 120);
  const std::vector<std::vector<std::string>> names = {{}, {"a", "b"}, {"b", "a"}, {"9", "10"}, {"", "x"}};
  for (const std::string& name : learner_names()) {
    for (const auto& classes : names) {
      for (const bool is_ordered : {false, true}) {
        if (!is_ordered && classes == names[2]) continue;  // would get other ids
        Model whole(name);
        whole.set_classes(classes, is_ordered);
        Model split = whole.clone();
        for (std::size_t t = 0; t < rows.rows.size();) {
          if (t % 3 == 0) {
            const std::string bytes = split.encode();
            split = Model::decode(bytes);
            ASSERT_EQ(split.encode(), bytes) << name << " " << t;
            ASSERT_EQ(split.classes(), whole.classes()) << name << " " << t;
            ASSERT_EQ(split.positive(), whole.positive()) << name << " " << t;
          }
          Predictions one;
          Predictions other;
          const std::size_t count = std::min<std::size_t>(1 + t % 9, rows.rows.size() - t);
          ASSERT_EQ(whole.learn(rows.examples(t, count), &one), count);
          ASSERT_EQ(split.learn(rows.examples(t, count), &other), count);
          ASSERT_EQ(one.scores, other.scores) << name << " " << t;
          ASSERT_EQ(one.classes, other.classes) << name << " " << t;
          t += count;
        }
        EXPECT_EQ(split.encode(), whole.encode()) << name;
        EXPECT_EQ(split.metrics().values(), whole.metrics().values()) << name;
        EXPECT_EQ(predicted(split, rows).classes, predicted(whole, rows).classes) << name;
      }
    }
  }
}

TEST(ModelFile, OfAModelThatHasLearnedNothing) {
  const Model model = Model("alder").clone();
  EXPECT_TRUE(model.classes().empty());
  EXPECT_EQ(model.learner().name(), "alder");
  EXPECT_EQ(model.encode(), Model("alder").encode());
}

TEST(ModelFile, ACloneGoesItsOwnWay) {
  Model model = trained();
  Model copy = model.clone();
  EXPECT_EQ(copy.encode(), model.encode());
  learn_all_of(copy, some_rows(5, 20));
  EXPECT_EQ(model.counts().rows, 50U);
  EXPECT_EQ(copy.counts().rows, 70U);
  EXPECT_EQ(model.encode(), trained().encode());
}

TEST(ModelFile, WithAnotherLearnerEverythingElseStays) {
  const Model model = trained();
  const Model other = model.with_learner(make_learner("ogd"));
  EXPECT_EQ(other.learner().name(), "ogd");
  EXPECT_EQ(other.classes(), model.classes());
  EXPECT_EQ(other.counts().rows, 50U);
  EXPECT_EQ(other.scaling()->offsets(), model.scaling()->offsets());
  EXPECT_EQ(other.features(), 3U);
}

TEST(ModelFile, DescriptionHasWhatIsInside) {
  const test::TemporaryFolder folder;
  trained().save(folder.path("m"));
  const auto json = nlohmann::json::parse(describe_model(folder.path("m")));
  EXPECT_EQ(json.at("learner"), "pomdr");
  EXPECT_EQ(json.at("rounds"), 50);
  EXPECT_EQ(json.at("scaling"), "standard");
  EXPECT_EQ(json.at("checksum").get<std::string>().size(), 16U);
  EXPECT_EQ(json.at("options").at("budget"), 400);
  EXPECT_GT(json.at("tensors").at("coefficients").get<int>(), 0);
}

TEST(ModelFile, ErrorsNameTheFile) {
  const test::TemporaryFolder folder;
  replace_file(folder.path("text"), "+1 1:2 2:3\n+1 1:1\n");
  EXPECT_EQ(testing::message_of([&] { (void)Model::load(folder.path("text")); }),
            folder.path("text") + ": not a sound alder model: it begins as a text does");
}

TEST(ModelFile, AClassNameThatIsNotUtf8DoesNotLoseTheModel) {
  const test::TemporaryFolder folder;
  Model model("ogd");
  model.set_classes({"caf\xe9", "tea"});
  learn_all_of(model, some_rows(1, 50));
  model.save(folder.path("m"));
  EXPECT_EQ(Model::load(folder.path("m")).classes()[0], "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace alder
