#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/bytes.h"

namespace alder {

/// What reading throws after `ReadControl::interrupt`. Not an Error: nothing is wrong.
struct Interrupted {};

/// What the reader of files and its owner share. Everything belongs to the reading thread, but `interrupt`.
class ReadControl {
 public:
  /// Throws Error when the process has no file descriptor left.
  ReadControl();
  ReadControl(const ReadControl&) = delete;
  ReadControl& operator=(const ReadControl&) = delete;
  ~ReadControl();

  /// Makes the read under way, if it waits, and every later one throw Interrupted. For any thread and for signal
  /// handlers; once is enough.
  void interrupt() noexcept;
  [[nodiscard]] bool interrupted() const { return wake_.load() < 0; }

  /// Returns when `descriptor` has bytes, or an end or a mistake to report. Throws Interrupted.
  void wait(int descriptor);

  std::function<void()> before_wait;  ///< called when there is nothing to read yet; may be empty, may throw
  std::uint64_t bytes_read = 0;       ///< from files, before decompression
  double seconds_waited = 0.0;        ///< for bytes, and in before_wait

 private:
  std::atomic<int> wake_;  // the writing end of a pipe; closing it wakes up the thread that polls the other, −1: closed
  int listen_;
  static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not take locks");
};

/// The bytes of a file as they are, "-" being standard input. A pipe without a writer is waited for when
/// it is read, not here. `control`, if there is one, must outlive it. Throws Error "path: reason", also for a
/// directory.
std::unique_ptr<ByteSource> open_file(const std::string& path, ReadControl* control = nullptr);

/// The same, decompressed if it is compressed.
std::unique_ptr<ByteSource> open_bytes(const std::string& path, ReadControl* control = nullptr);

/// How many bytes reading this file will yield; empty for what is no regular file. Throws Error for what is not there,
/// must not be read or is a directory.
std::optional<std::uint64_t> file_size(const std::string& path);

/// How messages call a path: "standard input" for "-".
std::string display_name(const std::string& path);

}  // namespace alder
