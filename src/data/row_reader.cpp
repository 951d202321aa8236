#include "data/row_reader.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "alder/examples.h"

#include "base/text.h"
#include "base/utf8.h"

namespace alder {

static_assert(kMostWeight == 1e6, "kExpectedWeight says so");

std::optional<double> parse_weight(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  return number && *number >= 0.0 && *number <= kMostWeight ? number : std::nullopt;
}

std::optional<double> RowReader::label_number(std::string_view label) const {
  return parse_number(label);
}

void RowReader::fail(std::string_view found, std::string_view expected) const {
  throw BadRow(fmt::format("{}: {}; {}", where(), found, expected));
}

bool RowReader::close_quote(std::string_view& line) {
  bool is_open = true;
  for (std::size_t seen = size_; is_open; seen = line.size()) {
    if (!lines_.extend(line)) return false;
    is_open = std::count(line.begin() + static_cast<std::ptrdiff_t>(seen), line.end(), '"') % 2 == 0;
  }
  return take_text(line);
}

void RowReader::take_utf8(std::string_view& line) {
  if (is_utf8(line)) return;
  if (note_.empty()) note_ = fmt::format("{}: letters that are no UTF-8 are taken for Latin-1 (windows-1252)", where());
  converted_ = from_latin1(line);
  line = converted_;
}

void RowReader::reject_large(const std::string& found) const {
  fail(found, "expected a value in the range of float, or double precision");
}

}  // namespace alder
