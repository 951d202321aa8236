#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alder/row.h"

namespace alder {

/// One labelled row. The row is borrowed from the stream and valid until the stream moves on.
struct Example {
  Row row;
  double label = 0.0;  ///< −1 or +1; 0: unlabelled, which only a stream that was asked for it delivers
};

/// A pull source of labelled rows. It knows files, not learning.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Puts the next example into `example`, or returns false at the end. Throws Error for what cannot be read; the
  /// message names the file, the line and what was expected.
  virtual bool next(Example& example) = 0;

  /// The examples that the next calls of `next` will deliver, as far as they are there, and at most `most`; none if
  /// that is not known. They are valid until the stream moves on or is asked again.
  virtual std::span<const Example> ahead(std::size_t /*most*/) { return {}; }
  /// Moves on behind the first `count` examples that `ahead` has shown.
  virtual void advance(std::size_t count) {
    Example example;
    while (count-- > 0) next(example);
  }
};

/// A made-up stream of `rows` >= 1 examples, the same for the same seed on every machine. Throws Error for an unknown
/// name. `generator_names` lists them.
std::unique_ptr<Stream> make_generated(std::string_view name, std::uint64_t rows, std::uint64_t seed);
std::vector<std::string> generator_names();
/// What a generator makes, in one line. Throws Error for an unknown name.
std::string generator_summary(std::string_view name);

}  // namespace alder
