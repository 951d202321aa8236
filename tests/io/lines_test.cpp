#include "io/lines.h"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "data/support.h"

namespace alder {
namespace {

using test::error_of;
using test::PiecewiseBytes;

Lines lines_of(const std::string& text, std::size_t piece = 1 << 20, LineBuffer sizes = {}) {
  return {std::make_unique<PiecewiseBytes>(text, piece), "f", sizes};
}

std::vector<std::string> all_of(Lines lines) {
  std::vector<std::string> all;
  std::string_view line;
  while (lines.next(line)) all.emplace_back(line);
  return all;
}

// Calls `check` with readers of the text that differ in how much they get and hold at once.
template <class Check>
void in_all_sizes(const std::string& text, Check&& check) {
  for (const std::size_t piece : {1, 2, 3, 7, 1 << 20}) {
    for (const std::size_t bytes : {1, 2, 3, 8, 64, 1 << 18}) {
      SCOPED_TRACE(fmt::format("pieces of {}, a buffer of {}", piece, bytes));
      check(lines_of(text, piece, {.bytes = bytes}));
    }
  }
}

using Texts = std::vector<std::string>;

TEST(Lines, EndWithLfOrCrlf) {
  in_all_sizes("one\ntwo\r\n\r\n\nfi\rve", [](Lines lines) {
    EXPECT_EQ(all_of(std::move(lines)), (Texts{"one", "two", "", "", "fi\rve"}));
  });
}

TEST(Lines, EndWithCrIfThereIsNoLf) {
  for (const std::string end : {"", "\r"}) {
    in_all_sizes("\xef\xbb\xbfone\rtwo\r\rfour" + end, [](Lines lines) {
      EXPECT_EQ(all_of(std::move(lines)), (Texts{"one", "two", "", "four"}));
    });
  }
  in_all_sizes("\r\r", [](Lines lines) { EXPECT_EQ(all_of(std::move(lines)), (Texts{"", ""})); });
}

TEST(Lines, OneLfAmongTheFirstBytesMeansThatCrEndsNone) {
  in_all_sizes("a\rb\rc\nd\re", [](Lines lines) { EXPECT_EQ(all_of(std::move(lines)), (Texts{"a\rb\rc", "d\re"})); });
}

TEST(Lines, TheFirst64KiBTellWhatEndsThemHoweverTheyArrive) {
  const std::string far(std::size_t{1} << 16, 'x');
  for (const std::size_t piece : {1, 1000, 1 << 16, 1 << 20}) {
    for (const std::size_t bytes : {1 << 10, 1 << 18}) {
      const LineBuffer sizes{.bytes = static_cast<std::size_t>(bytes)};
      EXPECT_EQ(all_of(lines_of("a\r" + far + "\nb", piece, sizes)), (Texts{"a", far + "\nb"}));
      EXPECT_EQ(all_of(lines_of("a\r" + far.substr(2) + "\nb", piece, sizes)), (Texts{"a\r" + far.substr(2), "b"}));
      EXPECT_EQ(all_of(lines_of(far.substr(1) + "\r\nb\r\n", piece, sizes)), (Texts{far.substr(1), "b"}));
      EXPECT_EQ(all_of(lines_of(far + "\r\nb", piece, sizes)), (Texts{far, "b"}));
      EXPECT_EQ(all_of(lines_of(far + "\rc\nb", piece, sizes)), (Texts{far + "\rc", "b"}));
    }
  }
}

TEST(Lines, CrLinesHaveTheSameLimit) {
  for (const std::size_t piece : {1, 2, 100}) {
    for (const std::size_t bytes : {1, 5, 100}) {
      const LineBuffer sizes{.bytes = bytes, .longest_line = 4};
      EXPECT_EQ(all_of(lines_of("abcd\ref\rabcd", piece, sizes)), (Texts{"abcd", "ef", "abcd"}));
      EXPECT_EQ(error_of([&] { all_of(lines_of("abcd\rabcde\ra", piece, sizes)); }),
                "f:2: a line of more than 4 bytes; a text file with one row on each line is expected");
      EXPECT_EQ(error_of([&] { all_of(lines_of("abcde\ra", piece, sizes)); }),
                "f:1: a line of more than 4 bytes; a text file with one row on each line is expected");
    }
  }
}

TEST(Lines, AreExtendedByTheNext) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = "\xef\xbb\xbfone|two||four|five|last";
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|')) text.replace(at, 1, end);
    in_all_sizes(text, [&](Lines lines) {
      std::string_view line;
      ASSERT_TRUE(lines.next(line));
      ASSERT_TRUE(lines.extend(line));
      EXPECT_EQ(line, "one" + end + "two");
      ASSERT_TRUE(lines.extend(line));
      ASSERT_TRUE(lines.extend(line));
      EXPECT_EQ(line, "one" + end + "two" + end + end + "four");
      EXPECT_EQ(lines.where(), "f:1");
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(line, "five");
      EXPECT_EQ(lines.where(), "f:5");
      ASSERT_TRUE(lines.extend(line));
      EXPECT_EQ(line, "five" + end + "last");
      EXPECT_FALSE(lines.extend(line));
      EXPECT_EQ(line, "five" + end + "last");
      EXPECT_EQ(lines.where(), "f:5");
      EXPECT_FALSE(lines.extend(line));
      EXPECT_FALSE(lines.next(line));
    });
  }
}

TEST(Lines, AreNotExtendedAtTheEndOfTheText) {
  for (const std::string text : {"a\nlast", "a\nlast\n", "a\nlast\r\n"}) {
    in_all_sizes(text, [](Lines lines) {
      std::string_view line;
      ASSERT_TRUE(lines.next(line) && lines.next(line));
      EXPECT_FALSE(lines.extend(line));
      EXPECT_EQ(line, "last");
      EXPECT_EQ(lines.where(), "f:2");
      lines.put_back();
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(line, "last");
      EXPECT_FALSE(lines.next(line));
    });
  }
}

TEST(Lines, ArePutBackWithAllThatTheyWereExtendedBy) {
  in_all_sizes("one\ntwo\nthree\nfour\n", [](Lines lines) {
    std::string_view line;
    ASSERT_TRUE(lines.next(line) && lines.next(line) && lines.extend(line) && lines.extend(line));
    EXPECT_EQ(line, "two\nthree\nfour");
    EXPECT_FALSE(lines.extend(line));
    lines.put_back();
    for (const std::string expected : {"two", "three", "four"}) {
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(line, expected);
    }
    EXPECT_EQ(lines.where(), "f:4");
    EXPECT_FALSE(lines.next(line));
  });
}

TEST(Lines, AreTooLongTogetherAsWellAndStayIt) {
  const std::string message =
      "f:2: a row that goes on over lines of more than 6 bytes; expected a closing quote before";
  for (const std::size_t piece : {1, 2, 100}) {
    for (const std::size_t bytes : {1, 3, 100}) {
      Lines lines = lines_of("x\nabc\nde\nf\ng\nh", piece, {.bytes = bytes, .longest_line = 6});
      std::string_view line;
      ASSERT_TRUE(lines.next(line) && lines.next(line) && lines.extend(line));
      EXPECT_EQ(line, "abc\nde");
      EXPECT_EQ(error_of([&] { lines.extend(line); }), message);
      EXPECT_EQ(lines.where(), "f:2");
      EXPECT_EQ(error_of([&] { lines.next(line); }), message);
      EXPECT_EQ(error_of([&] { lines.next(line); }), message);
    }
  }
}

TEST(Lines, TellWhichHoldBytesThatAreNotAscii) {
  in_all_sizes("plain\ngr\xc3\xbcn\nplain again \x7f\n\xff", [](Lines lines) {
    std::string_view line;
    for (const bool is_high : {false, true, false, true}) {
      ASSERT_TRUE(lines.next(line));
      EXPECT_EQ(lines.holds_high(line), is_high) << line;
    }
  });
}

// Bytes that come in pieces, of which only the first `there` do not have to be waited for, and then an Error.
class PipeBytes final : public ByteSource {
 public:
  PipeBytes(std::string text, std::size_t there) : text_(std::move(text)), there_(there) {}
  std::size_t read(std::span<char> buffer) override {
    if (at_ == text_.size()) throw Error(Error::Kind::kFile, "broken");
    const std::size_t count = text_.copy(buffer.data(), std::min<std::size_t>(3, buffer.size()), at_);
    at_ += count;
    return count;
  }
  bool ready() override { return at_ < there_; }
  [[nodiscard]] bool always_ready() const override { return false; }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::string text_;
  std::size_t there_;
  std::size_t at_ = 0;
};

TEST(Lines, LookAheadDoesNotWait) {
  auto source = std::make_unique<PipeBytes>("one\ntwo\nthree\nfour\n", 9);
  const PipeBytes& pipe = *source;
  Lines lines(std::move(source), "f");
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(lines.look_ahead(), "two\nt");
  EXPECT_EQ(lines.look_ahead(), "two\nt");
  EXPECT_EQ(pipe.at(), 9U);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(lines.where(), "f:2");
}

TEST(Lines, LookAheadHasAnEnd) {
  Lines lines = lines_of(std::string(1000, 'x') + "\n", 7, {.bytes = 10});
  EXPECT_GE(lines.look_ahead().size(), 40U);
  EXPECT_LE(lines.look_ahead().size(), 47U);
  in_all_sizes("a\nb\nc", [](Lines all) {
    EXPECT_TRUE(std::string("a\nb\nc").starts_with(all.look_ahead()));
    EXPECT_EQ(all_of(std::move(all)), (Texts{"a", "b", "c"}));
  });
}

TEST(Lines, LookAheadLeavesErrorsToWhoTakesTheLines) {
  Lines lines(std::make_unique<PipeBytes>("one\ntwo\nth", 100), "f");
  EXPECT_EQ(lines.look_ahead(), "one\ntwo\nth");
  std::string_view line;
  ASSERT_TRUE(lines.next(line) && lines.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_EQ(error_of([&] { lines.next(line); }), "broken");
  EXPECT_EQ(error_of([&] { lines.next(line); }), "broken");
}

RC_GTEST_PROP(Lines, AnyWayOfTakingThemGivesTheSameText, ()) {
  const auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\r \xff"))));
  std::string text;
  for (const std::string& part : parts) text += part + "\n";
  Lines lines = lines_of(text, *rc::gen::inRange<std::size_t>(1, 20), {.bytes = *rc::gen::inRange<std::size_t>(1, 20)});
  std::string taken;
  std::string_view line;
  std::size_t number = 0;
  while (lines.next(line)) {
    RC_ASSERT(lines.where() == fmt::format("f:{}", number + 1));
    std::size_t count = 1;
    while (*rc::gen::weightedElement<int>({{2, 0}, {1, 1}}) == 1 && lines.extend(line)) ++count;
    const std::string copy(line);
    if (*rc::gen::weightedElement<int>({{3, 0}, {1, 1}}) == 1) {
      lines.put_back();
      RC_ASSERT(lines.next(line));
      for (std::size_t i = 1; i < count; ++i) RC_ASSERT(lines.extend(line));
      RC_ASSERT(line == copy);
    }
    RC_ASSERT(lines.where() == fmt::format("f:{}", number + 1));
    number += count;
    taken += copy + (text.compare(taken.size() + copy.size(), 1, "\r") == 0 ? "\r\n" : "\n");
  }
  RC_ASSERT(taken == text);
  RC_ASSERT(number == parts.size());
}

}  // namespace
}  // namespace alder
