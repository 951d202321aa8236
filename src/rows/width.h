#pragma once

#include <vector>

#include "alder/row.h"

namespace alder {

/// The square root of the median of squared distances, the upper one of an even number; if that is 0, of the least that
/// is not; 1 if there is none. Changes their order.
double median_root(std::vector<double>& squares);

/// ‖a − b‖² of two sound rows, in double, and the sum of |a_j − b_j|.
double squared_distance(const Row& a, const Row& b);
double absolute_distance(const Row& a, const Row& b);

}  // namespace alder
