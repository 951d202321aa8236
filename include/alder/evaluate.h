#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "alder/learner.h"
#include "alder/metrics.h"
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
  /// Examples were learned; `scores` were made just before each. Returns whether to go on.
  virtual bool after(const Examples& learned, std::span<const double> scores) = 0;
};

/// Examples that were learned: how many of those given, and their scores.
struct Learned {
  std::size_t count = 0;
  std::span<const double> scores;
};

/// Takes examples from a stream, in batches of at most 256 that end where a hook is due, and has them learned. `learn`
/// takes a prefix, as Learner::learn does. Stops at the end of the stream or when a hook says so. What is thrown passes
/// through, and the examples before it are learned.
void drive(Stream& stream, const std::function<Learned(const Examples&)>& learn, std::span<Hook* const> hooks);

/// What came of driving a stream into a learner.
struct Outcome {
  Report report;         ///< the learner's own, at the end
  Metrics metrics;       ///< of the scores made before each example was learned
  double seconds = 0.0;  ///< wall time of reading and learning
};

/// Sees every example with the score made before its update; returns whether to go on.
using Observer = std::function<bool(const Example& example, double score)>;

/// Progressive validation: every example of the stream is scored before it is learned. Stops at the end of the stream
/// or when the observer, if there is one, says so; it sees the learner as it is after each example. What the stream, the
/// learner or the observer throws passes through, and the examples before it are learned.
Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer = {});

/// Learns all examples, however many calls that takes, and appends the scores to `scores`.
void learn_all(Learner& learner, const Examples& examples, std::vector<double>& scores);

}  // namespace alder
