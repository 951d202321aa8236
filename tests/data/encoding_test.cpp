#include "alder/encoding.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "alder/error.h"

namespace alder {
namespace {

Encoding some_columns() {
  return Encoding({{.name = "age", .offset = 40.0},
                   {.name = "job", .kind = ColumnKind::kCategory},
                   {.name = "note", .kind = ColumnKind::kText},
                   {.name = "since", .kind = ColumnKind::kTime}});
}

std::vector<std::string> named(const Encoding& encoding, const Row& row) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < row.size(); ++i)
    out.push_back(fmt::format("{} {:.3g}", encoding.feature_name(row.feature(i)), row.value(i)));
  return out;
}

TEST(Encoding, FeaturesOfValuesFollowThoseOfNumbersInTheOrderOfMeeting) {
  Encoding encoding = some_columns();
  EXPECT_EQ(encoding.fixed_features(), 8U);  // a number, and seven of the time
  RecordRow row(encoding);
  row.begin();
  row.text(1, "nurse");
  row.text(2, "to be or not to be");
  row.number(0, 44.0);
  EXPECT_EQ(named(encoding, row.finish()),
            (std::vector<std::string>{"age 4", "job=nurse 1", "note=to 0.609", "note=be 0.609", "note=or 0.36",
                                      "note=not 0.36"}));
  row.begin();
  row.text(1, "pilot");
  row.missing(0);
  EXPECT_EQ(named(encoding, row.finish()), (std::vector<std::string>{"job=pilot 1", "age missing 1"}));
  EXPECT_EQ(encoding.features(), 15U);
  EXPECT_EQ(encoding.count_values(0), 0U) << "missing cells are no values";
}

TEST(Encoding, WhatWasNotMetIsAboveAllThatIsKnown) {
  Encoding learned = some_columns();
  learned.learn_value(1, "nurse");
  const Encoding& encoding = learned;
  RecordRow row(encoding);
  row.begin();
  row.text(1, "pilot");
  row.text(0, "old");
  row.missing(3);
  const Row found = row.finish();
  EXPECT_EQ(named(encoding, found),
            (std::vector<std::string>{"age=a new value 1", "job=a new value 1", "since missing 1"}));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_GE(found.feature(i), encoding.features());
  EXPECT_EQ(encoding.column_of(found.feature(0)), 0U);
  EXPECT_EQ(encoding.column_of(found.feature(2)), 3U);
}

TEST(Encoding, ValuesBeyondTheCapShareFeatures) {
  Encoding encoding({{.name = "a", .kind = ColumnKind::kCategory}});
  for (std::size_t i = 0; i < 20'000; ++i) encoding.learn_value(0, fmt::format("v{}", i));
  EXPECT_LE(encoding.features(), Encoding::kMostValues + Encoding::kBuckets);
  EXPECT_EQ(encoding.find_value(0, "v19999"), encoding.learn_value(0, "v19999"));
  EXPECT_EQ(encoding.find_value(0, "v3").value_or(0), 3U);
  const std::string longer(1000, 'x');
  Encoding other({{.name = "a", .kind = ColumnKind::kCategory}});
  EXPECT_NE(other.learn_value(0, longer + "1"), other.learn_value(0, longer + "2"));
  EXPECT_LE(other.values()[0].text.size(), Encoding::kLongestValue);
}

TEST(Encoding, OfVeryManyColumnsHasNoFeaturesOfMissingCells) {
  for (const std::size_t columns : {Encoding::kMostMissing, Encoding::kMostMissing + 1}) {
    std::vector<Column> all(columns);
    for (std::size_t i = 0; i < columns; ++i) all[i].name = fmt::format("c{}", i);
    Encoding encoding(std::move(all));
    RecordRow row(encoding);
    row.begin();
    row.missing(0);
    EXPECT_EQ(row.finish().size(), columns == Encoding::kMostMissing ? 1U : 0U);
  }
}

TEST(Encoding, RefusesTwoColumnsOfOneName) {
  EXPECT_THROW(Encoding({{.name = "a"}, {.name = "a"}}), Error);
}

TEST(Encoding, TheFirstFeaturesAreThoseOfTheRowsBefore) {
  Encoding encoding = some_columns();
  encoding.label_name = "y";
  for (const char* job : {"nurse", "pilot", "cook"}) encoding.learn_value(1, job);
  const Encoding first = encoding.first(9);
  EXPECT_EQ(first.features(), 9U);
  EXPECT_EQ(first.label_name, "y");
  EXPECT_TRUE(first.find_value(1, "nurse"));
  EXPECT_FALSE(first.find_value(1, "pilot"));
}

}  // namespace
}  // namespace alder
