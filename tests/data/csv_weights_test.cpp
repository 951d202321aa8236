#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "csv_rows.h"

namespace alder {
namespace {

using test::collect;
using test::kTwoRows;
using test::OwnedExample;
using test::parse;
using test::parse_error;

// The weights of the rows, −1 for none.
std::vector<double> weights(const std::string& text, const InputOptions& options) {
  TableLayout layout(options);
  const auto reader = read_csv(memory_bytes(text), "f", layout);
  std::vector<double> found;
  RawRow raw;
  while (reader->next(raw)) found.push_back(raw.weight.value_or(-1.0));
  return found;
}

TEST(CsvReader, AColumnMayHoldWeights) {
  for (const std::string column : {"w", "2", "-4"}) {
    const InputOptions options{.weight_column = column};
    const std::string text = "a,w,b,c,y\n0.5,7,0,-2,1\n0, \"0.5\" ,1e-3,0,-1\n";
    EXPECT_EQ(parse(text, options), kTwoRows) << column;
    EXPECT_EQ(weights(text, options), (std::vector<double>{7.0, 0.5})) << column;
  }
  EXPECT_EQ(weights("a,b\n1,2\n", {}), std::vector<double>{-1.0});
}

TEST(CsvReader, TheLastColumnIsNotTheLabelIfItHoldsWeights) {
  EXPECT_EQ(parse("0.5,0,-2,1,7\n0,1e-3,0,-1,7\n", {.weight_column = "5"}), kTwoRows);
  EXPECT_EQ(parse("a,b,c,d,w\n0.5,0,-2,1,7\n0,1e-3,0,-1,7\n", {.weight_column = "w"}), kTwoRows);
  EXPECT_EQ(parse("7,1,0.5,0,-2\n7,-1,0,1e-3,0\n", {.label_column = "2", .weight_column = "1"}), kTwoRows);
}

TEST(CsvReader, FeaturesAreCountedWithoutLabelAndWeight) {
  for (const auto& [label, weight] : {std::pair("2", "4"), std::pair("4", "2")}) {
    TableLayout layout({.label_column = label, .weight_column = weight});
    const auto reader = read_csv(memory_bytes("a,b,c,d,e\n1,2,3,4,5\n"), "f", layout);
    collect(*reader);
    EXPECT_EQ(layout.encoding().fixed_features(), 3U);
    EXPECT_EQ(layout.encoding().feature_name(0), "a");
    EXPECT_EQ(layout.encoding().feature_name(1), "c");
    EXPECT_EQ(layout.encoding().feature_name(2), "e");
  }
}

TEST(CsvReader, RejectsWeightsThatAreNone) {
  const auto error = [](const std::string& weight) {
    return parse_error("a,w,y\n1," + weight + ",1\n", {.weight_column = "w"});
  };
  const std::string expected = " in column 2 'w'; expected a weight, a number from 0 to 1000000";
  for (const std::string weight : {"heavy", "-1", "nan", "inf", "1000001"}) {
    EXPECT_EQ(error(weight), "f:2: '" + weight + "'" + expected);
  }
  EXPECT_EQ(error(""), "f:2: nothing" + expected);
  EXPECT_EQ(error("heavy,3"), "f:2: 4 fields; expected 3");
}

TEST(CsvReader, RejectsAColumnOfWeightsThatIsNotThere) {
  const auto error = [](const std::string& text, const std::string& column) {
    return parse_error(text, {.weight_column = column});
  };
  EXPECT_EQ(error("a,b,c\n1,2,3\n", "w"), "f:1: no column 'w' in the header; expected it beside a, b, c");
  EXPECT_EQ(error("1,2,yes\n", "w"), "f:1: no header; expected one with a column 'w'");
  EXPECT_EQ(error("1,2,3\n", "4"), "f:1: 3 columns; expected a weight in column 4");
  EXPECT_EQ(error("1,2,3\n", "0"), "weight column 0; expected a number from 1 or, counted from the last, from -1");
  EXPECT_EQ(error("a,b,y\n1,2,3\n", "y"), "f:1: column 3 has both labels and weights; expected two columns");
  EXPECT_EQ(error("1,2\n", "2"), "f:1: 2 columns, all but features; expected a label and at least one feature");
}

TEST(CsvReader, RowsToPredictNeedNoWeights) {
  const InputOptions predict{.weight_column = "w", .labels_optional = true, .features = 3};
  const std::vector<OwnedExample> unlabelled = {{{0, 2}, {0.5, -2.0}, kNoTarget}};
  EXPECT_EQ(parse("a,b,c\n0.5,0,-2\n", predict), unlabelled);
  EXPECT_EQ(parse("a,b,w,c\n0.5,0,9,-2\n", predict), unlabelled);
}

}  // namespace
}  // namespace alder
