#pragma once

#include <vector>

namespace alder {

/// The square root of the median of squared distances, the upper one of an even number; if that is 0, of the least that
/// is not; 1 if there is none. Changes their order.
double median_root(std::vector<double>& squares);

}  // namespace alder
