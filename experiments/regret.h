#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "alder/dataset.h"
#include "alder/hindsight.h"
#include "alder/kernel.h"
#include "alder/model.h"

namespace alder {

struct RegretOptions {
  std::optional<double> radius;  ///< U, of the ball of the best function; empty: the learner's own, else 25
  double tolerance = 1e-3;       ///< as HindsightOptions
  std::uint64_t most = 65536;    ///< the best function is not looked for among more rows
  unsigned threads = 0;          ///< 0: one for each core
  std::function<bool()> stop;    ///< asked now and then whether to end early
};

/// What a learner has lost after some rounds, and what the best function would have, that knew all of their rows.
struct RegretPoint {
  std::uint64_t rounds = 0;
  double loss = 0.0;                      ///< the learner's, each row predicted before it was learned
  std::optional<double> best;             ///< the loss of the best function found; empty: it was not looked for
  double certain = 0.0;                   ///< if it was: no function of the ball has less
  double norm = 0.0;                      ///< likewise: its norm
  std::size_t support = 0;                ///< likewise: its rows
  std::optional<double> sum_delta;        ///< Σδ, of a learner with bounds
  std::optional<double> delta_bound;      ///< Theorem 2
  std::optional<double> alignment;        ///< A_t, where there is a bound and a best function
  std::optional<double> alignment_bound;  ///< Corollary 1
  std::uint64_t removals = 0;
  std::size_t support_set = 0;  ///< of the learner
  double seconds = 0.0;         ///< spent since the one before

  /// At least; it is at most loss − certain.
  [[nodiscard]] std::optional<double> regret() const {
    return best ? std::optional<double>(loss - *best) : std::nullopt;
  }
};

/// Whose regret it is.
struct RegretRun {
  Kernel kernel = Kernel::linear();
  double radius = 0.0;      ///< U
  bool has_bounds = false;  ///< whether the learner is POMDR, which bounds are known of
  bool as_proved = false;   ///< and whether its settings are those of the theorem: ζ = 1, an ALD constant of 1, c = 1
  std::vector<RegretPoint> points;
};

/// Runs a new learner over the rows and measures its regret at powers of two and at the end. `watch` is told of every
/// point. Throws Error for a learner without a kernel.
RegretRun measure_regret(const Dataset& dataset, Model& model, const RegretOptions& options,
                         const std::function<void(const RegretRun&)>& watch = {});

}  // namespace alder
