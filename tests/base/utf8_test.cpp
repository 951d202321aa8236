#include "base/utf8.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace alder {
namespace {

// A text with something before and behind it, at every place in a word.
bool is_utf8_anywhere(const std::string& text) {
  const bool alone = is_utf8(text);
  for (std::size_t before = 0; before < 17; ++before) {
    for (const std::size_t behind : {0, 1, 7, 8}) {
      EXPECT_EQ(is_utf8(std::string(before, 'a') + text + std::string(behind, 'z')), alone) << text << before;
    }
  }
  return alone;
}

// Encodes any number the way UTF-8 does, also where UTF-8 has no character.
std::string encoded(char32_t code, int bytes) {
  if (bytes == 1) return std::string(1, static_cast<char>(code));
  std::string out;
  for (; out.size() + 1 < static_cast<std::size_t>(bytes); code >>= 6U) {
    out.insert(out.begin(), static_cast<char>(0x80U | (code & 0x3fU)));
  }
  out.insert(out.begin(), static_cast<char>((0xff00U >> static_cast<unsigned>(bytes)) | code));
  return out;
}

TEST(Utf8, EveryCharacterIsUtf8InItsShortestFormOnly) {
  for (char32_t code = 0; code < 0x120000; ++code) {
    const bool is_character = code < 0x110000 && (code < 0xd800 || code > 0xdfff);
    const int shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int bytes = shortest; bytes <= 4; ++bytes) {
      ASSERT_EQ(is_utf8(encoded(code, bytes)), is_character && bytes == shortest)
          << static_cast<std::uint32_t>(code) << ' ' << bytes;
    }
  }
}

TEST(Utf8, TextIsUtf8WhereverItsCharactersStand) {
  for (const std::string text : {"", "plain", "Grün", "日本語", "🌳", "\xef\xbb\xbfx", "\x7f", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8_anywhere(text)) << text;
  }
  EXPECT_TRUE(is_utf8(std::string(3, '\0')));
}

TEST(Utf8, NothingElseIs) {
  const std::vector<std::string> wrong = {"\x80",
                                          "\xbf",
                                          "\xc0\x80",
                                          "\xc1\xbf",
                                          "\xf5\x80\x80\x80",
                                          "\xff",
                                          "\xfe",
                                          "gr\xfcn",
                                          "\xe2\x82",
                                          "\xf0\x9f\x8c",
                                          "\xc3",
                                          "\xc3(",
                                          "\xe2(\xa1",
                                          "\xe2\x82(",
                                          "\xf0\x28\x8c\xbc",
                                          "\xf0\x90\x28\xbc",
                                          "\xf0\x28\x8c\x28"};
  for (const std::string& text : wrong) EXPECT_FALSE(is_utf8_anywhere(text)) << text;
}

TEST(Utf8, IsReadableInMessages) {
  EXPECT_EQ(in_quotes("größe"), "'größe'");
  EXPECT_EQ(in_quotes("a\xff\n\xc2\x85z"), "'a\\xff\\x0a\\xc2\\x85z'");
  EXPECT_EQ(in_quotes(std::string(39, 'a') + "é" + "b"), "'" + std::string(39, 'a') + "é...'");
}

TEST(Utf8, Latin1BecomesUtf8) {
  EXPECT_EQ(from_latin1(""), "");
  EXPECT_EQ(from_latin1("plain text"), "plain text");
  EXPECT_EQ(from_latin1("gr\xfcn \xc4\xff\xa0"), "grün Äÿ\xc2\xa0");
  EXPECT_EQ(from_latin1("5 \x80 \x93quoted\x94 \x96 \x9f\x8a"), "5 € “quoted” – ŸŠ");
  EXPECT_EQ(from_latin1("\x81"), "\xc2\x81");
}

RC_GTEST_PROP(Utf8, WhateverWasLatin1IsUtf8, (const std::string& text)) {
  RC_ASSERT(is_utf8(from_latin1(text)));
}

}  // namespace
}  // namespace alder
