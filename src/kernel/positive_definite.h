#pragma once

#include <cstddef>
#include <vector>

namespace alder {

/// Whether A is positive definite, by its Cholesky factor: `lower` holds the lower triangle of the symmetric n×n matrix
/// A, row by row, and is overwritten. O(n³).
bool is_positive_definite(std::vector<double>& lower, std::size_t n);

}  // namespace alder
