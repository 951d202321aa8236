#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace alder {

/// Files that are known not to be text are told by their first bytes. As many of these as are ever looked at:
inline constexpr std::size_t kForeignHead = 16;

/// Whether more bytes could make this beginning of a file one that is known.
bool may_be_foreign(std::string_view head);

/// Throws Error if a file that begins so is known not to be text: an archive, a table of another format, text that is
/// not UTF-8. It says what to do with it. `name` is for the message.
void expect_no_foreign(std::string_view head, const std::string& name);

}  // namespace alder
