#include "bar.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"

namespace alder::cli {
namespace {

// So that the line is not broken, which clear() could not take back.
std::size_t columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool Bar::can_draw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void Bar::draw(double done, const std::string& text) {
  if (!can_draw()) return;
  done = std::clamp(done, 0.0, 1.0);
  constexpr std::size_t kWidth = 40;
  const auto filled = static_cast<std::size_t>(kWidth * done);
  const std::string line = fmt::format("{:>4.0f}% [{:<40}] {}", 100.0 * done, std::string(filled, '='), text);
  say("\r\033[K{}", line.substr(0, columns() - 1));
  shown_ = true;
}

void Bar::clear() {
  if (!shown_) return;
  say("\r\033[K");
  shown_ = false;
}

std::string in_words(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace alder::cli
