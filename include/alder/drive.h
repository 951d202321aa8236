#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "alder/examples.h"
#include "alder/predictions.h"
#include "alder/stream.h"

namespace alder {

/// Watches how something learns a stream. Examples are learned in batches; a hook says when it must see the state
/// between two of them.
class Hook {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  Hook() = default;
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  virtual ~Hook() = default;

  /// After how many more examples, at least 1, `after` must be called.
  [[nodiscard]] virtual std::uint64_t due() const { return kNever; }
  /// Examples were learned; what was predicted of each just before. Returns whether to go on.
  virtual bool after(const Examples& learned, const Predictions& made) = 0;
};

/// Learns a prefix of the examples, as Learner::learn does, and returns its length; `made` receives what was predicted
/// of each just before.
using Learn = std::function<std::size_t(const Examples& examples, Predictions& made)>;

/// Takes examples from a stream, in batches of at most 256 that end where a hook is due, and has them learned. Stops at
/// the end of the stream or when a hook says so. What is thrown passes through, and the examples before it are learned.
void drive(Stream& stream, const Learn& learn, std::span<Hook* const> hooks);

}  // namespace alder
