#include "simd/matrix.h"

#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/matrix.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

using std::size_t;

// What kColumns columns from j on add to M x: column by column, as the matrix lies in memory, which is where the time
// goes; the sums stay in the nearest cache. Above the diagonal nothing is read but the rest of a vector.
template <size_t kColumns, class T>
HWY_INLINE void triangle_columns(const T* columns, size_t stride, size_t n, const T* x, size_t j, T* out) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  const T* column = columns + j * stride;
  hn::Vec<Lanes<T>> factors[kColumns];
  for (size_t c = 0; c < kColumns; ++c) factors[c] = hn::Set(d, x[j + c]);
  for (size_t i = j / lanes * lanes; i < n; i += lanes) {
    auto sum = hn::Load(d, out + i);
    for (size_t c = 0; c < kColumns; ++c) sum = hn::MulAdd(factors[c], hn::Load(d, column + c * stride + i), sum);
    hn::Store(sum, d, out + i);
  }
}

template <class T>
HWY_INLINE void triangle_impl(const T* columns, size_t stride, size_t n, const T* x, T* out) {
  const Lanes<T> d;
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) hn::Store(hn::Zero(d), d, out + i);
  size_t j = 0;
  for (; j + 4 <= n; j += 4) triangle_columns<4>(columns, stride, n, x, j, out);
  for (; j < n; ++j) triangle_columns<1>(columns, stride, n, x, j, out);
}
void triangle_float(const float* columns, size_t stride, size_t n, const float* x, float* out) {
  triangle_impl(columns, stride, n, x, out);
}
void triangle_double(const double* columns, size_t stride, size_t n, const double* x, double* out) {
  triangle_impl(columns, stride, n, x, out);
}

// kVectors vectors of the result from row i on, whose sums for all x stay in registers; in the order of columns, as
// above. Above the diagonal is 0.
template <size_t kVectors, class T>
HWY_INLINE void triangles_tile(const T* columns, size_t stride, size_t n, const T* x, size_t room, size_t i, T* out) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<T>> sums[kMostTriangles][kVectors];
  for (size_t r = 0; r < kMostTriangles; ++r) {
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const size_t end = HWY_MIN(n, i + kVectors * lanes);
  for (size_t j = 0; j < end; ++j) {
    hn::Vec<Lanes<T>> numbers[kVectors];
    for (size_t v = 0; v < kVectors; ++v) numbers[v] = hn::Load(d, columns + j * stride + i + v * lanes);
    for (size_t r = 0; r < kMostTriangles; ++r) {
      const auto factor = hn::Set(d, x[r * room + j]);
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(factor, numbers[v], sums[r][v]);
    }
  }
  for (size_t r = 0; r < kMostTriangles; ++r) {
    for (size_t v = 0; v < kVectors; ++v) hn::Store(sums[r][v], d, out + r * room + i + v * lanes);
  }
}

template <class T>
HWY_INLINE void triangles_impl(const T* columns, size_t stride, size_t n, const T* x, size_t room, T* out) {
  constexpr size_t kVectors = kManyRegisters ? 3 : 1;
  const size_t lanes = hn::Lanes(Lanes<T>());
  size_t i = 0;
  for (; i + kVectors * lanes <= padded(n); i += kVectors * lanes) {
    triangles_tile<kVectors>(columns, stride, n, x, room, i, out);
  }
  for (; i < padded(n); i += lanes) triangles_tile<1>(columns, stride, n, x, room, i, out);
}
void triangles_float(const float* columns, size_t stride, size_t n, const float* x, size_t room, float* out) {
  triangles_impl(columns, stride, n, x, room, out);
}
void triangles_double(const double* columns, size_t stride, size_t n, const double* x, size_t room, double* out) {
  triangles_impl(columns, stride, n, x, room, out);
}

// What kColumns columns from j on, below the diagonal, add to A x: their entries times x_j in the rows below, and, as
// rows of the upper triangle, a sum for each.
template <size_t kColumns, class T>
HWY_INLINE void symmetric_columns(const Symmetric<T>& a, const T* x, size_t j, T* out) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  const T* column = a.columns + j * a.stride;
  hn::Vec<Lanes<T>> factors[kColumns];
  hn::Vec<Lanes<T>> sums[kColumns];
  for (size_t c = 0; c < kColumns; ++c) {
    factors[c] = hn::Set(d, x[j + c]);
    sums[c] = hn::Zero(d);
  }
  for (size_t i = j / lanes * lanes; i < a.n; i += lanes) {
    const auto xs = hn::Load(d, x + i);
    auto sum = hn::Load(d, out + i);
    for (size_t c = 0; c < kColumns; ++c) {
      const auto numbers = hn::Load(d, column + c * a.stride + i);
      sum = hn::MulAdd(factors[c], numbers, sum);
      sums[c] = hn::MulAdd(xs, numbers, sums[c]);
    }
    hn::Store(sum, d, out + i);
  }
  for (size_t c = 0; c < kColumns; ++c) out[j + c] += hn::GetLane(hn::SumOfLanes(d, sums[c]));
}

// Some columns serve all vectors while they are in the nearest cache.
template <class T>
HWY_INLINE void symmetric_impl(const Symmetric<T>& a, const T* const* x, size_t count, T* const* out) {
  const Lanes<T> d;
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < padded(a.n); i += hn::Lanes(d)) hn::Store(hn::Zero(d), d, out[r] + i);
  }
  size_t j = 0;
  for (; j + 4 <= a.n; j += 4) {
    for (size_t r = 0; r < count; ++r) symmetric_columns<4>(a, x[r], j, out[r]);
  }
  for (; j < a.n; ++j) {
    for (size_t r = 0; r < count; ++r) symmetric_columns<1>(a, x[r], j, out[r]);
  }
}
void symmetric_float(const Symmetric<float>& a, const float* const* x, size_t count, float* const* out) {
  symmetric_impl(a, x, count, out);
}
void symmetric_double(const Symmetric<double>& a, const double* const* x, size_t count, double* const* out) {
  symmetric_impl(a, x, count, out);
}

// All products in one pass over the columns, which do not fit into the nearest cache; the vectors do.
template <size_t kCount, class T>
HWY_INLINE void add_products_of(const Symmetric<T>& a, const T* factors, const T* u) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t j = 0; j + 1 < a.n; ++j) {
    T* column = a.columns + j * a.stride;
    hn::Vec<Lanes<T>> weights[kCount];
    for (size_t p = 0; p < kCount; ++p) weights[p] = hn::Set(d, factors[p] * u[p * a.stride + j]);
    // The first vector with rows below the diagonal may have others too: those stay 0.
    size_t i = (j + 1) / lanes * lanes;
    auto sum = hn::Load(d, column + i);
    for (size_t p = 0; p < kCount; ++p) sum = hn::MulAdd(weights[p], hn::Load(d, u + p * a.stride + i), sum);
    hn::Store(hn::IfThenZeroElse(hn::FirstN(d, j + 1 - i), sum), d, column + i);
    for (i += lanes; i < a.n; i += lanes) {
      sum = hn::Load(d, column + i);
      for (size_t p = 0; p < kCount; ++p) sum = hn::MulAdd(weights[p], hn::Load(d, u + p * a.stride + i), sum);
      hn::Store(sum, d, column + i);
    }
  }
}
template <class T>
HWY_INLINE void add_products_impl(const Symmetric<T>& a, const T* factors, const T* u, size_t count) {
  if (count == kMostProducts) {
    add_products_of<kMostProducts>(a, factors, u);
  } else {
    for (size_t p = 0; p < count; ++p) add_products_of<1>(a, factors + p, u + p * a.stride);
  }
}
void add_products_float(const Symmetric<float>& a, const float* factors, const float* u, size_t count) {
  add_products_impl(a, factors, u, count);
}
void add_products_double(const Symmetric<double>& a, const double* factors, const double* u, size_t count) {
  add_products_impl(a, factors, u, count);
}

template <class T>
HWY_INLINE void product_times_impl(T factor, const T* u, T along, const T* x, size_t n, T* out) {
  const Lanes<T> d;
  const auto weight = hn::Set(d, factor);
  const auto sum = hn::Set(d, along);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    const auto numbers = hn::Load(d, u + i);
    const auto others = hn::NegMulAdd(numbers, hn::Load(d, x + i), sum);
    hn::Store(hn::MulAdd(hn::Mul(weight, numbers), others, hn::Load(d, out + i)), d, out + i);
  }
}
void product_times_float(float factor, const float* u, float along, const float* x, size_t n, float* out) {
  product_times_impl(factor, u, along, x, n, out);
}
void product_times_double(double factor, const double* u, double along, const double* x, size_t n, double* out) {
  product_times_impl(factor, u, along, x, n, out);
}

// kRows dot products whose chains stay in registers; each is that of simd::dot.
template <size_t kRows, class T>
HWY_INLINE void dots_of_rows(const T* a, const T* b, size_t room, size_t n, T* out) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<T>> even[kRows];
  hn::Vec<Lanes<T>> odd[kRows];
  for (size_t r = 0; r < kRows; ++r) even[r] = odd[r] = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes < n; i += 2 * lanes) {
    const auto first = hn::Load(d, a + i);
    const auto second = hn::Load(d, a + i + lanes);
    for (size_t r = 0; r < kRows; ++r) {
      even[r] = hn::MulAdd(first, hn::Load(d, b + r * room + i), even[r]);
      odd[r] = hn::MulAdd(second, hn::Load(d, b + r * room + i + lanes), odd[r]);
    }
  }
  if (i < n) {
    const auto last = hn::Load(d, a + i);
    for (size_t r = 0; r < kRows; ++r) even[r] = hn::MulAdd(last, hn::Load(d, b + r * room + i), even[r]);
  }
  for (size_t r = 0; r < kRows; ++r) out[r] = hn::GetLane(hn::SumOfLanes(d, hn::Add(even[r], odd[r])));
}

template <class T>
HWY_INLINE void dot_together_impl(const T* a, const T* b, size_t room, size_t n, T* out) {
  constexpr size_t kRows = kManyRegisters ? kTogether : kTogether / 2;
  for (size_t r = 0; r < kTogether; r += kRows) dots_of_rows<kRows>(a, b + r * room, room, n, out + r);
}
void dot_together_float(const float* a, const float* b, size_t room, size_t n, float* out) {
  dot_together_impl(a, b, room, n, out);
}
void dot_together_double(const double* a, const double* b, size_t room, size_t n, double* out) {
  dot_together_impl(a, b, room, n, out);
}

template <class T>
HWY_INLINE void adagrad_impl(T step, const T* gradient, size_t n, T* squares, T* weights) {
  const Lanes<T> d;
  const auto factor = hn::Set(d, step);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    const auto g = hn::Load(d, gradient + i);
    const auto square = hn::MulAdd(g, g, hn::Load(d, squares + i));
    hn::Store(square, d, squares + i);
    hn::Store(hn::Add(hn::Load(d, weights + i), hn::Div(hn::Mul(factor, g), hn::Sqrt(square))), d, weights + i);
  }
}
void adagrad_float(float step, const float* gradient, size_t n, float* squares, float* weights) {
  adagrad_impl(step, gradient, n, squares, weights);
}
void adagrad_double(double step, const double* gradient, size_t n, double* squares, double* weights) {
  adagrad_impl(step, gradient, n, squares, weights);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(triangle_float);
HWY_EXPORT(triangle_double);
HWY_EXPORT(triangles_float);
HWY_EXPORT(triangles_double);
HWY_EXPORT(symmetric_float);
HWY_EXPORT(symmetric_double);
HWY_EXPORT(add_products_float);
HWY_EXPORT(add_products_double);
HWY_EXPORT(product_times_float);
HWY_EXPORT(product_times_double);
HWY_EXPORT(dot_together_float);
HWY_EXPORT(dot_together_double);
HWY_EXPORT(adagrad_float);
HWY_EXPORT(adagrad_double);

void triangle_times(const float* columns, size_t stride, size_t n, const float* x, float* out) {
  HWY_DYNAMIC_DISPATCH(triangle_float)(columns, stride, n, x, out);
}
void triangle_times(const double* columns, size_t stride, size_t n, const double* x, double* out) {
  HWY_DYNAMIC_DISPATCH(triangle_double)(columns, stride, n, x, out);
}
void triangle_times_together(const float* columns, size_t stride, size_t n, const float* x, size_t room, float* out) {
  HWY_DYNAMIC_DISPATCH(triangles_float)(columns, stride, n, x, room, out);
}
void triangle_times_together(const double* columns, size_t stride, size_t n, const double* x, size_t room,
                             double* out) {
  HWY_DYNAMIC_DISPATCH(triangles_double)(columns, stride, n, x, room, out);
}
void symmetric_times(const Symmetric<float>& a, const float* const* x, size_t count, float* const* out) {
  HWY_DYNAMIC_DISPATCH(symmetric_float)(a, x, count, out);
}
void symmetric_times(const Symmetric<double>& a, const double* const* x, size_t count, double* const* out) {
  HWY_DYNAMIC_DISPATCH(symmetric_double)(a, x, count, out);
}
void add_products(const Symmetric<float>& a, const float* factors, const float* u, size_t count) {
  HWY_DYNAMIC_DISPATCH(add_products_float)(a, factors, u, count);
}
void add_products(const Symmetric<double>& a, const double* factors, const double* u, size_t count) {
  HWY_DYNAMIC_DISPATCH(add_products_double)(a, factors, u, count);
}
void add_product_times(float factor, const float* u, float along, const float* x, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(product_times_float)(factor, u, along, x, n, out);
}
void add_product_times(double factor, const double* u, double along, const double* x, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(product_times_double)(factor, u, along, x, n, out);
}
void dot_together(const float* a, const float* b, size_t room, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(dot_together_float)(a, b, room, n, out);
}
void dot_together(const double* a, const double* b, size_t room, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(dot_together_double)(a, b, room, n, out);
}
void adagrad_step(float step, const float* gradient, size_t n, float* squares, float* weights) {
  HWY_DYNAMIC_DISPATCH(adagrad_float)(step, gradient, n, squares, weights);
}
void adagrad_step(double step, const double* gradient, size_t n, double* squares, double* weights) {
  HWY_DYNAMIC_DISPATCH(adagrad_double)(step, gradient, n, squares, weights);
}

}  // namespace alder::simd
#endif
