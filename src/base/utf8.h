#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace alder {

/// Whether this is UTF-8, strictly: nothing cut off, overlong, a surrogate or above U+10FFFF.
bool is_utf8(std::string_view text);

/// The bytes of the character at the front of a text; 0: there is none in UTF-8.
std::size_t utf8_length(std::string_view text);

/// UTF-8 of text that is in windows-1252, which is Latin-1 but for 0x80 to 0x9f. Never fails: the five bytes that are
/// undefined there become the control characters of the same number, as browsers read them.
std::string from_latin1(std::string_view text);

}  // namespace alder
