#include "data/libsvm.h"

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::OwnedExample;
using test::PiecewiseBytes;

std::vector<OwnedExample> parse(const std::string& text, LineBuffer buffer = {}, std::size_t piece = 1 << 20) {
  return collect(*read_libsvm(std::make_unique<PiecewiseBytes>(text, piece), "f", buffer));
}

std::string parse_error(const std::string& text, LineBuffer buffer = {}) {
  return error_of([&] { parse(text, buffer); });
}

const std::vector<OwnedExample> kTwoRows = {{{0, 2}, {0.5, -2.0}, 1.0}, {{1}, {1e-3}, -1.0}};

TEST(LibsvmReader, ReadsRowsWithZeroBasedIndices) {
  EXPECT_EQ(parse("+1 1:0.5 3:-2\n-1 2:1e-3\n"), kTwoRows);
}

TEST(LibsvmReader, NeedsNoFinalNewline) {
  EXPECT_EQ(parse("+1 1:0.5 3:-2\n-1 2:1e-3"), kTwoRows);
}

TEST(LibsvmReader, AcceptsWindowsLineEnds) {
  EXPECT_EQ(parse("+1 1:0.5 3:-2\r\n-1 2:1e-3\r\n"), kTwoRows);
  EXPECT_EQ(parse("+1 1:0.5 3:-2\r\n\r\n-1 2:1e-3\r"), kTwoRows);
}

TEST(LibsvmReader, AcceptsSpacesAndTabsAnywhereBetween) {
  EXPECT_EQ(parse("  +1\t1:0.5  \t 3:-2 \t\n\t-1 2:1e-3 \n"), kTwoRows);
}

TEST(LibsvmReader, SkipsCommentsAndBlankLines) {
  EXPECT_EQ(parse("# a comment\n\n \t\n+1 1:0.5 3:-2 # 4:5\n   # another\n-1 2:1e-3#6:7\n\n"), kTwoRows);
}

TEST(LibsvmReader, AnEmptyFileHasNoRows) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("\n").empty());
  EXPECT_TRUE(parse("\r\n\n# nothing").empty());
}

TEST(LibsvmReader, ARowMayHaveNoFeatures) {
  EXPECT_EQ(parse("+1\n-1 \n+1 # none"), (std::vector<OwnedExample>{{{}, {}, 1.0}, {{}, {}, -1.0}, {{}, {}, 1.0}}));
}

TEST(LibsvmReader, AcceptsLabelsHoweverWritten) {
  EXPECT_EQ(parse("1\n+1\n1.0\n1e0\n-1\n-1.00\n").size(), 6U);
  EXPECT_EQ(parse("1\n+1\n0\n-0\n0.0\n").size(), 5U);
}

TEST(LibsvmReader, AcceptsNumbersHoweverWritten) {
  const std::vector<OwnedExample> rows = parse("1 1:+1.5 2:-.5 3:5. 4:1E+2 5:7 6:1e-999 7:-0 8:007\n");
  EXPECT_EQ(rows.at(0).values, (std::vector<double>{1.5, -0.5, 5.0, 100.0, 7.0, 0.0, 0.0, 7.0}));
}

TEST(LibsvmReader, KeepsExplicitZeros) {
  EXPECT_EQ(parse("1 1:0 5:0.0\n"), (std::vector<OwnedExample>{{{0, 4}, {0.0, 0.0}, 1.0}}));
}

TEST(LibsvmReader, AcceptsTheHighestIndex) {
  EXPECT_EQ(parse("1 4294967295:2\n").at(0).indices, (std::vector<FeatureIndex>{4294967294U}));
}

TEST(LibsvmReader, RejectsTooLargeAnIndex) {
  const std::string expected = " is too large; an index from 1 to 4294967295 is expected";
  EXPECT_EQ(parse_error("1 4294967296:1\n"), "f:1: feature index '4294967296'" + expected);
  EXPECT_EQ(parse_error("1 99999999999999999999999:1\n"), "f:1: feature index '99999999999999999999999'" + expected);
}

TEST(LibsvmReader, RejectsIndicesThatAreNoWholeNumbers) {
  const std::string expected = " is not a whole number; an index from 1 to 4294967295 is expected";
  EXPECT_EQ(parse_error("1 a:1\n"), "f:1: feature index 'a'" + expected);
  EXPECT_EQ(parse_error("1 -1:1\n"), "f:1: feature index '-1'" + expected);
  EXPECT_EQ(parse_error("1 +1:1\n"), "f:1: feature index '+1'" + expected);
  EXPECT_EQ(parse_error("1 1.5:1\n"), "f:1: feature index '1.5'" + expected);
  EXPECT_EQ(parse_error("1 :1\n"), "f:1: feature index ''" + expected);
}

TEST(LibsvmReader, RejectsUnsortedIndices) {
  EXPECT_EQ(parse_error("1 2:1 7:1 3:1\n"),
            "f:1: feature index 3 comes after 7; strictly ascending indices are expected");
}

TEST(LibsvmReader, RejectsRepeatedIndices) {
  EXPECT_EQ(parse_error("# x\n1 2:1 2:1\n"),
            "f:2: feature index 2 is repeated; strictly ascending indices are expected");
}

TEST(LibsvmReader, RejectsAMissingColon) {
  EXPECT_EQ(parse_error("1 5x\n"), "f:1: '5x' has no ':'; index:value is expected");
  EXPECT_EQ(parse_error("1 1:1 5\n"), "f:1: '5' has no ':'; index:value is expected");
  EXPECT_EQ(parse_error("1 1:1 word 3:1\n"), "f:1: 'word' has no ':'; index:value is expected");
}

TEST(LibsvmReader, ANumberBehindTheLabelIsTheWeight) {
  const auto reader = read_libsvm(memory_bytes("+1 2.5 1:0.3\n-1\t0\n1 1:2\nyes +1e6 # none\n1 5\n1:3 2:4\n"), "f");
  RawRow raw;
  for (const std::optional<double> weight : {std::optional(2.5), std::optional(0.0), std::optional<double>(),
                                             std::optional(1e6), std::optional(5.0), std::optional<double>()}) {
    ASSERT_TRUE(reader->next(raw));
    EXPECT_EQ(raw.weight, weight) << reader->where();
  }
  EXPECT_EQ(raw.row.size(), 2U);
}

TEST(LibsvmReader, RejectsWeightsThatAreNone) {
  for (const std::string weight : {"-1", "-0.001", "1000001", "nan", "inf", "1e999"}) {
    EXPECT_EQ(parse_error("1 " + weight + " 1:1\n"),
              "f:1: '" + weight + "'; expected a weight, a number from 0 to 1000000");
  }
  EXPECT_EQ(parse_error("1 2 3 1:1\n"), "f:1: '3' has no ':'; index:value is expected");
  EXPECT_EQ(parse_error("1 1:1 2\n"), "f:1: '2' has no ':'; index:value is expected");
  EXPECT_EQ(parse_error("1 heavy 1:1\n"), "f:1: 'heavy' has no ':'; index:value is expected");
}

TEST(LibsvmReader, RejectsValuesThatAreNoNumbers) {
  const std::string expected = " of feature 3 is not a number; a number is expected";
  for (const std::string value : {"", "x", "1x", "1:2", "+-1", "++1", "--1", "+", "-", ".", "e5", "0x10", "1,5"}) {
    EXPECT_EQ(parse_error("1 3:" + value + " 4:1\n"), "f:1: value '" + value + "'" + expected);
    EXPECT_EQ(parse_error("1 3:" + value), "f:1: value '" + value + "'" + expected);
  }
  EXPECT_EQ(parse_error("1 3:\v5\n"), "f:1: value '\\x0b5'" + expected);
  EXPECT_EQ(parse_error("1 3:\r5\n"), "f:1: value '\\x0d5'" + expected);
}

TEST(LibsvmReader, RejectsValuesThatAreNotFinite) {
  for (const std::string value : {"nan", "NaN", "-nan", "inf", "-Infinity", "+inf", "1e999", "-1e999"}) {
    EXPECT_EQ(parse_error("1 3:" + value + "\n"),
              "f:1: value '" + value + "' of feature 3 is not finite; a finite number is expected");
  }
}

TEST(LibsvmReader, LeavesQueriesOut) {
  EXPECT_EQ(parse("1 qid:3 1:1\n1 2.5\tqid:12345678901234567890123 1:1\n1 qid:0\n"),
            (std::vector<OwnedExample>{{{0}, {1.0}, 1.0}, {{0}, {1.0}, 1.0}, {{}, {}, 1.0}}));
  EXPECT_EQ(parse("qid:3 1:1\n"), (std::vector<OwnedExample>{{{0}, {1.0}, kNoTarget}}));
}

TEST(LibsvmReader, RejectsQueriesThatAreNone) {
  const std::string expected = "; expected one qid with a whole number, before all features";
  for (const std::string query : {"qid:", "qid:x", "qid:-1", "qid:1.5"}) {
    EXPECT_EQ(parse_error("1 " + query + " 1:1\n"), "f:1: '" + query + "'" + expected);
  }
  EXPECT_EQ(parse_error("1 qid:1 qid:2 1:1\n"), "f:1: 'qid:2'" + expected);
  EXPECT_EQ(parse_error("1 1:1 qid:2\n"), "f:1: 'qid:2'" + expected);
}

TEST(LibsvmReader, MessagesStayShortAndPrintable) {
  EXPECT_EQ(parse_error("1 \x01\xff\x1b[31m\n"), "f:1: '\\x01ÿ\\x1b[31m' has no ':'; index:value is expected");
  EXPECT_EQ(parse_error("1 " + std::string(1000, 'x')),
            "f:1: '" + std::string(40, 'x') + "...' has no ':'; index:value is expected");
}

TEST(LibsvmReader, RejectsNulBytes) {
  const std::string nul(1, '\0');
  for (const std::string& line :
       {std::string(1000, '\0'), nul + "1 1:1", "1" + nul + " 1:1", "1 1:1" + nul, "1 # " + nul}) {
    for (const std::size_t piece : {1, 3, 1 << 20}) {
      const std::string found = error_of([&] { parse("1 1:1\n" + line + "\n-1 1:1\n", {.bytes = 5}, piece); });
      EXPECT_EQ(found, "f:2: a NUL byte; expected text");
    }
  }
}

TEST(LibsvmReader, RejectsWhatAFloatCannotHoldIfFloatsAreExpected) {
  for (const std::string value : {"1e300", "-3.4028236e38", "+3.5e38"}) {
    const auto reader =
        read_libsvm(memory_bytes("1 1:3.4028234e38 2:-3.4028234e38\n1 2:1 7:" + value + "\n1 1:2\n"), "f");
    reader->expect_floats();
    RawRow raw;
    ASSERT_TRUE(reader->next(raw));
    EXPECT_EQ(error_of([&] { reader->next(raw); }),
              "f:2: value '" + value + "' of feature 7; expected a value in the range of float, or double precision");
    EXPECT_TRUE(reader->next(raw));
  }
}

TEST(LibsvmReader, ARowMayHaveNoLabel) {
  EXPECT_EQ(parse("1:0.5 3:-2\n 2:1e-3\n"),
            (std::vector<OwnedExample>{{{0, 2}, {0.5, -2.0}, kNoTarget}, {{1}, {1e-3}, kNoTarget}}));
}

TEST(LibsvmReader, LabelsAreTextAsWritten) {
  const auto reader = read_libsvm(memory_bytes("yes 1:1\n-1.50\n:1 1:1\n1x:2\n"), "f");
  RawRow raw;
  for (const std::string label : {"yes", "-1.50", ":1", "1x:2"}) {
    ASSERT_TRUE(reader->next(raw));
    EXPECT_EQ(raw.label, label);
  }
}

TEST(LibsvmReader, CountsFeatures) {
  const auto reader = read_libsvm(memory_bytes("1 7:1\n1 3:1\n1\n"), "f");
  EXPECT_EQ(reader->features(), 0U);
  collect(*reader);
  EXPECT_EQ(reader->features(), 7U);
}

TEST(LibsvmReader, SkipsAByteOrderMark) {
  EXPECT_EQ(parse("\xef\xbb\xbf+1 1:0.5 3:-2\n-1 2:1e-3\n"), kTwoRows);
}

TEST(LibsvmReader, CountsEveryLineAcrossRefills) {
  std::string text = "# first\n\r\n";
  for (int i = 0; i < 1000; ++i) text += "1 1:1 2:0.25\n";
  EXPECT_EQ(parse_error(text + "1 0:1", {.bytes = 7}),
            "f:1003: feature index 0; feature indices count from 1 here; if they count from 0, use --zero-based yes");
}

TEST(LibsvmReader, GoesOnAfterABadLine) {
  const auto reader = read_libsvm(std::make_unique<PiecewiseBytes>("1 1:x\n-1 2:1e-3\n"), "f");
  RawRow raw;
  EXPECT_THROW(reader->next(raw), BadRow);
  ASSERT_TRUE(reader->next(raw));
  EXPECT_EQ(raw.label, "-1");
  EXPECT_EQ(reader->where(), "f:2");
  EXPECT_FALSE(reader->next(raw));
  EXPECT_FALSE(reader->next(raw));
}

TEST(LibsvmReader, LinesGrowTheBufferUpToTheLimit) {
  const std::string line = "1 1:0.123456789";  // 15 bytes
  const std::vector<std::string> accepted = {line, line + "\n", line + "\r\n", "1\n" + line + "\n1\n"};
  for (const std::string& text : accepted) {
    for (const std::size_t piece : {1, 2, 100}) {
      for (const std::size_t bytes : {1, 14, 15, 16, 17, 100}) {
        EXPECT_NO_THROW(parse(text, {.bytes = bytes, .longest_line = 15}, piece)) << text << piece << ' ' << bytes;
        EXPECT_EQ(error_of([&] { parse(text, {.bytes = bytes, .longest_line = 14}, piece); }),
                  fmt::format("f:{}: a line of more than 14 bytes; a text file with one row on each line is expected",
                              text[1] == '\n' ? 2 : 1));
      }
    }
  }
}

TEST(LibsvmReader, ReadsALongRow) {
  std::string text = "1\n-1";
  for (int j = 1; j <= 200'000; ++j) text += fmt::format(" {}:{}", j, j % 10);
  const std::vector<OwnedExample> rows = parse(text, {.bytes = 64}, 1 << 14);
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(rows[1].indices.size(), 200'000U);
  EXPECT_EQ(rows[1].indices.back(), 199'999U);
  EXPECT_EQ(rows[1].values[7], 8.0);
}

// Any finite double: bit patterns rather than the small numbers that a generator of doubles favours.
rc::Gen<double> finite_number() {
  return rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t bits) { return std::bit_cast<double>(bits * 0x9e3779b97f4a7c15U); }),
      [](double x) { return std::isfinite(x); });
}

RC_GTEST_PROP(LibsvmReader, RoundTripsRandomRowsInPiecesOfAnySize, ()) {
  const auto rows = *rc::gen::container<std::vector<std::map<FeatureIndex, double>>>(
      rc::gen::container<std::map<FeatureIndex, double>>(rc::gen::inRange<FeatureIndex>(0, 4'294'967'295U),
                                                         finite_number()));
  const auto line_end = *rc::gen::element<std::string>("\n", "\r\n", "\n\n", " # comment\n", "\t\n# comment\n");
  const auto separator = *rc::gen::element<std::string>(" ", "\t", "  ");
  std::string text;
  std::vector<OwnedExample> expected;
  for (const auto& row : rows) {
    OwnedExample& example = expected.emplace_back();
    example.target = *rc::gen::element(-1.0, 1.0);
    text += example.target > 0 ? "+1" : "-1";
    for (const auto& [index, value] : row) {
      example.indices.push_back(index);
      example.values.push_back(value);
      text += fmt::format("{}{}:{}", separator, std::uint64_t{index} + 1, value);
    }
    text += line_end;
  }
  const LineBuffer buffer{.bytes = *rc::gen::inRange<std::size_t>(1, 100)};
  RC_ASSERT(parse(text, buffer, *rc::gen::inRange<std::size_t>(1, 50)) == expected);
}

// Damages text in a few places, mostly with the characters that mean something to the reader.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kAlphabet = "0123456789:+-.e# \t\r\n\0nanifqd\xff";
  for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
    const std::size_t place = random.below(text.size() + 1);
    const char byte = random.chance(0.1) ? static_cast<char>(random.bits()) : kAlphabet[random.below(kAlphabet.size())];
    switch (random.below(4)) {
      case 0:
        text.insert(place, 1, byte);
        break;
      case 1:
        if (place < text.size()) text[place] = byte;
        break;
      case 2:
        text.erase(place, random.below(8));
        break;
      default:
        text.insert(place, text.substr(random.below(text.size() + 1), random.below(30)));
    }
  }
  return text;
}

TEST(LibsvmReader, DamagedTextIsRowsOrErrors) {
  const std::string valid =
      "# header\n+1 1:0.5 3:-2 10:1e-3\r\n-1\n-1 2:1 4294967295:+7 # end\n\n+1 1:0\t2:.5 7:1e300\n";
  Random random(1);
  std::uint64_t rows = 0;
  std::uint64_t errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = damaged(valid, random);
    const LineBuffer buffer{.bytes = 1 + random.below(80)};
    const auto reader =
        read_libsvm(decompressed(std::make_unique<PiecewiseBytes>(text, 1 + random.below(80)), "f"), "f", buffer);
    RawRow raw;
    for (bool more = true; more;) {
      try {
        more = reader->next(raw);
        if (!more) break;
        ++rows;
        ASSERT_NO_THROW(raw.row.check());
      } catch (const Error& error) {
        ++errors;
        ASSERT_TRUE(std::string(error.what()).starts_with("f:")) << error.what();
      }
    }
  }
  EXPECT_GT(rows, 20'000U);
  EXPECT_GT(errors, 5'000U);
}

}  // namespace
}  // namespace alder
