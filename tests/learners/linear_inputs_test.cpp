#include "learners/alder/linear_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {
namespace {

using Table = std::vector<std::vector<double>>;

std::vector<Row> dense_rows(const Table& table) {
  std::vector<Row> rows;
  for (const auto& values : table) rows.push_back(Row::dense(values));
  return rows;
}

template <class T = double>
std::vector<T> inputs_of(const LinearInputs& inputs, const Row& row) {
  std::vector<T> out(inputs.size(), T{99});
  inputs.write(row, out.data());
  return out;
}

// Every third value is 0; means are far from 0.
Table random_table(std::size_t n, std::size_t d, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Table table(n, std::vector<double>(d));
  for (auto& row : table) {
    for (std::size_t j = 0; j < d; ++j) {
      if (engine() % 3 != 0) row[j] = std::ldexp(normal(engine) + 3.0, static_cast<int>(j));
    }
  }
  return table;
}

struct MeanAndDeviation {
  double mean = 0.0;
  double deviation = 0.0;
};
MeanAndDeviation of_column(const Table& table, std::size_t j) {
  const auto n = static_cast<double>(table.size());
  MeanAndDeviation column;
  for (const auto& row : table) column.mean += row[j] / n;
  for (const auto& row : table) column.deviation += (row[j] - column.mean) * (row[j] - column.mean) / n;
  column.deviation = std::sqrt(column.deviation);
  return column;
}

TEST(LinearInputs, EqualTheirDefinition) {
  for (const std::size_t d : {1, 2, 7, 31, 32}) {
    const Table table = random_table(200, d, d);
    const LinearInputs inputs = LinearInputs::fit(dense_rows(table));
    ASSERT_EQ(inputs.size(), d + 1);
    Table others = random_table(50, d, 100 + d);
    for (auto& row : others) row[0] *= 100.0;  // so that some are cut
    const double root = std::sqrt(static_cast<double>(d));
    for (const auto& row : others) {
      const std::vector<double> made = inputs_of(inputs, Row::dense(row));
      const std::vector<float> in_float = inputs_of<float>(inputs, Row::dense(row));
      for (std::size_t j = 0; j < d; ++j) {
        const auto [mean, deviation] = of_column(table, j);
        ASSERT_NEAR(made[j], std::clamp((row[j] - mean) / deviation, -3.0, 3.0) / root, 1e-12) << d << " " << j;
        ASSERT_EQ(in_float[j], static_cast<float>(made[j]));
        ASSERT_NEAR(inputs.factors()[j], 1.0 / (deviation * root), 1e-12 / deviation);
      }
      ASSERT_EQ(made[d], 0.5);
    }
  }
}

TEST(LinearInputs, AreTheSameOfSparseRows) {
  const Table table = random_table(100, 9, 3);
  std::vector<std::vector<FeatureIndex>> indices;
  Table values;
  for (const auto& row : table) {
    indices.emplace_back();
    values.emplace_back();
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0.0) continue;
      indices.back().push_back(static_cast<FeatureIndex>(j));
      values.back().push_back(row[j]);
    }
  }
  std::vector<Row> sparse;
  for (std::size_t i = 0; i < table.size(); ++i) sparse.push_back(Row::sparse(indices[i], values[i]));
  const LinearInputs of_dense = LinearInputs::fit(dense_rows(table));
  const LinearInputs of_sparse = LinearInputs::fit(sparse);
  ASSERT_EQ(of_dense.features(), of_sparse.features());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::vector<double> expected = inputs_of(of_dense, Row::dense(table[i]));
    EXPECT_EQ(inputs_of(of_dense, sparse[i]), expected);
    const std::vector<double> made = inputs_of(of_sparse, sparse[i]);
    for (std::size_t j = 0; j < expected.size(); ++j) ASSERT_NEAR(made[j], expected[j], 1e-12);
  }
}

TEST(LinearInputs, OfFeaturesThatWereNotMetAreNone) {
  const std::vector<FeatureIndex> known = {2, 5};
  const std::vector<double> some = {1.0, 4.0};
  const std::vector<double> more = {3.0, -4.0};
  const LinearInputs inputs = LinearInputs::fit(std::vector{Row::sparse(known, some), Row::sparse(known, more)});
  EXPECT_EQ(inputs.features(), known);
  const std::vector<FeatureIndex> features = {0, 2, 3, 5, 900};
  const std::vector<double> values = {7.0, 3.0, 7.0, -4.0, 7.0};
  EXPECT_EQ(inputs_of(inputs, Row::sparse(features, values)), inputs_of(inputs, Row::sparse(known, more)));
}

TEST(LinearInputs, OfMoreThan32FeaturesAreNone) {
  const Table table = random_table(100, 33, 1);
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table));
  EXPECT_EQ(inputs.size(), 0U);
  double untouched = 7.0;
  inputs.write(Row::dense(table[0]), &untouched);
  EXPECT_EQ(untouched, 7.0);
  EXPECT_EQ(LinearInputs().size(), 0U);
}

TEST(LinearInputs, OfConstantFeaturesAreZero) {
  Table table = random_table(50, 3, 1);
  for (auto& row : table) row[1] = 0.1;
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table));
  for (const double value : {0.1, 0.0, -5.0, 1e9}) {
    table[0][1] = value;
    EXPECT_EQ(inputs_of(inputs, Row::dense(table[0]))[1], 0.0) << value;
  }
}

TEST(LinearInputs, OfHugeAndTinyValuesAreFinite) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  const Table table = {{most, -most, least, 1e-300}, {-most, -most, 0.0, 2e-300}, {most, 1.0, -least, 0.0}};
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table));
  Table others = table;
  others.push_back({0.0, 0.0, 1.0, most});
  others.push_back({1e-300, 1e200, most, -most});
  for (const auto& row : others) {
    for (const double input : inputs_of(inputs, Row::dense(row))) {
      EXPECT_TRUE(std::isfinite(input));
      EXPECT_LE(std::fabs(input), 1.5);
    }
  }
}

TEST(LinearInputs, GoOnFromAnArchiveToTheBit) {
  const Table table = random_table(80, 6, 2);
  for (const LinearInputs& inputs : {LinearInputs::fit(dense_rows(table)), LinearInputs()}) {
    Archive archive;
    inputs.save(archive, "l");
    const LinearInputs loaded = LinearInputs::load(Archive::decode(archive.encode()), "l");
    ASSERT_EQ(loaded.size(), inputs.size());
    for (const Row& row : dense_rows(table)) EXPECT_EQ(inputs_of(loaded, row), inputs_of(inputs, row));
  }
}

TEST(LinearInputs, RefuseForgedNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Features = std::vector<std::uint32_t>;
  using Numbers = std::vector<double>;
  const auto load = [](const Features& features, const Numbers& means, const Numbers& factors) {
    Archive archive;
    archive.put("l.features", features);
    archive.put("l.means", means);
    archive.put("l.factors", factors);
    return LinearInputs::load(archive, "l");
  };
  EXPECT_EQ(load({1, 4}, {0.0, -5.0}, {1.0, 0.0}).size(), 3U);
  EXPECT_THROW(load({1, 4}, {0.0}, {1.0, 0.0}), Error);
  EXPECT_THROW(load({1, 4}, {0.0, 0.0}, {1.0}), Error);
  EXPECT_THROW(load({4, 1}, {0.0, 0.0}, {1.0, 1.0}), Error);
  EXPECT_THROW(load({4, 4}, {0.0, 0.0}, {1.0, 1.0}), Error);
  EXPECT_THROW(load({1, 4}, {nan, 0.0}, {1.0, 1.0}), Error);
  EXPECT_THROW(load({1, 4}, {1e200, 0.0}, {1.0, 1.0}), Error);
  EXPECT_THROW(load({1, 4}, {0.0, 0.0}, {1.0, -1.0}), Error);
  EXPECT_THROW(load({1, 4}, {0.0, 0.0}, {1.0, nan}), Error);
  EXPECT_THROW(load({1, 4}, {0.0, 0.0}, {1e200, 1.0}), Error);
  Features many;
  for (std::uint32_t j = 0; j < 33; ++j) many.push_back(j);
  EXPECT_THROW(load(many, Numbers(33, 0.0), Numbers(33, 1.0)), Error);
}

TEST(LinearInputsForNumbers, EqualTheirDefinition) {
  for (const std::size_t d : {1, 2, 33, 100}) {
    Table table = random_table(200, d, d);
    for (auto& row : table) row[0] = 50.0 + 1e-3 * row[0];  // hardly varies
    for (std::size_t j = 0; j < d; ++j) {
      for (auto& row : table) row[j] = std::ldexp(row[j], -static_cast<int>(j));
    }
    const LinearInputs inputs = LinearInputs::fit(dense_rows(table), true);
    ASSERT_EQ(inputs.size(), d + 1);
    Table others = random_table(50, d, 100 + d);
    for (auto& row : others) row[0] *= 1000.0;  // so that some are cut
    int cut = 0;
    for (const auto& row : others) {
      const std::vector<double> made = inputs_of(inputs, Row::dense(row));
      for (std::size_t j = 0; j < d; ++j) {
        const auto [mean, deviation] = of_column(table, j);
        const double unit = std::sqrt(deviation * deviation + 0.01 * mean * mean);
        const double expected = 0.3 * std::clamp((row[j] - mean) / unit, -100.0, 100.0);
        cut += std::fabs(expected) == 30.0 ? 1 : 0;
        ASSERT_NEAR(made[j], expected, 1e-10) << d << " " << j;
      }
      ASSERT_EQ(made[d], 1.0);
    }
    EXPECT_GT(cut, 0);
  }
}

TEST(LinearInputsForNumbers, OfMoreThan100FeaturesAreNone) {
  EXPECT_EQ(LinearInputs::fit(dense_rows(random_table(100, 101, 1)), true).size(), 0U);
}

TEST(LinearInputsForNumbers, OfConstantFeaturesAreCloseToZero) {
  Table table = random_table(50, 3, 1);
  for (auto& row : table) row[1] = 0.1;
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table), true);
  EXPECT_NEAR(inputs_of(inputs, Row::dense(table[0]))[1], 0.0, 1e-12);
  table[0][1] = 0.2;  // ten deviations, one being a tenth of the mean
  EXPECT_NEAR(inputs_of(inputs, Row::dense(table[0]))[1], 3.0, 1e-9);
}

TEST(LinearInputsForNumbers, OfHugeAndTinyValuesAreFinite) {
  const double most = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  const Table table = {{most, -most, least, 1e-300}, {-most, -most, 0.0, 2e-300}, {most, 1.0, -least, 0.0}};
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table), true);
  Table others = table;
  others.push_back({0.0, 0.0, 1.0, most});
  others.push_back({1e-300, 1e200, most, -most});
  for (const auto& row : others) {
    for (const double input : inputs_of(inputs, Row::dense(row))) EXPECT_LE(std::fabs(input), 30.0);
  }
}

TEST(LinearInputsForNumbers, GoOnFromAnArchiveToTheBit) {
  const Table table = random_table(80, 60, 2);
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table), true);
  Archive archive;
  inputs.save(archive, "l");
  const LinearInputs loaded = LinearInputs::load(Archive::decode(archive.encode()), "l");
  for (const Row& row : dense_rows(table)) EXPECT_EQ(inputs_of(loaded, row), inputs_of(inputs, row));
}

// By differences, but where an input is cut.
TEST(LinearInputsForNumbers, HaveTheirSlopes) {
  const Table table = random_table(80, 4, 2);
  const LinearInputs inputs = LinearInputs::fit(dense_rows(table), true);
  const std::vector<double> weights = {1.0, -2.0, 0.5, 3.0, 7.0};
  const std::vector<FeatureIndex> features = {0, 1, 2, 3, 9};
  for (std::vector<double> x : Table{{3.0, 5.0, 11.0, 20.0}, {0.0, 1e4, 0.0, -1e6}}) {
    std::vector<double> gradient(5, 1.0);
    inputs.add_gradient(Row::dense(x), weights, features, gradient);
    EXPECT_EQ(gradient[4], 1.0);
    for (std::size_t j = 0; j < 4; ++j) {
      std::vector<double> above = x;
      above[j] += 1e-3;
      const double change = inputs_of(inputs, Row::dense(above))[j] - inputs_of(inputs, Row::dense(x))[j];
      EXPECT_NEAR(gradient[j], 1.0 + weights[j] * change / 1e-3, 1e-6) << j;
    }
  }
}

}  // namespace
}  // namespace alder
