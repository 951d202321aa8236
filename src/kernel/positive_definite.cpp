#include "kernel/positive_definite.h"

#include <cassert>
#include <cmath>

#include "simd/simd.h"

namespace alder {

bool is_positive_definite(std::vector<double>& lower, std::size_t n) {
  assert(lower.size() == n * (n + 1) / 2);
  double* row = lower.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double* other = lower.data();
    for (std::size_t j = 0; j < i; ++j) {
      row[j] = (row[j] - simd::dot_unaligned(row, other, j)) / other[j];
      other += j + 1;
    }
    const double pivot = row[i] - simd::dot_unaligned(row, row, i);
    if (!(pivot > 0.0)) return false;  // also if it is not a number
    row[i] = std::sqrt(pivot);
    row += i + 1;
  }
  return true;
}

}  // namespace alder
