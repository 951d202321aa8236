#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "alder/learner.h"
#include "alder/stream.h"

#include "bar.h"

namespace alder::cli {

/// What a person sees on standard error while a learner learns: a table with a line at every power of two rounds and,
/// on a terminal that can show it and if `done` is given, a bar with the time left.
class Progress {
 public:
  /// `done` says which part of the input, 0 to 1, has been read. The learner must outlive this.
  Progress(const Learner& learner, std::function<double()> done);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() = default;

  void after_round(const Example& example, double score);
  /// Takes the bar away; for the end, and before other messages.
  void clear_bar() { bar_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  void print_line(const Example& example, double score);
  void draw_bar(Clock::time_point now);

  const Learner& learner_;
  std::function<double()> done_;  // empty: no bar
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  Bar bar_;
  std::uint64_t first_;  // rounds of the learner before this
  std::uint64_t round_;
  std::uint64_t next_ = 1;
  std::uint64_t last_round_;
  std::uint64_t last_mistakes_;
};

}  // namespace alder::cli
