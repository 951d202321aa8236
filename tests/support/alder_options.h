#pragma once

#include <cstdint>
#include <vector>

#include "alder/learners.h"

namespace alder::testing {

/// A race that ends in the middle of a short stream, by its last round or by all but one leaving.
inline AlderOptions short_race(Precision precision, std::uint64_t race = 120) {
  AlderOptions options;
  options.budget = 20;
  options.race = race;
  options.precision = precision;
  return options;
}

/// The same in both precisions, with and without recent labels.
inline std::vector<AlderOptions> short_races(std::uint64_t race = 120) {
  std::vector<AlderOptions> all;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const bool recent_labels : {false, true}) {
      all.push_back(short_race(precision, race));
      all.back().recent_labels = recent_labels;
    }
  }
  return all;
}

}  // namespace alder::testing
