#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace alder {

/// A pull source of bytes. Errors are alder::Error and name what is being read.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills the front of `buffer`, which must not be empty, and returns how many bytes it put there. That may be fewer
  /// than asked for, as on a pipe; 0 means the end, and then every later call returns 0 as well.
  virtual std::size_t read(std::span<char> buffer) = 0;

  /// Whether the next read is known not to wait for a writer, and whether none ever does: files and memory.
  virtual bool ready() { return true; }
  [[nodiscard]] virtual bool always_ready() const { return true; }
};

/// The plain bytes behind `source`: gzip, zstd, xz and bzip2 are told by their first bytes, never by a name, and
/// anything else is passed on as it is. Several members, frames or streams in a row count as one. `name` is for
/// messages. Reads the first bytes; throws Error for what is known not to be text, compressed or not (see foreign.h).
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, const std::string& name);

/// A copy of bytes in memory, as they are.
std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes);

}  // namespace alder
