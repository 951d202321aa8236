// Transforms against their definitions, transcribed as they stand: every row written out, ranks counted one by one.
#include "rows/transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/row_buffer.h"

#include "archive/archive.h"

namespace alder {
namespace {

using Transforming = Transform::Kind;
using DenseColumns = std::vector<std::vector<double>>;  // of one feature each, as long as there are rows

constexpr auto kFittedKinds = {Transforming::kRange, Transforming::kDeviation, Transforming::kNormal};

// Rows of the columns, as two kinds of row. Of the sparse ones zeros are left out, or listed if `lists_zeros`.
struct TwoLayouts {
  RowBuffer dense;
  RowBuffer sparse;

  explicit TwoLayouts(const DenseColumns& columns, bool lists_zeros = false) {
    for (std::size_t r = 0; r < columns[0].size(); ++r) {
      std::vector<double> all;
      std::vector<FeatureIndex> indices;
      std::vector<double> values;
      for (std::size_t f = 0; f < columns.size(); ++f) {
        all.push_back(columns[f][r]);
        if (columns[f][r] == 0.0 && !lists_zeros) continue;
        indices.push_back(static_cast<FeatureIndex>(f));
        values.push_back(columns[f][r]);
      }
      dense.append(Row::dense(all));
      sparse.append(Row::sparse(indices, values));
    }
  }
};

// By halving intervals.
double slow_normal_quantile(double probability) {
  double low = -40.0;
  double high = 40.0;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return low;
}

// Φ⁻¹ of the share below and half of the share at x, for the values at evenly spaced ranks.
struct SlowCurve {
  std::vector<double> knots;
  std::vector<double> heights;

  SlowCurve(std::vector<double> column, std::size_t most) {
    std::sort(column.begin(), column.end());
    std::set<double> chosen(column.begin(), column.end());
    if (chosen.size() > most) {
      chosen.clear();
      for (std::size_t i = 0; i < most; ++i) {
        const double rank = static_cast<double>(i * (column.size() - 1)) / static_cast<double>(most - 1);
        chosen.insert(column[static_cast<std::size_t>(std::floor(rank + 0.5))]);
      }
    }
    for (const double knot : chosen) {
      double share = 0.0;
      for (const double value : column) share += value < knot ? 1.0 : value == knot ? 0.5 : 0.0;
      knots.push_back(knot);
      heights.push_back(slow_normal_quantile(share / static_cast<double>(column.size())));
    }
  }

  [[nodiscard]] bool passes_zero() const {
    return knots.front() < 0.0 && knots.back() > 0.0 && std::find(knots.begin(), knots.end(), 0.0) == knots.end();
  }
  [[nodiscard]] double at(double x) const {
    if (x <= knots.front()) return heights.front();
    for (std::size_t k = 1; k < knots.size(); ++k) {
      if (x > knots[k]) continue;
      const double share = (x - knots[k - 1]) / (knots[k] - knots[k - 1]);
      return heights[k - 1] + share * (heights[k] - heights[k - 1]);
    }
    return heights.back();
  }
};

bool is_constant(const std::vector<double>& column) {
  return std::all_of(column.begin(), column.end(), [&](double value) { return value == column[0]; });
}

double slow_multiplier(Transforming kind, const std::vector<double>& column) {
  long double spread = 0.0;
  if (kind == Transforming::kRange) {
    spread = static_cast<long double>(*std::max_element(column.begin(), column.end())) -
             static_cast<long double>(*std::min_element(column.begin(), column.end()));
  } else {
    const auto n = static_cast<long double>(column.size());
    const long double shift = column[0];
    long double mean = 0.0;
    for (const double value : column) mean += (value - shift) / n;
    for (const double value : column) spread += (value - shift - mean) * (value - shift - mean) / n;
    spread = std::sqrt(spread);
  }
  return static_cast<double>(std::min(std::max(1.0L / spread, 1e-30L), 1e30L));
}

// What values of the feature become.
std::function<double(double)> slow_map(Transforming kind, const DenseColumns& columns, std::size_t feature) {
  const bool is_known = feature < columns.size() && !is_constant(columns[feature]);
  if (kind == Transforming::kNormal) {
    if (!is_known) return [](double x) { return x > 0.0 ? 0.5 : x < 0.0 ? -0.5 : 0.0; };
    SlowCurve curve(columns[feature], 64);
    if (curve.passes_zero()) curve = SlowCurve(columns[feature], 63);
    return [curve](double x) { return 0.3 * (curve.at(x) - curve.at(0.0)); };
  }
  std::vector<double> multipliers;
  for (const auto& column : columns) {
    if (!is_constant(column)) multipliers.push_back(slow_multiplier(kind, column));
  }
  std::sort(multipliers.begin(), multipliers.end());
  const std::size_t size = multipliers.size();
  double multiplier = size == 0 ? 1.0 : 0.5 * (multipliers[(size - 1) / 2] + multipliers[size / 2]);
  if (is_known) multiplier = slow_multiplier(kind, columns[feature]);
  return [multiplier](double x) { return std::clamp(multiplier * x, -1e30, 1e30); };
}

// Columns of every sort that data have.
DenseColumns many_columns(std::size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto below = [&](std::uint64_t most) { return static_cast<double>(random() % most); };
  const std::vector<std::function<double()>> sorts = {
      [&] { return normal(random); },
      [&] { return 5.0 + normal(random); },
      [&] { return -1e3 - std::fabs(normal(random)); },
      [&] { return std::exp(3.0 * normal(random)); },
      [&] { return below(5); },
      [&] { return below(200) - 100.0; },
      [&] { return 7.0; },
      [&] { return 0.0; },
      [&] { return below(10) == 0.0 ? 1.0 : 0.0; },
      [&] { return below(10) == 0.0 ? normal(random) : 0.0; },
      [&] { return below(3) == 0.0 ? -below(1000) : 0.0; },
      [&] { return 1e300 * normal(random); },
      [&] { return 1e-290 * normal(random); },
      [&] { return below(2) == 0.0 ? 1e16 : 1e16 + 2.0; },
      [&] { return below(2) == 0.0 ? -3.0 - below(2) : 4.0 + below(2); },
  };
  DenseColumns columns;
  for (const auto& sort : sorts) {
    std::vector<double> column(rows);
    for (double& value : column) value = sort();
    columns.push_back(column);
  }
  return columns;
}

// What one might ask for: the values, those between and beyond them.
std::vector<double> probes(const std::vector<double>& column) {
  std::vector<double> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> asked = {0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, std::numeric_limits<double>::max()};
  for (std::size_t i = 0; i < sorted.size(); i += 7) {
    asked.push_back(sorted[i]);
    if (i + 1 < sorted.size()) asked.push_back(0.5 * sorted[i] + 0.5 * sorted[i + 1]);
  }
  for (const double end : {sorted.front(), sorted.back()}) {
    asked.push_back(end);
    asked.push_back(end - 1.0);
    asked.push_back(end + 1.0);
  }
  std::sort(asked.begin(), asked.end());
  return asked;
}

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

void expect_same_map(const Transform& a, const Transform& b, const DenseColumns& columns) {
  for (FeatureIndex f = 0; f < columns.size() + 2; ++f) {
    for (const double x : probes(columns[f % columns.size()])) ASSERT_EQ(bits_of(a.map(f, x)), bits_of(b.map(f, x)));
  }
}

void expect_definition(Transforming kind, const DenseColumns& columns, const Transform& fitted) {
  for (FeatureIndex f = 0; f < columns.size() + 1; ++f) {
    const auto definition = slow_map(kind, columns, f);
    for (const double x : probes(columns[f % columns.size()])) {
      const double expected = definition(x);
      const double tolerance = kind == Transforming::kNormal ? 1e-11 : 1e-11 * std::fabs(expected);
      ASSERT_NEAR(fitted.map(f, x), expected, tolerance) << fitted.name() << " of feature " << f << " at " << x;
    }
  }
}

TEST(Transform, IsWhatItsDefinitionSays) {
  for (const std::size_t rows : {2U, 3U, 32U, 63U, 64U, 65U, 66U, 129U, 400U}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const DenseColumns columns = many_columns(rows, seed);
      const TwoLayouts layouts(columns);
      for (const Transforming kind : kFittedKinds) {
        expect_definition(kind, columns, Transform::fit(kind, layouts.dense.rows()));
      }
    }
  }
}

TEST(Transform, IsTheSameToTheBitFromDenseAndFromSparseRows) {
  for (const std::size_t rows : {1U, 2U, 40U, 300U}) {
    const DenseColumns columns = many_columns(rows, 9);
    const TwoLayouts without(columns);
    const TwoLayouts with(columns, true);
    for (const Transforming kind : kFittedKinds) {
      const Transform fitted = Transform::fit(kind, without.dense.rows());
      expect_same_map(fitted, Transform::fit(kind, with.sparse.rows()), columns);
      expect_same_map(fitted, Transform::fit(kind, without.sparse.rows()), columns);
    }
  }
}

void expect_applies_as_it_maps(const Transform& fitted, std::span<const Row> rows) {
  RowBuffer out;
  fitted.apply(rows, out);
  ASSERT_EQ(out.size(), rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& to = out.rows()[r];
    ASSERT_EQ(to.size(), rows[r].size());
    ASSERT_EQ(to.is_sparse(), rows[r].is_sparse());
    for (std::size_t j = 0; j < to.size(); ++j) {
      ASSERT_EQ(to.feature(j), rows[r].feature(j));
      ASSERT_EQ(bits_of(to.value(j)), bits_of(fitted.map(rows[r].feature(j), rows[r].value(j))));
    }
  }
}

TEST(Transform, AppliesToRowsAsItMapsEveryValue) {
  const TwoLayouts layouts(many_columns(100, 4));
  for (const std::size_t fitted_rows : {0U, 1U, 50U}) {
    for (const Transforming kind :
         {Transforming::kRaw, Transforming::kRange, Transforming::kDeviation, Transforming::kNormal}) {
      Transform fitted = Transform::fit(kind, layouts.sparse.rows().first(fitted_rows));
      for (const bool is_scaled : {false, true}) {
        if (is_scaled) fitted.scale(std::vector<FeatureIndex>{1, 3, 40}, std::vector<double>{2.0, 0.3, 5.0}, 0.7);
        for (const std::size_t block : {1U, 7U, 8U, 9U, 100U}) {
          expect_applies_as_it_maps(fitted, layouts.dense.rows().first(block));
          expect_applies_as_it_maps(fitted, layouts.sparse.rows().first(block));
        }
      }
    }
  }
}

TEST(Transform, AppliesToRowsOfDifferentLayoutsAndSizes) {
  const TwoLayouts layouts(many_columns(60, 5));
  for (const Transforming kind : kFittedKinds) {
    const Transform fitted = Transform::fit(kind, layouts.dense.rows());
    for (std::size_t odd = 0; odd < 20; ++odd) {
      std::vector<Row> rows(layouts.dense.rows().begin(), layouts.dense.rows().begin() + 20);
      rows[odd] = odd % 2 == 0 ? layouts.sparse.rows()[odd] : Row::dense({rows[odd].values(), odd % 10});
      expect_applies_as_it_maps(fitted, rows);
    }
  }
}

TEST(Transform, KeepsRowsMarkedAsChecked) {
  const std::vector<double> values = {1.0, 2.0, 3.0};
  const std::vector<FeatureIndex> indices = {4, 7, 4000000000U};
  const std::vector<Row> rows = {Row::dense(values).as_checked(), Row::dense(values),
                                 Row::sparse(indices, values).as_checked(), Row::sparse(indices, values), Row()};
  for (const Transforming kind : {Transforming::kRaw, Transforming::kRange, Transforming::kNormal}) {
    RowBuffer out;
    Transform::fit(kind, rows).apply(rows, out);
    for (std::size_t r = 0; r < rows.size(); ++r) EXPECT_EQ(out.rows()[r].is_checked(), rows[r].is_checked());
  }
}

TEST(Transform, KeepsZeroAndTheOrderAndIsBounded) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    DenseColumns columns = many_columns(90 + seed, seed);
    columns.push_back(columns[0]);  // becomes subnormal
    for (double& value : columns.back()) value *= 1e-310;
    const TwoLayouts layouts(columns);
    for (const Transforming kind : kFittedKinds) {
      Transform fitted = Transform::fit(kind, layouts.dense.rows());
      for (const double factor : {1.0, 1.7, 1e200, 0.0}) {
        fitted.scale({}, {}, factor);
        for (FeatureIndex f = 0; f < columns.size() + 1; ++f) {
          EXPECT_EQ(bits_of(fitted.map(f, 0.0)), 0U);
          double before = -1e30;
          for (const double x : probes(columns[f % columns.size()])) {
            const double mapped = fitted.map(f, x);
            ASSERT_LE(std::fabs(mapped), 1e30);
            ASSERT_GE(mapped, before) << fitted.name() << " of feature " << f << " at " << x;
            ASSERT_LE(fitted.map(f, std::nextafter(x, -1e308)), mapped);
            ASSERT_GE(fitted.map(f, std::nextafter(x, 1e308)), mapped);
            before = mapped;
          }
        }
      }
    }
  }
}

TEST(Transform, ScalesWhatFeaturesBecome) {
  const DenseColumns columns = many_columns(64, 2);
  const TwoLayouts layouts(columns);
  const std::vector<FeatureIndex> given = {0, 4, 7, 1000};
  const std::vector<double> factors = {2.0, 0.25, 8.0, 4.0};
  for (const Transforming kind : kFittedKinds) {
    const Transform before = Transform::fit(kind, layouts.sparse.rows());
    Transform after = before;
    after.scale(given, factors, 0.5);
    for (const FeatureIndex feature : {0U, 1U, 4U, 5U, 6U, 7U, 999U, 1000U, 1001U}) {
      const auto at = static_cast<std::size_t>(std::find(given.begin(), given.end(), feature) - given.begin());
      const double factor = at < given.size() ? factors[at] : 0.5;
      for (const double x : {-2.0, 0.0, 0.5, 3.0}) EXPECT_EQ(after.map(feature, x), factor * before.map(feature, x));
    }
    EXPECT_TRUE(std::is_sorted(after.features().begin(), after.features().end()));
    EXPECT_EQ(after.features().back(), 1000U);
  }
}

TEST(Transform, IsTheIdentityIfItIsRaw) {
  const DenseColumns columns = many_columns(32, 2);
  const TwoLayouts layouts(columns);
  Transform raw = Transform::fit(Transforming::kRaw, layouts.dense.rows());
  EXPECT_TRUE(raw.is_identity());
  EXPECT_TRUE(Transform().is_identity());
  EXPECT_EQ(raw.features().size(), columns.size());
  EXPECT_EQ(raw.map(3, 1e300), 1e300);
  raw.scale({}, {}, 1.0);
  EXPECT_TRUE(raw.is_identity());
  raw.scale(std::vector<FeatureIndex>{100}, std::vector<double>{3.0}, 1.0);
  EXPECT_FALSE(raw.is_identity());
  EXPECT_EQ(raw.map(100, 2.0), 6.0);
  EXPECT_EQ(raw.map(99, 2.0), 2.0);
  for (const Transforming kind : kFittedKinds) EXPECT_FALSE(Transform::fit(kind, {}).is_identity());
}

TEST(Transform, TakesMemoryByTheFeaturesMetNotByTheHighest) {
  RowBuffer rows;
  std::mt19937 random(1);
  std::set<FeatureIndex> met;
  for (std::size_t r = 0; r < 300; ++r) {
    std::set<FeatureIndex> row;
    while (row.size() < 20) row.insert(static_cast<FeatureIndex>(random() % 3 == 0 ? random() % 50 : random()));
    met.insert(row.begin(), row.end());
    const std::vector<FeatureIndex> indices(row.begin(), row.end());
    rows.append(Row::sparse(indices, std::vector<double>(20, 1.0 + static_cast<double>(r % 3))));
  }
  for (const Transforming kind : kFittedKinds) {
    const Transform fitted = Transform::fit(kind, rows.rows());
    EXPECT_EQ(fitted.features(), std::vector<FeatureIndex>(met.begin(), met.end()));
    EXPECT_LT(fitted.bytes(), 200 * met.size());
    const Transform unknown = Transform::fit(kind, {});
    EXPECT_NE(fitted.map(*met.begin(), 1.0), unknown.map(*met.begin(), 1.0));
    EXPECT_NE(fitted.map(*met.rbegin(), 1.0), unknown.map(*met.rbegin(), 1.0));
  }
}

TEST(Transform, IsTheSameToTheBitWhenLoaded) {
  const DenseColumns columns = many_columns(200, 6);
  const TwoLayouts layouts(columns);
  for (const Transforming kind :
       {Transforming::kRaw, Transforming::kRange, Transforming::kDeviation, Transforming::kNormal}) {
    Transform fitted = Transform::fit(kind, layouts.sparse.rows());
    for (const double factor : {1.0, 1.0 / 3.0}) {
      fitted.scale(std::vector<FeatureIndex>{2, 77}, std::vector<double>{factor, 1.0}, factor);
      Archive archive;
      fitted.save(archive, "a.b");
      const Transform loaded = Transform::load(Archive::decode(archive.encode()), "a.b");
      EXPECT_EQ(loaded.kind(), kind);
      EXPECT_EQ(loaded.is_identity(), fitted.is_identity());
      EXPECT_EQ(loaded.features(), fitted.features());
      expect_same_map(fitted, loaded, columns);
      Archive again;
      loaded.save(again, "a.b");
      EXPECT_EQ(again.encode(), archive.encode());
    }
  }
}

}  // namespace
}  // namespace alder
