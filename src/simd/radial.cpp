// Kernel values of radial kernels with rows of any numbers: dot products, squared distances and powers in one pass
// over the columns.
#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/radial.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/radial-inl.h"
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

template <class T, class A>
struct TileOfRow {
  const RadialElements<A>& elements;
  ColumnsView<T> columns;
  const RadialRow<A>& row;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    tile<kVectors>(Numbered<T>{columns.numbers, columns.stride, row.columns}, row.values, row.count, first,
                   row.exponents + first);
    finish_tile<kVectors>(elements, row, first);
  }
};

// Rows side by side, each with columns of its own: what one of them has brought near, another one will often want soon.
constexpr size_t kAbreast = 4;

template <class T, class A>
struct TileOfRows {
  const RadialElements<A>& elements;
  ColumnsView<T> columns;
  const RadialRow<A>* const* rows;  // by ascending number of columns
  size_t count;                     // a multiple of kAbreast

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    for (size_t r = 0; r < count; r += kAbreast) run_some<kVectors>(rows + r, first);
  }
  template <int kVectors>
  HWY_INLINE void run_some(const RadialRow<A>* const* some, size_t first) const {
    const size_t lanes = hn::Lanes(Lanes<A>());
    hn::Vec<Lanes<A>> sums[kAbreast][kVectors];
    for (size_t r = 0; r < kAbreast; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(Lanes<A>());
    }
    const size_t common = some[0]->count;
    for (size_t j = 0; j < common; ++j) {
      for (size_t r = 0; r < kAbreast; ++r) add<kVectors>(*some[r], j, first, sums[r]);
    }
    for (size_t r = 0; r < kAbreast; ++r) {
      const RadialRow<A>& row = *some[r];
      for (size_t j = common; j < row.count; ++j) add<kVectors>(row, j, first, sums[r]);
      for (int v = 0; v < kVectors; ++v)
        hn::Store(sums[r][v], Lanes<A>(), row.exponents + first + static_cast<size_t>(v) * lanes);
      finish_tile<kVectors>(elements, row, first);
    }
  }
  template <int kVectors>
  HWY_INLINE void add(const RadialRow<A>& row, size_t j, size_t first, hn::Vec<Lanes<A>>* sums) const {
    const Lanes<A> d;
    const T* column = columns.numbers + row.columns[j] * columns.stride + first;
    const auto value = hn::Set(d, row.values[j]);
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(value, load_as<A>(d, column + static_cast<size_t>(v) * hn::Lanes(d)), sums[v]);
    }
  }
};

template <class T, class A>
HWY_INLINE void radial_rows_impl(const RadialElements<A>& elements, ColumnsView<T> columns, const RadialRow<A>* rows,
                                 size_t count) {
  constexpr size_t kMost = kTogether;
  const size_t lanes = hn::Lanes(Lanes<A>());
  size_t r = 0;
  while (count - r >= kAbreast) {
    const RadialRow<A>* some[kMost];
    const size_t size = HWY_MIN(count - r, kMost) / kAbreast * kAbreast;
    for (size_t i = 0; i < size; ++i) {
      const RadialRow<A>* row = rows + r + i;
      size_t at = i;
      for (; at > 0 && some[at - 1]->count > row->count; --at) some[at] = some[at - 1];
      some[at] = row;
    }
    // kAbreast times so many accumulators, and a value for each row.
    for_tiles<kManyRegisters ? 5 : 2>(elements.n, lanes, TileOfRows<T, A>{elements, columns, some, size});
    r += size;
  }
  // Large tiles: one row alone waits for the second cache, which likes to be read in long pieces.
  for (; r < count; ++r)
    for_tiles<kManyRegisters ? 13 : 8>(elements.n, lanes, TileOfRow<T, A>{elements, columns, rows[r]});
}

// Non-template names for the dispatch table.
using RadialFloat = RadialRow<float>;
using RadialDouble = RadialRow<double>;

void rows_float(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialFloat* rows,
                size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}
void rows_mixed(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialDouble* rows,
                size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}
void rows_double(const RadialElements<double>& elements, ColumnsView<double> columns, const RadialDouble* rows,
                 size_t count) {
  radial_rows_impl(elements, columns, rows, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(rows_float);
HWY_EXPORT(rows_mixed);
HWY_EXPORT(rows_double);

void radial_rows(const RadialElements<float>& elements, ColumnsView<float> columns, const RadialRow<float>* rows,
                 size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_float)(elements, columns, rows, count);
}
void radial_rows(const RadialElements<double>& elements, ColumnsView<float> columns, const RadialRow<double>* rows,
                 size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_mixed)(elements, columns, rows, count);
}
void radial_rows(const RadialElements<double>& elements, ColumnsView<double> columns, const RadialRow<double>* rows,
                 size_t count) {
  HWY_DYNAMIC_DISPATCH(rows_double)(elements, columns, rows, count);
}

}  // namespace alder::simd
#endif  // HWY_ONCE
