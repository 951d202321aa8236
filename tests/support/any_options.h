#pragma once

#include <rapidcheck.h>

#include "alder/pomdr.h"

namespace alder::testing {

/// Random options with a budget so small that 200 rounds meet phase 2 and removals. For use in RapidCheck properties.
inline PomdrOptions small_budget() {
  PomdrOptions options;
  options.kernel = *rc::gen::element(Kernel::gaussian(0.15), Kernel::gaussian(0.6), Kernel::gaussian(2.0),
                                     Kernel::laplacian(0.7), Kernel::polynomial(2), Kernel::linear());
  options.radius = *rc::gen::element(1.0, 25.0);
  options.ald = *rc::gen::element(0.0, 0.3, 3.0);
  options.factor = *rc::gen::element(0.05, 1.0);
  options.horizon = 200;
  options.b0 = *rc::gen::inRange<std::size_t>(1, 30);
  options.budget = (*options.b0 + 2) / 2 * 2 + 2 * *rc::gen::inRange<std::size_t>(0, 8);
  return options;
}

}  // namespace alder::testing
