// Scaled rows are the same to the bit as by the definition, feature by feature, however they are laid out.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/row_buffer.h"
#include "alder/scaling.h"

#include "data/support.h"

namespace alder {
namespace {

using test::owned;
using test::OwnedExample;
using Kind = Scaling::Kind;

constexpr double kMax = std::numeric_limits<double>::max();

double map_value(double offset, double divisor, double value) {
  if (divisor == 0.0) return 0.0;
  double scaled = (value - offset) / divisor;
  if (std::isinf(value - offset)) scaled = (0.5 * value - 0.5 * offset) / (0.5 * divisor);
  return scaled > kMax ? kMax : scaled < -kMax ? -kMax : scaled;
}

// The definition: all features that are listed or fitted, without zeros.
OwnedExample by_definition(const Scaling& scaling, const Row& row) {
  std::map<FeatureIndex, double> values;
  for (const FeatureIndex feature : scaling.features()) values[feature] = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) values[row.feature(j)] = row.value(j);
  for (std::size_t i = 0; i < scaling.features().size(); ++i) {
    double& value = values[scaling.features()[i]];
    value = map_value(scaling.offsets()[i], scaling.divisors()[i], value);
  }
  OwnedExample expected;
  for (const auto& [feature, value] : values) {
    if (value == 0.0) continue;
    expected.indices.push_back(feature);
    expected.values.push_back(value);
  }
  return expected;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

bool is_same(const OwnedExample& a, const OwnedExample& b) {
  return a.indices == b.indices && bits(a.values) == bits(b.values);
}

// Batches and single rows, marked as checked or not.
void check_rows(const Scaling& scaling, const std::vector<Row>& rows) {
  RowBuffer scaled;
  Scaling::Buffer buffer;
  for (const bool is_checked : {false, true}) {
    std::vector<Row> given;
    for (const Row& row : rows) given.push_back(is_checked ? row.as_checked() : row);
    scaling.apply(given, scaled);
    RC_ASSERT(scaled.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const OwnedExample expected = by_definition(scaling, rows[i]);
      const Row found = scaled.rows()[i];
      RC_ASSERT(is_same(owned({found, 0.0}), expected));
      RC_ASSERT(found.is_checked() == is_checked);
      Row::sparse(expected.indices, expected.values).check();
      const Row single = scaling.apply(given[i], buffer);
      RC_ASSERT(is_same(owned({single, 0.0}), expected));
      RC_ASSERT(single.is_checked() == is_checked);
    }
  }
}

rc::Gen<double> any_value() {
  return rc::gen::weightedOneOf<double>(
      {{6, rc::gen::map(rc::gen::inRange(-40, 40), [](int value) { return 0.3 * value; })},
       {3, rc::gen::element(0.0, 0.0, -0.0, 1.0, 1.5)},
       {1, rc::gen::element(kMax, -kMax, 1e308, -1e308, 5e-324, -2e-310, 1e-300)}});
}

rc::Gen<double> any_divisor() {
  return rc::gen::weightedOneOf<double>(
      {{6, rc::gen::map(rc::gen::inRange(1, 40), [](int value) { return 0.7 * value; })},
       {2, rc::gen::just(0.0)},
       {1, rc::gen::element(kMax, 5e-324, 1e-310, 1.0)}});
}

// Ascending features: all up to a highest, or some of them.
std::vector<FeatureIndex> any_features(std::size_t most, bool is_complete) {
  std::vector<FeatureIndex> features;
  const auto size = *rc::gen::inRange<std::size_t>(0, most + 1);
  FeatureIndex feature = 0;
  for (std::size_t j = 0; j < size; ++j) {
    if (!is_complete) feature += *rc::gen::weightedElement<FeatureIndex>({{6, 0}, {3, 1}, {2, 2}, {1, 30}});
    features.push_back(feature++);
  }
  return features;
}

struct AnyRow {
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  bool is_dense = false;
};

AnyRow any_row(std::size_t most) {
  AnyRow row;
  row.is_dense = *rc::gen::arbitrary<bool>();
  row.indices = any_features(most, row.is_dense || *rc::gen::arbitrary<bool>());
  for (std::size_t j = 0; j < row.indices.size(); ++j) row.values.push_back(*any_value());
  return row;
}

std::vector<Row> views(const std::vector<AnyRow>& rows) {
  std::vector<Row> all;
  for (const AnyRow& row : rows) {
    all.push_back(row.is_dense ? Row::dense(row.values) : Row::sparse(row.indices, row.values));
  }
  return all;
}

std::vector<AnyRow> any_rows(std::size_t most) {
  std::vector<AnyRow> rows(*rc::gen::inRange<std::size_t>(0, 6));
  for (AnyRow& row : rows) row = any_row(most);
  return rows;
}

RC_GTEST_PROP(ScalingApply, MatchesTheDefinitionForAnyLines, ()) {
  constexpr std::size_t kMost = 20;
  std::vector<FeatureIndex> features = any_features(kMost, *rc::gen::arbitrary<bool>());
  if (*rc::gen::weightedElement<bool>({{4, false}, {1, true}})) features.push_back(1'000'000'000);  // no table then
  std::vector<double> offsets;
  std::vector<double> divisors;
  const bool has_offsets = *rc::gen::arbitrary<bool>();  // without them nothing that is 0 is shifted
  for (std::size_t i = 0; i < features.size(); ++i) {
    offsets.push_back(has_offsets ? *any_value() : 0.0);
    divisors.push_back(*any_divisor());
  }
  const Scaling scaling(Kind::kStandard, features, offsets, divisors);
  const std::vector<AnyRow> rows = any_rows(*rc::gen::element<std::size_t>(4, kMost, 2 * kMost));
  check_rows(scaling, views(rows));
}

RC_GTEST_PROP(ScalingApply, MatchesTheDefinitionForFittedLines, ()) {
  const std::vector<AnyRow> fitted = any_rows(12);
  const std::vector<AnyRow> others = any_rows(16);
  const Scaling scaling = Scaling::fit(Kind::kMinmax, views(fitted));
  check_rows(scaling, views(fitted));
  check_rows(scaling, views(others));
}

// Wide rows with few features listed, as text has: what was fitted is sparse in the features, or not.
RC_GTEST_PROP(ScalingApply, MatchesTheDefinitionForWideRows, ()) {
  const auto step = *rc::gen::element<FeatureIndex>(1, 3, 5, 1000);
  std::vector<FeatureIndex> features;
  for (FeatureIndex i = 0; i < 300; ++i) features.push_back(step * i);
  std::vector<double> offsets(features.size(), 0.0);
  const std::vector<double> divisors(features.size(), 3.0);
  const auto shifted = *rc::gen::element<std::size_t>(0, 3, 70, 300);
  for (std::size_t i = 0; i < shifted; ++i) offsets[offsets.size() / shifted * i] = 0.5;
  const Scaling scaling(Kind::kMinmax, features, offsets, divisors);
  check_rows(scaling, views(any_rows(40)));
}

// The difference is infinite, and so is what a constant feature is divided by.
TEST(ScalingApply, ConstantFeaturesBecomeZeroHoweverFarAway) {
  const Scaling scaling(Kind::kMinmax, {0, 1, 2}, {1.0, -kMax, 0.0}, {2.0, 0.0, 4.0});
  const std::vector<double> x = {3.0, kMax, 2.0};
  const std::vector<FeatureIndex> indices = {0, 1, 2};
  RowBuffer out;
  scaling.apply(std::vector<Row>{Row::dense(x), Row::sparse(indices, x)}, out);
  for (const Row& row : out.rows()) EXPECT_EQ(owned({row, 1.0}), (OwnedExample{{0, 2}, {1.0, 0.5}, 1.0}));
}

TEST(ScalingApply, FillsTheBufferAnew) {
  const Scaling scaling(Kind::kMinmax, {0, 1}, {1.0, 0.0}, {2.0, 4.0});
  const std::vector<double> x = {3.0, 2.0};
  RowBuffer out;
  out.append(Row::dense(x));
  scaling.apply(std::vector<Row>(3, Row::dense(x)), out);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(owned({out.rows()[2], 1.0}), (OwnedExample{{0, 1}, {1.0, 0.5}, 1.0}));
  scaling.apply(std::vector<Row>(), out);
  EXPECT_EQ(out.size(), 0U);
}

}  // namespace
}  // namespace alder
