#include "data/row_reader.h"

#include <fmt/format.h>

namespace alder {

void RowReader::fail(std::string_view found, std::string_view expected) const {
  throw BadRow(fmt::format("{}: {}; {}", where(), found, expected));
}

}  // namespace alder
