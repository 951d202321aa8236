// What a learner leaves open is chosen from its first rows, and then nothing of that shows but the choice.
#include "learners/core/first_rows.h"

#include <cmath>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/learners.h"

#include "rows/width.h"
#include "support/any_learner.h"
#include "support/sanitized.h"
#include "support/some_rows.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_all;
using testing::message_of;
using testing::options_of;
using testing::restored;
using testing::SomeRows;

// The most that are kept.
constexpr std::size_t kFirst = FirstRows::kForScaling;
constexpr const char* kPrecisions[] = {"float", "double"};

// What learners leave open in several ways, those of their options that are small enough for removals and maps.
struct Case {
  std::string name;
  Json options;

  /// How many rows are kept.
  [[nodiscard]] std::size_t first() const {
    return options["scale"] == "online" ? FirstRows::kForScaling : FirstRows::kForWidth;
  }
};

std::vector<Case> open_cases(const std::string& precision) {
  std::vector<Case> cases;
  for (const LearnerInfo& info : learner_infos()) {
    Json options = Json::parse(options_of(info.name, testing::small_options(precision)));
    options.erase("threshold");
    const bool has_kernel = options.contains("kernel");
    const auto add = [&](const Json& kernel, const char* scale) {
      Json own = options;
      if (has_kernel) own["kernel"] = kernel;
      own["scale"] = scale;
      cases.push_back({info.name, own});
    };
    add({{"name", "gaussian"}, {"sigma", 1.5}}, "online");
    if (!has_kernel) continue;
    add({{"name", "laplacian"}}, "none");
    add(nullptr, "online");
    if (!info.finds_width()) add(nullptr, "none");
  }
  return cases;
}

std::unique_ptr<Learner> made(const Case& c) {
  return make_learner(c.name, c.options.dump());
}

const FirstRows& first_rows(const Learner& learner) {
  return dynamic_cast<const FirstRows&>(learner);
}

bool is_wrapped(const std::string& name, const std::string& options = "{}") {
  return dynamic_cast<const FirstRows*>(make_learner(name, options).get()) != nullptr;
}

// The definition: what is open is chosen from the first rows, and the learner of these options learns everything.
struct Expected {
  Expected(const Case& c, const SomeRows& data) : rows(data.rows) {
    Json options = c.options;
    if (options["scale"] == "online") {
      const Scaling scaling = Scaling::fit_first(std::span(data.rows).first(c.first()));
      scaling.apply(data.rows, scaled);
      rows = scaled.rows();
    }
    options.erase("scale");
    const bool is_open = options.contains("kernel") && !options["kernel"].contains("sigma");
    if (is_open && (options["kernel"].is_object() || !learner_info(c.name).finds_width())) {
      const std::string kernel = options["kernel"].is_null() ? "gaussian" : options["kernel"]["name"];
      sigma = 0.5 * median_distance(rows.first(c.first()));
      options["kernel"] = {{"name", kernel}, {"sigma", *sigma}};
    }
    learner = make_learner(c.name, options.dump());
    EXPECT_EQ(dynamic_cast<FirstRows*>(learner.get()), nullptr);
    scores = learn_all(*learner, {rows, data.targets, data.weights});
  }

  RowBuffer scaled;
  std::span<const Row> rows;
  std::optional<double> sigma;
  std::unique_ptr<Learner> learner;
  std::vector<double> scores;
};

TEST(FirstRows, AreLearnedAsIfTheChoiceHadBeenKnownFromTheBeginning) {
  const SomeRows data(3 * kFirst + 5);
  for (const char* precision : kPrecisions) {
    for (const Case& c : open_cases(precision)) {
      const Expected expected(c, data);
      const auto learner = made(c);
      const auto scores = learn_all(*learner, data.all());
      const std::string what = c.name + " " + c.options.dump();
      for (std::size_t t = c.first(); t < data.size(); ++t) ASSERT_EQ(scores[t], expected.scores[t]) << what << t;
      EXPECT_EQ(encoded(first_rows(*learner).learner()), encoded(*expected.learner)) << what;
      EXPECT_EQ(learner->rounds(), data.size());
      EXPECT_EQ(learner->name(), c.name);
      for (std::size_t t = 0; t < 20; ++t) {
        ASSERT_EQ(learner->score(data.rows[t]), expected.learner->score(expected.rows[t])) << what;
      }
      const auto sigma = learner->report().number("sigma");
      if (expected.sigma) {
        ASSERT_TRUE(sigma.has_value()) << what;
        EXPECT_NEAR(*sigma, *expected.sigma, 1e-12 * *sigma) << what;
      } else {
        EXPECT_EQ(sigma, expected.learner->report().number("sigma")) << what;
      }
    }
  }
}

TEST(FirstRows, ArePredictedByTheirNearestNeighbour) {
  const SomeRows data(kFirst);
  for (const Case& c : open_cases("float")) {
    const auto learner = made(c);
    for (std::size_t t = 0; t < c.first(); ++t) {
      double expected = 0.0;
      double least = INFINITY;
      for (std::size_t i = 0; i < t; ++i) {
        const double distance = squared_distance(data.rows[i], data.rows[t]);
        if (distance < least) expected = sign_of(data.targets[i]);
        least = std::min(least, distance);
      }
      ASSERT_EQ(learner->score(data.rows[t]), expected) << c.name << t;
      ASSERT_EQ(learn_all(*learner, data.all().from(t, 1))[0], expected) << c.name << t;
      ASSERT_EQ(learner->rounds(), t + 1);
      ASSERT_EQ(first_rows(*learner).is_collecting(), t + 1 < c.first());
      if (t + 1 < c.first()) {
        ASSERT_EQ(learner->report().support, t + 1);
      }
    }
  }
}

TEST(FirstRows, DoNotDependOnHowExamplesAreCut) {
  SomeRows data(2 * kFirst + 3);
  for (std::size_t t = 0; t < data.size(); ++t) data.weights.push_back(t % 7 == 3 ? 0.0 : 1.0);
  for (const Case& c : open_cases("float")) {
    const auto whole = made(c);
    const auto scores = learn_all(*whole, data.all());
    EXPECT_LT(whole->rounds(), data.size());
    for (const std::size_t most : {1, 7, 8, 9, 65}) {
      const auto cut = made(c);
      ASSERT_EQ(learn_all(*cut, data.all(), most), scores) << c.name << " " << most;
      ASSERT_EQ(encoded(*cut), encoded(*whole)) << c.name << " " << most;
    }
  }
}

TEST(FirstRows, CanBeSavedAtEveryRound) {
  const SomeRows data(kFirst + 40);
  for (const char* precision : kPrecisions) {
    std::vector<Case> cases = open_cases(precision);
    const std::size_t small = cases.size();
    for (const LearnerInfo& info : learner_infos()) {  // of the usual sizes
      cases.push_back({info.name, {{"precision", precision}, {"scale", "online"}}});
      cases.push_back({info.name, {{"precision", precision}, {"scale", "none"}}});
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Case& c = cases[i];
      const auto whole = made(c);
      auto split = made(c);
      for (std::size_t t = 0; t < data.size(); ++t) {
        if ((i < small && !testing::kSanitized) || t % 9 == 1) {
          const std::string bytes = encoded(*split);
          split = restored(bytes);
          ASSERT_EQ(encoded(*split), bytes) << c.name << " " << t;
          ASSERT_EQ(split->options(), whole->options()) << c.name << " " << t;
        }
        const Examples one = data.all().from(t, 1);
        ASSERT_EQ(split->score(one.rows[0]), whole->score(one.rows[0])) << c.name << " " << t;
        ASSERT_EQ(learn_all(*split, one), learn_all(*whole, one)) << c.name << " " << t;
        ASSERT_EQ(split->report().number("sigma"), whole->report().number("sigma"));
      }
      EXPECT_EQ(encoded(*split), encoded(*whole)) << c.name;
    }
  }
}

TEST(FirstRows, OfDenseAndSparseRowsAreTheSame) {
  const SomeRows data(kFirst + 20);
  std::vector<FeatureIndex> features = {0, 1, 2, 3};
  std::vector<Row> sparse;
  for (const auto& values : data.values) sparse.push_back(Row::sparse(features, values));
  for (const Case& c : open_cases("double")) {
    const auto one = made(c);
    const auto other = made(c);
    EXPECT_EQ(learn_all(*one, data.all()), learn_all(*other, {sparse, data.targets})) << c.name;
    EXPECT_EQ(encoded(*one), encoded(*other)) << c.name;
  }
}

TEST(FirstRows, KeepTheirWeights) {
  SomeRows data(2 * kFirst);
  for (std::size_t t = 0; t < data.size(); ++t) data.weights.push_back(0.25 * static_cast<double>(1 + t % 9));
  for (const Case& c : open_cases("double")) {
    const auto learner = made(c);
    if (!learner->takes_weights()) {
      EXPECT_NE(message_of([&] { learn_all(*learner, data.all()); }).find("no place for weights"), std::string::npos);
      continue;
    }
    const Expected expected(c, data);
    const auto scores = learn_all(*learner, data.all());
    for (std::size_t t = c.first(); t < data.size(); ++t) ASSERT_EQ(scores[t], expected.scores[t]) << c.name << t;
    EXPECT_EQ(encoded(first_rows(*learner).learner()), encoded(*expected.learner)) << c.name;
  }
}

TEST(FirstRows, AreThereOnlyIfSomethingIsOpen) {
  for (const LearnerInfo& info : learner_infos()) {
    const bool has_kernel = info.find("kernel") != nullptr;
    const bool finds = info.finds_width();
    EXPECT_EQ(is_wrapped(info.name), has_kernel && !finds) << info.name;
    EXPECT_EQ(is_wrapped(info.name, R"({"scale": "none"})"), has_kernel && !finds) << info.name;
    EXPECT_TRUE(is_wrapped(info.name, R"({"scale": "online"})")) << info.name;
    if (!has_kernel) continue;
    EXPECT_EQ(is_wrapped(info.name, R"({"kernel": null})"), !finds) << info.name;
    EXPECT_EQ(is_wrapped(info.name, R"({"kernel": {"name": "gaussian"}, "scale": null})"), !finds) << info.name;
    EXPECT_TRUE(is_wrapped(info.name, R"({"kernel": {"name": "laplacian", "sigma": null}})")) << info.name;
    EXPECT_FALSE(is_wrapped(info.name, R"({"kernel": {"name": "laplacian", "sigma": 2}})")) << info.name;
    EXPECT_FALSE(is_wrapped(info.name, R"({"kernel": {"name": "gaussian", "gamma": 2}})")) << info.name;
    const auto plain = make_learner(info.name, R"({"kernel": {"name": "gaussian", "sigma": 2}, "scale": "none"})");
    EXPECT_EQ(dynamic_cast<FirstRows*>(plain.get()), nullptr);
    EXPECT_EQ(Json::parse(plain->options()).count("scale"), 0U) << info.name;
  }
  OgdOptions options;
  options.kernel = Kernel::laplacian(2.0);
  EXPECT_EQ(encoded(*make_ogd(options)),
            encoded(*make_learner("ogd", R"({"kernel": {"name": "laplacian", "sigma": 2}})")));
}

TEST(FirstRows, HaveOptionsThatSayWhatWasAskedForAndWhatWasChosen) {
  const SomeRows data(kFirst);
  for (const Case& c : open_cases("float")) {
    const auto learner = made(c);
    const auto is_same_again = [&] {
      EXPECT_EQ(make_learner(c.name, learner->options())->options(), learner->options()) << c.name;
    };
    Json options = Json::parse(learner->options());
    const bool scales = c.options["scale"] == "online";
    EXPECT_EQ(options.value("scale", "none"), c.options["scale"]) << c.name;
    const bool chooses = options.contains("kernel") && !options["kernel"].contains("sigma");
    EXPECT_TRUE(chooses || scales) << c.name;
    is_same_again();
    learn_all(*learner, data.all());
    Json now = Json::parse(learner->options());
    is_same_again();
    if (chooses) {
      EXPECT_DOUBLE_EQ(now["kernel"]["sigma"].get<double>(), learner->report().number("sigma").value());
    }
    if (chooses) now["kernel"] = options["kernel"];
    EXPECT_EQ(now, options) << c.name;
    EXPECT_EQ(first_rows(*learner).scaling().has_value(), scales);
  }
}

TEST(FirstRows, AreRefusedOptionsThatMakeNoSense) {
  EXPECT_EQ(message_of([] { (void)make_learner("ogd", R"({"scale": "minmax"})"); }),
            "scale is \"minmax\"; expected none or online");
  EXPECT_EQ(message_of([] { (void)make_learner("linear", R"({"scale": 1})"); }), "scale is 1; expected none or online");
  EXPECT_NE(message_of([] { (void)make_learner("pegasos", R"({"scaling": "online"})"); }).find("precision, scale"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              (void)make_learner("ogd", R"({"scaling": "online"})");
            }).find("precision, target_center, target_scale, scale"),
            std::string::npos);
  // At once, not when there are enough rows.
  EXPECT_NE(message_of([] { (void)make_learner("ogd", R"({"step": -1})"); }).find("step is -1"), std::string::npos);
  EXPECT_NE(message_of([] { (void)make_learner("pomdr", R"({"scale": "online", "budget": 3})"); }).find("budget is 3"),
            std::string::npos);
  for (const char* options : {R"([])", R"({"kernel": 3})", R"({"kernel": {}})", R"({"kernel": {"name": "none"}})",
                              R"({"kernel": {"name": 4}})", R"({"kernel": {"name": "gaussian", "sigma": -1}})"}) {
    EXPECT_NE(message_of([options] { (void)make_learner("ogd", options); }), "nothing thrown") << options;
  }
  EXPECT_NE(message_of([] { (void)make_learner("fogd", R"({"kernel": {"name": "linear"}})"); }), "nothing thrown");
}

TEST(FirstRows, RejectABadRowAtOnce) {
  const SomeRows data(2 * kFirst);
  const std::vector<double> huge = {1e200, 0.0, 1.0};
  const std::vector<double> wrong = {NAN};
  for (const Case& c : open_cases("float")) {
    const auto learner = made(c);
    const auto untouched = made(c);
    std::vector<double> score(1);
    for (std::size_t t = 0; t < data.size(); ++t) {
      const std::string before = t % 9 == 0 ? encoded(*learner) : "";
      for (const auto& values : {huge, wrong}) {
        if (testing::kSanitized && t % 9 != 0) continue;
        const Row row = Row::dense(values);
        const double target = 1.0;
        ASSERT_THROW(learner->learn({std::span(&row, 1), std::span(&target, 1)}, score), Error) << c.name << t;
        ASSERT_THROW((void)learner->score(row), Error) << c.name << t;
      }
      const double target = 3.0;  // neither met nor the next one
      ASSERT_THROW(learner->learn({std::span(&data.rows[0], 1), std::span(&target, 1)}, score), Error) << c.name << t;
      if (t % 9 == 0) {
        ASSERT_EQ(encoded(*learner), before) << c.name << t;
      }
      ASSERT_EQ(learn_all(*learner, data.all().from(t, 1)), learn_all(*untouched, data.all().from(t, 1)));
    }
  }
}

TEST(FirstRows, TakeWhatThePrecisionOfTheLearnerTakes) {
  const std::vector<double> beyond_float = {0.0, 1e60};
  const Row row = Row::dense(beyond_float);
  for (const char* precision : kPrecisions) {
    for (const Case& c : open_cases(precision)) {
      if (c.options["scale"] == "online") continue;
      const bool is_taken = message_of([&] { (void)made(c)->score(row); }) == "nothing thrown";
      EXPECT_EQ(is_taken, precision == std::string("double")) << c.name;
      const auto plain = make_learner(
          c.name, R"({"kernel": {"name": "gaussian", "sigma": 1}, "precision": ")" + std::string(precision) + "\"}");
      EXPECT_EQ(message_of([&] { (void)made(c)->score(row); }), message_of([&] { (void)plain->score(row); })) << c.name;
    }
  }
}

// A kernel of scaled rows may be beyond what can be computed: the last of the first rows is refused, again and again.
TEST(FirstRows, StayAsTheyAreIfNoLearnerCanLearnThem) {
  const SomeRows data(kFirst + 1);
  const auto learner = make_learner(
      "ogd", R"({"scale": "online", "kernel": {"name": "polynomial", "degree": 100, "gamma": 100, "coef0": 1}})");
  learn_all(*learner, data.all().from(0, kFirst - 1));
  const std::string before = encoded(*learner);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(message_of([&] { learn_all(*learner, data.all().from(kFirst - 1, 1)); }).find("kernel of the row"),
              std::string::npos);
    EXPECT_EQ(encoded(*learner), before);
    EXPECT_EQ(learner->rounds(), kFirst - 1);
  }
}

TEST(FirstRows, CanBeScoredOnSeveralThreads) {
  const SomeRows data(1000);
  for (const std::size_t learned : {std::size_t{20}, 2 * kFirst}) {
    for (const Case& c : open_cases("float")) {
      const auto learner = made(c);
      learn_all(*learner, data.all().from(0, learned));
      std::vector<double> alone(data.size());
      learner->score(data.rows, alone);
      std::vector<std::vector<double>> scores(4, std::vector<double>(data.size()));
      std::vector<std::thread> threads;
      for (auto& own : scores) threads.emplace_back([&] { learner->score(data.rows, own); });
      for (std::thread& thread : threads) thread.join();
      for (const auto& own : scores) EXPECT_EQ(own, alone) << c.name;
    }
  }
}

TEST(FirstRows, AreReportedWithWhatTheyCost) {
  const SomeRows data(10 * kFirst);
  for (const Case& c : open_cases("float")) {
    const Expected expected(c, data);
    const auto learner = made(c);
    const Report before = learner->report();
    EXPECT_EQ(before.rounds, 0U);
    EXPECT_EQ(before.number("sigma"), std::nullopt);
    learn_all(*learner, data.all());
    Report now = learner->report();
    const Report inner = expected.learner->report();
    EXPECT_EQ(now.rounds, inner.rounds);
    EXPECT_EQ(now.support, inner.support);
    EXPECT_EQ(now.norm, inner.norm);
    EXPECT_EQ(now.learning_rate, inner.learning_rate);
    EXPECT_EQ(now.removals(), inner.removals());
    EXPECT_EQ(now.count("switch_round"), inner.count("switch_round"));
    EXPECT_GT(now.bytes, 1000U);
  }
}

}  // namespace
}  // namespace alder
