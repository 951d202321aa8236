#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "alder/error.h"
#include "alder/input.h"

#include "data/input.h"
#include "io/bytes.h"

namespace alder::fuzz {

/// Reads a text to its end: rows that are sound, and an Error or none. Anything else ends the fuzzer.
inline void read_all(std::string_view text, const InputOptions& options) {
  try {
    const auto input = read_input(memory_bytes(text), "fuzz", options);
    Example example;
    while (input->next(example)) {
      example.row.check();
      const bool is_class = example.target >= 0.0 && example.target < static_cast<double>(input->classes().size()) &&
                            example.target == std::floor(example.target);
      if (!is_class && !(options.labels_optional && std::isnan(example.target))) std::abort();
      if (options.only_classes && input->classes().size() != options.classes.size()) std::abort();
      if (!(example.weight >= 0.0 && example.weight <= kMostWeight)) std::abort();
    }
  } catch (const Error&) {
  }
}

}  // namespace alder::fuzz
