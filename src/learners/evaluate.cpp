#include "alder/evaluate.h"

#include <chrono>

namespace alder {

Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Example example;
  while (stream.next(example)) {
    const double score = learner.learn(example.row, example.label);
    if (observer && !observer(example, score)) break;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {learner.report(), elapsed.count()};
}

}  // namespace alder
