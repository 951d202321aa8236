#pragma once

#include <cstddef>
#include <vector>

#include "alder/learners.h"

#include "learners/alder/entrants.h"

namespace alder {

/// What an ALDER that finds its kernel by itself is made of: all parts that its effort has, but for one that may be
/// left out to show what it is good for.
struct AlderParts {
  explicit AlderParts(const AlderOptions& options);

  RaceParts race;
  std::vector<double> rates;  ///< what predictors forget from the beginning
  double slow_rate = 0.0;     ///< what one more forgets from the last part of the race on; 0: there is none
  bool has_linear_inputs;
  bool has_fine_layer;
  bool has_duel;
  bool has_alarm;
  bool replaces;            ///< whether rows take the places of stored ones
  bool is_thrifty;          ///< whether few candidates enter a race that is opened again
  std::size_t most_budget;  ///< what the budget may grow to, if it is not given; 0: it does not
};

}  // namespace alder
