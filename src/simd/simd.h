#pragma once

#include <cstddef>

#include "simd/aligned.h"

/// The few vector primitives, each written once and compiled for every instruction set; the best one that the
/// processor has is chosen at run time.
///
/// Contract of all: arrays start on kAlignment bytes and have room for padded(n) elements. What an output array holds
/// beyond n is stated with each function.
namespace alder::simd {

/// The dot products of one row with n dictionary elements:
///   out[i] = Σ_j values[j] · columns[j][i],   j < count, i < n.
/// Every out[i] is one chain of multiply-adds in the order of j, so a feature with value 0 changes nothing: sparse and
/// dense rows give the same bits. Columns hold finite numbers up to padded(n), and so does `out` afterwards.
void dots(const float* const* columns, const float* values, std::size_t count, std::size_t n, float* out);
void dots(const float* const* columns, const float* values, std::size_t count, std::size_t n, double* out);
void dots(const double* const* columns, const double* values, std::size_t count, std::size_t n, double* out);

/// Σ_j values[j]², by the same chain of operations as `dots`, so that the squared distance of a row to itself,
/// ‖x‖² + ‖x‖² − 2⟨x,x⟩, is exactly 0. No alignment needed.
float squared_norm_float(const float* values, std::size_t count);
double squared_norm_double(const float* values, std::size_t count);
double squared_norm_double(const double* values, std::size_t count);

/// Turns dot products into the exponents q of a radial kernel κ = e^(−q), in place:
///   d² = max(0, norm + norms[i] − 2 dots[i]);   q = gamma·d², or gamma·sqrt(d²) when `root`,
/// capped at a large finite number. Returns the least q of the first n (the cap if n = 0). Beyond n, up to padded(n),
/// q is the cap.
float radial_exponents(const float* norms, float norm, float gamma, bool root, std::size_t n, float* dots);
double radial_exponents(const double* norms, double norm, double gamma, bool root, std::size_t n, double* dots);

/// out[i] = e^(least − exponents[i]), for exponents from `radial_exponents` and their least; some number in [0, 1]
/// beyond n, up to padded(n).
void exponentials(const float* exponents, float least, std::size_t n, double* out);
void exponentials(const double* exponents, double least, std::size_t n, double* out);

/// cosines[i] = scale·cos(phases[i]) and sines[i] = scale·sin(phases[i]), i < n; 0 beyond n, up to padded(n). Phases
/// are within ±30000, beyond which the reduction to a period loses digits.
void waves(const float* phases, double scale, std::size_t n, double* cosines, double* sines);
void waves(const double* phases, double scale, std::size_t n, double* cosines, double* sines);

/// y[i] += factor·x[i], i < padded(n).
void add_scaled(double factor, const double* x, std::size_t n, double* y);

/// Σ a[i]·b[i], i < n. Beyond n, up to padded(n), a[i]·b[i] must be 0.
double dot(const double* a, const double* b, std::size_t n);

/// The name of the instruction set in use.
const char* target();

}  // namespace alder::simd
