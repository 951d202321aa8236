#include "data/row_reader.h"

#include <fmt/format.h>

#include "alder/examples.h"

#include "base/text.h"

namespace alder {

static_assert(kMostWeight == 1e6, "kExpectedWeight says so");

std::optional<double> parse_weight(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  return number && *number >= 0.0 && *number <= kMostWeight ? number : std::nullopt;
}

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
