#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.h"

namespace alder {

/// How much text is held. Both numbers are at least 1.
struct LineBuffer {
  std::size_t bytes = std::size_t{1} << 18;         ///< at the start; a longer line makes it grow
  std::size_t longest_line = std::size_t{1} << 26;  ///< a longer line than this is an Error, not a full memory
};

/// Cuts bytes into lines, counting them from 1. Lines end with LF or CRLF; a UTF-8 byte order mark before the first is
/// dropped; the last line needs no end.
class Lines {
 public:
  /// `name` is for messages.
  Lines(std::unique_ptr<ByteSource> source, std::string name, LineBuffer sizes = {})
      : source_(std::move(source)), name_(std::move(name)), longest_line_(sizes.longest_line), buffer_(sizes.bytes) {}

  /// The next line without its end, valid until the next is taken; false after the last. Throws Error for a line that
  /// is too long, and then again at every later call.
  bool next(std::string_view& line);

  /// The next line that holds anything: neither blank (spaces and tabs) nor a comment, which begins with '#'.
  bool next_filled(std::string_view& line);

  /// Whether a line that was taken holds a NUL byte, which text does not.
  [[nodiscard]] bool holds_nul(std::string_view line) const {
    return has_nul_ && line.find('\0') != std::string_view::npos;
  }

  /// Puts the line last taken back, to be taken again. Requires that one was taken since the last such call.
  void put_back();

  /// What is being read, and the line last taken: "name:number".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string where() const;

 private:
  bool take(std::string_view& line, std::size_t length, std::size_t with_end);
  void refill();
  [[noreturn]] void fail_too_long() const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::size_t longest_line_;
  std::vector<char> buffer_;  // the unread bytes are [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t taken_ = 0;     // bytes of the line last taken, with its end
  std::uint64_t number_ = 0;  // of the line last taken
  bool source_ended_ = false;
  bool has_nul_ = false;  // anywhere in what was read: told for a whole buffer at a time
};

}  // namespace alder
