#include "alder/model.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/pomdr.h"

#include "data/support.h"
#include "io/whole_file.h"
#include "support/dense.h"
#include "support/throws.h"

namespace alder {
namespace {

Model trained() {
  Model model;
  model.learner = make_pomdr({});
  const auto stream = testing::random_stream(1, 50, 3);
  for (std::size_t t = 0; t < 50; ++t) model.learner->learn(Row::dense(stream.rows[t]), stream.labels[t]);
  model.classes = {"nein", "ja, \"genau\""};
  model.features = 3;
  model.scaling = Scaling(Scaling::Kind::kStandard, {0, 2}, {0.1, -5.0}, {1.0 / 3.0, 2.0});
  return model;
}

TEST(Model, ComesBackFromItsFileWhole) {
  const test::TemporaryFolder folder;
  const Model model = trained();
  save_model(model, folder.path("m"));
  const Model loaded = load_model(folder.path("m"));
  EXPECT_EQ(loaded.classes, model.classes);
  EXPECT_EQ(loaded.features, 3U);
  ASSERT_TRUE(loaded.scaling.has_value());
  EXPECT_EQ(loaded.scaling->kind(), Scaling::Kind::kStandard);
  EXPECT_EQ(loaded.scaling->features(), model.scaling->features());
  EXPECT_EQ(loaded.scaling->offsets(), model.scaling->offsets());
  EXPECT_EQ(loaded.scaling->divisors(), model.scaling->divisors());
  const std::vector<double> x = {0.3, 0.1, -0.2};
  EXPECT_EQ(loaded.learner->score(Row::dense(x)), model.learner->score(Row::dense(x)));
  EXPECT_EQ(loaded.learner->options(), model.learner->options());
  save_model(loaded, folder.path("again"));
  EXPECT_EQ(read_file(folder.path("again")), read_file(folder.path("m")));
}

TEST(Model, DescriptionHasWhatIsInside) {
  const test::TemporaryFolder folder;
  save_model(trained(), folder.path("m"));
  const auto json = nlohmann::json::parse(describe_model(folder.path("m")));
  EXPECT_EQ(json.at("learner"), "pomdr");
  EXPECT_EQ(json.at("rounds"), 50);
  EXPECT_EQ(json.at("scaling"), "standard");
  EXPECT_EQ(json.at("checksum").get<std::string>().size(), 16U);
  EXPECT_EQ(json.at("options").at("budget"), 400);
  EXPECT_GT(json.at("tensors").at("coefficients").get<int>(), 0);
}

TEST(Model, ErrorsNameTheFile) {
  const test::TemporaryFolder folder;
  replace_file(folder.path("text"), "+1 1:2 2:3\n+1 1:1\n");
  EXPECT_EQ(testing::message_of([&] { (void)load_model(folder.path("text")); }),
            folder.path("text") + ": not a sound alder model: it ends within its header");
}

TEST(Model, AClassNameThatIsNotUtf8DoesNotLoseTheModel) {
  const test::TemporaryFolder folder;
  Model model = trained();
  model.classes.negative = "caf\xe9";
  save_model(model, folder.path("m"));
  EXPECT_EQ(load_model(folder.path("m")).classes.negative, "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace alder
