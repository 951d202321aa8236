#pragma once

#include <string>
#include <string_view>

namespace alder::cli {

/// Text for a file, or for standard output if the path is "-". Failures, a full disk or a closed pipe, are Errors that
/// name the path. `close` must be called at the end: some failures show only there. If a signal comes while the reader
/// of a pipe is waited for, the rest of the text is dropped, so that the program can end.
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
