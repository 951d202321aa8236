#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alder/dataset.h"
#include "alder/learner.h"
#include "alder/model.h"
#include "alder/stream.h"

#include "experiments/settings.h"

namespace alder {

/// Asked now and then, on any thread: whether to stop.
using Stop = std::function<bool()>;

/// What a learner says of itself, and what its predictions were worth.
struct TrialReport : Report {
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;

  [[nodiscard]] double mistake_rate() const {
    return rounds == 0 ? 0.0 : static_cast<double>(mistakes) / static_cast<double>(rounds);
  }
};

/// One learner on one order of a data set, learned as far as wanted; each row is predicted before it is learned.
class Trial {
 public:
  /// `order` as for `stream`; the horizon is its length. The data set must outlive this. Learning probabilities takes
  /// time and changes no prediction. Throws Error for settings that make no sense.
  Trial(const Dataset& data, std::vector<std::size_t> order, const std::string& learner, const Json& settings,
        std::uint64_t seed, bool probabilities = false);

  /// Learns until `rows` rows are learned in all, or there are no more. False: it was stopped before.
  bool advance(std::uint64_t rows, const Stop& stop);

  [[nodiscard]] const Learner& learner() const { return model_.learner(); }
  [[nodiscard]] TrialReport report() const;
  [[nodiscard]] const Metrics& metrics() const { return model_.metrics(); }
  /// Processor time that learning took so far: unlike the time on the clock, other programs hardly change it.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  std::unique_ptr<Stream> rows_;
  Model model_;
  std::uint64_t learned_ = 0;
  double seconds_ = 0.0;
};

/// What a finished trial came to, as in a line of kind "run": rounds, mistakes, hinge_loss, balanced_error, kappa,
/// log_loss, calibration_error, support, bytes, switch_round, removals, sum_delta, seconds.
Json outcome_of(const Trial& trial);

/// Which class was taken for which, and how far its probabilities can be believed, as in the first permutation's line
/// of kind "run": confusion, reliability.
Json matrices_of(const Trial& trial);

/// Learns a new trial to its end and notes how it goes, as in a line of kind "curve": round, mistakes, support,
/// learning_rate, sum_delta, removal_rounds, switch_round. Null: it was stopped.
Json curve_of(Trial& trial, std::uint64_t rows, const Stop& stop);

}  // namespace alder
