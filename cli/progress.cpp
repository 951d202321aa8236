#include "progress.h"

#include <fmt/format.h>

#include "message.h"

namespace alder::cli {

Progress::Progress(const Model& model, const Yardsticks& yardsticks, std::function<double()> done)
    : model_(model),
      yardsticks_(yardsticks),
      done_(Bar::can_draw() ? std::move(done) : nullptr),
      first_(model.learner().rounds()),
      round_(first_),
      last_round_(first_),
      last_mistakes_(model.counts().mistakes) {
  while (next_ <= first_) next_ *= 2;
  say("{:>9} {:>9} {:>9} {:>9} {:>11} {:>6} {:>9} {:>8}\n", "mistakes", "since", "commoner", "last", "", "", "",
      "support");
  say("{:>9} {:>9} {:>9} {:>9} {:>11} {:>6} {:>9} {:>8} {:>9} {:>9}\n", "on avg", "last line", "class", "label",
      "round", "label", "score", "set", "KiB", "rows/s");
}

bool Progress::after(const Examples& learned, std::span<const double> scores) {
  round_ = model_.learner().rounds();
  if (round_ >= next_) {
    while (next_ <= round_) next_ *= 2;
    print_line(learned.targets.back(), scores.back());
  }
  if (done_) {
    const auto now = Clock::now();
    if (now - drawn_ > std::chrono::milliseconds(100)) draw_bar(now);
  }
  return true;
}

void Progress::print_line(double target, double score) {
  bar_.clear();
  const Report report = model_.learner().report();
  const Counts counts = model_.counts();
  const auto percent = [](std::uint64_t count, std::uint64_t rows) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(rows);
  };
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  say("{:>8.2f}% {:>8.2f}% {:>8.2f}% {:>8.2f}% {:>11} {:>+6} {:>9.4f} {:>8} {:>9.1f} {:>9.0f}\n",
      100.0 * counts.mistake_rate(), percent(counts.mistakes - last_mistakes_, round_ - last_round_),
      percent(yardsticks_.majority_mistakes(), yardsticks_.rows()),
      percent(yardsticks_.last_label_mistakes(), yardsticks_.rows()), round_, static_cast<int>(sign_of(target)), score,
      report.support, static_cast<double>(report.bytes) / 1024.0,
      static_cast<double>(round_ - first_) / elapsed.count());
  last_round_ = round_;
  last_mistakes_ = counts.mistakes;
}

void Progress::draw_bar(Clock::time_point now) {
  drawn_ = now;
  const double done = done_();
  if (!(done > 0.0)) return;
  const std::chrono::duration<double> elapsed = now - start_;
  bar_.draw(done, fmt::format("{} rounds, {} left", round_, in_words(elapsed.count() * (1.0 - done) / done)));
}

}  // namespace alder::cli
