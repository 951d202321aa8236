#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/csv.h"
#include "support.h"

namespace alder::test {

inline std::vector<OwnedExample> parse(const std::string& text, const InputOptions& options = {},
                                       LineBuffer buffer = {}, std::size_t piece = 1 << 20) {
  TableLayout layout(options);
  return collect(*read_csv(Lines(std::make_unique<PiecewiseBytes>(text, piece), "f", buffer), layout,
                           {options.separator, options.header}));
}

inline std::string parse_error(const std::string& text, const InputOptions& options = {}) {
  return error_of([&] { parse(text, options); });
}

inline const std::vector<OwnedExample> kTwoRows = {{{0, 2}, {0.5, -2.0}, 1.0}, {{1}, {1e-3}, -1.0}};

}  // namespace alder::test
