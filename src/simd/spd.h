#pragma once

#include <cstddef>

/// Symmetric matrices in blocks of kLanes × kLanes: n rows, n being a multiple of kLanes, column by column without
/// gaps; the blocks on and below the diagonal are used, those on it as a whole, and the others are not looked at.
/// Vectors have n entries, and some vectors lie one after the other. Arrays are as simd.h wants them.
namespace alder::simd {

/// out_ab = 2^(−‖z_a − z_b‖²) for `count` coordinates of z, each a vector, and 1 on the diagonal; next to nothing if a
/// or b is not below `used`.
void gaussian_blocks(const float* coordinates, std::size_t count, std::size_t n, std::size_t used, float* out);

/// A becomes −A⁻¹, unless it turns out not to be positive definite: then it returns false, and A is spoilt. `scratch`
/// has room for 2·kLanes vectors.
bool invert_blocks(float* a, std::size_t n, float* scratch);

/// out = A x.
void blocks_times(const float* a, std::size_t n, const float* x, float* out);

/// A += Σ_k u_k u_kᵀ for `count` vectors u_k.
void add_to_blocks(const float* u, std::size_t count, std::size_t n, float* a);

/// A_ab *= b_ab below the diagonal, and from it on 0. Row a of the symmetric matrix with these products and 0 on the
/// diagonal has the sum sums[a].
void weigh_blocks(const float* b, std::size_t n, float* a, float* sums);

/// out[j] = Σ_(a > b) A_ab (z_aj − z_bj)² for `count` coordinates j; A and sums are as `weigh_blocks` leaves them.
/// `coordinates` has vectors, of anything finite, up to padded(count).
void weighted_squares(const float* a, const float* sums, const float* coordinates, std::size_t count, std::size_t n,
                      double* out);

}  // namespace alder::simd
