#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace alder::cli {

/// Writes to standard error. A message that cannot be written is dropped: a terminal that is gone, a full disk or a
/// closed pipe must not end a run whose result is in a file.
void say_text(std::string_view text) noexcept;

/// The same for a format and its arguments.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace alder::cli
