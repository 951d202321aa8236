#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "alder/input.h"
#include "alder/model.h"

#include "bar.h"
#include "hooks.h"

namespace alder::cli {

/// What a person sees on standard error while a model learns: a table with a line at every power of two rounds and, on
/// a terminal that can show it and if `done` is given, a bar with the time left.
class Progress final : public Hook {
 public:
  /// `done` says which part of the input, 0 to 1, has been read. The model, the input and the yardsticks, which are
  /// told of examples before this is, must outlive this.
  Progress(const Model& model, const Input& input, const CountYardsticks& yardsticks, std::function<double()> done);

  [[nodiscard]] std::uint64_t due() const override { return next_ - round_; }
  bool after(const Examples& learned, const Predictions& made) override;
  /// Takes the bar away; for the end, and before other messages.
  void clear_bar() { bar_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  void print_head();
  void print_line(const Examples& learned, const Predictions& made);
  void print_number_head();
  void print_number_line(const Examples& learned, const Predictions& made);
  [[nodiscard]] double rows_per_second() const;
  void draw_bar(Clock::time_point now);

  const Model& model_;
  const Input& input_;
  const CountYardsticks& yardsticks_;
  std::function<double()> done_;  // empty: no bar
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  Bar bar_;
  bool has_head_ = false;
  bool is_of_many_ = false;  // whether the head is that of more than two classes
  std::uint64_t first_;      // rounds of the learner before this
  std::uint64_t round_;
  std::uint64_t next_ = 1;
  std::uint64_t last_round_;
  std::uint64_t last_mistakes_;
  double last_squares_;  // of errors, and of their weights
  double last_weight_;
};

}  // namespace alder::cli
