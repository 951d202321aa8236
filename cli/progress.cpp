#include "progress.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace alder::cli {
namespace {

// A bar moves the cursor, which files and dumb terminals do not understand.
bool terminal_can_draw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(const Learner& learner, std::function<double()> done)
    : learner_(learner),
      done_(terminal_can_draw() ? std::move(done) : nullptr),
      first_(learner.report().rounds),
      round_(first_),
      last_round_(first_),
      last_mistakes_(learner.report().mistakes) {
  while (next_ <= first_) next_ *= 2;
  fmt::print(stderr, "{:>9} {:>9} {:>11} {:>6} {:>9} {:>8}\n", "mistakes", "since", "", "", "", "support");
  fmt::print(stderr, "{:>9} {:>9} {:>11} {:>6} {:>9} {:>8} {:>9} {:>9}\n", "on avg", "last", "round", "label", "score",
             "set", "KiB", "rows/s");
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
  clear_bar();
  const Report report = learner_.report();
  const double since_last =
      static_cast<double>(report.mistakes - last_mistakes_) / static_cast<double>(round_ - last_round_);
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  fmt::print(stderr, "{:>8.2f}% {:>8.2f}% {:>11} {:>+6} {:>9.4f} {:>8} {:>9.1f} {:>9.0f}\n",
             100.0 * report.mistake_rate(), 100.0 * since_last, round_, static_cast<int>(example.label), score,
             report.support, static_cast<double>(report.bytes) / 1024.0,
             static_cast<double>(round_ - first_) / elapsed.count());
  last_round_ = round_;
  last_mistakes_ = report.mistakes;
}

void Progress::draw_bar(Clock::time_point now) {
  drawn_ = now;
  const double done = done_();
  if (!(done > 0.0)) return;
  constexpr double kWidth = 40.0;
  const auto filled = static_cast<std::size_t>(kWidth * std::min(done, 1.0));
  const std::chrono::duration<double> elapsed = now - start_;
  fmt::print(stderr, "\r\033[K{:>4.0f}% [{:<40}] {} rounds, {} left", 100.0 * done, std::string(filled, '='), round_,
             time_left(elapsed.count() * (1.0 - done) / done));
  std::fflush(stderr);
  bar_shown_ = true;
}

void Progress::clear_bar() {
  if (!bar_shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace alder::cli
