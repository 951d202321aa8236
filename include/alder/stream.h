#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alder/examples.h"

namespace alder {

/// A pull source of examples. It knows files, not learning.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// The next examples, at least one and at most `most` >= 1 of them: as many as are there without waiting for more.
  /// None: the stream has ended. They are borrowed, and valid until the stream is asked again. A row without a target
  /// has kNoTarget, which only a stream that was asked for such rows delivers. Throws Error for what cannot be read;
  /// the message names the file, the line and what was expected.
  virtual Examples read(std::size_t most) = 0;

  /// The next one alone, or false at the end.
  bool next(Example& example) {
    const Examples one = read(1);
    if (one.empty()) return false;
    example = one[0];
    return true;
  }
};

/// A made-up stream of `rows` >= 1 examples, the same for the same seed on every machine. Throws Error for an unknown
/// name. `generator_names` lists them.
std::unique_ptr<Stream> make_generated(std::string_view name, std::uint64_t rows, std::uint64_t seed);
std::vector<std::string> generator_names();
/// What a generator makes, in one line. Throws Error for an unknown name.
std::string generator_summary(std::string_view name);

}  // namespace alder
