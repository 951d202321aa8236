#include "alder/evaluate.h"

#include <array>
#include <chrono>
#include <utility>

namespace alder {

Feed::~Feed() {
  try {
    finish();
  } catch (...) {  // lost, as the header says
  }
}

void Feed::finish() {
  const bool is_expecting = at_ < ahead_.size();
  const std::size_t delivered = std::exchange(at_, 0);
  ahead_ = {};
  if (is_expecting) learner_.expect({});
  stream_.advance(delivered);
}

// Whether there are examples in ahead_ now.
bool Feed::look_ahead() {
  finish();
  ahead_ = stream_.ahead(Learner::kAhead);
  if (ahead_.size() < 2) {
    ahead_ = {};
    return false;
  }
  std::array<Row, Learner::kAhead> rows;
  for (std::size_t i = 0; i < ahead_.size(); ++i) rows[i] = ahead_[i].row;
  learner_.expect(std::span(rows).first(ahead_.size()));
  return true;
}

Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Example example;
  Feed feed(stream, learner);
  while (feed.next(example)) {
    const double score = learner.learn(example.row, example.label);
    if (observer && !observer(example, score)) break;
  }
  feed.finish();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {learner.report(), elapsed.count()};
}

}  // namespace alder
