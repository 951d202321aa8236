#include "progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "message.h"
#include "names.h"

namespace alder::cli {

Progress::Progress(const Model& model, const Input& input, const CountYardsticks& yardsticks,
                   std::function<double()> done)
    : model_(model),
      input_(input),
      yardsticks_(yardsticks),
      done_(Bar::can_draw() ? std::move(done) : nullptr),
      first_(model.learner().rounds()),
      round_(first_),
      last_round_(first_),
      last_mistakes_(model.counts().mistakes),
      last_squares_(model.metrics().sums().squared_error),
      last_weight_(model.metrics().sums().weight) {
  while (next_ <= first_) next_ *= 2;
}

bool Progress::after(const Examples& learned, const Predictions& made) {
  round_ = model_.learner().rounds();
  if (round_ >= next_) {
    while (next_ <= round_) next_ *= 2;
    if (model_.task() == Task::kRegression) {
      print_number_line(learned, made);
    } else {
      print_line(learned, made);
    }
  }
  if (done_) {
    const auto now = Clock::now();
    if (now - drawn_ > std::chrono::milliseconds(100)) draw_bar(now);
  }
  return true;
}

// Once, and again if a third class comes.
void Progress::print_head() {
  const bool is_of_many = std::max(model_.classes().size(), input_.classes().size()) > 2;
  if (has_head_ && is_of_many == is_of_many_) return;
  has_head_ = true;
  is_of_many_ = is_of_many;
  const auto if_probable = [this](const char* text) {
    return model_.has_probabilities() ? fmt::format(" {:>8}", text) : std::string();
  };
  say("{:>8} {:>9}{} {:>8} {:>8} {:>10} {:>9} {:>9} {:>7}\n", "mistakes", "since", if_probable("log loss"), "commoner",
      "last", "", "", is_of_many ? "predicted" : "", "support");
  say("{:>8} {:>9}{} {:>8} {:>8} {:>10} {:>9} {:>9} {:>7} {:>9} {:>8}\n", "on avg", "last line", if_probable("on avg"),
      "class", "label", "round", "label", is_of_many ? "label" : "score", "set", "KiB", "rows/s");
}

void Progress::print_line(const Examples& learned, const Predictions& made) {
  constexpr std::size_t kNameWidth = 9;
  bar_.clear();
  print_head();
  const Report report = model_.learner().report();
  const Counts counts = model_.counts();
  const Yardsticks& yardsticks = yardsticks_.of_classes();
  const auto percent = [](std::uint64_t count, std::uint64_t rows) {
    return fmt::format("{:.2f}%", rows == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(rows));
  };
  const auto name = [this](std::uint32_t id) {
    return id < model_.classes().size() ? shown_name(model_.classes()[id], kNameWidth) : std::string("none");
  };
  std::string log_loss;
  if (model_.has_probabilities()) {
    const MetricSums& sums = model_.metrics().sums();
    log_loss = sums.probability_rows == 0 ? fmt::format(" {:>8}", "")
                                          : fmt::format(" {:>8.4f}", sums.log_loss / sums.probability_weight);
  }
  say("{:>8} {:>9}{} {:>8} {:>8} {:>10} {:>9} {:>9} {:>7} {:>9.1f} {:>8.0f}\n", percent(counts.mistakes, counts.rows),
      percent(counts.mistakes - last_mistakes_, round_ - last_round_), log_loss,
      percent(yardsticks.majority_mistakes(), yardsticks.rows()),
      percent(yardsticks.last_label_mistakes(), yardsticks.rows()), round_,
      name(static_cast<std::uint32_t>(learned.targets.back())),
      is_of_many_ ? name(made.classes.back()) : fmt::format("{:.4f}", made.scores.back()), report.support,
      static_cast<double>(report.bytes) / 1024.0, rows_per_second());
  last_round_ = round_;
  last_mistakes_ = counts.mistakes;
}

double Progress::rows_per_second() const {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  return static_cast<double>(round_ - first_) / elapsed.count();
}

void Progress::print_number_head() {
  if (std::exchange(has_head_, true)) return;
  say("{:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>7}\n", "RMSE", "since", "mean", "last", "", "", "", "support");
  say("{:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>7} {:>9} {:>8}\n", "on avg", "last line", "so far", "value",
      "round", "target", "predicted", "set", "KiB", "rows/s");
}

void Progress::print_number_line(const Examples& learned, const Predictions& made) {
  bar_.clear();
  print_number_head();
  const Report report = model_.learner().report();
  const MetricSums& sums = model_.metrics().sums();
  const NumberYardsticks& yardsticks = yardsticks_.of_numbers();
  // The first row has no prediction.
  const auto root = [](double squares, double weight) {
    return weight > 0.0 ? shown_number(std::sqrt(std::max(0.0, squares) / weight)) : std::string();
  };
  const double value = made.values.back();
  say("{:>9} {:>9} {:>9} {:>9} {:>10} {:>10} {:>10} {:>7} {:>9.1f} {:>8.0f}\n", root(sums.squared_error, sums.weight),
      root(sums.squared_error - last_squares_, sums.weight - last_weight_),
      root(yardsticks.of_mean().squared, yardsticks.weight()), root(yardsticks.of_last().squared, yardsticks.weight()),
      round_, shown_number(learned.targets.back(), 5), std::isnan(value) ? "none" : shown_number(value, 5),
      report.support, static_cast<double>(report.bytes) / 1024.0, rows_per_second());
  last_squares_ = sums.squared_error;
  last_weight_ = sums.weight;
}

void Progress::draw_bar(Clock::time_point now) {
  drawn_ = now;
  const double done = done_();
  if (!(done > 0.0)) return;
  const std::chrono::duration<double> elapsed = now - start_;
  bar_.draw(done, fmt::format("{} rounds, {} left", round_, in_words(elapsed.count() * (1.0 - done) / done)));
}

}  // namespace alder::cli
