#include "io/input_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alder/error.h"

namespace alder {
namespace {

[[noreturn]] void fail(const std::string& path, int reason) {
  throw Error(Error::Kind::kFile, fmt::format("{}: {}", display_name(path), std::system_category().message(reason)));
}

// Whether poll found something at `descriptor`; `wake` may be −1. Nothing at either returns false after `timeout`
// milliseconds, never if that is −1.
bool has_bytes(int descriptor, int wake, int timeout) {
  std::array<pollfd, 2> waited = {pollfd{descriptor, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
  while (::poll(waited.data(), waited.size(), timeout) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::system_category(), "poll");
  }
  if (waited[1].revents != 0) throw Interrupted();
  return waited[0].revents != 0;
}

class FileBytes final : public ByteSource {
 public:
  FileBytes(const std::string& path, ReadControl* control) : path_(path), control_(control), owned_(path != "-") {
    // Not blocking: the open of a named pipe would otherwise wait for a writer and could not be interrupted.
    while (owned_ && descriptor_ < 0) {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      if (descriptor_ < 0 && errno != EINTR) fail(path_, errno);
    }
    if (!owned_) descriptor_ = STDIN_FILENO;
    struct stat status {};
    regular_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  }
  ~FileBytes() override {
    if (owned_) ::close(descriptor_);
  }

  std::size_t read(std::span<char> buffer) override {
    while (true) {
      if (control_ != nullptr && control_->interrupted()) throw Interrupted();
      if (!regular_ && !ended_) wait();
      const ssize_t count = ended_ ? 0 : ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) {
        ended_ = count == 0;
        if (control_ != nullptr) control_->bytes_read += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR && errno != EAGAIN) fail(path_, errno);
    }
  }

  bool ready() override { return regular_ || ended_ || has_bytes(descriptor_, -1, 0); }
  [[nodiscard]] bool always_ready() const override { return regular_; }

 private:
  void wait() {
    if (control_ != nullptr) {
      control_->wait(descriptor_);
    } else {
      has_bytes(descriptor_, -1, -1);
    }
  }

  std::string path_;
  ReadControl* control_;
  bool owned_;
  bool regular_ = false;
  bool ended_ = false;
  int descriptor_ = -1;
};

}  // namespace

ReadControl::ReadControl() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe to stop reading by", errno);
  listen_ = ends[0];
  wake_ = ends[1];
}

ReadControl::~ReadControl() {
  interrupt();
  ::close(listen_);
}

void ReadControl::interrupt() noexcept {
  const int saved = errno;
  const int end = wake_.exchange(-1);
  if (end >= 0) ::close(end);
  errno = saved;
}

void ReadControl::wait(int descriptor) {
  if (has_bytes(descriptor, listen_, 0)) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  if (before_wait) before_wait();
  has_bytes(descriptor, listen_, -1);
  seconds_waited += std::chrono::duration<double>(Clock::now() - begin).count();
}

std::unique_ptr<ByteSource> open_file(const std::string& path, ReadControl* control) {
  return std::make_unique<FileBytes>(path, control);
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path, ReadControl* control) {
  return decompressed(open_file(path, control), display_name(path));
}

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat status {};
  const bool is_input = path == "-";
  if ((is_input ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) fail(path, errno);
  if (!is_input && ::access(path.c_str(), R_OK) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  // A shell may have read the beginning of standard input already.
  const off_t done = is_input ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  return static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(0, done)));
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace alder
