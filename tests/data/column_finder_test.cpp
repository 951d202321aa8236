#include "data/column_finder.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace alder {
namespace {

// A column with this many cells.
SampleRows column_of(std::size_t rows, const std::function<std::string(std::size_t)>& cell) {
  SampleRows sample;
  for (std::size_t i = 0; i < rows; ++i) sample.push_back({cell(i)});
  return sample;
}

ColumnKind kind_of(std::size_t rows, const std::string& name, const std::function<std::string(std::size_t)>& cell) {
  return find_column(column_of(rows, cell), 0, name, false).kind;
}

TEST(ColumnFinder, TellsKindsByTheCells) {
  const auto number = [](std::size_t i) { return std::to_string(i * 7919 % 1000); };
  EXPECT_EQ(kind_of(100, "a", number), ColumnKind::kNumber);
  EXPECT_EQ(kind_of(100, "a", [&](std::size_t i) { return i % 20 == 0 ? "unknown" : number(i); }), ColumnKind::kNumber);
  EXPECT_EQ(kind_of(100, "a", [](std::size_t) { return ""; }), ColumnKind::kNumber);
  EXPECT_EQ(kind_of(100, "a", [](std::size_t i) { return i % 3 == 0 ? "x" : "y"; }), ColumnKind::kCategory);
  EXPECT_EQ(kind_of(100, "a", [](std::size_t i) { return i % 3 == 0 ? "Yes" : "No"; }), ColumnKind::kBoolean);
  EXPECT_EQ(kind_of(100, "a", [](std::size_t i) { return "2020-01-" + std::to_string(1 + i % 28); }),
            ColumnKind::kTime);
  EXPECT_EQ(kind_of(100, "a", [](std::size_t i) { return "some words and " + std::to_string(i); }), ColumnKind::kText);
}

TEST(ColumnFinder, IgnoresWhatCountsOrNamesTheRows) {
  EXPECT_EQ(kind_of(100, "n", [](std::size_t i) { return std::to_string(i + 5); }), ColumnKind::kIgnored);
  EXPECT_EQ(kind_of(100, "", [](std::size_t i) { return std::to_string(i + 5); }), ColumnKind::kNumber);
  EXPECT_EQ(kind_of(49, "n", [](std::size_t i) { return std::to_string(i + 5); }), ColumnKind::kNumber);
  const auto scattered = [](std::size_t i) { return std::to_string(i * 7919 % 100003); };
  EXPECT_EQ(kind_of(100, "user_id", scattered), ColumnKind::kIgnored);
  EXPECT_EQ(kind_of(100, "price", scattered), ColumnKind::kNumber);
  EXPECT_EQ(kind_of(100, "key", [](std::size_t i) { return "x" + std::to_string(i); }), ColumnKind::kIgnored);
}

TEST(ColumnFinder, OffsetsAreMediansWhereCellsAreMissingOrZeroIsFar) {
  const auto offset = [](const std::function<std::string(std::size_t)>& cell) {
    return find_column(column_of(101, cell), 0, "a", false).offset;
  };
  const auto small = [](std::size_t i) { return std::to_string(i * 37 % 101); };
  EXPECT_EQ(offset(small), 0.0);
  EXPECT_EQ(offset([&](std::size_t i) { return i == 50 ? "" : small(i); }), 51.0);
  EXPECT_EQ(offset([](std::size_t i) { return std::to_string(1000 + i * 37 % 101); }), 1050.0);
}

TEST(ColumnFinder, TimesOfDayAreToldFromDates) {
  const auto clock = [](const std::string& behind) {
    return find_column(column_of(30, [&](std::size_t i) { return "2020-01-" + std::to_string(1 + i % 28) + behind; }),
                       0, "t", false)
        .has_clock;
  };
  EXPECT_FALSE(clock(""));
  EXPECT_TRUE(clock(" 10:30"));
}

TEST(ColumnFinder, TellsALineOfNamesFromARecord) {
  const SampleRows rows = {{"3", "0.5", "x", "1"}, {"4", "1.5", "y", "0"}, {"5", "2.5", "x", "1"}};
  const auto has_header = [&](std::vector<std::string> first) {
    SampleRows sample = rows;
    sample.insert(sample.begin(), std::move(first));
    return is_header(sample, false);
  };
  EXPECT_TRUE(has_header({"a", "b", "c", "d"}));
  EXPECT_TRUE(has_header({"2019", "2020", "name", "d"})) << "names may be numbers";
  EXPECT_TRUE(has_header({"a", "a", "c", "d"})) << "names may come twice";
  EXPECT_FALSE(has_header({"6", "3.5", "y", "1"}));
  EXPECT_FALSE(has_header({"unknown", "3", "y", "1"})) << "a value may be none";
  EXPECT_FALSE(has_header({"unknown", "3", "7", "8"}));
  EXPECT_FALSE(is_header(rows, false));
  EXPECT_FALSE(is_header({{"0,5", "0", "-2,0", "1"}, {"0", "0,001", "0", "-1"}}, true));
  EXPECT_TRUE(is_header({{"job", "city"}, {"nurse", "rome"}, {"pilot", "bern"}, {"nurse", "bern"}}, false));
  EXPECT_FALSE(is_header({{"nurse", "city"}, {"nurse", "rome"}, {"pilot", "bern"}}, false));
}

}  // namespace
}  // namespace alder
