#include "message.h"

#include <unistd.h>

namespace alder::cli {

void say_text(std::string_view text) noexcept {
  while (!text.empty()) {
    // A signal that comes while the reader of a pipe is slow ends the waiting, too.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace alder::cli
