#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "alder/row.h"

namespace alder::cli {

/// Appends a row as a line of LIBSVM text. Numbers are as short as they can be without losing anything.
inline void append_libsvm(fmt::memory_buffer& text, std::string_view label, const Row& row, double weight = 1.0) {
  text.append(label);
  if (weight != 1.0) fmt::format_to(fmt::appender(text), " {}", weight);
  for (std::size_t j = 0; j < row.size(); ++j) {
    fmt::format_to(fmt::appender(text), " {}:{}", std::uint64_t{row.feature(j)} + 1, row.value(j));
  }
  text.push_back('\n');
}

}  // namespace alder::cli
