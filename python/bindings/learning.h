#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "alder/drive.h"
#include "alder/error.h"
#include "alder/model.h"

#include "rows.h"

namespace alder::python {

/// Errors of one row, with its number before the message.
template <class Action>
std::invoke_result_t<const Action&> naming_row(std::size_t i, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw error.of_row(i, fmt::format("row {}: {}", i, error.what()));
  }
}

/// Lets Python handle Ctrl-C, and tells how far things are, about twenty times a second.
class Pulse final : public Hook {
 public:
  explicit Pulse(nb::object tell) : tell_(std::move(tell)) {}

  /// Batches that take long become short.
  [[nodiscard]] std::uint64_t due() const override { return is_slow_ ? Learner::kBlock : kNever; }
  bool after(const Examples& learned, const Predictions& /*made*/) override {
    done_ += learned.size();
    beat(done_);
    return true;
  }

  /// After so many rows; needs no GIL. Throws what Python throws.
  void beat(std::size_t done) {
    const auto now = Clock::now();
    is_slow_ = now - last_beat_ > kInterval;
    last_beat_ = now;
    if (now - last_look_ < kInterval) return;
    last_look_ = now;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!tell_.is_none()) tell_(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{50};

  nb::object tell_;
  std::size_t done_ = 0;
  bool is_slow_ = false;
  Clock::time_point last_beat_ = Clock::now();
  Clock::time_point last_look_ = last_beat_;
};

/// What each round leaves: arrays as long as the rows.
struct Curve {
  Doubles scores;  ///< of up to two classes; of more, by how much the predicted class is ahead of the next
  ClassIds predicted;
  Doubles probabilities;  ///< of the row's own class; NaN if there are none
  Doubles mistakes, log_loss, support, learning_rate, sum_delta;

  [[nodiscard]] bool has_room_for(std::size_t rounds) const {
    const auto is_enough = [rounds](const auto&... arrays) { return ((arrays.shape(0) == rounds) && ...); };
    return is_enough(scores, predicted, probabilities, mistakes, log_loss, support, learning_rate, sum_delta);
  }
};

/// Writes a curve.
class Trace final : public Hook {
 public:
  Trace(const Model& model, Curve curve) : model_(model), curve_(std::move(curve)) {}

  [[nodiscard]] std::uint64_t due() const override { return 1; }
  bool after(const Examples& learned, const Predictions& made) override {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    model_.learner().report(report_);
    const MetricSums& sums = model_.metrics().sums();
    const auto target = static_cast<std::size_t>(learned.targets[0]);
    curve_.scores.data()[round_] = made.outputs == 1 ? made.scores[0] : lead(made.scores);
    curve_.predicted.data()[round_] = made.classes[0];
    curve_.probabilities.data()[round_] = target < made.probabilities.size() ? made.probabilities[target] : kNone;
    curve_.mistakes.data()[round_] = static_cast<double>(model_.counts().mistakes);
    curve_.log_loss.data()[round_] = sums.probability_rows > 0 ? sums.log_loss / sums.probability_weight : kNone;
    curve_.support.data()[round_] = static_cast<double>(report_.support);
    curve_.learning_rate.data()[round_] = report_.learning_rate.value_or(0.0);
    curve_.sum_delta.data()[round_] = report_.number("sum_delta").value_or(kNone);
    ++round_;
    return true;
  }

 private:
  // By how much the largest score is ahead of the next.
  static double lead(std::vector<double> scores) {
    std::partial_sort(scores.begin(), scores.begin() + 2, scores.end(), std::greater<>());
    return scores[0] - scores[1];
  }

  const Model& model_;
  Curve curve_;
  Report report_;
  std::size_t round_ = 0;
};

/// How many rows are predicted at once, so that Python gets a turn often and threads have something to do: more if that
/// was quick, fewer if it was slow.
class Portion {
 public:
  explicit Portion(const RowSource& rows)
      : most_(rows.are_in_place()
                  ? kMost
                  : std::clamp(kMostCopied / std::max<std::size_t>(1, rows.values_per_row()), kLeast, kMost)) {}

  [[nodiscard]] std::size_t rows() const { return std::min(rows_, most_); }
  /// So many rows were done.
  void adapt() {
    const auto now = Clock::now();
    if (now - last_ < kShort) rows_ = std::min(2 * rows_, kMost);
    if (now - last_ > kLong) rows_ = std::max(rows_ / 2, kLeast);
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kShort{20};
  static constexpr std::chrono::milliseconds kLong{80};
  static constexpr std::size_t kLeast = 64;
  static constexpr std::size_t kMost = 65536;
  static constexpr std::size_t kMostCopied = std::size_t{1} << 20U;  // values

  std::size_t most_;
  std::size_t rows_ = 1024;
  Clock::time_point last_ = Clock::now();
};

}  // namespace alder::python
