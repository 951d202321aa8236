#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace alder {

/// Takes the next line off the front of a text that was looked at ahead, without its end: LF, CRLF or CR. False: there
/// is none, or the last one may go on behind the text.
inline bool take_line(std::string_view& text, std::string_view& line, bool is_whole) {
  if (text.empty()) return false;
  const std::size_t end = text.find_first_of("\r\n");
  if (end == std::string_view::npos) {
    if (!is_whole) return false;
    line = std::exchange(text, {});
    return true;
  }
  line = text.substr(0, end);
  text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  return true;
}

}  // namespace alder
