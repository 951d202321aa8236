#include "output.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "signals.h"

namespace alder::cli {
namespace {

// So much a pipe takes whole or, when a signal comes, not at all.
constexpr std::size_t kPieceBytes = PIPE_BUF;

constexpr std::string_view kStandardOutput = "standard output";

}  // namespace

bool reader_is_gone() {
  pollfd output = {STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

Output::Output(const std::string& path)
    : name_(path == "-" ? kStandardOutput : path),
      file_(path == "-" ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      is_terminal_(::isatty(file_) == 1) {
  if (file_ < 0) fail();
}

Output::~Output() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const Error&) {
    // Another Error is on its way already.
  }
  if (file_ != STDOUT_FILENO) ::close(file_);
}

void Output::write(std::string_view text) {
  buffer_ += text;
  if (is_terminal_ || buffer_.size() >= kPieceBytes) flush();
}

void Output::close() {
  flush();
  const int file = std::exchange(file_, -1);
  if (file != STDOUT_FILENO && ::close(file) != 0) fail();
}

void Output::flush() {
  const std::string text = std::exchange(buffer_, {});
  for (std::size_t done = 0; done < text.size() && !is_cut_;) {
    const ssize_t written = ::write(file_, text.data() + done, std::min(text.size() - done, kPieceBytes));
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      fail();
    } else {
      is_cut_ = Signals::caught() != 0;
    }
  }
}

void Output::fail() const {
  if (errno == EPIPE && name_ == kStandardOutput) throw ReaderGone();
  throw Error(Error::Kind::kFile, fmt::format("{}: {}", name_, std::strerror(errno)));
}

}  // namespace alder::cli
