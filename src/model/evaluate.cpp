#include "alder/evaluate.h"

#include <chrono>
#include <vector>

namespace alder {
namespace {

// Counts, and shows every example to an observer.
class Watched final : public Hook {
 public:
  Watched(const Learner& learner, const Observer& observer) : observer_(observer), metrics_(learner.task()) {}

  [[nodiscard]] std::uint64_t due() const override { return observer_ ? 1 : kNever; }
  bool after(const Examples& learned, const Predictions& made) override {
    metrics_.add(made, learned.targets, learned.weights);
    return !observer_ || observer_(learned[0], made.scores[0]);
  }
  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

 private:
  const Observer& observer_;
  Metrics metrics_;
};

}  // namespace

Outcome evaluate(Stream& stream, Learner& learner, const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Watched watched(learner, observer);
  const auto learn = [&](const Examples& examples, Predictions& made) {
    made.outputs = learner.outputs();
    made.scores.resize(examples.size() * made.outputs);
    const std::size_t count = learner.learn(examples, made.scores);
    made.scores.resize(count * made.outputs);
    return count;
  };
  Hook* const hooks[] = {&watched};
  drive(stream, learn, hooks);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {learner.report(), watched.metrics(), elapsed.count()};
}

void learn_all(Learner& learner, const Examples& examples, std::vector<double>& scores) {
  for (std::size_t done = 0; done < examples.size();) {
    const std::size_t before = scores.size();
    const std::size_t width = learner.outputs();
    scores.resize(before + (examples.size() - done) * width);
    const Examples left = examples.from(done, examples.size() - done);
    const std::size_t count = learner.learn(left, std::span(scores).subspan(before));
    scores.resize(before + count * width);
    done += count;
  }
}

}  // namespace alder
