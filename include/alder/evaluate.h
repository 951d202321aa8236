#pragma once

#include <functional>
#include <vector>

#include "alder/drive.h"
#include "alder/learner.h"
#include "alder/metrics.h"
#include "alder/stream.h"

namespace alder {

/// What came of driving a stream into a learner.
struct Outcome {
  Report report;         ///< the learner's own, at the end
  Metrics metrics;       ///< of the scores made before each example was learned
  double seconds = 0.0;  ///< wall time of reading and learning
};

/// Sees every example with the score made before its update; returns whether to go on.
using Observer = std::function<bool(const Example& example, double score)>;

/// Progressive validation: every example of the stream is scored before it is learned. Stops at the end of the stream
/// or when the observer, if there is one, says so; it sees the learner as it is after each example. What the stream,
/// the learner or the observer throws passes through, and the examples before it are learned.
Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer = {});

/// Learns all examples, however many calls that takes, and appends the scores to `scores`.
void learn_all(Learner& learner, const Examples& examples, std::vector<double>& scores);

}  // namespace alder
