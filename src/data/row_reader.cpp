#include "data/row_reader.h"

#include <fmt/format.h>

namespace alder {

void RowReader::fail(std::string_view found, std::string_view expected) const {
  throw BadRow(fmt::format("{}: {}; {}", where(), found, expected));
}

bool RowReader::is_text(std::string_view line) const {
  if (lines_.holds_nul(line)) fail("a NUL byte", "expected text");
  return true;
}

void RowReader::reject_large(const std::string& found) const {
  fail(found, "expected a value in the range of float, or double precision");
}

}  // namespace alder
