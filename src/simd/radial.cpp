// Kernel values of radial kernels: dot products, squared distances and exponentials in one pass over the columns.
#include <limits>

#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/radial.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Kernel values are e^(−q) for exponents up to this, the last of which is near the smallest normal number, and beyond
// it what they are there: not 0, but nothing.
template <class A>
inline constexpr A kLastExponent = sizeof(A) == sizeof(float) ? A{87} : A{708};

// Differences of exponents up to this are numbers. Floats are not used for distances that need it.
inline constexpr double kLargestExponent = std::numeric_limits<double>::max() / 4;

// e^(−q) for 0 <= q <= kLastExponent. Highway's Exp takes any argument, results below the normal numbers included, in
// about twice as many operations. With n = round(−q/ln 2), e^(−q) = 2^n·e^r for r = −q − n·ln 2 in ±(ln 2)/2: a
// polynomial in r, of degree 6 in float and 13 in double, and n added to the exponent's bits. n is rounded by adding
// 1.5·2^23 or 1.5·2^52, which leaves it in the lowest bits of the sum.
HWY_INLINE hn::Vec<Lanes<double>> exponential(Lanes<double> d, hn::Vec<Lanes<double>> q) {
  const hn::RebindToSigned<Lanes<double>> bits;
  const auto rounder = hn::Set(d, 6755399441055744.0);
  const auto shifted = hn::NegMulAdd(q, hn::Set(d, 1.4426950408889634), rounder);
  const auto n = hn::Sub(shifted, rounder);
  // ln 2 in two parts, so that n times the first is exact.
  auto r = hn::NegMulSub(n, hn::Set(d, 0x1.62e42feep-1), q);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.a39ef35793c76p-33), r);
  auto e = hn::MulAdd(r, hn::Set(d, 1.0 / 6227020800.0), hn::Set(d, 1.0 / 479001600.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 39916800.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 3628800.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 362880.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 40320.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 5040.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 720.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 120.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 24.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0 / 6.0));
  e = hn::MulAdd(e, r, hn::Set(d, 0.5));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, e), hn::ShiftLeft<52>(hn::BitCast(bits, shifted))));
}

HWY_INLINE hn::Vec<Lanes<float>> exponential(Lanes<float> d, hn::Vec<Lanes<float>> q) {
  const hn::RebindToSigned<Lanes<float>> bits;
  const auto rounder = hn::Set(d, 12582912.0F);
  const auto shifted = hn::NegMulAdd(q, hn::Set(d, 1.442695041F), rounder);
  const auto n = hn::Sub(shifted, rounder);
  // ln 2 in two parts, so that n times the first is exact.
  auto r = hn::NegMulSub(n, hn::Set(d, 0.693145752F), q);
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6F), r);
  // Not Taylor's coefficients, but those with the least largest error, 4e-9, among the polynomials 1 + r + c r² + …
  auto e = hn::MulAdd(r, hn::Set(d, 0x1.6a23cep-10F), hn::Set(d, 0x1.123a2p-7F));
  e = hn::MulAdd(e, r, hn::Set(d, 0x1.5558f2p-5F));
  e = hn::MulAdd(e, r, hn::Set(d, 0x1.555492p-3F));
  e = hn::MulAdd(e, r, hn::Set(d, 0x1.fffffcp-2F));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0F));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0F));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, e), hn::ShiftLeft<23>(hn::BitCast(bits, shifted))));
}

// Turns the dot products that are in `exponents`, from `first` to `end`, into exponents and kernel values. They were
// written a moment ago, since this is called for every tile; accumulators are not used directly because the compiler
// would have to unroll all of it to keep them in registers.
template <bool kRoot, class T, class A>
HWY_INLINE void finish_impl(const RadialElements<A>& elements, const RadialRow<T, A>& row, size_t first, size_t end) {
  const Lanes<A> d;
  const auto norm = hn::Set(d, row.norm);
  const auto gamma = hn::Set(d, elements.gamma);
  const A* HWY_RESTRICT norms = elements.norms;
  A* HWY_RESTRICT exponents = row.exponents;
  A* HWY_RESTRICT kernel = row.kernel;
  for (size_t i = first; i < end; i += hn::Lanes(d)) {
    const auto both = hn::Add(norm, hn::Load(d, norms + i));
    const auto squared = hn::Max(hn::Zero(d), hn::MulAdd(hn::Set(d, A{-2}), hn::Load(d, exponents + i), both));
    auto q = hn::Mul(gamma, kRoot ? hn::Sqrt(squared) : squared);
    if constexpr (sizeof(A) == sizeof(double)) q = hn::Min(q, hn::Set(d, kLargestExponent));
    hn::Store(q, d, exponents + i);
    hn::Store(exponential(d, hn::Min(q, hn::Set(d, kLastExponent<A>))), d, kernel + i);
  }
}

template <class T, class A>
HWY_INLINE void finish(const RadialElements<A>& elements, const RadialRow<T, A>& row, size_t first, size_t end) {
  if (elements.root) {
    finish_impl<true>(elements, row, first, end);
  } else {
    finish_impl<false>(elements, row, first, end);
  }
}

template <class T, class A>
struct TileOfRows {
  const RadialElements<A>& elements;
  ColumnsView<T> columns;
  const RadialRow<T, A>* rows;
  size_t count;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    for (size_t r = 0; r < count; ++r) {
      const RadialRow<T, A>& row = rows[r];
      tile<kVectors>(Numbered<T>{columns.numbers, columns.stride, row.columns}, row.values, row.count, first,
                     row.exponents + first);
      finish(elements, row, first, first + kVectors * hn::Lanes(Lanes<A>()));
    }
  }
};

template <class T, class A>
HWY_INLINE void radial_rows_impl(const RadialElements<A>& elements, ColumnsView<T> columns, const RadialRow<T, A>* rows,
                                 size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Lanes<A>()), TileOfRows<T, A>{elements, columns, rows, count});
}

// Dot products in float, which are exact; the rest in double.
struct TileOfIntegers {
  const RadialElements<double>& elements;
  ColumnsView<float> columns;
  const RadialRow<float, double>* rows;
  size_t count;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    const Lanes<double> d;
    const size_t n = kVectors * hn::Lanes(Lanes<float>());
    HWY_ALIGN float dots[kVectors * kLanes];
    for (size_t r = 0; r < count; ++r) {
      const RadialRow<float, double>& row = rows[r];
      tile<kVectors>(Numbered<float>{columns.numbers, columns.stride, row.columns}, row.values, row.count, first, dots);
      for (size_t i = 0; i < n; i += hn::Lanes(d))
        hn::Store(load_as<double>(d, dots + i), d, row.exponents + first + i);
      finish(elements, row, first, first + n);
    }
  }
};

// Dot products are counted in bytes, four times as many at once as floats.
using Bytes = hn::CappedTag<uint8_t, kAlignment>;

HWY_INLINE hn::Vec<Lanes<float>> numbers_of(Lanes<float> d, const uint8_t* counts) {
  const hn::RebindToSigned<Lanes<float>> integers;
  return hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(hn::Rebind<uint8_t, Lanes<float>>(), counts)));
}
HWY_INLINE hn::Vec<Lanes<double>> numbers_of(Lanes<double> d, const uint8_t* counts) {
  const hn::Rebind<int32_t, Lanes<double>> integers;
  return hn::PromoteTo(d, hn::PromoteTo(integers, hn::LoadU(hn::Rebind<uint8_t, Lanes<double>>(), counts)));
}

template <class A>
struct TileOfOnes {
  const RadialElements<A>& elements;
  ColumnsView<uint8_t> columns;
  const RadialRow<float, A>* rows;
  size_t count;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    const Bytes bytes;
    const size_t lanes = hn::Lanes(bytes);
    const Lanes<A> d;
    const size_t end = HWY_MIN(elements.n, first + kVectors * lanes);
    HWY_ALIGN uint8_t counts[kVectors * kAlignment];
    for (size_t r = 0; r < count; ++r) {
      const RadialRow<float, A>& row = rows[r];
      const Numbered<uint8_t> numbered = {columns.numbers, columns.stride, row.columns};
      hn::Vec<Bytes> sums[kVectors];
      for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(bytes);
      for (size_t j = 0; j < row.count; ++j) {
        const uint8_t* column = numbered[j] + first;
        for (int v = 0; v < kVectors; ++v) {
          sums[v] = hn::Add(sums[v], hn::Load(bytes, column + static_cast<size_t>(v) * lanes));
        }
      }
      for (int v = 0; v < kVectors; ++v) hn::Store(sums[v], bytes, counts + static_cast<size_t>(v) * lanes);
      for (size_t i = first; i < end; i += hn::Lanes(d))
        hn::Store(numbers_of(d, counts + (i - first)), d, row.exponents + i);
      finish(elements, row, first, end);
    }
  }
};

// kTogether rows and kVectors vectors of elements: kTogether·kVectors accumulators, kVectors loads for them all.
template <class T, class A>
struct TileTogether {
  const RadialElements<A>& elements;
  ColumnsView<T> columns;
  const RadialRow<T, A>* rows;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    constexpr int kRows = static_cast<int>(kTogether);
    const Lanes<A> d;
    const size_t lanes = hn::Lanes(d);
    hn::Vec<Lanes<A>> sums[kRows][kVectors];
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
    }
    const T* values = rows[0].values;
    const Numbered<T> numbered = {columns.numbers, columns.stride, rows[0].columns};
    for (size_t j = 0; j < rows[0].count; ++j, values += kRows) {
      const T* column = numbered[j] + first;
      hn::Vec<Lanes<A>> numbers[kVectors];
      for (int v = 0; v < kVectors; ++v) numbers[v] = load_as<A>(d, column + static_cast<size_t>(v) * lanes);
      for (int r = 0; r < kRows; ++r) {
        const auto value = hn::Set(d, static_cast<A>(values[r]));
        for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(value, numbers[v], sums[r][v]);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        hn::Store(sums[r][v], d, rows[r].exponents + first + static_cast<size_t>(v) * lanes);
      }
    }
    for (int r = 0; r < kRows; ++r) finish(elements, rows[r], first, first + kVectors * lanes);
  }
};

template <class T, class A>
HWY_INLINE void together_impl(const RadialElements<A>& elements, ColumnsView<T> columns, const RadialRow<T, A>* rows) {
  // As many accumulators as there are registers beside what a column and a value need: of 32 or of 16.
  constexpr int kVectors = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 3 : 1;
  for_tiles<kVectors>(elements.n, hn::Lanes(Lanes<A>()), TileTogether<T, A>{elements, columns, rows});
}

// Non-template names for the dispatch table.
using RadialFloat = RadialRow<float, float>;
using RadialMixed = RadialRow<float, double>;
using RadialDouble = RadialRow<double, double>;

void rows_float(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialFloat* rows,
                size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}
void rows_mixed(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialMixed* rows,
                size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}
void rows_double(const RadialElements<double>& elements, ColumnsView<double> columns, const RadialDouble* rows,
                 size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}
void rows_of_integers(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialMixed* rows,
                      size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Lanes<float>()), TileOfIntegers{elements, columns, rows, count});
}
void ones_float(const RadialElements<float>& elements, ColumnsView<uint8_t> columns, const RadialFloat* rows,
                size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Bytes()), TileOfOnes<float>{elements, columns, rows, count});
}
void ones_mixed(const RadialElements<double>& elements, ColumnsView<uint8_t> columns, const RadialMixed* rows,
                size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Bytes()), TileOfOnes<double>{elements, columns, rows, count});
}
void together_float(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialFloat* rows) {
  together_impl(elements, columns, rows);
}
void together_mixed(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialMixed* rows) {
  together_impl(elements, columns, rows);
}
void together_double(const RadialElements<double>& elements, ColumnsView<double> columns, const RadialDouble* rows) {
  together_impl(elements, columns, rows);
}
void of_dots_float(const RadialElements<float>& elements, const RadialFloat& row) {
  finish(elements, row, 0, elements.n);
}
void of_dots_mixed(const RadialElements<double>& elements, const RadialMixed& row) {
  finish(elements, row, 0, elements.n);
}
void of_dots_double(const RadialElements<double>& elements, const RadialDouble& row) {
  finish(elements, row, 0, elements.n);
}

// The least exponent of those with a weight, then the sum relative to it.
template <class A>
HWY_INLINE ShiftedSum shifted_impl(const double* weights, const A* exponents, size_t n) {
  const Lanes<double> d;
  const size_t lanes = hn::Lanes(d);
  const auto none = hn::Set(d, std::numeric_limits<double>::max());
  auto least = none;
  for (size_t i = 0; i < n; i += lanes) {
    const auto has_weight = hn::Ne(hn::Load(d, weights + i), hn::Zero(d));
    least = hn::Min(least, hn::IfThenElse(has_weight, load_as<double>(d, exponents + i), none));
  }
  const double shift = hn::GetLane(hn::MinOfLanes(d, least));
  if (shift == std::numeric_limits<double>::max()) return {0.0, 0.0};
  auto sum = hn::Zero(d);
  for (size_t i = 0; i < n; i += lanes) {
    // What has no weight may be nearer than the least, or infinitely far.
    const auto q = hn::Max(hn::Zero(d), hn::Sub(load_as<double>(d, exponents + i), hn::Set(d, shift)));
    const auto near = hn::Min(q, hn::Set(d, kLastExponent<double>));
    sum = hn::MulAdd(hn::Load(d, weights + i), exponential(d, near), sum);
  }
  return {hn::GetLane(hn::SumOfLanes(d, sum)), shift};
}
ShiftedSum shifted_float(const double* weights, const float* exponents, size_t n) {
  return shifted_impl(weights, exponents, n);
}
ShiftedSum shifted_double(const double* weights, const double* exponents, size_t n) {
  return shifted_impl(weights, exponents, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(rows_float);
HWY_EXPORT(rows_mixed);
HWY_EXPORT(rows_double);
HWY_EXPORT(rows_of_integers);
HWY_EXPORT(ones_float);
HWY_EXPORT(ones_mixed);
HWY_EXPORT(together_float);
HWY_EXPORT(together_mixed);
HWY_EXPORT(together_double);
HWY_EXPORT(of_dots_float);
HWY_EXPORT(of_dots_mixed);
HWY_EXPORT(of_dots_double);
HWY_EXPORT(shifted_float);
HWY_EXPORT(shifted_double);

void radial_rows(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialRow<float, float>* rows,
                 size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_float)(elements, columns, rows, count);
}
void radial_rows(const RadialElements<double>& elements, ColumnsView<float> columns,
                 const RadialRow<float, double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_mixed)(elements, columns, rows, count);
}
void radial_rows(const RadialElements<double>& elements, ColumnsView<double> columns,
                 const RadialRow<double, double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_double)(elements, columns, rows, count);
}
void radial_rows_of_integers(const RadialElements<double>& elements, ColumnsView<float> columns,
                             const RadialRow<float, double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_of_integers)(elements, columns, rows, count);
}
void radial_rows_of_ones(const RadialElements<float>& elements, ColumnsView<uint8_t> columns,
                         const RadialRow<float, float>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(ones_float)(elements, columns, rows, count);
}
void radial_rows_of_ones(const RadialElements<double>& elements, ColumnsView<uint8_t> columns,
                         const RadialRow<float, double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(ones_mixed)(elements, columns, rows, count);
}
void radial_rows_together(const RadialElements<float>& elements, ColumnsView<float> columns,
                          const RadialRow<float, float>* rows) {
  HWY_DYNAMIC_DISPATCH(together_float)(elements, columns, rows);
}
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<float> columns,
                          const RadialRow<float, double>* rows) {
  HWY_DYNAMIC_DISPATCH(together_mixed)(elements, columns, rows);
}
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<double> columns,
                          const RadialRow<double, double>* rows) {
  HWY_DYNAMIC_DISPATCH(together_double)(elements, columns, rows);
}
void radial_of_dots(const RadialElements<float>& elements, const RadialRow<float, float>& row) {
  HWY_DYNAMIC_DISPATCH(of_dots_float)(elements, row);
}
void radial_of_dots(const RadialElements<double>& elements, const RadialRow<float, double>& row) {
  HWY_DYNAMIC_DISPATCH(of_dots_mixed)(elements, row);
}
void radial_of_dots(const RadialElements<double>& elements, const RadialRow<double, double>& row) {
  HWY_DYNAMIC_DISPATCH(of_dots_double)(elements, row);
}
ShiftedSum shifted_sum(const double* weights, const float* exponents, size_t n) {
  return HWY_DYNAMIC_DISPATCH(shifted_float)(weights, exponents, n);
}
ShiftedSum shifted_sum(const double* weights, const double* exponents, size_t n) {
  return HWY_DYNAMIC_DISPATCH(shifted_double)(weights, exponents, n);
}

}  // namespace alder::simd
#endif  // HWY_ONCE
