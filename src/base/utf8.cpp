#include "base/utf8.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace alder {
namespace {

// The characters of windows-1252 from 0x80 to 0x9f.
constexpr std::array<std::uint16_t, 32> kWindows = {0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
                                                    0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

// How many bytes at the front are ASCII, at least as far as whole words of 8 bytes go.
std::size_t ascii_words(std::string_view text) {
  constexpr std::uint64_t kHigh = 0x8080808080808080U;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHigh) != 0) break;
  }
  return at;
}

// The length of the character of several bytes at the front, 0 if there is none. The second byte's range depends on
// the first (Unicode 15, table 3-7); all later ones are 0x80 to 0xbf.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  const unsigned lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  return (text[0] & 0x80) == 0 ? 1 : character(text);
}

bool is_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_words(text));
    if (text.empty()) return true;
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

std::string from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
      continue;
    }
    const unsigned code = byte < 0xa0 ? kWindows[byte - 0x80U] : byte;
    if (code < 0x800) {
      out += static_cast<char>(0xc0U | (code >> 6U));
    } else {
      out += static_cast<char>(0xe0U | (code >> 12U));
      out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
    }
    out += static_cast<char>(0x80U | (code & 0x3fU));
  }
  return out;
}

}  // namespace alder
