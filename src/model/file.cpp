#include "model/file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alder/error.h"

namespace alder {
namespace {

[[noreturn]] void fail_with(const std::string& path, int error) {
  throw Error(fmt::format("{}: {}", path, std::system_category().message(error)));
}

// An open file descriptor that closes itself.
class Descriptor {
 public:
  // `name` is for messages.
  Descriptor(std::string name, const std::string& path, int flags) : name_(std::move(name)) {
    do {
      fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) fail_with(name_, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }

  void write_all(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_with(name_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  // Some file systems report a full disk only here.
  void sync_and_close() {
    if (::fsync(fd_) != 0) fail_with(name_, errno);
    if (::close(std::exchange(fd_, -1)) != 0) fail_with(name_, errno);
  }

 private:
  std::string name_;
  int fd_ = -1;
};

// The file behind a chain of symbolic links, which need not exist yet.
std::string target_of(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as the kernel's
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(target, error); ++links) {
    if (links == kMostLinks) fail_with(path, ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error) fail_with(path, error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

void write_part(const std::string& name, const std::string& part, std::string_view content) {
  Descriptor file(name, part, O_WRONLY | O_CREAT);
  // Two processes that save to one path must not write into one another's file.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) throw Error(fmt::format("{}: another process is writing it", name));
    fail_with(name, errno);
  }
  try {
    if (::ftruncate(file.get(), 0) != 0) fail_with(name, errno);
    file.write_all(content);
    file.sync_and_close();
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

}  // namespace

void replace_file(const std::string& path, std::string_view content) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) fail_with(path, EISDIR);
    Descriptor(path, path, O_WRONLY).write_all(content);
    return;
  }
  const std::string target = target_of(path);
  const std::string part = target + ".part";
  write_part(path, part, content);
  if (::rename(part.c_str(), target.c_str()) != 0) {
    const int error = errno;
    ::unlink(part.c_str());
    fail_with(path, error);
  }
  // The rename itself is safe on the disk once the folder is.
  const std::string folder = std::filesystem::path(target).parent_path().string();
  const Descriptor directory(path, folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (::fsync(directory.get()) != 0 && errno != EINVAL) fail_with(path, errno);
}

std::string read_file(const std::string& path) {
  const Descriptor file(path, path, O_RDONLY);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_with(path, errno);
  if (S_ISDIR(status.st_mode)) fail_with(path, EISDIR);
  // A device may never end; no model comes near this size.
  constexpr std::size_t kLimit = std::size_t{1} << 36U;
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::string content;
  while (true) {
    const std::size_t size = content.size();
    if (size > (S_ISREG(status.st_mode) ? kLimit : kLimit >> 6U)) throw Error(path + ": too large for a model");
    content.resize(size + kPiece);
    const ssize_t n = ::read(file.get(), content.data() + size, kPiece);
    const int error = errno;
    content.resize(n > 0 ? size + static_cast<std::size_t>(n) : size);
    if (n == 0) return content;
    if (n < 0 && error != EINTR) fail_with(path, error);
  }
}

}  // namespace alder
