#include "alder/evaluate.h"

#include <chrono>

namespace alder {

Feed::~Feed() {
  if (expected_ > 0) learner_.expect({});
}

void Feed::look_ahead() {
  const std::span<const Row> rows = stream_.ahead(Learner::kAhead);
  if (rows.size() < 2) return;
  learner_.expect(rows);
  expected_ = rows.size();
}

Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Example example;
  Feed feed(stream, learner);
  while (feed.next(example)) {
    const double score = learner.learn(example.row, example.label);
    if (observer && !observer(example, score)) break;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {learner.report(), elapsed.count()};
}

}  // namespace alder
