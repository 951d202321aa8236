#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// The same of a text behind a byte that chooses the options of a table in this format.
inline void read_table(const std::uint8_t* data, std::size_t size, Format format) {
  if (size == 0) return;
  InputOptions options;
  options.format = (data[0] & 16U) != 0 ? Format::kAuto : format;
  options.read_ahead = false;
  options.skip_bad = data[0] & 3U;
  if ((data[0] & 4U) != 0) options.classes = {"no", "1"};
  options.only_classes = (data[0] & 12U) == 4U;
  options.labels_optional = (data[0] & 12U) == 12U;
  if ((data[0] & 32U) != 0) options.label_column = "1";
  if ((data[0] & 64U) != 0) options.numbers_only = true;
  if ((data[0] & 128U) != 0) options.weight_column = "-1";
  read_all({reinterpret_cast<const char*>(data) + 1, size - 1}, options);
}

}  // namespace alder::fuzz
