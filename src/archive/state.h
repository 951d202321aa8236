#pragma once

#include "archive/archive.h"
#include "archive/tensors.h"
#include "base/random.h"

namespace alder {

/// A number of an archive's settings under "state" that is from 0 to kLargestSum.
inline double read_amount(const Archive& archive, const char* key) {
  const auto amount = archive.setting<double>("state", key);
  if (!(amount >= 0.0 && amount <= kLargestSum)) throw_bad_archive("a number of its state is out of range");
  return amount;
}

/// The random numbers go on where they stood: saved as state.random.
inline void save_random(const LearnerRandom& random, Archive& archive) {
  archive.set("state", "random", random.engine().state());
}
inline LearnerRandom load_random(const Archive& archive) {
  return LearnerRandom(archive.setting<std::uint64_t>("state", "random"));
}

}  // namespace alder
