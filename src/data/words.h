#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"

namespace alder {

/// Of a longer word this many bytes are kept.
inline constexpr std::size_t kLongestWord = 40;

/// Calls `action` with each word of a text, in small letters: letters and digits; what is not ASCII counts as a letter.
template <class Action>
void for_each_word(std::string_view text, const Action& action) {
  const auto is_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80U;
  };
  std::string word;
  const auto end = text.end();
  for (auto at = text.begin();;) {
    const auto begin = std::find_if(at, end, is_of_word);
    if (begin == end) return;
    at = std::find_if_not(begin, end, is_of_word);
    word.assign(begin, begin + std::min<std::ptrdiff_t>(kLongestWord, at - begin));
    std::transform(word.begin(), word.end(), word.begin(), [](char c) { return lower(c); });
    action(static_cast<const std::string&>(word));
  }
}

}  // namespace alder
