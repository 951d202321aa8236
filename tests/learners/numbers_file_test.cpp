// Learners of numbers in files, in their first rows and in cuts of their streams.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/learners.h"

#include "learners/core/first_rows.h"
#include "rows/width.h"
#include "support/learning.h"
#include "support/numbers.h"
#include "support/throws.h"

namespace alder {
namespace {

using Options = nlohmann::ordered_json;
using testing::encoded;
using testing::finders_of_no_units;
using testing::losses_of;
using testing::number_rows;
using testing::NumberRows;
using testing::numbers_learner;
using testing::options_of;
using testing::restored;

double learn_row(Learner& learner, const NumberRows& data, std::size_t t) {
  return testing::learn_one(learner, Example{Row::dense(data.rows[t]), data.targets[t]});
}

TEST(NumbersFile, AnySplitGivesTheSameBits) {
  const NumberRows data = number_rows(3, 160);
  for (const char* precision : {"float", "double"}) {
    for (const std::string& name : finders_of_no_units()) {
      for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
        for (const char* scale : {"none", "online"}) {
          Options options = testing::numbers_options(loss, precision);
          options["scale"] = scale;
          const auto whole = make_learner(name, options_of(name, options));
          auto split = make_learner(name, options_of(name, options));
          for (std::size_t t = 0; t < data.rows.size(); ++t) {
            if (t % 7 == 0) {
              const std::string bytes = encoded(*split);
              split = restored(bytes);
              ASSERT_EQ(encoded(*split), bytes);
              ASSERT_EQ(split->task(), Task::kRegression);
            }
            ASSERT_EQ(learn_row(*whole, data, t), learn_row(*split, data, t)) << name << " " << loss << " round " << t;
          }
          EXPECT_EQ(encoded(*whole), encoded(*split)) << name << " " << loss;
        }
      }
    }
  }
}

TEST(NumbersFile, CutsOfCallsDoNotMatter) {
  const NumberRows data = number_rows(5, 200);
  std::vector<Row> rows;
  for (const auto& row : data.rows) rows.push_back(Row::dense(row));
  const Examples all = {rows, data.targets};
  for (const std::string& name : finders_of_no_units()) {
    for (const std::string& loss : losses_of(learner_info(name), Task::kRegression)) {
      const auto single = numbers_learner(name, loss, "float");
      const auto together = numbers_learner(name, loss, "float");
      std::vector<double> expected;
      for (std::size_t t = 0; t < rows.size(); ++t) expected.push_back(learn_row(*single, data, t));
      std::mt19937_64 engine(7);
      for (std::size_t done = 0; done < rows.size();) {
        const std::size_t count = std::min<std::size_t>(1 + engine() % 40, rows.size() - done);
        std::vector<double> scores(count);
        ASSERT_EQ(together->learn(all.from(done, count), scores), count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(scores[i], expected[done + i]) << name << " " << loss;
        done += count;
      }
      EXPECT_EQ(encoded(*single), encoded(*together)) << name << " " << loss;
    }
  }
}

// With the center 0 and the scale 1, and with nothing else open, it is the learner of these options.
TEST(NumbersFile, UnitsThatChangeNothingAreThoseOfTheLearnerItself) {
  const NumberRows data = number_rows(9, 150);
  OgdOptions options;
  options.kernel = Kernel::gaussian(0.7);
  options.loss = Loss::of(Loss::Kind::kHuber, 0.4);
  options.step = 0.37;
  const auto plain = make_ogd(options);
  const auto made = make_learner("ogd", R"({"kernel":{"name":"gaussian","sigma":0.7},"loss":"huber",
      "loss_parameter":0.4,"step":0.37,"target_center":0,"target_scale":1})");
  for (std::size_t t = 0; t < data.rows.size(); ++t) {
    ASSERT_EQ(learn_row(*made, data, t), learn_row(*plain, data, t)) << t;
  }
}

// The definition: what is open is chosen from the first rows, and the learner with that learns all of them.
TEST(NumbersFile, TheFirstRowsChooseTheUnits) {
  const NumberRows data = number_rows(9, 150);
  const std::size_t first = FirstRows::kForWidth;
  double mean = 0.0;
  double squares = 0.0;
  for (std::size_t t = 0; t < first; ++t) mean += data.targets[t] / static_cast<double>(first);
  for (std::size_t t = 0; t < first; ++t) squares += std::pow(data.targets[t] - mean, 2.0) / static_cast<double>(first);
  for (const std::string& name : finders_of_no_units()) {
    const auto learner = numbers_learner(name, "squared", "double");
    for (std::size_t t = 0; t < first; ++t) {
      EXPECT_FALSE(Options::parse(learner->options()).contains("target_scale"));
      learn_row(*learner, data, t);
    }
    const Options chosen = Options::parse(learner->options());
    EXPECT_NEAR(chosen["target_center"].get<double>(), mean, 1e-12);
    EXPECT_NEAR(chosen["target_scale"].get<double>(), std::sqrt(squares), 1e-12);
    const auto told = make_learner(name, chosen.dump());
    for (std::size_t t = 0; t < data.rows.size(); ++t) {
      const double expected = learn_row(*told, data, t);
      if (t < first) continue;
      ASSERT_EQ(learn_row(*learner, data, t), expected) << name << " round " << t;
    }
    // What is given stays.
    Options half = testing::numbers_options("squared", "double");
    half["target_scale"] = 5.0;
    const auto other = make_learner(name, options_of(name, half));
    for (std::size_t t = 0; t < first; ++t) learn_row(*other, data, t);
    EXPECT_EQ(Options::parse(other->options())["target_scale"], 5.0);
    EXPECT_NEAR(Options::parse(other->options())["target_center"].get<double>(), mean, 1e-12);
  }
}

TEST(NumbersFile, TheFirstRowsArePredictedByTheNearest) {
  const NumberRows data = number_rows(9, 60);
  for (const char* loss : {"absolute", "poisson"}) {
    const auto learner = numbers_learner("ogd", loss, "double");
    for (std::size_t t = 0; t < data.rows.size(); ++t) {
      std::vector<std::pair<double, double>> others;
      for (std::size_t i = 0; i < t; ++i) {
        others.emplace_back(squared_distance(Row::dense(data.rows[t]), Row::dense(data.rows[i])), data.targets[i]);
      }
      std::sort(others.begin(), others.end());
      others.resize(std::min<std::size_t>(5, others.size()));
      double expected = t == 0 ? learner->response(0.0) : 0.0;
      for (const auto& [distance, target] : others) expected += target / static_cast<double>(others.size());
      EXPECT_NEAR(learner->response(learn_row(*learner, data, t)), expected, 1e-12) << loss << " round " << t;
    }
  }
}

// Changes the settings of an archive, or its targets, and expects that it is refused.
template <class Change>
void expect_refused(const Learner& learner, const Change& change, const std::string& what) {
  Archive archive;
  learner.save(archive);
  ASSERT_NO_THROW((void)restored(archive.encode())) << what;
  change(archive);
  EXPECT_THROW((void)restored(archive.encode()), Error) << learner.name() << ": " << what;
}

TEST(NumbersFile, WhatCannotBeIsRefused) {
  const NumberRows data = number_rows(15, 100);
  for (const std::string& name : finders_of_no_units()) {
    for (const char* loss : {"squared", "poisson"}) {
      auto learner = numbers_learner(name, loss, "float");
      for (std::size_t t = 0; t < 20; ++t) learn_row(*learner, data, t);
      std::vector<double> bad = {std::nan(""), std::numeric_limits<double>::infinity()};
      if (std::string(loss) == "poisson") bad.push_back(-1.0);
      for (const double target : bad) {
        const auto change = [&](Archive& archive) {
          auto targets = archive.get<double>("first_rows.targets");
          targets[3] = target;
          archive.put("first_rows.targets", targets);
        };
        expect_refused(*learner, change, "target");
      }
      expect_refused(
          *learner, [](Archive& a) { a.settings()["first_rows"]["rows"] = 0; }, "no first rows");
      for (std::size_t t = 20; t < data.rows.size(); ++t) learn_row(*learner, data, t);
      const auto set = [](const char* part, const char* key, const Options& value) {
        return [=](Archive& a) { a.settings()[part][key] = value; };
      };
      expect_refused(*learner, set("options", "target_scale", nullptr), "no scale");
      expect_refused(*learner, set("options", "target_scale", 0.0), "scale 0");
      expect_refused(*learner, set("options", "target_scale", -1.0), "negative scale");
      expect_refused(*learner, set("options", "target_scale", 1e300), "large scale");
      expect_refused(*learner, set("options", "target_center", 1e300), "far center");
      expect_refused(*learner, set("options", "target_center", "x"), "text");
      expect_refused(*learner, set("options", "loss_parameter", 0.5), "a parameter too many");
      expect_refused(*learner, set("options", "loss", "hinge"), "a loss of classes");
      if (learner_info(name).traits.many_classes == LearnerTraits::ManyClasses::kNative) {
        expect_refused(*learner, set("state", "classes", 3), "classes");
      }
    }
  }
}

}  // namespace
}  // namespace alder
