#include "alder/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "data/support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::owned;
using test::OwnedExample;
using test::OwnedStream;
using test::TemporaryFolder;
using Kind = Scaling::Kind;

OwnedExample applied(const Scaling& scaling, const OwnedExample& example) {
  Scaling::Buffer buffer;
  return owned({scaling.apply(Row::sparse(example.indices, example.values), buffer), example.target});
}

Scaling fitted(Kind kind, std::vector<OwnedExample> examples) {
  OwnedStream source(std::move(examples));
  return Scaling::fit(kind, source);
}

// Column 0: 2, 4, 0. Column 2: -1, 0, 1. Column 3: constant 3. Column 9: 5, 6, 7.
const std::vector<OwnedExample> kRows = {
    {{0, 2, 3, 9}, {2.0, -1.0, 3.0, 5.0}, 1.0}, {{0, 3, 9}, {4.0, 3.0, 6.0}, 1.0}, {{2, 3, 9}, {1.0, 3.0, 7.0}, 0.0}};

TEST(Scaling, MinmaxKnowsMinimumAndRange) {
  const Scaling scaling = fitted(Kind::kMinmax, kRows);
  EXPECT_EQ(scaling.features(), (std::vector<FeatureIndex>{0, 2, 3, 9}));
  EXPECT_EQ(scaling.offsets(), (std::vector<double>{0.0, -1.0, 3.0, 5.0}));
  EXPECT_EQ(scaling.divisors(), (std::vector<double>{4.0, 2.0, 0.0, 2.0}));
  EXPECT_EQ(scaling.name(), "minmax");
}

TEST(Scaling, StandardKnowsMeanAndDeviation) {
  const Scaling scaling = fitted(Kind::kStandard, kRows);
  EXPECT_EQ(scaling.offsets(), (std::vector<double>{2.0, 0.0, 3.0, 6.0}));
  ASSERT_EQ(scaling.divisors().size(), 4U);
  EXPECT_DOUBLE_EQ(scaling.divisors()[0], std::sqrt(8.0 / 3.0));
  EXPECT_DOUBLE_EQ(scaling.divisors()[1], std::sqrt(2.0 / 3.0));
  EXPECT_EQ(scaling.divisors()[2], 0.0);
  EXPECT_DOUBLE_EQ(scaling.divisors()[3], std::sqrt(2.0 / 3.0));
  EXPECT_EQ(scaling.name(), "standard");
}

TEST(Scaling, ScalesListedAndAbsentValues) {
  const Scaling scaling = fitted(Kind::kMinmax, kRows);
  EXPECT_EQ(applied(scaling, kRows[0]), (OwnedExample{{0}, {0.5}, 1.0}));
  EXPECT_EQ(applied(scaling, kRows[1]), (OwnedExample{{0, 2, 9}, {1.0, 0.5, 0.5}, 1.0}));
  EXPECT_EQ(applied(scaling, {{}, {}, 1.0}), (OwnedExample{{2, 9}, {0.5, -2.5}, 1.0}));
}

TEST(Scaling, MayLeaveTheRange) {
  const Scaling scaling = fitted(Kind::kMinmax, kRows);
  EXPECT_EQ(applied(scaling, {{0, 2, 9}, {-4.0, 5.0, 5.0}, 1.0}), (OwnedExample{{0, 2}, {-1.0, 3.0}, 1.0}));
}

TEST(Scaling, ConstantFeaturesBecomeZeroForEver) {
  const Scaling scaling = fitted(Kind::kStandard, {{{0}, {0.1}, 1.0}, {{0}, {0.1}, 1.0}, {{0}, {0.1}, 1.0}});
  EXPECT_EQ(applied(scaling, {{0}, {100.0}, 1.0}), (OwnedExample{{}, {}, 1.0}));
}

TEST(Scaling, LeavesUnknownFeaturesAsTheyAre) {
  const Scaling scaling = fitted(Kind::kMinmax, kRows);
  EXPECT_EQ(applied(scaling, {{1, 2, 9, 4294967294U}, {7.0, -1.0, 5.0, -3.0}, 1.0}),
            (OwnedExample{{1, 4294967294U}, {7.0, -3.0}, 1.0}));
  EXPECT_EQ(applied(fitted(Kind::kStandard, {}), kRows[0]), kRows[0]);
}

TEST(Scaling, KeepsHugeDimensionsSparseWhereNothingIsNegative) {
  const Scaling scaling = fitted(Kind::kMinmax, {{{4294967294U}, {2.0}, 1.0}, {{7}, {5.0}, 1.0}});
  EXPECT_EQ(applied(scaling, {{1'000'000, 4294967294U}, {1.0, 1.0}, 1.0}),
            (OwnedExample{{1'000'000, 4294967294U}, {1.0, 0.5}, 1.0}));
}

TEST(Scaling, AcceptsDenseRows) {
  const Scaling scaling(Kind::kMinmax, {0, 1}, {1.0, 0.0}, {2.0, 4.0});
  const std::vector<double> x = {3.0, 2.0, 9.0};
  Scaling::Buffer buffer;
  EXPECT_EQ(owned({scaling.apply(Row::dense(x), buffer), 1.0}), (OwnedExample{{0, 1, 2}, {1.0, 0.5, 9.0}, 1.0}));
}

TEST(Scaling, RangesBeyondADoubleStayFinite) {
  const std::vector<OwnedExample> rows = {{{0}, {-1.7e308}, 1.0}, {{0}, {1.7e308}, 1.0}};
  const Scaling scaling = fitted(Kind::kMinmax, rows);
  EXPECT_TRUE(std::isfinite(scaling.divisors()[0]));
  EXPECT_EQ(applied(scaling, rows[0]), (OwnedExample{{}, {}, 1.0}));
  EXPECT_NEAR(applied(scaling, rows[1]).values.at(0), 1.9, 0.1);
  EXPECT_EQ(error_of([&] { fitted(Kind::kStandard, rows); }),
            "feature 1 has values up to 1.7e+308; standard scaling expects values that can be squared");
  const Scaling tiny(Kind::kStandard, {0}, {0.0}, {5e-324});
  EXPECT_EQ(applied(tiny, {{0}, {1.0}, 1.0}).values.at(0), std::numeric_limits<double>::max());
}

TEST(Scaling, RejectsArraysThatDoNotBelongTogether) {
  EXPECT_EQ(error_of([] {
              Scaling(Kind::kMinmax, {1}, {0.0, 1.0}, {1.0});
            }),
            "a scaling of 1 features with 2 offsets and 1 divisors; expected as many of each");
  EXPECT_EQ(error_of([] {
              Scaling(Kind::kMinmax, {1, 1}, {0.0, 0.0}, {1.0, 1.0});
            }),
            "a scaling with feature 1 after 1; expected ascending features");
  EXPECT_EQ(error_of([] { Scaling(Kind::kMinmax, {1}, {0.0}, {-1.0}); }),
            "a scaling with offset 0 and divisor -1; expected finite numbers, the divisor not negative");
  EXPECT_EQ(error_of([] { Scaling(Kind::kMinmax, {1}, {std::nan("")}, {1.0}); }),
            "a scaling with offset nan and divisor 1; expected finite numbers, the divisor not negative");
}

TEST(Scaling, FitsSpansOfRowsAsStreams) {
  const Dataset data = Dataset::read(*make_generated("sparse", 200, 1));
  std::vector<Row> rows;
  (void)data.examples(0, data.size(), rows);
  for (const Kind kind : {Kind::kMinmax, Kind::kStandard}) {
    const Scaling expected = Scaling::fit(kind, *stream(data));
    const Scaling found = Scaling::fit(kind, rows);
    EXPECT_EQ(found.kind(), kind);
    EXPECT_EQ(found.features(), expected.features());
    EXPECT_EQ(found.offsets(), expected.offsets());
    EXPECT_EQ(found.divisors(), expected.divisors());
  }
}

TEST(Scaling, ChoosesByHowManyValuesAreNotZero) {
  const std::vector<double> full = {1.0, 2.0, 3.0, 4.0};
  const std::vector<double> half = {1.0, 0.0, -0.0, 4.0};
  const std::vector<double> less = {0.0, 0.0, 0.0, 4.0};
  const std::vector<FeatureIndex> far = {99};
  const std::vector<double> one = {1.0};
  const auto choice = [](const std::vector<Row>& rows) { return Scaling::fit_first(rows).kind(); };
  EXPECT_EQ(choice({Row::dense(full)}), Kind::kStandard);
  EXPECT_EQ(choice({Row::dense(half)}), Kind::kStandard);
  EXPECT_EQ(choice({Row::dense(less)}), Kind::kMinmax);
  EXPECT_EQ(choice({Row::dense(half), Row::dense(less)}), Kind::kMinmax);
  EXPECT_EQ(choice({Row::dense(full), Row()}), Kind::kStandard);
  EXPECT_EQ(choice({Row::dense(half), Row()}), Kind::kMinmax);
  EXPECT_EQ(choice({Row::dense(full), Row::sparse(far, one)}), Kind::kMinmax);
  EXPECT_EQ(choice({}), Kind::kStandard);
}

TEST(Scaling, FitsTheFirstRowsByItsChoice) {
  for (const char* name : {"blobs", "sparse"}) {
    const Dataset data = Dataset::read(*make_generated(name, 200, 1));
    std::vector<Row> rows;
    (void)data.examples(0, 100, rows);
    const Scaling found = Scaling::fit_first(rows);
    EXPECT_EQ(found.name(), std::string_view(name) == "blobs" ? "standard" : "minmax");
    const Scaling expected = Scaling::fit(found.kind(), rows);
    EXPECT_EQ(found.offsets(), expected.offsets());
    EXPECT_EQ(found.divisors(), expected.divisors());
  }
}

TEST(Scaling, KindsHaveNames) {
  EXPECT_EQ(Scaling::kind_named("minmax"), Kind::kMinmax);
  EXPECT_EQ(Scaling::kind_named("standard"), Kind::kStandard);
  EXPECT_EQ(error_of([] { Scaling::kind_named("none"); }), "unknown scaling 'none'; expected minmax or standard");
}

TEST(Scaling, FilesGiveBackTheSameNumbers) {
  const TemporaryFolder folder;
  for (const Kind kind : {Kind::kMinmax, Kind::kStandard}) {
    const Scaling scaling = Scaling::fit(kind, *make_generated("blobs", 100, 1));
    scaling.save(folder.path("s.json"));
    const Scaling loaded = Scaling::load(folder.path("s.json"));
    EXPECT_EQ(loaded.kind(), kind);
    EXPECT_EQ(loaded.features(), scaling.features());
    EXPECT_EQ(loaded.offsets(), scaling.offsets());
    EXPECT_EQ(loaded.divisors(), scaling.divisors());
  }
}

TEST(Scaling, BadFilesAreNamed) {
  const TemporaryFolder folder;
  const auto load_error = [&](const std::string& text) {
    return error_of([&] { Scaling::load(folder.write("s", text)); });
  };
  const std::string path = folder.path("s");
  EXPECT_EQ(error_of([&] { Scaling::load(path); }), path + ": No such file or directory");
  EXPECT_EQ(error_of([&] { fitted(Kind::kMinmax, kRows).save(folder.path("no/folder")); }),
            folder.path("no/folder") + ": No such file or directory");
  for (const std::string text : {"", "{", "[]", "{\"scaling\": 1}", "{\"scaling\": \"minmax\", \"features\": []}"}) {
    const std::string message = load_error(text);
    EXPECT_TRUE(message.starts_with(path + ": no scaling (")) << message;
    EXPECT_TRUE(message.ends_with("); expected a file that Scaling::save wrote")) << message;
  }
  EXPECT_EQ(load_error(R"({"scaling": "x", "features": [], "offsets": [], "divisors": []})"),
            path + ": unknown scaling 'x'; expected minmax or standard");
  EXPECT_EQ(load_error(R"({"scaling": "minmax", "features": [3, 2], "offsets": [0, 0], "divisors": [1, 1]})"),
            path + ": a scaling with feature 2 after 3; expected ascending features");
  for (const std::string feature : {"-1", "1.5", "4294967296", "\"a\""}) {
    EXPECT_EQ(load_error(R"({"scaling": "minmax", "offsets": [0], "divisors": [1], "features": [)" + feature + "]}"),
              path + ": a scaling with feature " + feature + "; expected whole numbers from 0 to 4294967295");
  }
}

TEST(Scaling, ScalesStreamsOnTheWay) {
  OwnedStream source(kRows);
  const auto stream = scaled(source, fitted(Kind::kMinmax, kRows));
  EXPECT_EQ(collect(*stream), (std::vector<OwnedExample>{
                                  {{0}, {0.5}, 1.0}, {{0, 2, 9}, {1.0, 0.5, 0.5}, 1.0}, {{2, 9}, {1.0, 1.0}, 0.0}}));
}

TEST(Scaling, ScalesDatasetsByEitherKind) {
  OwnedStream source(kRows);
  Dataset data = Dataset::read(source);
  const Scaling scaling = Scaling::fit(Kind::kStandard, data);
  OwnedStream again(kRows);
  const std::vector<OwnedExample> expected = collect(*scaled(again, scaling));
  data.scale(scaling);
  EXPECT_EQ(collect(*stream(data)), expected);
  EXPECT_EQ(data.features(), 10U);
}

RC_GTEST_PROP(Scaling, StandardScalingMatchesTheDefinition, ()) {
  constexpr std::size_t kColumns = 5;
  const auto offset = *rc::gen::element(0.0, 1e6);
  const auto rows = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(kColumns, rc::gen::inRange(-3, 6))));
  std::vector<OwnedExample> examples;
  std::vector<std::vector<double>> dense;
  for (const auto& row : rows) {
    OwnedExample& example = examples.emplace_back();
    dense.emplace_back(kColumns, 0.0);
    for (std::size_t j = 0; j < kColumns; ++j) {
      if (row[j] >= 4) continue;  // not listed
      example.indices.push_back(static_cast<FeatureIndex>(3 * j));
      example.values.push_back(row[j] + offset);
      dense.back()[j] = row[j] + offset;
    }
  }
  const Scaling scaling = fitted(Kind::kStandard, examples);
  const auto n = static_cast<double>(rows.size());
  for (std::size_t j = 0; j < kColumns; ++j) {
    double mean = 0.0;
    for (const auto& row : dense) mean += row[j] / n;
    double variance = 0.0;
    for (const auto& row : dense) variance += (row[j] - mean) * (row[j] - mean) / n;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const OwnedExample found = applied(scaling, examples[i]);
      const auto at = std::find(found.indices.begin(), found.indices.end(), 3 * j);
      const double value =
          at == found.indices.end() ? 0.0 : found.values[static_cast<std::size_t>(at - found.indices.begin())];
      const bool is_constant =
          std::all_of(dense.begin(), dense.end(), [&](const auto& row) { return row[j] == dense[0][j]; });
      RC_ASSERT(std::abs(value - (is_constant ? 0.0 : (dense[i][j] - mean) / std::sqrt(variance))) < 1e-6);
    }
  }
}

}  // namespace
}  // namespace alder
