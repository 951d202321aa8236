#include "output.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder::cli {

Output::Output(std::string path)
    : name_(path == "-" ? "standard output" : std::move(path)),
      file_(name_ == "standard output" ? stdout : std::fopen(name_.c_str(), "w")) {
  if (file_ == nullptr) fail();
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void Output::close() {
  std::FILE* file = std::exchange(file_, nullptr);
  if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0) fail();
}

void Output::fail() const {
  throw Error(fmt::format("{}: {}", name_, std::strerror(errno)));
}

}  // namespace alder::cli
