#pragma once

#include <string>
#include <string_view>

#include "alder/error.h"

namespace alder::cli {

/// The reader of standard output, a pipe, has gone away, as `head` does when it has enough. Who asked for the text
/// wants no more of it, so the program ends without a message, with kReaderGoneStatus.
class ReaderGone : public Error {
 public:
  ReaderGone() : Error(Kind::kFile, "the reader of standard output has gone away") {}
};

/// What shells show for a program that SIGPIPE ended.
constexpr int kReaderGoneStatus = 141;

/// Whether standard output is a pipe without a reader.
bool reader_is_gone();

/// Text for a file, or for standard output if the path is "-". Failures, such as a full disk, are Errors that name the
/// path; a ReaderGone is one of them. `close` must be called at the end: some failures show only there. If a signal
/// comes while the reader of a pipe is waited for, the rest of the text is dropped, so that the program can end.
class Output {
 public:
  explicit Output(const std::string& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  /// Without `close`: writes what can be written.
  ~Output();

  void write(std::string_view text);
  /// Writes what was held back to be written in larger pieces.
  void flush();
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  int file_;
  bool is_terminal_;     // every line is shown at once
  bool is_cut_ = false;  // by a signal
  std::string buffer_;
};

}  // namespace alder::cli
