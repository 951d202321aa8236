// Kernel values of radial kernels with rows of integers, of ones, in blocks and from dot products, and their sums.
// Apart from radial.cpp so that two processors share what takes longest to compile.
#include <limits>

#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/radial_blocks.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/radial-inl.h"
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Dot products in float, which are exact; the rest in double.
struct TileOfIntegers {
  const RadialElements<double>& elements;
  ColumnsView<float> columns;
  const RadialRow<double>* rows;
  size_t count;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    const Lanes<double> d;
    const size_t n = kVectors * hn::Lanes(Lanes<float>());
    HWY_ALIGN float dots[kVectors * kLanes];
    for (size_t r = 0; r < count; ++r) {
      const RadialRow<double>& row = rows[r];
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
  const RadialRow<A>* rows;
  size_t count;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    const Bytes bytes;
    const size_t lanes = hn::Lanes(bytes);
    const Lanes<A> d;
    const size_t end = HWY_MIN(elements.n, first + kVectors * lanes);
    HWY_ALIGN uint8_t counts[kVectors * kAlignment];
    for (size_t r = 0; r < count; ++r) {
      const RadialRow<A>& row = rows[r];
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
  const RowsTogether<A>& together;
  const RadialRow<A>* rows;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    constexpr int kRows = static_cast<int>(kTogether);
    const Lanes<A> d;
    const size_t lanes = hn::Lanes(d);
    hn::Vec<Lanes<A>> sums[kRows][kVectors];
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
    }
    const A* values = together.values;
    const Numbered<T> numbered = {columns.numbers, columns.stride, together.columns};
    for (size_t j = 0; j < together.count; ++j, values += kRows) {
      const T* column = numbered[j] + first;
      hn::Vec<Lanes<A>> numbers[kVectors];
      for (int v = 0; v < kVectors; ++v) numbers[v] = load_as<A>(d, column + static_cast<size_t>(v) * lanes);
      for (int r = 0; r < kRows; ++r) {
        const auto value = hn::Set(d, values[r]);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(value, numbers[v], sums[r][v]);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        hn::Store(sums[r][v], d, rows[r].exponents + first + static_cast<size_t>(v) * lanes);
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      for (int r = 0; r < kRows; r += kSide)
        finish_some<kSide>(elements, AcrossRows<A>{rows + r, first + static_cast<size_t>(v) * lanes});
    }
  }
};

template <class T, class A>
HWY_INLINE void together_impl(const RadialElements<A>& elements, ColumnsView<T> columns,
                              const RowsTogether<A>& together, const RadialRow<A>* rows) {
  // As many accumulators as there are registers beside what a column and a value need.
  constexpr int kVectors = kManyRegisters ? 3 : 1;
  for_tiles<kVectors>(elements.n, hn::Lanes(Lanes<A>()), TileTogether<T, A>{elements, columns, together, rows});
}

// Non-template names for the dispatch table.
using RadialFloat = RadialRow<float>;
using RadialDouble = RadialRow<double>;

void rows_of_integers(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialDouble* rows,
                      size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Lanes<float>()), TileOfIntegers{elements, columns, rows, count});
}
void ones_float(const RadialElements<float>& elements, ColumnsView<uint8_t> columns, const RadialFloat* rows,
                size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Bytes()), TileOfOnes<float>{elements, columns, rows, count});
}
void ones_mixed(const RadialElements<double>& elements, ColumnsView<uint8_t> columns, const RadialDouble* rows,
                size_t count) {
  for_tiles<8>(elements.n, hn::Lanes(Bytes()), TileOfOnes<double>{elements, columns, rows, count});
}
void together_float(const RadialElements<float>& elements, ColumnsView<float> columns,
                    const RowsTogether<float>& together, const RadialFloat* rows) {
  together_impl(elements, columns, together, rows);
}
void together_mixed(const RadialElements<double>& elements, ColumnsView<float> columns,
                    const RowsTogether<double>& together, const RadialDouble* rows) {
  together_impl(elements, columns, together, rows);
}
void together_double(const RadialElements<double>& elements, ColumnsView<double> columns,
                     const RowsTogether<double>& together, const RadialDouble* rows) {
  together_impl(elements, columns, together, rows);
}
void of_dots_float(const RadialElements<float>& elements, const RadialFloat& row) {
  finish(elements, row, 0, elements.n);
}
void of_dots_double(const RadialElements<double>& elements, const RadialDouble& row) {
  finish(elements, row, 0, elements.n);
}

struct Here {
  double* values;
  [[nodiscard]] HWY_INLINE double* kernel(int /*i*/) const { return values; }
};

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
  HWY_ALIGN double values[kLanes];
  const Here here = {values};
  for (size_t i = 0; i < n; i += lanes) {
    // What has no weight may be nearer than the least, or infinitely far.
    const auto q = hn::Max(hn::Zero(d), hn::Sub(load_as<double>(d, exponents + i), hn::Set(d, shift)));
    hn::Vec<Lanes<double>> near[1] = {hn::Min(q, hn::Set(d, kLastExponent<double>))};
    powers<double>(near, here);
    sum = hn::MulAdd(hn::Load(d, weights + i), hn::Load(d, here.kernel(0)), sum);
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

HWY_EXPORT(rows_of_integers);
HWY_EXPORT(ones_float);
HWY_EXPORT(ones_mixed);
HWY_EXPORT(together_float);
HWY_EXPORT(together_mixed);
HWY_EXPORT(together_double);
HWY_EXPORT(of_dots_float);
HWY_EXPORT(of_dots_double);
HWY_EXPORT(shifted_float);
HWY_EXPORT(shifted_double);

void radial_rows_of_integers(const RadialElements<double>& elements, ColumnsView<float> columns,
                             const RadialRow<double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_of_integers)(elements, columns, rows, count);
}
void radial_rows_of_ones(const RadialElements<float>& elements, ColumnsView<uint8_t> columns,
                         const RadialRow<float>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(ones_float)(elements, columns, rows, count);
}
void radial_rows_of_ones(const RadialElements<double>& elements, ColumnsView<uint8_t> columns,
                         const RadialRow<double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(ones_mixed)(elements, columns, rows, count);
}
void radial_rows_together(const RadialElements<float>& elements, ColumnsView<float> columns,
                          const RowsTogether<float>& together, const RadialRow<float>* rows) {
  HWY_DYNAMIC_DISPATCH(together_float)(elements, columns, together, rows);
}
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<float> columns,
                          const RowsTogether<double>& together, const RadialRow<double>* rows) {
  HWY_DYNAMIC_DISPATCH(together_mixed)(elements, columns, together, rows);
}
void radial_rows_together(const RadialElements<double>& elements, ColumnsView<double> columns,
                          const RowsTogether<double>& together, const RadialRow<double>* rows) {
  HWY_DYNAMIC_DISPATCH(together_double)(elements, columns, together, rows);
}
void radial_of_dots(const RadialElements<float>& elements, const RadialRow<float>& row) {
  HWY_DYNAMIC_DISPATCH(of_dots_float)(elements, row);
}
void radial_of_dots(const RadialElements<double>& elements, const RadialRow<double>& row) {
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
