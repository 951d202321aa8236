#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/input.h"

#include "data/input.h"
#include "io/bytes.h"

namespace alder::test {

/// The rows of a text as "label: feature=value, …", by the names of features, with the weight behind it if it is not 1.
inline std::vector<std::string> named_rows(const std::string& text, InputOptions options = {}) {
  options.read_ahead = false;
  const auto input = read_input(memory_bytes(text), "f", options);
  std::vector<std::string> rows;
  Example example;
  while (input->next(example)) {
    std::vector<std::string> features;
    for (std::size_t i = 0; i < example.row.size(); ++i) {
      features.push_back(
          fmt::format("{}={}", input->encoding()->feature_name(example.row.feature(i)), example.row.value(i)));
    }
    const bool has_label = example.target == example.target;
    rows.push_back(
        fmt::format("{}: {}{}", has_label ? input->classes()[static_cast<std::size_t>(example.target)] : "none",
                    fmt::join(features, ", "), example.weight == 1.0 ? "" : fmt::format(" x{}", example.weight)));
  }
  return rows;
}

}  // namespace alder::test
