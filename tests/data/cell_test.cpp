#include "data/cell.h"

#include <string>

#include <gtest/gtest.h>

namespace alder {
namespace {

TEST(Cell, MarksOfMissingValuesAreKnownInAnyLetters) {
  for (const std::string text :
       {"", "  ", "?", "-", ".", "NA", "na", "N/A", "#N/A", "<NA>", "NaN", "null", "NULL", "nil", "None", " NA\t"}) {
    EXPECT_TRUE(is_missing(text)) << text;
  }
  for (const std::string text : {"0", "no", "n", "nah", "--", "..", "nano", "a", "NA NA", "-1"}) {
    EXPECT_FALSE(is_missing(text)) << text;
  }
}

TEST(Cell, NumbersMayHaveThousandsCurrenciesAndUnits) {
  const auto number = [](const std::string& text) { return parse_cell_number(text, false).value_or(-12345.0); };
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number(" +2e3 "), 2000.0);
  EXPECT_EQ(number("$1,200.50"), 1200.5);
  EXPECT_EQ(number("12 %"), 12.0);
  EXPECT_EQ(number("1248 CC"), 1248.0);
  EXPECT_EQ(number("5€"), 5.0);
  EXPECT_EQ(parse_cell_number("1,5", true).value_or(0.0), 1.5);
  for (const std::string text : {"", "abc", "1 248 CC", "1,20", "12:30", "1-2", "$"}) {
    EXPECT_FALSE(parse_cell_number(text, false)) << text;
  }
}

TEST(Cell, TruthWordsAreKnown) {
  for (const std::string text : {"true", "Yes", "T", "y", "ON"}) EXPECT_EQ(parse_boolean(text), true) << text;
  for (const std::string text : {"false", "No", "F", "n", "off"}) EXPECT_EQ(parse_boolean(text), false) << text;
  for (const std::string text : {"", "0", "1", "truth", "nope"}) EXPECT_FALSE(parse_boolean(text)) << text;
}

TEST(Cell, DatesAreTheSameHoweverTheyAreWritten) {
  constexpr double kDay = 19787 * 86400.0;  // 2024-03-05
  for (const std::string text : {"2024-03-05", "2024/3/5", "5.3.2024", "5/3/2024", "5 March 2024", "5-Mar-2024",
                                 "Mar 5, 2024", "March 5 2024", "Tue, 5 Mar 2024", " 2024-03-05 "}) {
    const auto time = parse_time(text, true);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->seconds, kDay) << text;
    EXPECT_TRUE(time->has_date && !time->has_clock) << text;
  }
  EXPECT_EQ(parse_time("3/5/2024", false)->seconds, kDay);
  EXPECT_EQ(parse_time("3/25/2024", true)->seconds, kDay + 20 * 86400.0) << "there is no month 25";
  const auto time = parse_time("2024-03-05T14:05:30.25Z", true);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->seconds, kDay + 14 * 3600 + 5 * 60 + 30.25);
  EXPECT_TRUE(time->has_clock);
  EXPECT_EQ(parse_time("2:05 pm", true)->seconds, 14 * 3600 + 5 * 60);
  EXPECT_FALSE(parse_time("2:05 pm", true)->has_date);
}

TEST(Cell, DaysThatDoNotExistAreNoDates) {
  for (const std::string text : {"30.2.2024", "2023-02-29", "2024-04-31", "2024-13-01", "0.1.2024", "1900-02-29"}) {
    EXPECT_FALSE(parse_time(text, true)) << text;
  }
  for (const std::string text : {"29.2.2024", "2000-02-29", "2024-12-31"}) EXPECT_TRUE(parse_time(text, true)) << text;
  for (const std::string text : {"", "2024", "march", "1.5", "some day", "12", "1-2-3"}) {
    EXPECT_FALSE(parse_time(text, true)) << text;
  }
}

}  // namespace
}  // namespace alder
