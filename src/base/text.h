#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fast_float/fast_float.h>

#include "base/decimal.h"

namespace alder {

/// Where the number at the front of [at, end) stops, or null when there is none. Infinite and NaN are numbers here; too
/// large a number is infinite, too small a one is 0.
inline const char* parse_front(const char* at, const char* end, double& value) {
  if (end - at >= static_cast<std::ptrdiff_t>(decimal::kReadable)) {
    const char* const stop = decimal::parse(at, value);
    if (stop != nullptr) return stop;
  }
  const auto [stop, error] = fast_float::from_chars(at, end, value);
  return error == std::errc::invalid_argument ? nullptr : stop;
}

/// The whole of `text` as a number, which may have a '+'. Infinite and NaN are numbers here.
std::optional<double> parse_number(std::string_view text);

/// A piece of a file for a message: short, on one line, in single quotes, and printable whatever is in it.
std::string in_quotes(std::string_view text);

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// For maps that are asked for a string_view.
struct TextHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that the standard library looks for
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// `text` without the spaces and tabs around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the next word off the front of a text; empty at its end.
inline std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

/// With small letters instead of large ones, as far as they are ASCII.
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower(std::string_view text);

}  // namespace alder
