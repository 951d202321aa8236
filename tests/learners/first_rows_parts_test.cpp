// First rows of learners with several outputs, of functions that are kept, and of files that were tampered with.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "alder/batch.h"
#include "alder/model.h"

#include "learners/core/first_rows.h"
#include "rows/width.h"
#include "support/any_learner.h"
#include "support/some_rows.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_all;
using testing::message_of;
using testing::restored;
using testing::SomeRows;

constexpr std::size_t kFirst = FirstRows::kForWidth;

TEST(FirstRowsInRegistry, AreOptionsOfAllLearners) {
  std::size_t finders = 0;
  for (const LearnerInfo& info : learner_infos()) {
    const OptionInfo* kernel = info.find("kernel");
    if (kernel != nullptr) {
      EXPECT_TRUE(kernel->is_automatic) << info.name;
    }
    const OptionInfo* scale = info.find("scale");
    ASSERT_NE(scale, nullptr) << info.name;
    EXPECT_EQ(scale->fallback, "none");
    EXPECT_EQ(scale->choices, (std::vector<std::string>{"none", "online"}));
    finders += info.finds_width() ? 1 : 0;
  }
  EXPECT_EQ(finders, 1U);
  EXPECT_TRUE(learner_info("alder").finds_width());
}

struct SumsOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  Precision precision = Precision::kFloat;
  bool is_regression = false;
};

void list(SumsOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.flag("regression", options.is_regression, "of numbers");
  visit.precision(options.precision);
}

// As simple as a learner of many classes, or of a number, can be: sums of the first value, for every class.
template <class T>
class Sums final : public Learner {
 public:
  using Options = SumsOptions;
  explicit Sums(const Options& options) : options_(options) {}
  Sums(const Options& options, const Archive& archive) : Sums(options) {
    restore_rounds(archive);
    sums_ = archive.get<double>("sums");
  }

  [[nodiscard]] std::string name() const override { return "sums"; }
  [[nodiscard]] Task task() const override {
    return options_.is_regression ? Task::kRegression : Task::kClassification;
  }
  [[nodiscard]] std::size_t outputs() const override {
    return sums_.size() > 2 && !options_.is_regression ? sums_.size() : 1;
  }
  [[nodiscard]] std::size_t most_classes() const override { return 100; }
  [[nodiscard]] bool takes_weights() const override { return true; }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    for (std::size_t i = 0; i < out.scores.size(); ++i) {
      const double sum = i % outputs() < sums_.size() ? sums_[i % outputs()] : 0.0;
      out.scores[i] = sum * rows[i / outputs()].value(0) * options_.kernel.gamma();
    }
  }
  void round(const Row& row, double target, double weight, Outputs out) override {
    score_block(std::span(&row, 1), out);
    const std::size_t place = options_.is_regression ? 0 : static_cast<std::size_t>(target);
    if (sums_.size() <= place) sums_.resize(place + 1);
    sums_[place] += weight * target * row.value(0) / static_cast<double>(rounds() + 1);
  }
  void describe(Report& report) const override { report.support = sums_.size(); }
  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.put("sums", sums_);
  }

 private:
  Options options_;
  std::vector<double> sums_;
};

const LearnerKind kSums = learner_kind<Sums>("sums", "for tests");

struct Outcome {
  std::vector<std::vector<double>> scores;
  std::string bytes;
};

Outcome outcome_of(Learner& learner, const Examples& examples, std::size_t most) {
  Outcome outcome;
  for (std::size_t done = 0; done < examples.size();) {
    const std::size_t count = std::min(most, examples.size() - done);
    const std::size_t width = learner.outputs();
    std::vector<double> scores(count * width);
    const std::size_t learned = learner.learn(examples.from(done, count), scores);
    for (std::size_t i = 0; i < learned; ++i) {
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(i * width);
      outcome.scores.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    done += learned;
  }
  outcome.bytes = encoded(learner);
  return outcome;
}

// Classes come one after the other, some within the first rows, one just after them.
TEST(FirstRowsOfManyClasses, HaveAnOutputForEach) {
  SomeRows data(2 * kFirst);
  for (std::size_t t = 0; t < data.size(); ++t)
    data.targets[t] = static_cast<double>(t % (1 + std::min<std::size_t>(t / 9, 7)));
  for (const std::size_t most : {1, 5, 100}) {
    FirstRows learner(kSums, Json::object());
    const Outcome outcome = outcome_of(learner, data.all(), most);
    const double sigma = 0.5 * median_distance(std::span(data.rows).first(kFirst));
    const auto plain = kSums.make({{"kernel", {{"name", "gaussian"}, {"sigma", sigma}}}});
    const Outcome expected = outcome_of(*plain, data.all(), most);
    EXPECT_EQ(encoded(learner.learner()), expected.bytes);
    EXPECT_EQ(learner.outputs(), plain->outputs());
    std::size_t classes = 0;
    for (std::size_t t = 0; t < data.size(); ++t) {
      ASSERT_EQ(outcome.scores[t].size(), classes > 2 ? classes : 1) << t;
      if (t >= kFirst) {
        ASSERT_EQ(outcome.scores[t], expected.scores[t]) << t;
      } else if (classes > 2) {
        EXPECT_EQ(std::count(outcome.scores[t].begin(), outcome.scores[t].end(), 1.0), 1) << t;
      }
      classes = std::max(classes, static_cast<std::size_t>(data.targets[t]) + 1);
    }
    ASSERT_EQ(classes, 8U);
  }
}

TEST(FirstRowsOfNumbers, ArePredictedByTheNumbersOfTheNearest) {
  SomeRows data(2 * kFirst);
  for (std::size_t t = 0; t < data.size(); ++t) data.targets[t] = 0.1 * static_cast<double>(t) - 3.0;
  FirstRows learner(kSums, {{"regression", true}});
  const Outcome outcome = outcome_of(learner, data.all().from(0, 10), 3);
  EXPECT_EQ(outcome.scores[0][0], 0.0);
  EXPECT_EQ(outcome.scores[1][0], data.targets[0]);
  for (std::size_t t = 0; t < 10; ++t) {
    std::vector<std::pair<double, double>> near;
    for (std::size_t i = 0; i < 10; ++i) {
      near.emplace_back(squared_distance(data.rows[t], data.rows[i]), data.targets[i]);
    }
    std::sort(near.begin(), near.end());
    double sum = 0.0;
    for (std::size_t i = 0; i < 5; ++i) sum += near[i].second;
    EXPECT_NEAR(learner.score(data.rows[t]), sum / 5.0, 1e-12);
  }
  outcome_of(learner, data.all().from(10, data.size() - 10), 7);
  const auto plain = kSums.make({{"regression", true}, {"kernel", Json::parse(learner.options())["kernel"]}});
  EXPECT_EQ(outcome_of(*plain, data.all(), 100).bytes, encoded(learner.learner()));
}

// The learner after some rows, and what is left of a pass over them.
struct Pass {
  Pass(const std::string& options, const SomeRows& data, const BatchOptions& batch_options)
      : learner(make_learner("pomdr", options)), batch(*learner, batch_options) {
    for (std::size_t t = 0; t < data.size(); ++t) {
      const Examples one = data.all().from(t, 1);
      Predictions made;
      made.scores = learn_all(*learner, one);
      batch.after(one, made);
    }
  }
  std::unique_ptr<Learner> learner;
  Batch batch;
};

std::vector<double> scores_of(const Learner& learner, std::span<const Row> rows) {
  std::vector<double> scores(rows.size());
  learner.score(rows, scores);
  return scores;
}

// What is kept is what a learner with that width, and of scaled rows, leaves behind.
TEST(FirstRowsWithHypotheses, LeaveBehindWhatTheirLearnerDoes) {
  using Choice = BatchOptions::Choice;
  const std::string small = R"("budget": 12, "b0": 6)";
  for (const bool scales : {false, true}) {
    const std::string open = "{" + small + (scales ? R"(, "scale": "online"})" : "}");
    const std::size_t first = scales ? FirstRows::kForScaling : FirstRows::kForWidth;
    std::size_t drawn_late = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const SomeRows data(2 * first + 11, seed);
      RowBuffer scaled;
      std::optional<Scaling> scaling;
      if (scales) scaling = Scaling::fit_first(std::span(data.rows).first(first));
      if (scales) scaling->apply(data.rows, scaled);
      SomeRows seen(0);
      const std::span<const Row> as_learned = scales ? scaled.rows() : std::span<const Row>(data.rows);
      seen.rows.assign(as_learned.begin(), as_learned.end());
      seen.targets = data.targets;
      for (const Choice choice : {Choice::kRandom, Choice::kLast, Choice::kAverage}) {
        // The mean begins after the first rows, or among them.
        const BatchOptions options = {choice, seed, seed % 2 == 0 ? data.size() : first};
        const Pass pass(open, data, options);
        const auto kernel = Json::parse(pass.learner->options())["kernel"];
        const Pass plain("{" + small + R"(, "kernel": )" + kernel.dump() + "}", seen, options);
        const Batch::Chosen chosen = pass.batch.chosen();
        const Batch::Chosen expected = plain.batch.chosen();
        EXPECT_EQ(chosen.first_round, expected.first_round);
        EXPECT_EQ(chosen.last_round, expected.last_round);
        EXPECT_EQ(chosen.hypothesis->rounds(), data.size());
        const auto again = restored(encoded(*chosen.hypothesis));
        EXPECT_EQ(scores_of(*again, data.rows), scores_of(*chosen.hypothesis, data.rows));
        EXPECT_EQ(encoded(*again), encoded(*chosen.hypothesis));
        if (choice == Choice::kRandom && chosen.first_round <= first) continue;
        drawn_late += choice == Choice::kRandom ? 1 : 0;
        EXPECT_EQ(scores_of(*chosen.hypothesis, data.rows), scores_of(*expected.hypothesis, seen.rows)) << seed;
      }
    }
    EXPECT_GT(drawn_late, 1U);
    EXPECT_LT(drawn_late, 8U);
  }
}

TEST(FirstRowsWithHypotheses, AreAllThatThereIsIfTheStreamEndsWithinThem) {
  using Choice = BatchOptions::Choice;
  for (const std::size_t count : {0U, 1U, 2U, 20U, 63U}) {
    const SomeRows data(count);
    const SomeRows others(30, 7);
    const double sigma = 0.5 * median_distance(data.rows);
    for (const Choice choice : {Choice::kRandom, Choice::kLast, Choice::kAverage}) {
      const BatchOptions options = {choice, 3, std::max<std::size_t>(count, 1)};
      const Pass pass("{}", data, options);
      const Batch::Chosen chosen = pass.batch.chosen();
      const std::string kernel = Json{{"kernel", {{"name", "gaussian"}, {"sigma", sigma}}}}.dump();
      const Pass plain(kernel, data, options);
      EXPECT_EQ(chosen.first_round, plain.batch.chosen().first_round);
      if (choice == Choice::kRandom) continue;  // of an earlier round, and another width
      EXPECT_EQ(scores_of(*chosen.hypothesis, others.rows), scores_of(*plain.batch.chosen().hypothesis, others.rows));
    }
  }
}

TEST(FirstRowsInFiles, MakeTheSameModels) {
  const SomeRows data(200);
  Model model("nogd", R"({"scale": "online"})");
  model.set_classes({"a", "b"});
  for (std::size_t done = 0; done < data.size();) {
    done += model.learn(data.all().from(done, data.size() - done));
    const Model again = Model::decode(model.encode());
    ASSERT_EQ(again.encode(), model.encode());
    Predictions one;
    Predictions other;
    model.predict(data.rows, one);
    again.predict(data.rows, other);
    EXPECT_EQ(one.scores, other.scores);
  }
}

// What is wrong with the archive of a learner after so many rows once `change` has changed it.
std::string refused(const std::string& options, std::size_t rounds, const std::function<void(Archive&)>& change) {
  const auto learner = make_learner("ogd", options);
  learn_all(*learner, SomeRows(rounds).all());
  Archive archive;
  learner->save(archive);
  EXPECT_NO_THROW((void)restore_learner(archive));
  change(archive);
  return message_of([&] { (void)restore_learner(archive); });
}

TEST(FirstRowsInFiles, AreCheckedWhileTheyAreCollected) {
  const auto says = [](const std::function<void(Archive&)>& change, const std::string& text) {
    for (const char* options : {"{}", R"({"scale": "online"})"}) {
      const std::string message = refused(options, 5, change);
      EXPECT_NE(message.find(text), std::string::npos) << message;
      EXPECT_EQ(message.find("not a sound alder model: "), 0U) << message;
    }
  };
  const auto values = [](const char* name, std::vector<double> numbers) {
    return [=](Archive& archive) { archive.put(name, numbers); };
  };
  const auto setting = [](const char* part, const char* key, const Json& value) {
    return [=](Archive& archive) { archive.settings()[part][key] = value; };
  };
  const auto count = [](const char* part, const char* key, std::uint64_t value) {
    return [=](Archive& archive) { archive.set(part, key, value); };
  };
  says(values("first_rows.targets", {0, 1, 1, 0}), "first_rows.targets");
  says(values("first_rows.targets", {0, 1, 1, 0, 3}), "its first row 5 cannot be learned: the target is 3");
  says(values("first_rows.targets", {0, 1, NAN, 0, 0}), "its first row 3 cannot be learned: the target is nan");
  says(values("first_rows.targets", {0, 1, 0.5, 0, 0}), "its first row 3 cannot be learned");
  says(values("first_rows.weights", {1, 1, 1, 1}), "first_rows.weights");
  says(values("first_rows.weights", {1, 1, 1, 1, -1}), "its first row 5 cannot be learned: the weight is -1");
  says(values("first_rows.weights", {1, 0, 1, 1, 1}), "weight 0");
  says(values("first_rows.values", std::vector<double>(20, 1e200)), "its first row 1 cannot be learned: ");
  says(values("first_rows.values", {1.0}), "first_rows.values");
  using Starts = std::vector<std::uint64_t>;
  const auto starts = [](const Starts& numbers) {
    return [=](Archive& archive) { archive.put("first_rows.starts", numbers); };
  };
  says(starts({0, 4, 8, 16, 12, 20}), "overlap");
  says(starts({0, 20}), "a row of first_rows is none: feature 0 comes after feature 3");
  says(starts({}), "do not add up");
  says(
      [](Archive& archive) {
        archive.put("first_rows.starts", Starts(5));
        archive.put("first_rows.features", std::vector<FeatureIndex>());
        archive.put("first_rows.values", std::vector<double>());
      },
      "it has other first rows than it has learned");
  says(count("state", "rounds", 6), "it has other first rows than it has learned");
  says(count("first_rows", "rows", 0), "it has 0 first rows; expected a multiple of 8");
  says(count("first_rows", "rows", 63), "it has 63 first rows");
  says(count("first_rows", "rows", 1U << 20U), "it has 1048576 first rows");
  says(setting("first_rows", "rows", "many"), "rows");
  says(setting("first_rows", "width", false), "its first rows are for other options than it has");
  says(setting("first_rows", "width", 7), "width");
  says(setting("options", "kernel", {{"name", "linear"}}), "its first rows are for other options than it has");
  says([](Archive& archive) { archive.settings()["first_rows"] = 3; }, "first_rows");
  EXPECT_NE(refused("{}", 5, [](Archive& archive) { archive.settings().erase("first_rows"); }), "nothing thrown");
  EXPECT_NE(refused("{}", 5, setting("options", "scale", 3)).find("scale is 3"), std::string::npos);
}

TEST(FirstRowsInFiles, AreCheckedAfterwards) {
  const std::string scaled = R"({"scale": "online"})";
  const auto erase = [](const char* part, const char* key) {
    return [=](Archive& archive) { archive.settings()[part].erase(key); };
  };
  EXPECT_NE(refused("{}", 200, erase("options", "kernel")).find("its kernel has no width"), std::string::npos);
  EXPECT_NE(refused("{}", 200,
                    [](Archive& archive) {
                      archive.settings()["options"]["kernel"] = {{"name", "linear"}};
                    })
                .find("which its kernel does not have"),
            std::string::npos);
  EXPECT_NE(refused(scaled, 200, erase("options", "kernel")).find("its kernel has no width"), std::string::npos);
  EXPECT_NE(refused(scaled, 200, erase("first_rows", "scaling")).find("scaling"), std::string::npos);
  EXPECT_NE(refused(scaled, 200, erase("first_rows", "rows")).find("rows"), std::string::npos);
  EXPECT_NE(refused(scaled, 200, [](Archive& archive) { archive.settings().erase("first_rows"); }).find("scale"),
            std::string::npos);
  EXPECT_NE(refused("{}", 200, [](Archive& archive) { archive.settings()["first_rows"]["width"] = false; })
                .find("other options"),
            std::string::npos);
  for (const char* tensor : {"first_rows.scaling.offsets", "first_rows.scaling.divisors"}) {
    for (const double number : {NAN, -INFINITY}) {
      const std::string message =
          refused(scaled, 200, [&](Archive& archive) { archive.put(tensor, std::vector<double>(4, number)); });
      EXPECT_EQ(message.find("not a sound alder model: a scaling with offset"), 0U) << message;
    }
    EXPECT_NE(refused(scaled, 200, [&](Archive& archive) { archive.put(tensor, std::vector<double>(3, 1.0)); }),
              "nothing thrown");
  }
  EXPECT_NE(refused(scaled, 200,
                    [](Archive& archive) {
                      archive.put("first_rows.scaling.features", std::vector<std::uint32_t>{3, 2, 1, 0});
                    })
                .find("ascending"),
            std::string::npos);
}

}  // namespace
}  // namespace alder
