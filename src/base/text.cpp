#include "base/text.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/utf8.h"

namespace alder {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  double value = 0.0;
  if (text.empty() || parse_front(text.data(), end, value) != end) return std::nullopt;
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  std::size_t at = 0;
  while (at < std::min(kLongest, text.size())) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(length > 1 ? text[at + 1] : 0);
    const bool is_control = length <= 1 ? first < ' ' || first > '~' : first == 0xc2 && second < 0xa0;
    if (is_control) {
      out += fmt::format("\\x{:02x}", first);
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  out += text.size() > at ? "...'" : "'";
  return out;
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = lower(c);
  return small;
}

}  // namespace alder
