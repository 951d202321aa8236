#include "progress.h"

#include <cstdio>

#include <fmt/format.h>

namespace alder::cli {

ProgressTable::ProgressTable() : start_(std::chrono::steady_clock::now()) {
  fmt::print(stderr, "{:>9} {:>9} {:>11} {:>6} {:>9} {:>8} {:>9} {:>9}\n", "mistakes", "since", "", "", "", "support",
             "", "");
  fmt::print(stderr, "{:>9} {:>9} {:>11} {:>6} {:>9} {:>8} {:>9} {:>9}\n", "on avg", "last", "round", "label", "score",
             "set", "KiB", "rows/s");
}

void ProgressTable::after_round(const Learner& learner, const Example& example, double score) {
  if (++round_ < next_) return;
  next_ *= 2;
  const Report report = learner.report();
  const double since_last =
      static_cast<double>(report.mistakes - last_mistakes_) / static_cast<double>(round_ - last_round_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  fmt::print(stderr, "{:>8.2f}% {:>8.2f}% {:>11} {:>+6} {:>9.4f} {:>8} {:>9.1f} {:>9.0f}\n",
             100.0 * report.mistake_rate(), 100.0 * since_last, round_, static_cast<int>(example.label), score,
             report.support, static_cast<double>(report.bytes) / 1024.0, static_cast<double>(round_) / elapsed.count());
  last_round_ = round_;
  last_mistakes_ = report.mistakes;
}

}  // namespace alder::cli
