#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace alder::cli {

/// Text for a file, or for standard output if the path is "-". Failures, a full disk or a closed pipe, are Errors that
/// name the path. `close` must be called at the end: some failures show only there.
class Output {
 public:
  explicit Output(std::string path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view text);
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::FILE* file_;
};

}  // namespace alder::cli
