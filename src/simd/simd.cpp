#include "simd/simd.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

template <class T, class A>
struct TileOfDots {
  const T* const* columns;
  const T* values;
  size_t count;
  A* out;

  template <int kVectors>
  HWY_INLINE void run(size_t first) const {
    tile<kVectors>(Pointed<T>{columns}, values, count, first, out + first);
  }
};

template <class T, class A>
HWY_INLINE void dots_impl(const T* const* columns, const T* values, size_t count, size_t n, A* out) {
  for_tiles<8>(n, hn::Lanes(Lanes<A>()), TileOfDots<T, A>{columns, values, count, out});
}

template <class T, class A>
HWY_INLINE void add_pieces_impl(const Piece<T, A>* pieces, size_t count) {
  const Lanes<A> d;
  for (size_t p = 0; p < count; ++p) {
    const auto value = hn::Set(d, static_cast<A>(pieces[p].value));
    for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
      A* out = pieces[p].out + i;
      hn::Store(hn::MulAdd(value, load_as<A>(d, pieces[p].numbers + i), hn::Load(d, out)), d, out);
    }
  }
}

// Non-template names for the dispatch table.
void pieces_float(const Piece<float, float>* pieces, size_t count) {
  add_pieces_impl(pieces, count);
}
void pieces_mixed(const Piece<float, double>* pieces, size_t count) {
  add_pieces_impl(pieces, count);
}
void pieces_double(const Piece<double, double>* pieces, size_t count) {
  add_pieces_impl(pieces, count);
}
void dots_float(const float* const* columns, const float* values, size_t count, size_t n, float* out) {
  dots_impl(columns, values, count, n, out);
}
void dots_mixed(const float* const* columns, const float* values, size_t count, size_t n, double* out) {
  dots_impl(columns, values, count, n, out);
}
void dots_double(const double* const* columns, const double* values, size_t count, size_t n, double* out) {
  dots_impl(columns, values, count, n, out);
}
void waves_float(const float* phases, double scale, size_t n, double* cosines, double* sines) {
  const Lanes<double> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto factor = hn::Set(wide, scale);
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < padded(n); i += lanes) {
    const auto phase = hn::Load(d, phases + i);
    const auto real = hn::FirstN(wide, i < n ? n - i : 0);
    hn::Store(hn::IfThenElseZero(real, hn::Mul(factor, hn::PromoteTo(wide, hn::Cos(d, phase)))), wide, cosines + i);
    hn::Store(hn::IfThenElseZero(real, hn::Mul(factor, hn::PromoteTo(wide, hn::Sin(d, phase)))), wide, sines + i);
  }
}

void waves_double(const double* phases, double scale, size_t n, double* cosines, double* sines) {
  const Lanes<double> d;
  const auto factor = hn::Set(d, scale);
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < padded(n); i += lanes) {
    const auto phase = hn::Load(d, phases + i);
    const auto real = hn::FirstN(d, i < n ? n - i : 0);
    hn::Store(hn::IfThenElseZero(real, hn::Mul(factor, hn::Cos(d, phase))), d, cosines + i);
    hn::Store(hn::IfThenElseZero(real, hn::Mul(factor, hn::Sin(d, phase))), d, sines + i);
  }
}

template <class T>
HWY_INLINE void add_scaled_impl(T factor, const T* x, size_t n, T* y) {
  const Lanes<T> d;
  const auto weight = hn::Set(d, factor);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    hn::Store(hn::MulAdd(weight, hn::Load(d, x + i), hn::Load(d, y + i)), d, y + i);
  }
}

void add_scaled_float(float factor, const float* x, size_t n, float* y) {
  add_scaled_impl(factor, x, n, y);
}
void add_scaled_double(double factor, const double* x, size_t n, double* y) {
  add_scaled_impl(factor, x, n, y);
}

template <class T>
HWY_INLINE T dot_impl(const T* a, const T* b, size_t n) {
  const Lanes<T> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes < n; i += 2 * lanes) {
    sum0 = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), sum0);
    sum1 = hn::MulAdd(hn::Load(d, a + i + lanes), hn::Load(d, b + i + lanes), sum1);
  }
  if (i < n) sum0 = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), sum0);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

float dot_float(const float* a, const float* b, size_t n) {
  return dot_impl(a, b, n);
}
double dot_double(const double* a, const double* b, size_t n) {
  return dot_impl(a, b, n);
}

// Σ a[i]·b[i], lane by lane, over as many pairs of vectors as there are in n; `i` is where they end.
HWY_INLINE hn::Vec<Lanes<double>> dot_in_pairs(const double* a, const double* b, size_t n, size_t& i) {
  const Lanes<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  for (i = 0; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), sum1);
  }
  return hn::Add(sum0, sum1);
}

double dot_anywhere(const double* a, const double* b, size_t n) {
  size_t i = 0;
  double sum = hn::GetLane(hn::SumOfLanes(Lanes<double>(), dot_in_pairs(a, b, n, i)));
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Row by row, Σ_i a_i (2 Σ_{j<i} K_ij a_j + K_ii a_i); what is in the lanes is added up at the end.
double form_double(const double* triangle, const double* a, size_t n) {
  const Lanes<double> d;
  const size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  double rest = 0.0;
  const double* row = triangle;
  for (size_t i = 0; i < n; ++i) {
    size_t j = 0;
    auto dot = dot_in_pairs(row, a, i, j);
    for (; j + lanes <= i; j += lanes) dot = hn::MulAdd(hn::LoadU(d, row + j), hn::Load(d, a + j), dot);
    sum = hn::MulAdd(hn::Set(d, 2.0 * a[i]), dot, sum);
    double end = 0.5 * row[i] * a[i];
    for (; j < i; ++j) end += row[j] * a[j];
    rest += 2.0 * a[i] * end;
    row += i + 1;
  }
  return hn::GetLane(hn::SumOfLanes(d, sum)) + rest;
}

void scale_double(double factor, size_t n, double* x) {
  const Lanes<double> d;
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Set(d, factor), hn::Load(d, x + i)), d, x + i);
  }
}

// One vector of values, widened where they are floats: one product in each of two or four chains, so that none waits
// for the other.
struct WeightedChains {
  hn::Vec<Lanes<double>> sum0;
  hn::Vec<Lanes<double>> sum1;

  HWY_INLINE void add(const double* weights, const double* values) {
    const Lanes<double> d;
    sum0 = hn::MulAdd(hn::Load(d, weights), hn::Load(d, values), sum0);
  }
  HWY_INLINE void add(const double* weights, const float* values) {
    const Lanes<double> d;
    const size_t lanes = hn::Lanes(d);
    sum0 = hn::MulAdd(hn::Load(d, weights), load_as<double>(d, values), sum0);
    if constexpr (HWY_TARGET != HWY_SCALAR)
      sum1 = hn::MulAdd(hn::Load(d, weights + lanes), load_as<double>(d, values + lanes), sum1);
  }
  [[nodiscard]] HWY_INLINE hn::Vec<Lanes<double>> sum() const { return hn::Add(sum0, sum1); }
};

template <class A>
HWY_INLINE RowSums row_sums_impl(const double* front_weights, const A* front, size_t front_n, const double* weights,
                                 const A* values, size_t n, A small) {
  const Lanes<A> d;
  const Lanes<double> wide;
  const size_t lanes = hn::Lanes(d);
  const auto nothing = hn::Zero(wide);
  auto front_sum = nothing;
  auto front_largest = nothing;
  for (size_t i = 0; i < front_n; i += hn::Lanes(wide)) {
    const auto product = hn::Mul(hn::Load(wide, front_weights + i), load_as<double>(wide, front + i));
    front_sum = hn::Add(front_sum, product);
    front_largest = hn::Max(front_largest, hn::Abs(product));
  }
  WeightedChains chains[4] = {{nothing, nothing}, {nothing, nothing}, {nothing, nothing}, {nothing, nothing}};
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (size_t c = 0; c < 4; ++c) chains[c].add(weights + i + c * lanes, values + i + c * lanes);
  }
  for (; i < n; i += lanes) chains[0].add(weights + i, values + i);
  const auto sum = hn::Add(hn::Add(chains[0].sum(), chains[1].sum()), hn::Add(chains[2].sum(), chains[3].sum()));
  // The first vector nearly always has a value that is not small.
  bool is_small = true;
  for (i = 0; i < n && is_small; i += lanes) {
    is_small = hn::AllTrue(d, hn::Lt(hn::Load(d, values + i), hn::Set(d, small)));
  }
  return {hn::GetLane(hn::SumOfLanes(wide, front_sum)), hn::GetLane(hn::SumOfLanes(wide, sum)),
          hn::AllTrue(wide, hn::Lt(front_largest, hn::Set(wide, static_cast<double>(small)))), is_small};
}
RowSums sums_float(const double* front_weights, const float* front, size_t front_n, const double* weights,
                   const float* values, size_t n, float small) {
  return row_sums_impl(front_weights, front, front_n, weights, values, n, small);
}
RowSums sums_double(const double* front_weights, const double* front, size_t front_n, const double* weights,
                    const double* values, size_t n, double small) {
  return row_sums_impl(front_weights, front, front_n, weights, values, n, small);
}

template <class T>
HWY_ALIGN constexpr T kLaneNumbers[kLanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// In every lane, and in two chains: the least number so far, and which vector it came from. There is no branch that
// depends on the numbers, so that the result is off the critical path.
template <class A>
struct LeastChain {
  using Places = hn::RebindToSigned<Lanes<A>>;

  hn::Vec<Lanes<A>> least;
  hn::Vec<Places> place;

  HWY_INLINE void take(hn::Vec<Lanes<A>> numbers, size_t i) {
    const auto is_less = hn::Lt(numbers, least);
    least = hn::IfThenElse(is_less, numbers, least);
    const auto start = hn::Set(Places(), static_cast<hn::TFromD<Places>>(i));
    place = hn::IfThenElse(hn::RebindMask(Places(), is_less), start, place);
  }
  HWY_INLINE hn::Vec<Places> places_of(hn::Vec<Lanes<A>> number) const {
    const auto last = hn::Set(Places(), hwy::HighestValue<hn::TFromD<Places>>());
    const auto lane = hn::Load(Places(), kLaneNumbers<hn::TFromD<Places>>);
    return hn::IfThenElse(hn::RebindMask(Places(), hn::Eq(least, number)), hn::Add(place, lane), last);
  }
};

template <class A>
HWY_INLINE size_t least_impl(const A* numbers, size_t n) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  const typename LeastChain<A>::Places places;
  LeastChain<A> even = {hn::Inf(d), hn::Zero(places)};
  LeastChain<A> odd = even;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even.take(hn::Load(d, numbers + i), i);
    odd.take(hn::Load(d, numbers + i + lanes), i + lanes);
  }
  for (; i < n; i += lanes) {
    even.take(hn::IfThenElse(hn::FirstN(d, n - i), hn::Load(d, numbers + i), hn::Inf(d)), i);
  }
  const auto least = hn::Set(d, hn::GetLane(hn::MinOfLanes(d, hn::Min(even.least, odd.least))));
  const auto place = hn::GetLane(hn::MinOfLanes(places, hn::Min(even.places_of(least), odd.places_of(least))));
  // Nowhere, if all are infinite: without vector instructions, the least of the lanes is finite nevertheless.
  return static_cast<size_t>(place) < n ? static_cast<size_t>(place) : 0;
}
size_t least_float(const float* numbers, size_t n) {
  return least_impl(numbers, n);
}
size_t least_double(const double* numbers, size_t n) {
  return least_impl(numbers, n);
}

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(pieces_float);
HWY_EXPORT(pieces_mixed);
HWY_EXPORT(pieces_double);
HWY_EXPORT(dots_float);
HWY_EXPORT(dots_mixed);
HWY_EXPORT(dots_double);
HWY_EXPORT(waves_float);
HWY_EXPORT(waves_double);
HWY_EXPORT(add_scaled_float);
HWY_EXPORT(add_scaled_double);
HWY_EXPORT(dot_float);
HWY_EXPORT(dot_double);
HWY_EXPORT(dot_anywhere);
HWY_EXPORT(form_double);
HWY_EXPORT(scale_double);
HWY_EXPORT(sums_float);
HWY_EXPORT(sums_double);
HWY_EXPORT(least_float);
HWY_EXPORT(least_double);
HWY_EXPORT(target_name);

void add_pieces(const Piece<float, float>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(pieces_float)(pieces, count);
}
void add_pieces(const Piece<float, double>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(pieces_mixed)(pieces, count);
}
void add_pieces(const Piece<double, double>* pieces, size_t count) {
  HWY_DYNAMIC_DISPATCH(pieces_double)(pieces, count);
}
void dots(const float* const* columns, const float* values, size_t count, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(dots_float)(columns, values, count, n, out);
}
void dots(const float* const* columns, const float* values, size_t count, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(dots_mixed)(columns, values, count, n, out);
}
void dots(const double* const* columns, const double* values, size_t count, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(dots_double)(columns, values, count, n, out);
}
void waves(const float* phases, double scale, size_t n, double* cosines, double* sines) {
  HWY_DYNAMIC_DISPATCH(waves_float)(phases, scale, n, cosines, sines);
}
void waves(const double* phases, double scale, size_t n, double* cosines, double* sines) {
  HWY_DYNAMIC_DISPATCH(waves_double)(phases, scale, n, cosines, sines);
}
void add_scaled(float factor, const float* x, size_t n, float* y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_float)(factor, x, n, y);
}
void add_scaled(double factor, const double* x, size_t n, double* y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_double)(factor, x, n, y);
}
float dot(const float* a, const float* b, size_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_float)(a, b, n);
}
double dot(const double* a, const double* b, size_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_double)(a, b, n);
}
double dot_unaligned(const double* a, const double* b, size_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_anywhere)(a, b, n);
}
double quadratic_form(const double* triangle, const double* a, size_t n) {
  return HWY_DYNAMIC_DISPATCH(form_double)(triangle, a, n);
}
void scale(double factor, size_t n, double* x) {
  HWY_DYNAMIC_DISPATCH(scale_double)(factor, n, x);
}
RowSums row_sums(const double* front_weights, const float* front, size_t front_n, const double* weights,
                 const float* values, size_t n, float small) {
  return HWY_DYNAMIC_DISPATCH(sums_float)(front_weights, front, front_n, weights, values, n, small);
}
RowSums row_sums(const double* front_weights, const double* front, size_t front_n, const double* weights,
                 const double* values, size_t n, double small) {
  return HWY_DYNAMIC_DISPATCH(sums_double)(front_weights, front, front_n, weights, values, n, small);
}
std::size_t index_of_least(const float* numbers, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(least_float)(numbers, n);
}
std::size_t index_of_least(const double* numbers, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(least_double)(numbers, n);
}

const char* target() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace alder::simd
#endif  // HWY_ONCE
