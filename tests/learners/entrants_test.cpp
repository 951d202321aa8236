#include "learners/alder/entrants.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "learners/alder/feature_scales.h"

namespace alder {
namespace {

using Kind = Transform::Kind;
using Powers = std::vector<int>;

// Rows of six features with these ranges; the class is that of the first two.
struct RangedRows {
  RangedRows(std::size_t n, const std::vector<double>& ranges) : values(n, std::vector<double>(ranges.size())) {
    std::mt19937_64 engine(6);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < ranges.size(); ++j) values[i][j] = ranges[j] * uniform(engine);
      // So that the range is what it is said to be.
      for (std::size_t j = 0; j < ranges.size() && i < 2; ++j) values[i][j] = i == 0 ? 0.0 : ranges[j];
      targets.push_back((values[i][0] > 0.5 * ranges[0]) != (values[i][1] > 0.5 * ranges[1]) ? 1.0 : 0.0);
    }
    for (const auto& row : values) rows.push_back(Row::dense(row).as_checked());
  }

  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
};

RangedRows even_rows(std::size_t n) {
  return {n, {1.0, 1.0, 1.1, 1.2, 1.2, 1.4}};
}
RangedRows middling_rows(std::size_t n) {
  return {n, {1.0, 1.0, 2.0, 4.0, 8.0, 10.0}};
}
RangedRows uneven_rows(std::size_t n) {
  return {n, {1.0, 1.0, 10.0, 20.0, 50.0, 1000.0}};
}

// The upper median of the distances of all pairs of the rows 0, step, 2·step, …, at most 128.
double median_distance(const Transform& transform, const RangedRows& data, bool is_absolute) {
  const std::size_t n = data.rows.size();
  std::size_t step = 1;
  while ((n + step - 1) / step > 128) ++step;
  std::vector<double> distances;
  for (std::size_t a = 0; a < n; a += step) {
    for (std::size_t b = 0; b < a; b += step) {
      double squares = 0.0;
      double sum = 0.0;
      for (std::size_t j = 0; j < data.values[a].size(); ++j) {
        const auto feature = static_cast<FeatureIndex>(j);
        const double apart = transform.map(feature, data.values[a][j]) - transform.map(feature, data.values[b][j]);
        squares += apart * apart;
        sum += std::fabs(apart);
      }
      distances.push_back(is_absolute ? sum : std::sqrt(squares));
    }
  }
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() / 2];
}

struct Expected {
  Kind kind;
  bool is_scaled;
  bool is_laplacian;
  Powers powers;
  double handicap;
};

void expect_entrants(const std::vector<Entrant>& entrants, const RangedRows& data, const std::vector<Expected>& all,
                     const char* where) {
  ASSERT_EQ(entrants.size(), all.size()) << where;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Entrant& entrant = entrants[i];
    EXPECT_EQ(entrant.transform.kind(), all[i].kind) << where << " " << i;
    EXPECT_EQ(entrant.is_scaled, all[i].is_scaled) << where << " " << i;
    EXPECT_EQ(entrant.is_laplacian, all[i].is_laplacian) << where << " " << i;
    EXPECT_EQ(entrant.powers, all[i].powers) << where << " " << i;
    EXPECT_EQ(entrant.handicap, all[i].handicap) << where << " " << i;
    // Scales are such that the Gaussian kernel of width 1 fits them.
    const bool has_unit = entrant.is_scaled && !entrant.is_laplacian;
    const double unit = has_unit ? 1.0 : median_distance(entrant.transform, data, entrant.is_laplacian);
    EXPECT_NEAR(entrant.unit, unit, 1e-9 * unit) << where << " " << i;
    if (entrant.is_scaled) continue;
    const Transform plain = Transform::fit(all[i].kind, data.rows);
    for (FeatureIndex j = 0; j < 6; ++j) EXPECT_EQ(entrant.transform.map(j, 0.7), plain.map(j, 0.7));
  }
}

const Expected kNormals = {Kind::kNormal, false, false, {-2, -1, 0}, 0.7};
const Expected kNormalLaplacians = {Kind::kNormal, false, true, {0, 1}, 0.7};
const Expected kRaws = {Kind::kRaw, false, false, {-3, -2, -1, 0, 1}, 0.0};
const std::vector<Expected> kScaledOnes = {{Kind::kDeviation, true, false, {-1, 0}, 0.7},
                                           {Kind::kNormal, true, false, {-1, 0}, 0.7},
                                           {Kind::kNormal, true, true, {0, 1}, 0.7}};

TEST(Entrants, OfTheFirstRowsAreRowsAsTheyAreOnlyIfRangesAreEven) {
  const RangedRows even = even_rows(32);
  expect_entrants(first_entrants(even.rows, {}), even, {{Kind::kRaw, false, false, {-2, -1, 0}, 0.0}, kNormals},
                  "even");
  for (const RangedRows& data : {middling_rows(32), uneven_rows(32)}) {
    expect_entrants(first_entrants(data.rows, {}), data, {{Kind::kRange, false, false, {-2, -1, 0}, 0.0}, kNormals},
                    "not even");
  }
}

TEST(Entrants, OfMoreRowsDependOnTheirRanges) {
  const RangedRows even = even_rows(256);
  expect_entrants(second_entrants(even.rows, {}), even, {kRaws, kNormals, kNormalLaplacians}, "even");
  const RangedRows middling = middling_rows(256);
  const Expected ranges = {Kind::kRange, false, false, {-2, -1, 0}, 0.7};
  expect_entrants(second_entrants(middling.rows, {}), middling, {kRaws, ranges, kNormals, kNormalLaplacians},
                  "middling");
  // Where rows as they are make no sense, those divided by their ranges are what needs no reason.
  const RangedRows uneven = uneven_rows(256);
  const Expected usual = {Kind::kRange, false, false, {-2, -1, 0}, 0.0};
  expect_entrants(second_entrants(uneven.rows, {}), uneven, {usual, kNormals, kNormalLaplacians}, "uneven");
}

TEST(Entrants, WithLearnedScalesComeLater) {
  const RangedRows data = middling_rows(400);
  const std::vector<Entrant> entrants = scaled_entrants(data.rows, data.targets, 2, {});
  expect_entrants(entrants, data, kScaledOnes, "scaled");
  for (const Entrant& entrant : entrants) {
    Transform plain = Transform::fit(entrant.transform.kind(), data.rows);
    RowBuffer mapped;
    plain.apply(data.rows, mapped);
    const auto scales = likely_scales(mapped.rows(), data.targets, 2, median_distance(plain, data, false));
    ASSERT_TRUE(scales);
    for (FeatureIndex j = 0; j < 6; ++j) {
      const double expected = scales->factors[j] * plain.map(j, 0.7);
      EXPECT_NEAR(entrant.transform.map(j, 0.7), expected, 1e-3 * std::fabs(expected)) << j;
    }
    // What matters is what the classes depend on.
    for (FeatureIndex j = 2; j < 6; ++j) {
      EXPECT_GT(std::min(scales->factors[0], scales->factors[1]), 2.0 * scales->factors[j]) << j;
    }
  }
}

TEST(Entrants, WithScalesAreNoneWhereNoneCanBeLearned) {
  RangedRows data = middling_rows(100);
  data.targets.assign(100, 1.0);
  EXPECT_TRUE(scaled_entrants(data.rows, data.targets, 2, {}).empty());
  EXPECT_EQ(challengers(data.rows, data.targets, 2, {}, true).size(), 2U);
}

TEST(Entrants, ThatChallengeAreSevenOrAll) {
  for (const RangedRows& data : {even_rows(600), middling_rows(600), uneven_rows(600)}) {
    const bool is_uneven = data.values[1][5] > 100.0;
    const Expected usual = {is_uneven ? Kind::kRange : Kind::kRaw, false, false, {-2, -1, 0}, 0.0};
    expect_entrants(challengers(data.rows, data.targets, 2, {}, true), data,
                    {usual,
                     {Kind::kNormal, false, false, {-1}, 0.7},
                     {Kind::kDeviation, true, false, {-1}, 0.7},
                     {Kind::kNormal, true, false, {-1}, 0.7},
                     {Kind::kNormal, true, true, {0}, 0.7}},
                    "thrifty");
  }
  const RangedRows data = even_rows(600);
  std::vector<Expected> all = {kRaws, kNormals, kNormalLaplacians};
  all.insert(all.end(), kScaledOnes.begin(), kScaledOnes.end());
  expect_entrants(challengers(data.rows, data.targets, 2, {}, false), data, all, "all");
}

TEST(Entrants, MayBeLeftOut) {
  const RangedRows data = uneven_rows(256);
  const RaceParts no_transforms = {.has_transforms = false};
  const RaceParts no_scales = {.has_scales = false};
  const RaceParts no_laplacian = {.has_laplacian = false};
  const Expected few = {Kind::kRaw, false, false, {-2, -1, 0}, 0.0};
  const Expected usual = {Kind::kRange, false, false, {-2, -1, 0}, 0.0};
  expect_entrants(first_entrants(data.rows, no_transforms), data, {few}, "first, no transforms");
  expect_entrants(second_entrants(data.rows, no_transforms), data, {kRaws}, "second, no transforms");
  expect_entrants(second_entrants(data.rows, no_laplacian), data, {usual, kNormals}, "second, no Laplacian");
  EXPECT_TRUE(scaled_entrants(data.rows, data.targets, 2, no_scales).empty());
  expect_entrants(scaled_entrants(data.rows, data.targets, 2, no_laplacian), data, {kScaledOnes[0], kScaledOnes[1]},
                  "scaled, no Laplacian");
  const Expected one = {Kind::kNormal, false, false, {-1}, 0.7};
  expect_entrants(challengers(data.rows, data.targets, 2, no_scales, true), data, {usual, one},
                  "challengers, no scales");
  EXPECT_EQ(challengers(data.rows, data.targets, 2, no_laplacian, true).size(), 4U);
  EXPECT_EQ(challengers(data.rows, data.targets, 2, no_transforms, true).front().transform.kind(), Kind::kRaw);
}

TEST(Entrants, HaveKernelsOfTheirWidths) {
  Entrant entrant;
  entrant.unit = 3.0;
  EXPECT_EQ(entrant.kernel(-2).kind(), Kernel::Kind::kGaussian);
  EXPECT_DOUBLE_EQ(entrant.kernel(-2).sigma(), 0.75);
  EXPECT_DOUBLE_EQ(entrant.kernel(1).gamma(), 1.0 / (2.0 * 36.0));
  entrant.is_laplacian = true;
  EXPECT_EQ(entrant.kernel(0).kind(), Kernel::Kind::kLaplacianL1);
  EXPECT_DOUBLE_EQ(entrant.kernel(1).gamma(), 1.0 / 6.0);
}

TEST(Entrants, ComeForRowsThatTellNothing) {
  const std::vector<double> same = {1.0, 2.0};
  const std::vector<Row> equal(40, Row::dense(same).as_checked());
  const std::vector<Row> none(40, Row().as_checked());
  const std::vector<double> targets(40, 0.0);
  for (const auto& rows : {equal, none}) {
    for (const auto& entrants :
         {first_entrants(rows, {}), second_entrants(rows, {}), challengers(rows, targets, 2, {}, true)}) {
      ASSERT_FALSE(entrants.empty());
      for (const Entrant& entrant : entrants) EXPECT_EQ(entrant.unit, 1.0);
    }
  }
}

}  // namespace
}  // namespace alder
