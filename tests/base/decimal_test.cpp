#include "base/decimal.h"

#include <bit>
#include <cstdint>
#include <string>

#include <fast_float/fast_float.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace alder {
namespace {

// Whether parse() either leaves the text alone or does just what the general parser does, to the last bit.
::testing::AssertionResult agrees(const std::string& text, bool must_parse = false) {
  std::string padded = text;
  padded.append(decimal::kReadable, ' ');
  double expected = 0.0;
  const auto [end, error] = fast_float::from_chars(padded.data(), padded.data() + padded.size(), expected);
  double value = 0.0;
  const char* const stop = decimal::parse(padded.data(), value);
  if (stop == nullptr) {
    return must_parse ? ::testing::AssertionFailure() << "'" << text << "' is left alone"
                      : ::testing::AssertionSuccess();
  }
  if (error == std::errc() && stop == end &&
      std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "'" << text << "' is " << value << ", expected " << expected;
}

std::string some_digits(Random& random, std::size_t count) {
  std::string digits;
  for (std::size_t i = 0; i < count; ++i) digits += static_cast<char>('0' + random.below(10));
  return digits;
}

TEST(Decimal, ShortOnesAreTheNearestDouble) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = random.chance(0.5) ? "-" : "";
    text += some_digits(random, 1 + random.below(7));
    if (random.chance(0.8)) text.append(".").append(some_digits(random, 1 + random.below(8)));
    ASSERT_TRUE(agrees(text, true));
    text += ",:;\n\t#x.-+"[random.below(10)];
    ASSERT_TRUE(agrees(text));
  }
}

TEST(Decimal, AnythingElseIsLeftAloneOrTheSame) {
  for (const std::string text :
       {"",       "-",        ".",        "-.",          ".5",          "5.",   "+1",    "--1",   "1e5",
        "1.5E-3", "1.5e",     "12345678", "123456789.5", "1.123456789", "nan",  "-inf",  "0x10",  "-0",
        "-0.0",   "00012.50", "1 2",      "/5",          ":5",          "\xb1", "1\xb5", "1.\xff"}) {
    EXPECT_TRUE(agrees(text)) << text;
  }
  Random random(2);
  const std::string characters = "0123456789.-+eE, \xf3";
  for (int i = 0; i < 500'000; ++i) {
    std::string text;
    for (std::size_t n = random.below(20); n > 0; --n) text += characters[random.below(characters.size())];
    ASSERT_TRUE(agrees(text));
  }
}

}  // namespace
}  // namespace alder
