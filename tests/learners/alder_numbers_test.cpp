// What ALDER makes of streams of numbers, with its default options but for a shorter race where that suffices.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/learners.h"
#include "alder/score_parts.h"

#include "support/any_learner.h"
#include "support/number_rows.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using testing::Foretold;
using testing::learn_numbers;
using testing::NumberRows;
using testing::of_numbers;
using testing::relative_error;
using testing::smooth_function;

AlderOptions short_number_race(Precision precision = Precision::kFloat) {
  AlderOptions options = of_numbers(precision);
  options.race = 1300;
  return options;
}

constexpr std::size_t kNumberRows = testing::kSanitized ? 400 : 2000;

TEST(AlderNumbersOf, ASmoothFunctionAreFound) {
  const NumberRows data(kNumberRows, 5, 0.1, smooth_function);
  const auto learner = make_alder(short_number_race());
  const Foretold made = learn_numbers(*learner, data.all(), kNumberRows);
  EXPECT_LT(relative_error(made.values, data.targets, kNumberRows / 2), testing::kSanitized ? 0.2 : 0.05);
}

// With every unit of the targets, predictions and deviations are the same but for rounding.
TEST(AlderNumbersOf, AnyUnitAreTheSame) {
  const NumberRows data(kNumberRows, 5, 0.5, smooth_function);
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    const auto expected = learn_numbers(*make_alder(short_number_race(precision)), data.all(), kNumberRows);
    for (const auto& [factor, shift] : {std::pair{1e5, 1e7}, {1e-6, -1e-3}, {1e140, 0.0}}) {
      NumberRows other = data;
      other.view();
      for (double& target : other.targets) target = factor * target + shift;
      const auto made = learn_numbers(*make_alder(short_number_race(precision)), other.all(), kNumberRows);
      double most = 0.0;
      for (std::size_t t = 1; t < kNumberRows; ++t) {  // the first of all is 0
        most = std::max(most, std::fabs((made.values[t] - shift) / factor - expected.values[t]));
        most = std::max(most, std::fabs(made.deviations[t] / factor - expected.deviations[t]));
      }
      EXPECT_LT(most, precision == Precision::kDouble ? 1e-5 : 0.1) << factor;
      EXPECT_NEAR(relative_error(made.values, other.targets, 32), relative_error(expected.values, data.targets, 32),
                  precision == Precision::kDouble ? 1e-7 : 1e-3);
    }
  }
}

TEST(AlderNumbersOf, FeaturesOfAnyUnitAreForetoldAsWell) {
  NumberRows data(kNumberRows, 5, 0.5, smooth_function);
  const auto error_of = [&] {
    const auto learner = make_alder(short_number_race());
    return relative_error(learn_numbers(*learner, data.all(), kNumberRows).values, data.targets, 300);
  };
  const double expected = error_of();
  EXPECT_LT(expected, 0.25);
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> power(-3.0, 3.0);
  std::vector<double> factors(5);
  std::vector<double> shifts(5);
  for (double& factor : factors) factor = std::pow(10.0, power(engine));
  for (double& shift : shifts) shift = std::pow(10.0, power(engine));
  for (auto& x : data.values) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (x[j] - 0.5) * factors[j] + shifts[j];
  }
  data.view();
  EXPECT_LT(error_of(), 1.25 * expected);
}

// Of one kernel with no mixture to change: a row of the weight 2 is as good as two.
TEST(AlderNumbersOf, TheWeightTwoAreAsTwoRows) {
  const NumberRows data(420, 3, 0.3,
                        [](const std::vector<double>& x, std::size_t) { return std::sin(5.0 * x[0]) + x[1]; });
  AlderOptions options = of_numbers(Precision::kDouble);
  options.kernel = Kernel::gaussian(0.7);
  const auto learner = make_alder(options);
  learn_numbers(*learner, data.all(), 400);
  const std::string bytes = testing::encoded(*learner);
  for (std::size_t t = 400; t < 420; ++t) {
    const auto score_after = [&](double weight, int times) {
      const auto other = testing::restored(bytes);
      for (int i = 0; i < times; ++i) {
        double score = 0.0;
        other->learn({std::span(&data.rows[t], 1), std::span(&data.targets[t], 1), std::span(&weight, 1)},
                     std::span(&score, 1));
      }
      return other->score(data.rows[t]);
    };
    const double none = learner->score(data.rows[t]);
    const double once = score_after(1.0, 1);
    const double step = std::fabs(once - none);
    ASSERT_GT(step, 0.0);
    EXPECT_NEAR(score_after(2.0, 1), score_after(1.0, 2), 0.3 * step) << t;
    EXPECT_GT((score_after(2.0, 1) - none) / (once - none), 1.2) << t;
  }
}

// The alarm comes within some blocks of 300 rows.
TEST(AlderNumbersOf, AnotherFunctionOpenTheRaceAgain) {
  if (testing::kSanitized) GTEST_SKIP() << "takes too long";
  for (const bool changes : {true, false}) {
    const NumberRows data(4600, 5, 1.0, testing::changing_function(changes ? 2200 : 100000));
    const auto learner = make_alder(short_number_race());
    const Foretold first = learn_numbers(*learner, data.all(), 2200);
    EXPECT_EQ(learner->report().count("reopened"), 0U);
    const Foretold next = learn_numbers(*learner, data.all(), changes ? 3300 : 4600);
    EXPECT_EQ(learner->report().count("reopened"), changes ? 1U : 0U);
    if (!changes) continue;
    const Foretold last = learn_numbers(*learner, data.all(), 4600);
    EXPECT_LT(relative_error(last.values, data.targets, 4000, 3300), 0.6);
  }
}

// Noise of another size is no other function, and noise without a function none at all.
TEST(AlderNumbersOf, NoiseAloneRaiseNoAlarm) {
  const NumberRows data(testing::kSanitized ? 300 : 6000, 2, 2.0,
                        [](const std::vector<double>&, std::size_t) { return 3.0; });
  AlderOptions options = of_numbers();
  options.race = 600;
  const auto learner = make_alder(options);
  const Foretold made = learn_numbers(*learner, data.all(), data.size());
  EXPECT_EQ(learner->report().count("reopened"), 0U);
  EXPECT_LT(relative_error(made.values, data.targets, 100), 1.08);
}

// 200 features, of which a row has some ten: no linear inputs.
TEST(AlderNumbersOf, SparseRowsOfManyFeaturesAreLearned) {
  const std::size_t count = testing::kSanitized ? 300 : 1500;
  std::mt19937_64 engine(8);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  std::vector<std::vector<FeatureIndex>> indices(count);
  std::vector<std::vector<double>> values(count);
  std::vector<Row> rows;
  std::vector<double> targets;
  for (std::size_t t = 0; t < count; ++t) {
    double target = 0.0;
    for (FeatureIndex j = 0; j < 200; ++j) {
      if (engine() % (j < 8 ? 2 : 32) != 0) continue;
      indices[t].push_back(j);
      values[t].push_back(uniform(engine));
      if (j < 8) target += (j % 2 == 0 ? 1.0 : -1.0) * values[t].back();
    }
    rows.push_back(Row::sparse(indices[t], values[t]));
    targets.push_back(target + 0.1 * uniform(engine));
  }
  const auto learner = make_alder(short_number_race());
  const Foretold made = learn_numbers(*learner, {rows, targets}, count);
  EXPECT_TRUE(made.are_finite());
  EXPECT_LT(relative_error(made.values, targets, count / 2), testing::kSanitized ? 0.9 : 0.5);
}

// The unit of targets is found on the first 32 rows, which here says nothing.
TEST(AlderNumbersOf, StreamsThatBeginWithEqualTargetsAreLearned) {
  const std::size_t count = testing::kSanitized ? 400 : 1200;
  for (const double size : {1e-5, 1.0, 1e6, 1e12}) {
    NumberRows data(count, 5, 0.2, smooth_function);
    for (std::size_t t = 0; t < count; ++t) data.targets[t] = t < 40 ? 3.0 * size : size * data.targets[t];
    const auto learner = make_alder(short_number_race());
    const Foretold made = learn_numbers(*learner, data.all(), count);
    EXPECT_TRUE(made.are_finite());
    EXPECT_LT(relative_error(made.values, data.targets, count / 2), testing::kSanitized ? 0.5 : 0.25) << size;
  }
}

// One target in a hundred is a thousand times too large.
TEST(AlderNumbersOf, TargetsThatAreFarOffNowAndThenDoNotMatterMuch) {
  NumberRows data(kNumberRows, 5, 0.5, smooth_function);
  const std::vector<double> right = data.targets;
  for (std::size_t t = 50; t < kNumberRows; t += 100) data.targets[t] *= t % 200 == 50 ? 1000.0 : -1000.0;
  for (const bool recent_labels : {false, true}) {
    AlderOptions options = short_number_race();
    options.recent_labels = recent_labels;
    const Foretold made = learn_numbers(*make_alder(options), data.all(), kNumberRows);
    EXPECT_TRUE(made.are_finite());
    std::vector<double> errors;
    for (std::size_t t = kNumberRows / 2; t < kNumberRows; ++t) errors.push_back(std::fabs(made.values[t] - right[t]));
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], 1.0) << recent_labels;  // the deviation of targets is 4.6
  }
}

// Targets as large as they may be, between others.
TEST(AlderNumbersOf, AnySizeStayFinite) {
  const std::size_t count = testing::kSanitized ? 150 : 700;
  NumberRows data(count, 3, 0.5, [](const std::vector<double>& x, std::size_t) { return x[0]; });
  const std::vector<double> plain = data.targets;
  for (const double size : {1e-320, 1e-149, 1.0, 1e149}) {
    for (const bool recent_labels : {false, true}) {
      for (const bool is_given : {false, true}) {
        for (std::size_t t = 0; t < count; ++t) {
          const bool is_wild = t > 40 && t % 23 == 0;
          data.targets[t] = is_wild ? (t % 2 == 0 ? 1e150 : -1e150) : size * plain[t];
        }
        AlderOptions options = of_numbers();
        options.race = 500;
        options.recent_labels = recent_labels;
        if (is_given) options.kernel = Kernel::gaussian(1.0);
        auto learner = make_alder(options);
        for (std::size_t end = 50; end <= count; end += 50) {
          ASSERT_TRUE(learn_numbers(*learner, data.all(), end).are_finite()) << size << " " << end;
          learner = testing::restored(testing::encoded(*learner));
        }
      }
    }
  }
}

// Of 100 rows 95 are within 1.96 deviations, where there is much noise and where there is little.
TEST(AlderNumbersOf, RowsHaveDeviationsThatAreRight) {
  if (testing::kSanitized) GTEST_SKIP() << "takes too long";
  for (const bool is_even : {true, false}) {
    const std::size_t count = 5000;
    NumberRows data(count, 3, 0.0,
                    [](const std::vector<double>& x, std::size_t) { return 4.0 * std::sin(3.0 * x[0]) + x[1]; });
    std::mt19937_64 engine(12);
    std::normal_distribution<double> normal;
    const auto noise = [&](std::size_t t) { return is_even ? 0.5 : data.values[t][1] > 0.5 ? 1.0 : 0.25; };
    for (std::size_t t = 0; t < count; ++t) data.targets[t] += noise(t) * normal(engine);
    const Foretold made = learn_numbers(*make_alder(short_number_race()), data.all(), count);
    double within[2] = {};
    double rows[2] = {};
    double widths[2] = {};
    for (std::size_t t = 1000; t < count; ++t) {
      const std::size_t part = data.values[t][1] > 0.5 ? 1 : 0;
      rows[part] += 1.0;
      within[part] += std::fabs(made.values[t] - data.targets[t]) <= 1.96 * made.deviations[t] ? 1.0 : 0.0;
      widths[part] += made.deviations[t];
    }
    EXPECT_NEAR((within[0] + within[1]) / (rows[0] + rows[1]), 0.95, 0.02) << is_even;
    EXPECT_NEAR(within[0] / rows[0], 0.95, 0.05) << is_even;
    EXPECT_NEAR(within[1] / rows[1], 0.95, 0.05) << is_even;
    const double ratio = (widths[1] / rows[1]) / (widths[0] / rows[0]);
    EXPECT_GT(ratio, is_even ? 0.9 : 2.0);
    EXPECT_LT(ratio, is_even ? 1.1 : 4.5);
  }
}

// In a race and after it, with transforms, several geometries and a given kernel.
TEST(AlderNumbersOf, RowsHavePartsThatAddUp) {
  const std::size_t count = testing::kSanitized ? 300 : 1500;
  const NumberRows data(count, 4, 0.3, smooth_function);
  const NumberRows others(30, 4, 0.3, smooth_function, 2);  // not where transforms bend
  std::vector<AlderOptions> all = {short_number_race(Precision::kDouble)};
  for (const Kernel& kernel : {Kernel::gaussian(0.8), Kernel::polynomial(3), Kernel::linear()}) {
    all.push_back(of_numbers(Precision::kDouble));
    all.back().kernel = kernel;
  }
  const std::vector<FeatureIndex> features = {0, 1, 2, 3};
  for (const AlderOptions& options : all) {
    const auto learner = make_alder(options);
    for (const std::size_t rows : {31U, 100U, 280U, 1100U, 1500U}) {
      if (rows > count || (options.kernel && rows > 300)) break;
      learn_numbers(*learner, data.all(), rows);
      for (std::size_t t = 0; t < 30; ++t) {
        ScoreParts parts(features);
        const std::vector<double> direction = {2.0};
        ASSERT_EQ(learner->add_parts(others.rows[t].as_checked(), direction, parts), rows > 31) << rows;
        if (rows == 31) break;
        double sum = parts.rest;
        for (const auto& stored : parts.rows) sum += stored.contribution;
        const double score = learner->score(others.rows[t]);
        ASSERT_NEAR(sum, 2.0 * score, 1e-7) << rows << " " << t;
        for (std::size_t j = 0; j < features.size(); ++j) {
          std::vector<double> x = others.values[t];
          const double step = 1e-6;
          x[j] += step;
          const double above = learner->score(Row::dense(x));
          x[j] -= 2.0 * step;
          const double below = learner->score(Row::dense(x));
          const double slope = (above - below) / step;
          const double forward = 2.0 * (above - score) / step;
          if (std::fabs(forward - slope) > 1e-2 * (1.0 + std::fabs(slope))) continue;  // a bend of the transform
          ASSERT_NEAR(parts.gradient[j], slope, 1e-3 * (1.0 + std::fabs(slope))) << rows << " " << t << " " << j;
        }
      }
    }
  }
}

TEST(AlderNumbersOf, RecentLabelsHaveNoParts) {
  const NumberRows data(100, 3, 0.3, [](const std::vector<double>& x, std::size_t) { return x[0]; });
  AlderOptions options = of_numbers();
  options.recent_labels = true;
  const auto learner = make_alder(options);
  learn_numbers(*learner, data.all(), 100);
  ScoreParts parts({0, 1});
  EXPECT_FALSE(learner->add_parts(data.rows[0].as_checked(), std::vector{1.0}, parts));
  EXPECT_EQ(parts.rest, 0.0);
  EXPECT_TRUE(parts.rows.empty());
}

// A series that is as it was a moment ago: features tell nothing.
TEST(AlderNumbersOf, RecentLabelsFollowASeries) {
  constexpr std::size_t kCount = 1500;
  NumberRows data(kCount, 2, 0.0, [](const std::vector<double>&, std::size_t) { return 0.0; });
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  double level = 50.0;
  for (double& target : data.targets) target = level += 0.98 * (50.0 - level) * 0.02 + normal(engine);
  AlderOptions options = short_number_race();
  const auto without = learn_numbers(*make_alder(options), data.all(), kCount);
  options.recent_labels = true;
  const auto with = learn_numbers(*make_alder(options), data.all(), kCount);
  const double error = relative_error(with.values, data.targets, 100);
  EXPECT_LT(error, 0.22);  // what is new cannot be foretold: 0.2
  EXPECT_LT(error, 0.9 * relative_error(without.values, data.targets, 100));
}

TEST(AlderNumbersOf, OptionsThatAreForClassesAreRefused) {
  AlderOptions options = of_numbers();
  options.forget = 0.1;
  EXPECT_THROW(make_alder(options), Error);
  options = of_numbers();
  options.loss = Loss::of(Loss::Kind::kHinge);
  EXPECT_THROW(make_alder(options), Error);
}

// Of classes and of numbers.
TEST(AlderNumbersOf, NoRowsHaveNoImportances) {
  for (AlderOptions options : {AlderOptions{}, of_numbers()}) {
    EXPECT_TRUE(make_alder(options)->importances().empty());
    options.kernel = Kernel::gaussian(1.0);
    EXPECT_TRUE(make_alder(options)->importances().empty());
  }
}

TEST(AlderNumbersOf, ImportancesNameTheFeaturesThatMatter) {
  const std::size_t count = testing::kSanitized ? 300 : 1400;
  const NumberRows data(count, 8, 0.1, [](const std::vector<double>& x, std::size_t) {
    return std::sin(6.0 * x[1]) + 2.0 * x[6] * x[6];
  });
  const auto learner = make_alder(short_number_race());
  learn_numbers(*learner, data.all(), count);
  double of_two = 0.0;
  double sum = 0.0;
  for (const FeatureShare& share : learner->importances()) {
    sum += share.share;
    of_two += share.feature == 1 || share.feature == 6 ? share.share : 0.0;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_GT(of_two, testing::kSanitized ? 0.5 : 0.8);
}

}  // namespace
}  // namespace alder
