#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alder/input.h"

#include "data/row_feed.h"
#include "io/bytes.h"

namespace alder {

/// The parts as one Input; `bytes_total` is only passed on.
std::unique_ptr<Input> make_input(std::vector<Part> parts, const InputOptions& options,
                                  std::optional<std::uint64_t> bytes_total = std::nullopt);

/// One text from anywhere, decompressed already; `name` is for messages.
std::unique_ptr<Input> read_input(std::unique_ptr<ByteSource> source, std::string name,
                                  const InputOptions& options = {});

}  // namespace alder
