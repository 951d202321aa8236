#pragma once

#include <functional>

#include "alder/learner.h"
#include "alder/stream.h"

namespace alder {

/// What came of driving a stream into a learner.
struct Outcome {
  Report report;         ///< the learner's own, at the end
  double seconds = 0.0;  ///< wall time of reading and learning
};

/// Progressive validation: every example of the stream is scored before it is learned. `after_round`, if given, sees
/// each example with the score made before its update. Stops at the end of the stream; what the stream, the learner or
/// the observer throws passes through, and the rounds before it are learned.
Outcome evaluate(Stream& stream, Learner& learner,
                 const std::function<void(const Example& example, double score)>& after_round = {});

}  // namespace alder
