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
      if (example.target != 1.0 && example.target != 0.0 && !(options.labels_optional && std::isnan(example.target)))
        std::abort();
    }
  } catch (const Error&) {
  }
}

}  // namespace alder::fuzz
