#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace alder {

/// What the library throws for bad input: options, rows, labels and files. The message says what was expected,
/// where, and what to do. An object that threw is unchanged by the rejected call.
class Error : public std::runtime_error {
 public:
  /// What is wrong, for callers that turn it into an exception or a status of their own.
  enum class Kind : std::uint8_t {
    kArgument,     ///< an option, a name or a number that was given
    kRow,          ///< the features of a row
    kTarget,       ///< the label of a row
    kUnsupported,  ///< what this learner, kernel or machine cannot do
    kFile,         ///< a file that cannot be opened, read or written
    kFormat,       ///< the content of a file: damaged, or not what was expected
    kVersion,      ///< a model file of a version that this one does not read
  };
  static constexpr std::size_t kNoRow = ~std::size_t{0};

  explicit Error(const std::string& message) : Error(Kind::kArgument, message) {}
  Error(Kind kind, const std::string& message, std::size_t row = kNoRow)
      : std::runtime_error(message), kind_(kind), row_(row) {}

  [[nodiscard]] Kind kind() const { return kind_; }
  /// The place of the row at fault among the rows that the caller gave at once; kNoRow: it is about none of them.
  [[nodiscard]] std::size_t row() const { return row_; }

  /// The same error with another message, which says where it happened.
  [[nodiscard]] Error with_message(const std::string& message) const { return {kind_, message, row_}; }
  /// The same error of the row at that place, with another message.
  [[nodiscard]] Error of_row(std::size_t row, const std::string& message) const { return {kind_, message, row}; }

 private:
  Kind kind_;
  std::size_t row_;
};

/// "argument", "row", "target", "unsupported", "file", "format" or "version".
const char* name_of(Error::Kind kind);

}  // namespace alder
