#include "files.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alder/error.h"

#include "io/whole_file.h"
#include "verbs.h"

namespace alder::cli {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(Error::Kind::kFile, fmt::format("{}: {}", path, std::system_category().message(error)));
}

std::string folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

void Files::reads(const std::string& what, const std::string& path) {
  if (path.empty()) return;
  inputs_.push_back({path == "-" ? "standard input" : fmt::format("{} {}", what, path), path, false});
}

void Files::loads(const std::string& what, const std::string& path) {
  if (path.empty()) return;
  inputs_.push_back({fmt::format("{} {}", what, path), path, true});
}

void Files::streams(const std::string& flag, const std::string& path) {
  if (path.empty()) return;
  outputs_.push_back({path == "-" ? "standard output" : fmt::format("{} {}", flag, path), path, false});
  check_writable(outputs_.back());
}

void Files::replaces(const std::string& flag, const std::string& path) {
  if (path.empty()) return;
  outputs_.push_back({fmt::format("{} {}", flag, path), path, true});
  check_writable(outputs_.back());
}

// Throws what opening it for writing would throw.
void Files::check_writable(const File& file) {
  if (file.is_standard()) {
    const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail(file.name, EBADF);
    return;
  }
  struct stat status = {};
  const bool exists = ::stat(file.path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(file.path, errno);
  if (exists && S_ISDIR(status.st_mode)) fail(file.path, EISDIR);
  // A regular file that is replaced is not opened itself.
  const bool is_opened = exists && !(file.is_whole && S_ISREG(status.st_mode));
  const std::string written = is_opened ? file.path : folder_of(link_target(file.path));
  if (::faccessat(AT_FDCWD, written.c_str(), is_opened ? W_OK : W_OK | X_OK, AT_EACCESS) != 0) fail(file.path, errno);
}

// Device and inode or, before there is a file, those of its folder and its name there. Empty for what may be named
// twice: terminals, /dev/null, pipes and sockets. `standard` is the descriptor that "-" stands for.
std::optional<Files::Identity> Files::identity_of(const File& file, int standard) {
  struct stat status = {};
  if ((file.is_standard() ? ::fstat(standard, &status) : ::stat(file.path.c_str(), &status)) == 0) {
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) return std::nullopt;
    return Identity(status.st_dev, status.st_ino, "");
  }
  const std::filesystem::path target = link_target(file.path);
  if (::stat(folder_of(target).c_str(), &status) != 0) return std::nullopt;
  return Identity(status.st_dev, status.st_ino, target.filename().string());
}

void Files::check() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const File& output = outputs_[i];
    const auto identity = identity_of(output, STDOUT_FILENO);
    if (!identity) continue;
    for (const File& input : inputs_) {
      if ((input.is_whole && output.is_whole) || identity_of(input, STDIN_FILENO) != identity) continue;
      throw UsageError(
          fmt::format("{} is the same file as {}, which writing would destroy; expected another file to write to",
                      output.name, input.name));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (identity_of(outputs_[j], STDOUT_FILENO) != identity) continue;
      throw UsageError(
          fmt::format("{} is the same file as {}; expected a file for each", output.name, outputs_[j].name));
    }
  }
}

void check_standard_output(const std::vector<std::string>& inputs) {
  Files files;
  for (const std::string& path : inputs) files.reads("the input", path);
  files.streams("", "-");
  files.check();
}

}  // namespace alder::cli
