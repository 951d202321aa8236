#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "alder/stream.h"

#include "data/bytes.h"

namespace alder {

/// How much text the reader holds. Both numbers are at least 1.
struct LibsvmBuffer {
  std::size_t bytes = std::size_t{1} << 18;         ///< at the start; a longer line makes it grow
  std::size_t longest_line = std::size_t{1} << 26;  ///< a longer line than this is an Error, not a full memory
};

/// Streams LIBSVM text from anywhere; `name` is for messages. After an Error about a line, unless it is too long, the
/// stream goes on with the next line.
std::unique_ptr<Stream> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LibsvmBuffer buffer = {});

}  // namespace alder
