#pragma once

#include <cstddef>

/// Vectors and square matrices of which only one triangle is stored, in columns: column j starts at columns + j·stride,
/// `stride` being a multiple of kLanes, and has an entry for every row. Entries above the diagonal are 0, and so are
/// those beyond row n, up to padded(n), and so are vectors there. Arrays are as simd.h wants them; T is float or
/// double.
namespace alder::simd {

/// out = M x, where M is lower triangular.
void triangle_times(const float* columns, std::size_t stride, std::size_t n, const float* x, float* out);
void triangle_times(const double* columns, std::size_t stride, std::size_t n, const double* x, double* out);

/// How many vectors `triangle_times_together` takes at once.
inline constexpr std::size_t kMostTriangles = 8;
/// The same to the bit for kMostTriangles vectors, vector r being at x + r·room and out + r·room: every stored number
/// is read once for all of them. `room` is a multiple of kLanes.
void triangle_times_together(const float* columns, std::size_t stride, std::size_t n, const float* x, std::size_t room,
                             float* out);
void triangle_times_together(const double* columns, std::size_t stride, std::size_t n, const double* x,
                             std::size_t room, double* out);

/// A symmetric matrix with the diagonal 0: the columns of what is below it.
template <class T>
struct Symmetric {
  T* columns;
  std::size_t stride;
  std::size_t n;
};

/// out[r] = A x[r] for `count` vectors, r < count: every stored number is read once. The same to the bit for any number
/// of them.
void symmetric_times(const Symmetric<float>& a, const float* const* x, std::size_t count, float* const* out);
void symmetric_times(const Symmetric<double>& a, const double* const* x, std::size_t count, double* const* out);

/// How many vectors `add_products` takes at once.
inline constexpr std::size_t kMostProducts = 8;
/// A += Σ_p factors[p]·u_p u_pᵀ below the diagonal, for count <= kMostProducts vectors; vector p is at u + p·stride.
void add_products(const Symmetric<float>& a, const float* factors, const float* u, std::size_t count);
void add_products(const Symmetric<double>& a, const double* factors, const double* u, std::size_t count);
/// out += factor·(u uᵀ)x without the diagonal of u uᵀ, where along = uᵀx.
void add_product_times(float factor, const float* u, float along, const float* x, std::size_t n, float* out);
void add_product_times(double factor, const double* u, double along, const double* x, std::size_t n, double* out);

/// The dot products of one vector with kTogether others (simd.h), out[r] = dot(a, b + r·room, n), to the bit: `a` is
/// read once for all of them. `room` is a multiple of kLanes.
void dot_together(const float* a, const float* b, std::size_t room, std::size_t n, float* out);
void dot_together(const double* a, const double* b, std::size_t room, std::size_t n, double* out);

/// One step of AdaGrad: squares[i] += gradient[i]², weights[i] += step·gradient[i]/sqrt(squares[i]), i < padded(n).
/// squares are positive everywhere.
void adagrad_step(float step, const float* gradient, std::size_t n, float* squares, float* weights);
void adagrad_step(double step, const double* gradient, std::size_t n, double* squares, double* weights);

}  // namespace alder::simd
