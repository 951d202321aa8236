#pragma once

#include <functional>

#include "alder/learner.h"
#include "alder/stream.h"

namespace alder {

/// Takes examples from a stream, and tells the learner that is going to learn them which rows come next. Both must
/// outlive it.
class Feed {
 public:
  Feed(Stream& stream, Learner& learner) : stream_(stream), learner_(learner) {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  /// As finish, but what the stream throws is lost: another exception may be on its way.
  ~Feed();
  /// As Stream::next.
  bool next(Example& example) {
    if (at_ == ahead_.size() && !look_ahead()) return stream_.next(example);
    example = ahead_[at_++];
    return true;
  }
  /// Moves the stream on behind the examples that were delivered; nothing is expected any more, since the rows may be
  /// gone soon. Throws what the stream throws.
  void finish();

 private:
  bool look_ahead();

  Stream& stream_;
  Learner& learner_;
  std::span<const Example> ahead_;  // what the stream has shown
  std::size_t at_ = 0;              // how many of them were delivered; the stream is told when it is asked again
};

/// What came of driving a stream into a learner.
struct Outcome {
  Report report;         ///< the learner's own, at the end
  double seconds = 0.0;  ///< wall time of reading and learning
};

/// Sees every example with the score made before its update; returns whether to go on.
using Observer = std::function<bool(const Example& example, double score)>;

/// Progressive validation: every example of the stream is scored before it is learned. Stops at the end of the stream
/// or when the observer, if there is one, says so. What the stream, the learner or the observer throws passes through,
/// and the rounds before it are learned.
Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer = {});

}  // namespace alder
