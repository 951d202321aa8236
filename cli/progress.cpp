#include "progress.h"

#include <fmt/format.h>

#include "message.h"

namespace alder::cli {

Progress::Progress(const Learner& learner, std::function<double()> done)
    : learner_(learner),
      done_(Bar::can_draw() ? std::move(done) : nullptr),
      first_(learner.report().rounds),
      round_(first_),
      last_round_(first_),
      last_mistakes_(learner.report().mistakes) {
  while (next_ <= first_) next_ *= 2;
  say("{:>9} {:>9} {:>11} {:>6} {:>9} {:>8}\n", "mistakes", "since", "", "", "", "support");
  say("{:>9} {:>9} {:>11} {:>6} {:>9} {:>8} {:>9} {:>9}\n", "on avg", "last", "round", "label", "score", "set", "KiB",
      "rows/s");
}

void Progress::after_round(const Example& example, double score) {
  if (++round_ == next_) {
    next_ *= 2;
    print_line(example, score);
  }
  constexpr std::uint64_t kRoundsBetweenLooks = 64;  // looking at the clock costs as much as a small kernel row
  if (done_ && round_ % kRoundsBetweenLooks == 0) {
    const auto now = Clock::now();
    if (now - drawn_ > std::chrono::milliseconds(100)) draw_bar(now);
  }
}

void Progress::print_line(const Example& example, double score) {
  bar_.clear();
  const Report report = learner_.report();
  const double since_last =
      static_cast<double>(report.mistakes - last_mistakes_) / static_cast<double>(round_ - last_round_);
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  say("{:>8.2f}% {:>8.2f}% {:>11} {:>+6} {:>9.4f} {:>8} {:>9.1f} {:>9.0f}\n", 100.0 * report.mistake_rate(),
      100.0 * since_last, round_, static_cast<int>(example.label), score, report.support,
      static_cast<double>(report.bytes) / 1024.0, static_cast<double>(round_ - first_) / elapsed.count());
  last_round_ = round_;
  last_mistakes_ = report.mistakes;
}

void Progress::draw_bar(Clock::time_point now) {
  drawn_ = now;
  const double done = done_();
  if (!(done > 0.0)) return;
  const std::chrono::duration<double> elapsed = now - start_;
  bar_.draw(done, fmt::format("{} rounds, {} left", round_, in_words(elapsed.count() * (1.0 - done) / done)));
}

}  // namespace alder::cli
