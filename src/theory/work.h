#pragma once

#include <algorithm>
#include <thread>

#include "alder/theory.h"

namespace alder {

inline unsigned threads_of(const Work& work) {
  return work.threads > 0 ? work.threads : std::max(1U, std::thread::hardware_concurrency());
}

/// Tells how much is done; returns whether to go on.
inline bool watched(const Work& work, double done) {
  return !work.watch || work.watch(done);
}

}  // namespace alder
