#include "experiments/regret.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "alder/learners.h"
#include "alder/theory.h"

#include "experiments/one_by_one.h"
#include "support/dense.h"
#include "support/throws.h"
#include "theory/support.h"

namespace alder {
namespace {

RegretRun regret_of(const Dataset& data, std::unique_ptr<Learner> learner, const RegretOptions& options) {
  Model model(std::move(learner));
  return measure_regret(data, model, options);
}

using testing::dataset_of;
using testing::LabelledVectors;
using testing::message_of;
using testing::Vector;

// Streams that do what a learner does not expect.
LabelledVectors adverse_stream(const std::string& kind, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  LabelledVectors stream;
  for (std::size_t t = 0; t < count; ++t) {
    const bool second_half = t >= count / 2;
    double label = engine() % 2 == 0 ? 1.0 : -1.0;
    if (kind == "sorted") label = second_half ? 1.0 : -1.0;
    if (kind == "alternating" || kind == "contradictions") label = t % 2 == 0 ? 1.0 : -1.0;
    if (kind == "flips") label = (t / 16) % 2 == 0 ? 1.0 : -1.0;  // as long as the window
    Vector x = {normal(engine) + label, normal(engine) - 0.5 * label, 0.3 * normal(engine)};
    if (kind == "noise") x = {normal(engine), normal(engine), normal(engine)};
    if (kind == "drifting") {  // the classes change places, slowly
      const double angle = 6.0 * static_cast<double>(t) / static_cast<double>(count);
      x = {0.4 * normal(engine) + label * std::cos(angle), 0.4 * normal(engine) + label * std::sin(angle)};
    }
    if (kind == "turned" && second_half) x[0] -= 2.0 * label;  // what was learned is wrong from the middle on
    if (kind == "repeated") {
      x = {static_cast<double>(engine() % 3), static_cast<double>(engine() % 2)};
      label = (x[0] > 0.5) == (engine() % 8 != 0) ? 1.0 : -1.0;
    }
    if (kind == "contradictions" || kind == "flips") x = {1.0, static_cast<double>(t % 4 / 2)};
    stream.rows.push_back(x);
    stream.labels.push_back(label);
  }
  return stream;
}

// A_T of the first rows, by its definition.
double alignment(const LabelledVectors& stream, std::size_t rows, const Kernel& kernel) {
  double sum = 0.0;
  double polarization = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    sum += testing::kernel_value(kernel, stream.rows[i], stream.rows[i]);
    for (std::size_t j = 0; j < rows; ++j) {
      polarization +=
          stream.labels[i] * stream.labels[j] * testing::kernel_value(kernel, stream.rows[i], stream.rows[j]);
    }
  }
  return sum - polarization / static_cast<double>(rows);
}

// Theorem 2 wants these.
PomdrOptions as_proved(const Kernel& kernel, std::size_t rows, double radius) {
  PomdrOptions options;
  options.kernel = kernel;
  options.radius = radius;
  options.zeta = 1.0;
  options.ald = 1.0;
  options.factor = 1.0;
  options.horizon = rows;
  options.precision = Precision::kDouble;
  return options;
}

void expect_bounded(const LabelledVectors& stream, const PomdrOptions& options, const std::string& name) {
  RegretOptions how;
  how.tolerance = 0.01;
  how.threads = 1;
  const RegretRun run = regret_of(dataset_of(stream), make_pomdr(options), how);
  EXPECT_TRUE(run.as_proved) << name;
  for (const RegretPoint& point : run.points) {
    const double regret = point.loss - point.certain;  // at most
    EXPECT_LE(regret, *point.delta_bound) << name << " after " << point.rounds;
    RegretTerms terms;
    terms.radius = options.radius;
    for (const Vector& row : stream.rows) {
      terms.largest_self = std::max(terms.largest_self, testing::kernel_value(options.kernel, row, row));
    }
    if (point.removals > 0) terms.removals = {point.rounds, options.budget};
    EXPECT_LE(regret, regret_bound_of_alignment(alignment(stream, point.rounds, options.kernel), terms))
        << name << " after " << point.rounds;
  }
}

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"random", "sorted",   "alternating", "contradictions", "flips",
                                               "noise",  "drifting", "turned",      "repeated"};
  return all;
}

TEST(Regret, OfPhaseOneNeverExceedsTheBounds) {
  for (const std::string& kind : kinds()) {
    for (const double sigma : {0.3, 1.0, 4.0}) {
      for (const double radius : {0.5, 5.0, 25.0}) {
        const LabelledVectors stream = adverse_stream(kind, 150, 31);
        PomdrOptions options = as_proved(Kernel::gaussian(sigma), 150, radius);
        options.b0 = 200;  // never
        expect_bounded(stream, options, kind);
      }
    }
  }
}

TEST(Regret, OfBothPhasesNeverExceedsTheBounds) {
  std::uint64_t removals = 0;
  for (const std::string& kind : kinds()) {
    for (const double sigma : {0.3, 1.0}) {
      for (const double radius : {0.5, 5.0, 25.0}) {
        for (const std::size_t budget : {8, 32}) {
          const LabelledVectors stream = adverse_stream(kind, 200, 32);
          PomdrOptions options = as_proved(Kernel::gaussian(sigma), 200, radius);
          options.budget = budget;
          options.b0 = 4;
          expect_bounded(stream, options, kind + " " + std::to_string(budget));
          Model model(make_pomdr(options));
          const Dataset data = dataset_of(stream);
          for (std::size_t t = 0; t < 200; ++t) testing::learn_one(model, data[t]);
          removals += model.learner().report().removals();
        }
      }
    }
  }
  EXPECT_GT(removals, 500U);
}

TEST(Regret, WithOtherKernelsAndWindowsNeverExceedsTheBounds) {
  for (const Kernel& kernel : {Kernel::laplacian(1.0), Kernel::polynomial(2, 0.5, 1.0), Kernel::linear()}) {
    for (const std::string& kind : kinds()) {
      PomdrOptions options = as_proved(kernel, 120, 3.0);
      options.window = 3;
      expect_bounded(adverse_stream(kind, 120, 33), options, kind + " " + kernel.name());
      options.budget = 12;
      options.b0 = 5;
      expect_bounded(adverse_stream(kind, 120, 34), options, kind + " " + kernel.name());
    }
  }
}

RC_GTEST_PROP(Regret, OfAnyRowsNeverExceedsTheBounds, ()) {
  LabelledVectors stream;
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  for (std::size_t t = 0; t < count; ++t) {
    stream.rows.push_back({0.25 * *rc::gen::inRange(-4, 5), 0.5 * *rc::gen::inRange(-2, 3)});
    stream.labels.push_back(*rc::gen::arbitrary<bool>() ? 1.0 : -1.0);
  }
  PomdrOptions options =
      as_proved(Kernel::gaussian(0.1 * *rc::gen::inRange(1, 40)), count, 0.5 * *rc::gen::inRange(1, 60));
  options.b0 = *rc::gen::inRange<std::size_t>(1, 20);
  options.budget = 2 * (*options.b0 / 2 + 1) + 2 * *rc::gen::inRange<std::size_t>(0, 8);
  options.window = *rc::gen::inRange<std::size_t>(1, 20);
  RegretOptions how;
  how.threads = 1;
  const RegretRun run = regret_of(dataset_of(stream), make_pomdr(options), how);
  for (const RegretPoint& point : run.points) RC_ASSERT(point.loss - point.certain <= *point.delta_bound);
}

TEST(Regret, IsMeasuredAtPowersOfTwoAndAtTheEnd) {
  const LabelledVectors stream = adverse_stream("random", 100, 35);
  Model model(make_ogd({}));
  RegretOptions options;
  options.radius = 3.0;
  const RegretRun run = measure_regret(dataset_of(stream), model, options);
  EXPECT_FALSE(run.has_bounds);
  EXPECT_FALSE(run.as_proved);
  EXPECT_EQ(run.radius, 3.0);
  std::vector<std::uint64_t> rounds;
  Model again(make_ogd({}));
  std::size_t t = 0;
  for (const RegretPoint& point : run.points) {
    rounds.push_back(point.rounds);
    const Dataset all = dataset_of(stream);
    for (; t < point.rounds; ++t) testing::learn_one(again, all[t]);
    EXPECT_EQ(point.loss, again.counts().hinge_loss);
    Dataset part;
    for (std::size_t i = 0; i < t; ++i) part.append(all[i]);
    HindsightOptions hindsight;
    hindsight.radius = 3.0;
    const Hindsight best = best_in_hindsight(part, run.kernel, hindsight);
    EXPECT_NEAR(*point.best, best.loss, 1e-3 * std::max(1.0, best.loss));
    EXPECT_EQ(*point.regret(), point.loss - *point.best);
    EXPECT_FALSE(point.delta_bound.has_value());
  }
  EXPECT_EQ(rounds, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 100}));
}

TEST(Regret, LooksNoFurtherThanToldButLearnsOn) {
  RegretOptions options;
  options.most = 8;
  const RegretRun run = regret_of(dataset_of(adverse_stream("random", 20, 36)), make_pomdr({}), options);
  ASSERT_EQ(run.points.size(), 6U);
  for (const RegretPoint& point : run.points) EXPECT_EQ(point.best.has_value(), point.rounds <= 8);
  EXPECT_TRUE(run.points.back().delta_bound.has_value());
}

TEST(Regret, IsAsProvedWithTheSettingsOfTheTheoremOnly) {
  const Dataset data = dataset_of(adverse_stream("random", 4, 37));
  const auto is_proved = [&data](const auto& change, double radius) {
    PomdrOptions options = as_proved(Kernel::gaussian(1.0), 4, 2.0);
    change(options);
    RegretOptions how;
    how.radius = radius;
    return regret_of(data, make_pomdr(options), how).as_proved;
  };
  EXPECT_TRUE(is_proved([](PomdrOptions&) {}, 2.0));
  EXPECT_TRUE(is_proved([](PomdrOptions&) {}, 1.0));
  EXPECT_FALSE(is_proved([](PomdrOptions&) {}, 3.0));
  EXPECT_FALSE(is_proved([](PomdrOptions& options) { options.zeta = 0.5; }, 2.0));
  EXPECT_FALSE(is_proved([](PomdrOptions& options) { options.ald = 10.0; }, 2.0));
  EXPECT_FALSE(is_proved([](PomdrOptions& options) { options.factor = 0.05; }, 2.0));
}

TEST(Regret, NeedsAKernelAndTakesNoRows) {
  EXPECT_NE(message_of([] { regret_of(Dataset(), make_linear({}), {}); }).find("has no kernel"), std::string::npos);
  EXPECT_TRUE(regret_of(Dataset(), make_pomdr({}), {}).points.empty());
}

}  // namespace
}  // namespace alder
