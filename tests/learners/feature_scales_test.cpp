#include "learners/alder/feature_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "learners/alder/likelihood.h"
#include "support/literal_process.h"

namespace alder {
namespace {

using testing::LiteralProcess;
using Numbers = std::vector<double>;
using Table = std::vector<Numbers>;

struct Sample {
  Table table;
  Numbers targets;

  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> out;
    for (const Numbers& row : table) out.push_back(Row::dense(row));
    return out;
  }
  [[nodiscard]] std::optional<FeatureScales> scales(std::size_t classes = 2, double median = 4.0,
                                                    const ScaleSearch& search = {}) const {
    return likely_scales(rows(), targets, classes, median, search);
  }
};

Table normal_table(std::size_t n, std::size_t d, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Table table(n, Numbers(d));
  for (Numbers& row : table) {
    for (double& value : row) value = normal(engine);
  }
  return table;
}

/// Of ten features only 3 and 7 decide, by the parts of the plane that make `classes` classes.
Sample two_of_ten(std::size_t n, std::size_t classes) {
  Sample sample{normal_table(n, 10, 5), {}};
  for (const Numbers& x : sample.table) {
    const double angle = std::atan2(x[3], x[7]) / 6.2831854 + 0.5;
    const double part = std::floor(angle * static_cast<double>(classes == 2 ? 4 : classes));
    sample.targets.push_back(std::fmod(part, static_cast<double>(classes)));
  }
  return sample;
}

/// What the comment of `likely_scales` and the constants say, for a sample of which every step takes all rows.
Numbers literal_scales(const Sample& sample, std::size_t classes, double median, const ScaleSearch& search) {
  const std::size_t d = sample.table.front().size();
  const auto n = static_cast<double>(sample.table.size());
  LiteralProcess process{sample.table, {}};
  for (Numbers& row : process.rows) {
    for (double& value : row) value /= median;
  }
  for (std::size_t c = classes == 2 ? 1 : 0; c < classes; ++c) {
    Numbers y;
    double mean = 0.0;
    for (const double target : sample.targets) {
      y.push_back(target == static_cast<double>(c) ? 1.0 : (classes == 2 ? -1.0 : 0.0));
      mean += y.back() / n;
    }
    double variance = 0.0;
    for (double& value : y) {
      value -= mean;
      variance += value * value / n;
    }
    for (double& value : y) value /= classes == 2 ? 1.0 : std::sqrt(variance);
    process.outputs.push_back(y);
  }
  Numbers parameters(d + 2);
  parameters[d + 1] = std::log(0.3);
  Numbers mean(d + 2);
  Numbers square(d + 2);
  Numbers sums(d);
  double averaged = 0.0;
  for (std::size_t t = 0; t < search.steps; ++t) {
    const bool is_late = static_cast<double>(t) + 0.5 > 0.7 * static_cast<double>(search.steps);
    const auto power = static_cast<double>(t + 1);
    Numbers slopes = process.slopes(parameters);
    for (std::size_t j = 0; j < d + 2; ++j) {
      if (j < d) slopes[j] += 4.0 * static_cast<double>(search.rows) / 256.0 * parameters[j];
      mean[j] = 0.8 * mean[j] + 0.2 * slopes[j];
      square[j] = 0.95 * square[j] + 0.05 * slopes[j] * slopes[j];
      const double root = std::sqrt(square[j] / (1.0 - std::pow(0.95, power)));
      parameters[j] -= search.step * (is_late ? 0.4 : 1.0) * mean[j] / (1.0 - std::pow(0.8, power)) / (root + 1e-3 * n);
      if (j < d) parameters[j] = std::clamp(parameters[j], -5.0, 4.0);
    }
    parameters[d + 1] = std::max(parameters[d + 1], std::log(1e-3));
    for (std::size_t j = 0; j < d && is_late; ++j) sums[j] += parameters[j];
    averaged += is_late ? 1.0 : 0.0;
  }
  for (double& sum : sums) sum = std::exp(sum / averaged) / median;
  return sums;
}

TEST(Likelihood, SlopesAreThoseOfTheLiteralValueAndOfTheLiteralSlopes) {
  for (const std::size_t n : {2U, 3U, 15U, 16U, 17U, 33U, 50U}) {
    for (const std::size_t d : {2U, 5U, 9U, 17U}) {
      for (const std::size_t outputs : {1U, 3U}) {
        LiteralProcess process{normal_table(n, d, 1), normal_table(outputs, n, 2)};
        Likelihood likelihood(n, d, 4);
        std::vector<float> table(d * (n + 1));
        std::vector<std::uint32_t> chosen(n);
        for (std::size_t a = 0; a < n; ++a) {
          chosen[a] = static_cast<std::uint32_t>(n - a);
          for (std::size_t j = 0; j < d; ++j) {
            process.rows[a][j] *= 0.5;
            table[j * (n + 1) + n - a] = static_cast<float>(process.rows[a][j]);
          }
          for (std::size_t k = 0; k < outputs; ++k) likelihood.output(k)[a] = static_cast<float>(process.outputs[k][a]);
        }
        likelihood.set_rows(table, chosen);
        Numbers parameters = normal_table(1, d + 2, 3).front();
        for (double& parameter : parameters) parameter *= 0.5;
        parameters[d + 1] -= 1.0;
        Numbers slopes(d + 2);
        ASSERT_TRUE(likelihood.slopes(parameters, outputs, slopes));
        const Numbers literal = process.slopes(parameters);
        for (std::size_t j = 0; j < d + 2; ++j) {
          Numbers above = parameters;
          Numbers below = parameters;
          above[j] += 1e-4;
          below[j] -= 1e-4;
          const double difference = (process.value(above) - process.value(below)) / 2e-4;
          EXPECT_NEAR(literal[j], difference, 1e-5 + 1e-5 * std::abs(difference));
          EXPECT_NEAR(slopes[j], literal[j], 1e-3 + 1e-3 * std::abs(literal[j])) << n << ' ' << d << ' ' << j;
        }
      }
    }
  }
}

TEST(FeatureScales, AreThoseOfALiteralSearchInDouble) {
  for (const std::size_t classes : {2U, 3U}) {
    const Sample sample = two_of_ten(70, classes);
    ScaleSearch search;
    search.steps = 30;
    search.rows = 70;
    const auto scales = sample.scales(classes, 4.0, search);
    ASSERT_TRUE(scales.has_value());
    const Numbers literal = literal_scales(sample, classes, 4.0, search);
    double logs = 0.0;
    for (std::size_t j = 0; j < literal.size(); ++j) {
      EXPECT_NEAR(scales->factors[j], literal[j], 0.02 * literal[j]) << classes << ' ' << j;
      logs += std::log(literal[j]) / static_cast<double>(literal.size());
    }
    EXPECT_NEAR(scales->other, std::exp(logs), 0.02 * std::exp(logs));
  }
}

/// The least of the two features that decide, by the most of the others.
double advantage(const std::optional<FeatureScales>& scales) {
  if (!scales || scales->features.size() != 10) return 0.0;
  double most = 0.0;
  for (std::size_t j = 0; j < 10; ++j) {
    if (j != 3 && j != 7) most = std::max(most, scales->factors[j]);
  }
  return std::min(scales->factors[3], scales->factors[7]) / most;
}

TEST(FeatureScales, OfTheTwoFeaturesThatDecideAreFarAboveTheOthers) {
  for (const std::size_t classes : {2U, 4U, 30U}) {
    const Sample sample = two_of_ten(600, classes);
    EXPECT_GT(advantage(sample.scales(classes)), 3.0) << classes;
  }
}

TEST(FeatureScales, AreTheSameForTheSameInputAndForSparseRows) {
  const Sample sample = two_of_ten(300, 2);
  const auto scales = sample.scales();
  const auto again = sample.scales();
  std::vector<Row> sparse;
  std::vector<FeatureIndex> indices(10);
  for (FeatureIndex j = 0; j < 10; ++j) indices[j] = 1000000 * (j + 1);
  for (const Numbers& row : sample.table) sparse.push_back(Row::sparse(indices.data(), row.data(), row.size()));
  const auto of_sparse = likely_scales(sparse, sample.targets, 2, 4.0);
  ASSERT_TRUE(scales.has_value() && again.has_value() && of_sparse.has_value());
  EXPECT_EQ(scales->factors, again->factors);
  EXPECT_EQ(scales->factors, of_sparse->factors);
  EXPECT_EQ(of_sparse->features, indices);
}

TEST(FeatureScales, LeaveOutFeaturesThatAreConstantOrNearlyAlwaysZero) {
  Sample sample = two_of_ten(300, 2);
  for (std::size_t a = 0; a < 300; ++a) {
    sample.table[a][0] = 7.0;
    sample.table[a][1] = a < 2 ? 1.0 : 0.0;
    sample.table[a][2] = a < 3 ? 1.0 : 0.0;
  }
  const auto scales = sample.scales();
  ASSERT_TRUE(scales.has_value());
  EXPECT_EQ(scales->features, (std::vector<FeatureIndex>{2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(scales->features.size(), scales->factors.size());
}

TEST(FeatureScales, DoNotExistForOneClassOrTooFewOrManyFeaturesOrNoMedian) {
  const auto exist = [](const Sample& of, double median = 4.0) { return of.scales(2, median).has_value(); };
  const Sample sample = two_of_ten(100, 2);
  EXPECT_FALSE((exist(Sample{sample.table, Numbers(100, 1.0)})));
  EXPECT_FALSE((exist(Sample{normal_table(100, 1, 1), sample.targets})));
  EXPECT_FALSE((exist(Sample{Table(100, Numbers(10, 1.0)), sample.targets})));
  EXPECT_TRUE((exist(Sample{normal_table(100, 400, 1), sample.targets})));
  EXPECT_FALSE((exist(Sample{normal_table(100, 401, 1), sample.targets})));
  EXPECT_FALSE((exist(Sample())));
  for (const double median : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_FALSE((exist(sample, median)));
  }
}

void expect_sound(const std::optional<FeatureScales>& scales) {
  if (!scales) return;
  for (const double factor : scales->factors) EXPECT_TRUE(std::isfinite(factor) && factor > 0.0) << factor;
  EXPECT_TRUE(std::isfinite(scales->other) && scales->other > 0.0);
}

TEST(FeatureScales, AreFiniteWhateverTheRows) {
  Sample sample = two_of_ten(200, 2);
  ScaleSearch quick;
  quick.steps = 6;
  quick.rows = 60;
  for (const double size : {1e-300, 1e-5, 1e30}) {
    for (const double median : {1e-300, 1e-30, 1.0, 1e30, 1e300}) {
      Sample scaled = sample;
      for (Numbers& row : scaled.table) {
        for (double& value : row) value *= size;
      }
      expect_sound(scaled.scales(2, median, quick));
      scaled.table[0] = Numbers(10, 1e30);
      scaled.table[1] = Numbers(10, -1e30);
      expect_sound(scaled.scales(2, median, quick));
    }
  }
  // Duplicates, whose labels agree or do not.
  for (std::size_t a = 0; a < 200; ++a) sample.table[a] = sample.table[a % 4];
  EXPECT_TRUE(sample.scales().has_value());
  for (std::size_t a = 0; a < 200; ++a) sample.targets[a] = static_cast<double>(a % 4 / 2);
  EXPECT_TRUE(sample.scales().has_value());
  for (std::size_t n = 0; n < 8; ++n) {
    const Sample few{normal_table(n, 4, 3),
                     Numbers(sample.targets.begin(), sample.targets.begin() + static_cast<std::ptrdiff_t>(n))};
    expect_sound(few.scales());
  }
  // One row of a class, which most steps do not see.
  Sample rare = two_of_ten(1024, 2);
  std::fill(rare.targets.begin(), rare.targets.end(), 0.0);
  rare.targets[5] = 1.0;
  EXPECT_TRUE(rare.scales().has_value());
}

// Numbers, in any unit; a few are far off.
TEST(FeatureScales, OfNumbersAreLargeWhereFeaturesMatter) {
  Sample sample{normal_table(600, 10, 5), {}};
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  for (const Numbers& x : sample.table) {
    sample.targets.push_back(std::sin(2.0 * x[3]) + x[7] * x[3] + 0.1 * normal(engine));
  }
  std::vector<Numbers> found;
  for (const auto& [factor, shift] : {std::pair{1.0, 0.0}, {1e6, -1e8}, {1e-9, 0.0}, {1e100, 0.0}}) {
    Sample other = sample;
    for (double& target : other.targets) target = factor * target + shift;
    const auto scales = other.scales(0);
    ASSERT_TRUE(scales.has_value()) << factor;
    ASSERT_EQ(scales->features.size(), 10U);
    const double least = std::min(scales->factors[3], scales->factors[7]);
    for (std::size_t j = 0; j < 10; ++j) {
      if (j == 3 || j == 7) continue;
      EXPECT_LT(4.0 * scales->factors[j], least) << factor << " " << j;
    }
    found.push_back(scales->factors);
    for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(found.back()[j], found.front()[j], 0.1 * found.front()[j]);
  }
  for (std::size_t t = 0; t < sample.targets.size(); t += 60) sample.targets[t] *= 1e3;
  EXPECT_TRUE(sample.scales(0).has_value());
}

TEST(FeatureScales, OfEqualNumbersAreNone) {
  const Sample sample{normal_table(100, 4, 5), Numbers(100, 3.5)};
  EXPECT_FALSE(sample.scales(0).has_value());
}

TEST(FeatureScales, OfNumbersOfAnySizeAreFinite) {
  for (const double size : {1e-320, 1e-200, 1e150}) {
    Sample sample{normal_table(100, 4, 5), {}};
    for (const Numbers& x : sample.table) sample.targets.push_back(size * std::clamp(x[0], -1.0, 1.0));
    const auto scales = sample.scales(0);
    if (!scales) continue;
    for (const double factor : scales->factors) EXPECT_TRUE(std::isfinite(factor) && factor > 0.0) << size;
  }
}

}  // namespace
}  // namespace alder
