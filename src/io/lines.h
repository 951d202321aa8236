#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
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

/// Cuts bytes into lines, counting them from 1. Lines end with LF or CRLF; or with CR if there is no LF in the first
/// 64 KiB, or in the whole of a shorter text, but a CR is there. A UTF-8 byte order mark before the first line is
/// dropped; the last line needs no end.
class Lines {
 public:
  /// `name` is for messages.
  Lines(std::unique_ptr<ByteSource> source, std::string name, LineBuffer sizes = {})
      : source_(std::move(source)), name_(std::move(name)), sizes_(sizes), buffer_(sizes.bytes) {}

  /// The next line without its end, valid until the next is taken; false after the last. Throws Error for a line that
  /// is too long, and then again at every later call.
  bool next(std::string_view& line);

  /// The next line that holds anything: neither blank (spaces and tabs) nor a comment, which begins with '#'.
  bool next_filled(std::string_view& line);

  /// Makes the line last taken longer by the next one: `line` is then both, with the end of the first between them as
  /// it is in the text, and both are the line last taken. False, and `line` as it was but maybe elsewhere, if there is
  /// no next line. Throws Error as `next` does, if both together are too long. Requires what put_back does.
  bool extend(std::string_view& line);

  /// Whether a line that was taken holds a NUL byte, which text does not.
  [[nodiscard]] bool holds_nul(std::string_view line) const {
    return has_nul_ && line.find('\0') != std::string_view::npos;
  }
  /// Whether a line that was taken holds a byte that is not ASCII.
  [[nodiscard]] bool holds_high(std::string_view line) const { return has_high_ && is_high(line); }

  /// Puts the line last taken back, all lines of it, to be taken again. Requires that one was taken since the last such
  /// call.
  void put_back();

  /// The text behind the line last taken that is there without waiting for a writer, at most about four times
  /// LineBuffer::bytes. It ends anywhere. Valid until the next line is taken; that line cannot be put back or
  /// extended any more. Errors are left to `next`.
  std::string_view look_ahead();

  /// Text that is not taken yet.
  struct Ahead {
    std::string_view text;
    bool is_whole;  ///< there is nothing behind it
  };
  /// At least the next `lines` lines or `bytes` bytes of what is not taken yet, or all there is: a line may go on
  /// behind it. Waits for them. Valid until the next call of any kind; the line last taken cannot be put back any more.
  Ahead ahead(std::size_t lines, std::size_t bytes);

  /// What is being read, and the line last taken, the first one of those that `extend` joined: "name:number".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string where() const;

 private:
  bool cut(std::string_view& line);
  bool ends_by_cr(std::size_t length) const;
  [[nodiscard]] std::string_view taken() const;
  void refill();
  static bool is_high(std::string_view text);
  [[noreturn]] void fail_too_long() const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  LineBuffer sizes_;
  std::vector<char> buffer_;  // the unread bytes are [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t taken_ = 0;     // bytes of the line last taken, with its end
  std::size_t joined_ = 0;    // unread bytes that belong to the next line, whatever line ends are in them
  std::uint64_t number_ = 0;  // of the line last taken
  std::uint64_t count_ = 1;   // how many lines of the text it is
  char line_end_ = '\n';
  bool source_ended_ = false;
  bool has_nul_ = false;  // anywhere in what was read: told for a whole buffer at a time
  bool has_high_ = false;
  std::exception_ptr failure_;  // of a look ahead
};

}  // namespace alder
