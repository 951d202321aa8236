#include "data/csv.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "csv_rows.h"
#include "support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::kTwoRows;
using test::OwnedExample;
using test::parse;
using test::parse_error;
using test::PiecewiseBytes;

// Parses one file after the other into the same layout.
std::string error_in_second(const std::string& first, const std::string& second) {
  TableLayout layout(InputOptions{});
  collect(*read_csv(memory_bytes(first), "a", layout));
  return error_of([&] { collect(*read_csv(memory_bytes(second), "b", layout)); });
}

// That all cells must be numbers.
InputOptions numbers() {
  return {.numbers_only = true};
}

std::vector<std::string> labels(const std::string& text, const InputOptions& options = {}) {
  TableLayout layout(options);
  const auto reader = read_csv(memory_bytes(text), "f", layout);
  std::vector<std::string> found;
  RawRow raw;
  while (reader->next(raw)) found.emplace_back(raw.label);
  return found;
}

InputOptions label_in(const std::string& column) {
  return {.label_column = column};
}

TEST(CsvReader, ReadsRowsWithTheLabelLast) {
  EXPECT_EQ(parse("0.5,0,-2,1\n0,1e-3,0.0,-1\n"), kTwoRows);
}

TEST(CsvReader, DoesNotMindSpacesBlankLinesCommentsAndLineEnds) {
  EXPECT_EQ(parse("\r\n# comment\n 0.5, 0 ,-2 ,\t1\r\n\n \t\n0,+1e-3,-0,-1"), kTwoRows);
}

TEST(CsvReader, SkipsAByteOrderMark) {
  EXPECT_EQ(parse("\xef\xbb\xbf"
                  "0.5,0,-2,1\n0,1e-3,0,-1\n"),
            kTwoRows);
  EXPECT_EQ(parse("\xef\xbb\xbf"
                  "label,a,b,c\n1,0.5,0,-2\n-1,0,1e-3,0\n"),
            kTwoRows);
}

TEST(CsvReader, AnEmptyFileHasNoRows) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("\n# nothing\n").empty());
  EXPECT_TRUE(parse("a,b,label\n").empty());
}

TEST(CsvReader, FindsTheSeparator) {
  EXPECT_EQ(parse("0.5;0;-2;1\n0;1e-3;0;-1\n"), kTwoRows);
  EXPECT_EQ(parse("0.5\t0\t-2\t1\n0\t1e-3\t0\t-1\n"), kTwoRows);
  EXPECT_EQ(parse("\"a,;\tb\",b,c,label\n0.5,0,-2,1\n0,1e-3,0,-1\n"), kTwoRows);
}

TEST(CsvReader, TakesAnySeparator) {
  EXPECT_EQ(parse("0.5|0|-2|1\n0|1e-3|0|-1\n", {.label_column = {}, .separator = '|'}), kTwoRows);
  EXPECT_EQ(parse("0.5 0 -2 1\n0 1e-3 0 -1\n", {.label_column = {}, .separator = ' '}), kTwoRows);
}

TEST(CsvReader, ACommaMayBeTheDecimalPoint) {
  EXPECT_EQ(parse("0,5;0;-2,0;1\n0;0,001;0;-1\n"), kTwoRows);
  EXPECT_EQ(parse("a;b;y\n1.234,5;1;1\n0,5;1;-1\n"),
            (std::vector<OwnedExample>{{{0, 1}, {1234.5, 1.0}, 1.0}, {{0, 1}, {0.5, 1.0}, -1.0}}));
  EXPECT_EQ(parse_error("1;2;1\n0,5;1;-1\n1.5;1;-1\n", numbers()), "f:2: '0,5' in column 1; expected a number");
}

TEST(CsvReader, FindsTheLabelByItsUsualNames) {
  for (const std::string name : {"label", "Class", "TARGET", "y", "\"label\"", " y "}) {
    EXPECT_EQ(parse("a," + name + ",b,c\n0.5,1,0,-2\n0,-1,1e-3,0\n"), kTwoRows) << name;
  }
  EXPECT_EQ(parse("1,label,3,4\n0.5,1,0,-2\n0,-1,1e-3,0\n"), kTwoRows);
  EXPECT_EQ(parse("1,2,3,label\n0.5,0,-2,1\n0,1e-3,0,-1\n"), kTwoRows);
}

TEST(CsvReader, TakesTheLastColumnIfNoneOrTwoAreNamedLikeALabel) {
  EXPECT_EQ(parse("a,b,c,d\n0.5,0,-2,1\n0,1e-3,0,-1\n"), kTwoRows);
  EXPECT_EQ(parse("class,y,c,d\n0.5,0,-2,1\n0,1e-3,0,-1\n"), kTwoRows);
}

TEST(CsvReader, FindsTheLabelByNameOrNumber) {
  EXPECT_EQ(parse("a,kind,b,c\n0.5,1,0,-2\n0,-1,1e-3,0\n", label_in("kind")), kTwoRows);
  EXPECT_EQ(parse("1,kind,3,4\n0.5,1,0,-2\n0,-1,1e-3,0\n", label_in("kind")), kTwoRows);
  for (const std::string number : {"2", "+2", "-3"}) {
    EXPECT_EQ(parse("0.5,1,0,-2\n0,-1,1e-3,0\n", label_in(number)), kTwoRows) << number;
    EXPECT_EQ(parse("a,b,y,c\n0.5,1,0,-2\n0,-1,1e-3,0\n", label_in(number)), kTwoRows) << number;
  }
}

TEST(CsvReader, RejectsALabelColumnThatIsNotThere) {
  EXPECT_EQ(parse_error("a,b\n1,2\n", label_in("kind")),
            "f:1: no column 'kind' in the header; expected it beside a, b");
  EXPECT_EQ(parse_error("1,2\n", label_in("kind")), "f:1: no header; expected one with a column 'kind'");
  EXPECT_EQ(parse_error("1,2\n", label_in("3")), "f:1: 2 columns; expected a label in column 3");
  EXPECT_EQ(parse_error("1,2\n", label_in("-3")), "f:1: 2 columns; expected a label in column -3");
  EXPECT_EQ(parse_error("", label_in("0")),
            "label column 0; expected a number from 1 or, counted from the last, from -1");
  EXPECT_EQ(parse_error("", label_in("none")), "label column 'none'; expected a column to learn from");
}

TEST(CsvReader, LabelsMayBeText) {
  EXPECT_EQ(labels("1.5,yes\n2.5, no \n3,\n4,\"a \"\"b\"\", c\"\n"),
            (std::vector<std::string>{"yes", "no", "", "a \"b\", c"}));
  EXPECT_EQ(labels("1.5,y\n2.5,n\n"), (std::vector<std::string>{"y", "n"}));
}

TEST(CsvReader, FieldsMayBeQuoted) {
  EXPECT_EQ(parse("\"0.5\",\"0\" , \"-2\",\"1\"\n\"0\",\"1e-3\",\"0\",\"-1\"\n"), kTwoRows);
}

TEST(CsvReader, FieldsInQuotesMayHoldLineEnds) {
  EXPECT_EQ(labels("a,b\n1,\"x\ny\"\n2,\"\n\nz, \"\"w\"\"\"\n3,u\n"),
            (std::vector<std::string>{"x\ny", "\n\nz, \"w\"", "u"}));
  EXPECT_EQ(labels("\"a\nb\",y\n1,2\n"), std::vector<std::string>{"2"});
  for (std::size_t piece = 1; piece < 30; ++piece) {
    EXPECT_EQ(parse("\"0.5\",0,\"\n-2\",1\n\"0\n\",1e-3,0,-1\n", {}, {.bytes = piece}, piece).size(), 2U);
  }
}

TEST(CsvReader, RejectsQuotesThatAreNotRight) {
  EXPECT_EQ(parse_error("1,2\n\"3\n4,5\n"),
            "f:2: a quote that is not closed; expected its end before that of the file");
  EXPECT_EQ(parse_error("1,2\n3,\"4\"5\n"),
            "f:2: text behind a closing quote in column 2; expected the separator behind it, or no quotes");
}

TEST(CsvReader, QuotesBetweenTabsArePlain) {
  EXPECT_EQ(labels("1\t5\" pipe\n2\t\"half\n3\t\"whole\"\n4\t\"a\" b\n"),
            (std::vector<std::string>{"5\" pipe", "\"half", "whole", "\"a\" b"}));
}

TEST(CsvReader, RejectsAnotherNumberOfFields) {
  EXPECT_EQ(parse_error("1,2,3\n1,2\n"), "f:2: 2 fields; expected 3");
  EXPECT_EQ(parse_error("1,2,3\n1\n"), "f:2: 1 field; expected 3");
  EXPECT_EQ(parse_error("1,2,3\n1,2,3,4\n"), "f:2: 4 fields; expected 3");
  EXPECT_EQ(parse_error("1,2,3\n1,2,3,\n"), "f:2: 4 fields; expected 3");
  EXPECT_EQ(parse_error("1,2,3,4\n1,yes\n"), "f:2: 2 fields; expected 4");
}

TEST(CsvReader, NamesAFieldWithDoubledQuotesThoughOthersHaveThemToo) {
  const std::string longer(60, 'y');
  EXPECT_EQ(parse_error("1,2,1\n\"x\"\"\",\"" + longer + "\"\"\",1\n", numbers()),
            "f:2: 'x\"' in column 1; expected a number");
}

TEST(CsvReader, RejectsFieldsThatAreNoFiniteNumbersWhereOnlyNumbersAreExpected) {
  EXPECT_EQ(parse_error("a,b,label\n1,x,1\n", numbers()), "f:2: 'x' in column 2 'b'; expected a number");
  EXPECT_EQ(parse_error("a,b,label\n1,,1\n", numbers()), "f:2: nothing in column 2 'b'; expected a number");
  EXPECT_EQ(parse_error("a,,label\n1,\"\",1\n", numbers()), "f:2: nothing in column 2; expected a number");
  for (const std::string value : {"nan", "inf", "-Infinity", "1e999"}) {
    EXPECT_EQ(parse_error("1,2,1\n" + value + ",2,1\n", numbers()),
              "f:2: '" + value + "' in column 1; expected a finite number");
  }
  for (const std::string value : {"1x", "+-1", "--1", ".", "0x10", "1 2", "1:2"}) {
    EXPECT_EQ(parse_error("1,2,1\n" + value + ",2,1\n", numbers()),
              "f:2: '" + value + "' in column 1; expected a number");
  }
}

TEST(CsvReader, AMissingValueIsNoSignOfAHeader) {
  for (const std::string value : {"", "?", "NA", "n/a", "null"}) {
    EXPECT_TRUE(parse_error("1," + value + ",1\n", numbers()).starts_with("f:1: ")) << value;
  }
}

TEST(CsvReader, RejectsASingleColumn) {
  EXPECT_EQ(parse_error("1\n"), "f:1: one column; expected a label and at least one feature");
  EXPECT_EQ(parse_error("1,2\n", {.label_column = {}, .separator = '\t'}),
            "f:1: one column; expected a label and at least one feature");
}

TEST(CsvReader, FilesWithoutLabelsAreToldByTheNumberOfFeatures) {
  const InputOptions predict{.label_column = {}, .separator = 0, .labels_optional = true, .features = 3};
  const std::vector<OwnedExample> unlabelled = {{{0, 2}, {0.5, -2.0}, kNoTarget}};
  EXPECT_EQ(parse("0.5,0,-2\n", predict), unlabelled);
  EXPECT_EQ(parse("a,b,c\n0.5,0,-2\n", predict), unlabelled);
  EXPECT_EQ(parse("0.5,0,-2,1\n", predict), (std::vector<OwnedExample>{kTwoRows[0]}));
  EXPECT_EQ(parse("a,b,y\n0.5,0,1\n", predict), (std::vector<OwnedExample>{{{0}, {0.5}, 1.0}}));
}

TEST(CsvReader, FilesWithoutLabelsAreToldByTheOption) {
  const std::vector<OwnedExample> unlabelled = {{{0, 2}, {0.5, -2.0}, kNoTarget}};
  EXPECT_EQ(parse("0.5,0,-2\n", {.label_column = "none", .labels_optional = true}), unlabelled);
  EXPECT_EQ(parse("a,b,c\n0.5,0,-2\n", {.label_column = "kind", .labels_optional = true}), unlabelled);
  EXPECT_EQ(parse("2\n", {.label_column = "none", .labels_optional = true}),
            (std::vector<OwnedExample>{{{0}, {2.0}, kNoTarget}}));
}

TEST(CsvReader, FilesOfOneStreamHaveTheSameColumns) {
  EXPECT_EQ(error_in_second("1,2,3\n", "1,2\n"), "b:1: 2 columns; expected 3 as in a");
  EXPECT_EQ(error_in_second("a,label,c\n1,2,3\n", "\na,b,label\n1,2,3\n"),
            "b:2: no column 'c'; expected all columns of a, of which this is one. The header has a, b, label");
  EXPECT_EQ(error_in_second("a,label,c\n1,2,3\n", "c,b,a,label\n1,2,3,4\n"), "(no error)");
}

TEST(CsvReader, FilesOfOneStreamMayHaveAHeaderOrNot) {
  for (const std::string header : {"", "a,label,c\n"}) {
    TableLayout layout(label_in("2"));
    EXPECT_EQ(collect(*read_csv(memory_bytes(header + "1,-1,3\n"), "a", layout)).size(), 1U);
    EXPECT_EQ(collect(*read_csv(memory_bytes("5,1,6\n"), "b", layout)),
              (std::vector<OwnedExample>{{{0, 1}, {5.0, 6.0}, 1.0}}));
    EXPECT_EQ(collect(*read_csv(memory_bytes("a,label,c\n5,1,6\n"), "c", layout)).size(), 1U);
  }
}

TEST(CsvReader, CountsFeatures) {
  TableLayout layout(InputOptions{});
  const auto reader = read_csv(memory_bytes("0,0,0,1\n"), "f", layout);
  EXPECT_EQ(reader->features(), 0U);
  collect(*reader);
  EXPECT_EQ(reader->features(), 3U);
}

TEST(CsvReader, GoesOnAfterABadLine) {
  TableLayout layout(InputOptions{});
  const auto reader = read_csv(memory_bytes("1,1\n3,1,1\n2,1\n"), "f", layout);
  RawRow raw;
  ASSERT_TRUE(reader->next(raw));
  EXPECT_THROW(reader->next(raw), BadRow);
  ASSERT_TRUE(reader->next(raw));
  EXPECT_EQ(raw.row.value(0), 2.0);
  EXPECT_EQ(reader->where(), "f:3");
}

TEST(CsvReader, RejectsNulBytes) {
  const std::string nul(1, '\0');
  EXPECT_EQ(parse_error(nul + "a,b\n1,1\n"), "f:1: a NUL byte; expected text");
  EXPECT_EQ(parse_error("a,b\n1,1" + nul + "\n"), "f:2: a NUL byte; expected text");
  EXPECT_EQ(parse_error("1,1\n1,\"y" + nul + "\"\n"), "f:2: a NUL byte; expected text");
  EXPECT_EQ(parse_error("1,1\n\n" + std::string(1000, '\0')), "f:3: a NUL byte; expected text");
}

TEST(CsvReader, RejectsWhatAFloatCannotHoldIfFloatsAreExpected) {
  TableLayout layout(InputOptions{});
  const auto reader = read_csv(memory_bytes("low,high,label\n1,3.4e38,1\n2, 1e300,-1\n1,1,1\n"), "f", layout);
  reader->expect_floats();
  RawRow raw;
  ASSERT_TRUE(reader->next(raw));
  EXPECT_EQ(error_of([&] { reader->next(raw); }),
            "f:3: '1e300' in column 2 'high'; expected a value in the range of float, or double precision");
  EXPECT_TRUE(reader->next(raw));
}

RC_GTEST_PROP(CsvReader, RoundTripsRandomRowsInPiecesOfAnySize, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(2, 6);
  const auto label = *rc::gen::inRange<std::size_t>(0, columns);
  const auto separator = *rc::gen::element(',', ';', '\t');
  const auto rows = *rc::gen::inRange(0, 20);
  std::string text;
  std::vector<OwnedExample> expected;
  for (int i = 0; i < rows; ++i) {
    OwnedExample& example = expected.emplace_back();
    for (std::size_t column = 0, feature = 0; column < columns; ++column) {
      const auto value = static_cast<double>(*rc::gen::inRange(-3, 4)) / 3.0;
      const std::string number = fmt::format("{}", value);
      if (column > 0) text += separator;
      text += *rc::gen::element(std::string(number), "\"" + number + "\"", " " + number);
      if (column == label) {
        example.target = value;
      } else {
        if (value != 0.0) {
          example.indices.push_back(static_cast<FeatureIndex>(feature));
          example.values.push_back(value);
        }
        ++feature;
      }
    }
    text += *rc::gen::element<std::string>("\n", "\r\n", "\n\n");
  }
  const InputOptions options{.label_column = std::to_string(label + 1), .separator = separator};
  const LineBuffer buffer{.bytes = *rc::gen::inRange<std::size_t>(1, 100)};
  RC_ASSERT(parse(text, options, buffer, *rc::gen::inRange<std::size_t>(1, 50)) == expected);
}

TEST(CsvReader, RandomTextIsRowsOrErrors) {
  constexpr std::string_view kAlphabet = "0123456789,,,,;\t\"\" .-+e\n\n\r#yna";
  Random random(1);
  std::uint64_t rows = 0;
  std::uint64_t errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "a,\"b\",label\n1,2,1\n\"3\",4,-1\n";
    for (std::uint64_t n = random.below(8); n > 0; --n) {
      text.insert(random.below(text.size() + 1), 1, kAlphabet[random.below(kAlphabet.size())]);
    }
    TableLayout layout(InputOptions{});
    const auto reader = read_csv(std::make_unique<PiecewiseBytes>(text, 1 + random.below(30)), "f", layout,
                                 {.bytes = 1 + random.below(40)});
    RawRow raw;
    for (bool more = true; more;) {
      try {
        more = reader->next(raw);
        if (!more) break;
        ++rows;
        ASSERT_NO_THROW(raw.row.check());
      } catch (const BadRow& error) {
        ++errors;
        ASSERT_TRUE(std::string(error.what()).starts_with("f:")) << error.what();
      } catch (const Error&) {
        ++errors;
        break;
      }
    }
  }
  EXPECT_GT(rows, 10'000U);
  EXPECT_GT(errors, 5'000U);
}

}  // namespace
}  // namespace alder
