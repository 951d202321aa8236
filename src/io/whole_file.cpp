#include "io/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <optional>
#include <random>
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

namespace fs = std::filesystem;

[[noreturn]] void fail_with(const std::string& path, int error) {
  throw Error(Error::Kind::kFile, fmt::format("{}: {}", path, std::system_category().message(error)));
}

// Calls a system call again as long as a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// An open file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

Descriptor open_descriptor(const std::string& path, int flags, mode_t mode = 0) {
  return Descriptor(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// What the temporaries of a target are called: .NAME.0123456789abcdef.part, in its folder. A long name is cut, so that
// they do not become too long for the file system.
class TemporaryNames {
 public:
  explicit TemporaryNames(const fs::path& target)
      : folder_(folder_of(target)), prefix_(fmt::format(".{}.", target.filename().string().substr(0, kLongestName))) {}

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] std::string draw() const {
    std::random_device random;  // 32 bits each
    return (folder_ / fmt::format("{}{:08x}{:08x}{}", prefix_, random(), random(), kSuffix)).string();
  }
  [[nodiscard]] bool match(std::string_view name) const {
    if (name.size() != prefix_.size() + kDigits + kSuffix.size()) return false;
    return name.starts_with(prefix_) && name.ends_with(kSuffix) &&
           name.substr(prefix_.size(), kDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }

 private:
  static constexpr std::size_t kLongestName = 200;
  static constexpr std::size_t kDigits = 16;
  static constexpr std::string_view kSuffix = ".part";

  fs::path folder_;
  std::string prefix_;
};

// Removes the temporaries of processes that were killed. A living writer holds a lock on its temporary. What cannot be
// looked at or removed stays: it does no harm.
void remove_abandoned(const TemporaryNames& names) {
  std::error_code error;
  for (fs::directory_iterator entry(names.folder(), error), end; !error && entry != end; entry.increment(error)) {
    if (!names.match(entry->path().filename().string())) continue;
    const std::string path = entry->path().string();
    const Descriptor file = open_descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status = {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

// A new file beside the target, locked as long as it is open, and gone with this unless it was renamed.
class Temporary {
 public:
  // `name` is for messages. `old` is the status of the file to be replaced, if there is one.
  Temporary(std::string name, const TemporaryNames& names, const struct stat* old) : name_(std::move(name)) {
    while (!make(names, old)) {
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = uninterrupted([&] { return ::write(file_->get(), content.data(), content.size()); });
      if (written < 0) fail_with(name_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    // Some file systems report a full disk only here.
    if (uninterrupted([&] { return ::fsync(file_->get()); }) != 0) fail_with(name_, errno);
  }

  // Still locked, so that no other process removes it as abandoned before it has its new name.
  void rename_to(const std::string& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail_with(name_, errno);
    path_.clear();
  }

 private:
  // False if another name must be drawn: this one exists, or another process took the file for abandoned in the moment
  // before it was locked.
  bool make(const TemporaryNames& names, const struct stat* old) {
    const std::string path = names.draw();
    const mode_t mode = old == nullptr ? 0666 : old->st_mode & 0777U;
    file_.emplace(open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    if (!file_->is_open()) {
      if (errno == EEXIST) return false;
      fail_with(name_, errno);
    }
    path_ = path;
    struct stat status = {};
    // A file system without locks is no reason not to save: there nothing is ever taken for abandoned.
    const bool is_taken = ::flock(file_->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (is_taken || ::fstat(file_->get(), &status) != 0 || status.st_nlink == 0) {
      ::unlink(path_.c_str());
      path_.clear();
      return false;
    }
    if (old != nullptr && ::fchmod(file_->get(), mode) != 0) fail_with(name_, errno);
    return true;
  }

  std::string name_;
  std::string path_;  // empty: there is nothing to remove
  std::optional<Descriptor> file_;
};

// To a device or a pipe. A signal that is handled ends the waiting for a reader: the handler decides what
// follows. A pipe takes PIPE_BUF bytes whole or, when a signal comes, not at all.
void write_directly(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  bool failed = !file.is_open();
  while (!failed && !content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), std::min<std::size_t>(content.size(), PIPE_BUF));
    failed = written < 0;
    if (!failed) content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (failed && errno == EINTR) throw Error(Error::Kind::kFile, path + ": a signal came before all of it was written");
  if (failed) fail_with(path, errno);
}

}  // namespace

std::string link_target(const std::string& path) {
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

void replace_file(const std::string& path, std::string_view content) {
  struct stat old = {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail_with(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    write_directly(path, content);
    return;
  }
  const std::string target = link_target(path);
  const TemporaryNames names(target);
  remove_abandoned(names);
  Temporary temporary(path, names, exists ? &old : nullptr);
  temporary.write(content);
  temporary.rename_to(target);
  // The rename itself is safe on the disk once the folder is. One that may be written but not read cannot be opened.
  const Descriptor folder = open_descriptor(names.folder().string(), O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return;
  if (uninterrupted([&] { return ::fsync(folder.get()); }) != 0 && errno != EINVAL) fail_with(path, errno);
}

std::string read_file(const std::string& path) {
  const Descriptor file = open_descriptor(path, O_RDONLY);
  if (!file.is_open()) fail_with(path, errno);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) fail_with(path, errno);
  if (S_ISDIR(status.st_mode)) fail_with(path, EISDIR);
  // A device may never end; no model comes near this size.
  constexpr std::size_t kLimit = std::size_t{1} << 36U;
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::string content;
  while (true) {
    const std::size_t size = content.size();
    if (size > (S_ISREG(status.st_mode) ? kLimit : kLimit >> 6U))
      throw Error(Error::Kind::kFormat, path + ": too large for a model");
    content.resize(size + kPiece);
    const ssize_t n = ::read(file.get(), content.data() + size, kPiece);
    const int error = errno;
    content.resize(n > 0 ? size + static_cast<std::size_t>(n) : size);
    if (n == 0) return content;
    if (n < 0 && error != EINTR) fail_with(path, error);
  }
}

}  // namespace alder
