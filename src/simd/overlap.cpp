// Overlaps of rows, which are to the distance |x − s|₁ what dot products are to the squared one, and their norms.
#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/overlap.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// sum + m(a, number), where [low, high] is the range between 0 and a. What lies beyond 0 or a is moved there, so that
// nothing is rounded but the sum.
template <class V>
HWY_INLINE V add_overlap(V low, V high, V number, V sum) {
  return hn::Add(sum, hn::Abs(hn::Min(hn::Max(number, low), high)));
}
template <class A>
HWY_INLINE A low_end(A value) {
  return value < A{0} ? value : A{0};
}
template <class A>
HWY_INLINE A high_end(A value) {
  return value > A{0} ? value : A{0};
}

template <class T, class A>
struct TileOfOverlaps {
  ColumnsView<T> columns;
  const RadialRow<A>& row;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    const Lanes<A> d;
    const size_t lanes = hn::Lanes(d);
    hn::Vec<Lanes<A>> sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
    for (size_t j = 0; j < row.count; ++j) {
      const T* column = columns.numbers + row.columns[j] * columns.stride + first;
      const auto low = hn::Set(d, low_end(row.values[j]));
      const auto high = hn::Set(d, high_end(row.values[j]));
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = add_overlap(low, high, load_as<A>(d, column + static_cast<size_t>(v) * lanes), sums[v]);
      }
    }
    for (int v = 0; v < kVectors; ++v) hn::Store(sums[v], d, row.exponents + first + static_cast<size_t>(v) * lanes);
  }
};

template <class T, class A>
HWY_INLINE void overlaps_impl(size_t n, ColumnsView<T> columns, const RadialRow<A>* rows, size_t count) {
  for (size_t r = 0; r < count; ++r) for_tiles<8>(n, hn::Lanes(Lanes<A>()), TileOfOverlaps<T, A>{columns, rows[r]});
}

// Rows side by side share the numbers of a column; the ends of each take two registers.
constexpr size_t kAbreast = 2;
static_assert(kTogether % kAbreast == 0);

// Tile by tile for all rows, so that columns come from the nearest cache.
template <class T, class A>
struct TileOfOverlapsTogether {
  ColumnsView<T> columns;
  const RowsTogether<A>& together;
  const RadialRow<A>* rows;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    for (size_t r = 0; r < kTogether; r += kAbreast) run_some<kVectors>(r, first);
  }
  template <int kVectors>
  HWY_INLINE void run_some(size_t begin, size_t first) const {
    const Lanes<A> d;
    const size_t lanes = hn::Lanes(d);
    hn::Vec<Lanes<A>> sums[kAbreast][kVectors];
    for (size_t r = 0; r < kAbreast; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
    }
    const A* values = together.values + begin;
    for (size_t j = 0; j < together.count; ++j, values += kTogether) {
      const T* column = columns.numbers + together.columns[j] * columns.stride + first;
      hn::Vec<Lanes<A>> low[kAbreast];
      hn::Vec<Lanes<A>> high[kAbreast];
      for (size_t r = 0; r < kAbreast; ++r) {
        low[r] = hn::Set(d, low_end(values[r]));
        high[r] = hn::Set(d, high_end(values[r]));
      }
      for (int v = 0; v < kVectors; ++v) {
        const auto numbers = load_as<A>(d, column + static_cast<size_t>(v) * lanes);
        for (size_t r = 0; r < kAbreast; ++r) sums[r][v] = add_overlap(low[r], high[r], numbers, sums[r][v]);
      }
    }
    for (size_t r = 0; r < kAbreast; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        hn::Store(sums[r][v], d, rows[begin + r].exponents + first + static_cast<size_t>(v) * lanes);
      }
    }
  }
};

template <class T, class A>
HWY_INLINE void overlaps_together_impl(size_t n, ColumnsView<T> columns, const RowsTogether<A>& together,
                                       const RadialRow<A>* rows) {
  // kAbreast times so many accumulators.
  constexpr int kVectors = kManyRegisters ? 8 : 4;
  for_tiles<kVectors>(n, hn::Lanes(Lanes<A>()), TileOfOverlapsTogether<T, A>{columns, together, rows});
}

template <class T, class A>
HWY_INLINE void overlap_pieces_impl(const Piece<T, A>* pieces, size_t count) {
  const Lanes<A> d;
  for (size_t p = 0; p < count; ++p) {
    const A value = static_cast<A>(pieces[p].value);
    const auto low = hn::Set(d, low_end(value));
    const auto high = hn::Set(d, high_end(value));
    for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
      A* out = pieces[p].out + i;
      hn::Store(add_overlap(low, high, load_as<A>(d, pieces[p].numbers + i), hn::Load(d, out)), d, out);
    }
  }
}

// The norms of kTogether rows in the arithmetic of A, one vector of rows after the other.
template <class A, class T>
HWY_INLINE void sums_together(const T* values, size_t count, A* out) {
  const hn::CappedTag<A, kTogether> d;
  const hn::Rebind<T, hn::CappedTag<A, kTogether>> from;
  constexpr size_t kVectors = kTogether / hn::MaxLanes(hn::CappedTag<A, kTogether>());
  hn::Vec<decltype(d)> sums[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (size_t j = 0; j < count; ++j) {
    for (size_t v = 0; v < kVectors; ++v) {
      const auto magnitudes = hn::Abs(hn::LoadU(from, values + j * kTogether + v * hn::MaxLanes(d)));
      if constexpr (sizeof(T) == sizeof(A)) {
        sums[v] = hn::Add(sums[v], magnitudes);
      } else {
        sums[v] = hn::Add(sums[v], hn::PromoteTo(d, magnitudes));
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + v * hn::MaxLanes(d));
}

// Non-template names for the dispatch table.
using RadialFloat = RadialRow<float>;
using RadialDouble = RadialRow<double>;

void overlaps_float(size_t n, ColumnsView<float> columns, const RadialFloat* rows, size_t count) {
  overlaps_impl(n, columns, rows, count);
}
void overlaps_mixed(size_t n, ColumnsView<float> columns, const RadialDouble* rows, size_t count) {
  overlaps_impl(n, columns, rows, count);
}
void overlaps_double(size_t n, ColumnsView<double> columns, const RadialDouble* rows, size_t count) {
  overlaps_impl(n, columns, rows, count);
}
void overlaps_together_float(size_t n, ColumnsView<float> columns, const RowsTogether<float>& together,
                             const RadialFloat* rows) {
  overlaps_together_impl(n, columns, together, rows);
}
void overlaps_together_mixed(size_t n, ColumnsView<float> columns, const RowsTogether<double>& together,
                             const RadialDouble* rows) {
  overlaps_together_impl(n, columns, together, rows);
}
void overlaps_together_double(size_t n, ColumnsView<double> columns, const RowsTogether<double>& together,
                              const RadialDouble* rows) {
  overlaps_together_impl(n, columns, together, rows);
}
void overlap_pieces_float(const Piece<float, float>* pieces, size_t count) {
  overlap_pieces_impl(pieces, count);
}
void overlap_pieces_mixed(const Piece<float, double>* pieces, size_t count) {
  overlap_pieces_impl(pieces, count);
}
void overlap_pieces_double(const Piece<double, double>* pieces, size_t count) {
  overlap_pieces_impl(pieces, count);
}
void sums_together_float(const float* values, size_t count, SquaredNorms* norms) {
  double in_double[kTogether];
  float in_float[kTogether];
  sums_together(values, count, in_double);
  sums_together(values, count, in_float);
  for (size_t r = 0; r < kTogether; ++r) norms[r] = {in_double[r], in_float[r]};
}
void sums_together_double(const double* values, size_t count, SquaredNorms* norms) {
  double in_double[kTogether];
  sums_together(values, count, in_double);
  for (size_t r = 0; r < kTogether; ++r) norms[r] = {in_double[r], 0.0F};
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace alder::simd {

HWY_EXPORT(overlaps_float);
HWY_EXPORT(overlaps_mixed);
HWY_EXPORT(overlaps_double);
HWY_EXPORT(overlaps_together_float);
HWY_EXPORT(overlaps_together_mixed);
HWY_EXPORT(overlaps_together_double);
HWY_EXPORT(overlap_pieces_float);
HWY_EXPORT(overlap_pieces_mixed);
HWY_EXPORT(overlap_pieces_double);
HWY_EXPORT(sums_together_float);
HWY_EXPORT(sums_together_double);

void overlaps(size_t n, ColumnsView<float> columns, const RadialRow<float>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlaps_float)(n, columns, rows, count);
}
void overlaps(size_t n, ColumnsView<float> columns, const RadialRow<double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlaps_mixed)(n, columns, rows, count);
}
void overlaps(size_t n, ColumnsView<double> columns, const RadialRow<double>* rows, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlaps_double)(n, columns, rows, count);
}
void overlaps_together(size_t n, ColumnsView<float> columns, const RowsTogether<float>& together,
                       const RadialRow<float>* rows) {
  HWY_DYNAMIC_DISPATCH(overlaps_together_float)(n, columns, together, rows);
}
void overlaps_together(size_t n, ColumnsView<float> columns, const RowsTogether<double>& together,
                       const RadialRow<double>* rows) {
  HWY_DYNAMIC_DISPATCH(overlaps_together_mixed)(n, columns, together, rows);
}
void overlaps_together(size_t n, ColumnsView<double> columns, const RowsTogether<double>& together,
                       const RadialRow<double>* rows) {
  HWY_DYNAMIC_DISPATCH(overlaps_together_double)(n, columns, together, rows);
}
void overlap_pieces(const Piece<float, float>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlap_pieces_float)(pieces, count);
}
void overlap_pieces(const Piece<float, double>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlap_pieces_mixed)(pieces, count);
}
void overlap_pieces(const Piece<double, double>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(overlap_pieces_double)(pieces, count);
}

// One chain of additions, which has no use for vectors and rounds the same on every processor.
SquaredNorms absolute_sums(const float* values, size_t count) {
  SquaredNorms sums = {0.0, 0.0F};
  for (size_t j = 0; j < count; ++j) {
    const float magnitude = std::fabs(values[j]);
    sums.in_double += static_cast<double>(magnitude);
    sums.in_float += magnitude;
  }
  return sums;
}
SquaredNorms absolute_sums(const double* values, size_t count) {
  SquaredNorms sums = {0.0, 0.0F};
  for (size_t j = 0; j < count; ++j) sums.in_double += std::fabs(values[j]);
  return sums;
}
void absolute_sums_together(const float* values, size_t count, SquaredNorms* norms) {
  HWY_DYNAMIC_DISPATCH(sums_together_float)(values, count, norms);
}
void absolute_sums_together(const double* values, size_t count, SquaredNorms* norms) {
  HWY_DYNAMIC_DISPATCH(sums_together_double)(values, count, norms);
}

}  // namespace alder::simd
#endif  // HWY_ONCE
