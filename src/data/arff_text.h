#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "alder/encoding.h"

namespace alder {

/// What is wrong with a declaration: "found; expected".
class ArffFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a line, without the quotes and blanks around it.
struct ArffField {
  std::string_view text;
  const char* stop = nullptr;  ///< behind it and the blanks that follow
  bool is_quoted = false;
  bool is_open = false;  ///< its quote is not closed
};

/// The value that begins at `at`: in single or double quotes, within which a backslash makes the next character one
/// like others, or up to one of `stops` or to a comment, which is a '%' behind a blank. `scratch` holds the text of a
/// value with backslashes.
ArffField arff_field(const char* at, const char* end, std::string_view stops, std::string& scratch);

/// The keyword that a line begins with, in small letters: "@data"; empty: there is none. `rest` is what follows.
std::string arff_keyword(std::string_view line, std::string_view& rest);

/// What an attribute is declared to be.
struct ArffAttribute {
  enum class Type : std::uint8_t { kNumber, kNominal, kString, kDate };
  std::string name;
  Type type = Type::kNumber;
  std::vector<std::string> values{};  ///< of kNominal
};

/// The declaration behind "@attribute". Throws ArffFault.
ArffAttribute arff_attribute(std::string_view text);

/// The kind of its column; empty: its cells tell.
std::optional<ColumnKind> kind_of(ArffAttribute::Type type);

}  // namespace alder
