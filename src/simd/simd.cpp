#include "simd/simd.h"

#include <limits>

#include "alder/version.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class A>
using Lanes = hn::CappedTag<A, kLanes>;

// Loads one vector of A from an array of T, widening float to double where the two differ.
template <class A, class T>
HWY_INLINE hn::Vec<Lanes<A>> load_as(Lanes<A> d, const T* from) {
  if constexpr (sizeof(T) == sizeof(A)) {
    return hn::Load(d, from);
  } else {
    return hn::PromoteTo(d, hn::Load(hn::Rebind<T, Lanes<A>>(), from));
  }
}

// kVectors vectors of elements at a time, their accumulators in registers for the whole pass over the features. A
// multiply-add takes 4 cycles and two start per cycle, so 8 chains keep both units busy.
template <int kVectors, class T, class A>
HWY_INLINE void dots_block(const T* const* columns, const T* values, size_t count, size_t first, A* out) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  auto sum2 = hn::Zero(d);
  auto sum3 = hn::Zero(d);
  auto sum4 = hn::Zero(d);
  auto sum5 = hn::Zero(d);
  auto sum6 = hn::Zero(d);
  auto sum7 = hn::Zero(d);
  for (size_t j = 0; j < count; ++j) {
    const T* column = columns[j] + first;
    const auto value = hn::Set(d, static_cast<A>(values[j]));
    sum0 = hn::MulAdd(value, load_as<A>(d, column), sum0);
    if constexpr (kVectors > 1) sum1 = hn::MulAdd(value, load_as<A>(d, column + lanes), sum1);
    if constexpr (kVectors > 2) sum2 = hn::MulAdd(value, load_as<A>(d, column + 2 * lanes), sum2);
    if constexpr (kVectors > 3) sum3 = hn::MulAdd(value, load_as<A>(d, column + 3 * lanes), sum3);
    if constexpr (kVectors > 4) sum4 = hn::MulAdd(value, load_as<A>(d, column + 4 * lanes), sum4);
    if constexpr (kVectors > 5) sum5 = hn::MulAdd(value, load_as<A>(d, column + 5 * lanes), sum5);
    if constexpr (kVectors > 6) sum6 = hn::MulAdd(value, load_as<A>(d, column + 6 * lanes), sum6);
    if constexpr (kVectors > 7) sum7 = hn::MulAdd(value, load_as<A>(d, column + 7 * lanes), sum7);
  }
  hn::Store(sum0, d, out + first);
  if constexpr (kVectors > 1) hn::Store(sum1, d, out + first + lanes);
  if constexpr (kVectors > 2) hn::Store(sum2, d, out + first + 2 * lanes);
  if constexpr (kVectors > 3) hn::Store(sum3, d, out + first + 3 * lanes);
  if constexpr (kVectors > 4) hn::Store(sum4, d, out + first + 4 * lanes);
  if constexpr (kVectors > 5) hn::Store(sum5, d, out + first + 5 * lanes);
  if constexpr (kVectors > 6) hn::Store(sum6, d, out + first + 6 * lanes);
  if constexpr (kVectors > 7) hn::Store(sum7, d, out + first + 7 * lanes);
}

template <class T, class A>
HWY_INLINE void dots_impl(const T* const* columns, const T* values, size_t count, size_t n, A* out) {
  const size_t lanes = hn::Lanes(Lanes<A>());
  size_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) dots_block<8>(columns, values, count, i, out);
  switch ((n - i + lanes - 1) / lanes) {
    case 8:
      dots_block<8>(columns, values, count, i, out);
      break;
    case 7:
      dots_block<7>(columns, values, count, i, out);
      break;
    case 6:
      dots_block<6>(columns, values, count, i, out);
      break;
    case 5:
      dots_block<5>(columns, values, count, i, out);
      break;
    case 4:
      dots_block<4>(columns, values, count, i, out);
      break;
    case 3:
      dots_block<3>(columns, values, count, i, out);
      break;
    case 2:
      dots_block<2>(columns, values, count, i, out);
      break;
    case 1:
      dots_block<1>(columns, values, count, i, out);
      break;
    default:
      break;
  }
}

template <class A, class T>
HWY_INLINE A squared_norm_impl(const T* values, size_t count) {
  const hn::CappedTag<A, 1> d;
  auto sum = hn::Zero(d);
  for (size_t j = 0; j < count; ++j) {
    const auto value = hn::Set(d, static_cast<A>(values[j]));
    sum = hn::MulAdd(value, value, sum);
  }
  return hn::GetLane(sum);
}

// Far beyond what an exponential can tell from 0, with room for differences of exponents.
template <class A>
inline constexpr A kLargestExponent = std::numeric_limits<A>::max() / 4;

template <class A>
HWY_INLINE A radial_exponents_impl(const A* norms, A norm, A gamma, bool root, size_t n, A* dots) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  const auto cap = hn::Set(d, kLargestExponent<A>);
  const auto own_norm = hn::Set(d, norm);
  const auto minus_two = hn::Set(d, A{-2});
  const auto scale = hn::Set(d, gamma);
  auto least = cap;
  for (size_t i = 0; i < n; i += lanes) {
    const auto sum = hn::Add(own_norm, hn::Load(d, norms + i));
    const auto squared = hn::Max(hn::Zero(d), hn::MulAdd(minus_two, hn::Load(d, dots + i), sum));
    const auto q = hn::Min(cap, hn::Mul(scale, root ? hn::Sqrt(squared) : squared));
    const auto real = hn::IfThenElse(hn::FirstN(d, n - i), q, cap);
    hn::Store(real, d, dots + i);
    least = hn::Min(least, real);
  }
  for (size_t i = (n + lanes - 1) / lanes * lanes; i < padded(n); i += lanes) hn::Store(cap, d, dots + i);
  return hn::GetLane(hn::MinOfLanes(d, least));
}

// The exponential is taken in the type of the exponents and widened, since the values are summed in double.
HWY_INLINE void exponentials_impl(const float* exponents, float least, size_t n, double* out) {
  const hn::CappedTag<double, kLanes / 2> wide;
  const hn::Rebind<float, decltype(wide)> d;
  const auto shift = hn::Set(d, least);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    hn::Store(hn::PromoteTo(wide, hn::Exp(d, hn::Sub(shift, hn::Load(d, exponents + i)))), wide, out + i);
  }
}

HWY_INLINE void exponentials_impl(const double* exponents, double least, size_t n, double* out) {
  const Lanes<double> d;
  const auto shift = hn::Set(d, least);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    hn::Store(hn::Exp(d, hn::Sub(shift, hn::Load(d, exponents + i))), d, out + i);
  }
}

// Non-template names for the dispatch table.
void dots_float(const float* const* columns, const float* values, size_t count, size_t n, float* out) {
  dots_impl(columns, values, count, n, out);
}
void dots_mixed(const float* const* columns, const float* values, size_t count, size_t n, double* out) {
  dots_impl(columns, values, count, n, out);
}
void dots_double(const double* const* columns, const double* values, size_t count, size_t n, double* out) {
  dots_impl(columns, values, count, n, out);
}
float norm_float(const float* values, size_t count) {
  return squared_norm_impl<float>(values, count);
}
double norm_mixed(const float* values, size_t count) {
  return squared_norm_impl<double>(values, count);
}
double norm_double(const double* values, size_t count) {
  return squared_norm_impl<double>(values, count);
}
float radial_float(const float* norms, float norm, float gamma, bool root, size_t n, float* dots) {
  return radial_exponents_impl(norms, norm, gamma, root, n, dots);
}
double radial_double(const double* norms, double norm, double gamma, bool root, size_t n, double* dots) {
  return radial_exponents_impl(norms, norm, gamma, root, n, dots);
}
void exp_float(const float* exponents, float least, size_t n, double* out) {
  exponentials_impl(exponents, least, n, out);
}
void exp_double(const double* exponents, double least, size_t n, double* out) {
  exponentials_impl(exponents, least, n, out);
}

void waves_float(const float* phases, double scale, size_t n, double* cosines, double* sines) {
  const hn::CappedTag<double, kLanes / 2> wide;
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

void add_scaled_double(double factor, const double* x, size_t n, double* y) {
  const Lanes<double> d;
  const auto weight = hn::Set(d, factor);
  for (size_t i = 0; i < padded(n); i += hn::Lanes(d)) {
    hn::Store(hn::MulAdd(weight, hn::Load(d, x + i), hn::Load(d, y + i)), d, y + i);
  }
}

double dot_double(const double* a, const double* b, size_t n) {
  const Lanes<double> d;
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

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(dots_float);
HWY_EXPORT(dots_mixed);
HWY_EXPORT(dots_double);
HWY_EXPORT(norm_float);
HWY_EXPORT(norm_mixed);
HWY_EXPORT(norm_double);
HWY_EXPORT(radial_float);
HWY_EXPORT(radial_double);
HWY_EXPORT(exp_float);
HWY_EXPORT(exp_double);
HWY_EXPORT(waves_float);
HWY_EXPORT(waves_double);
HWY_EXPORT(add_scaled_double);
HWY_EXPORT(dot_double);
HWY_EXPORT(target_name);

void dots(const float* const* columns, const float* values, size_t count, size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(dots_float)(columns, values, count, n, out);
}
void dots(const float* const* columns, const float* values, size_t count, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(dots_mixed)(columns, values, count, n, out);
}
void dots(const double* const* columns, const double* values, size_t count, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(dots_double)(columns, values, count, n, out);
}
float squared_norm_float(const float* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(norm_float)(values, count);
}
double squared_norm_double(const float* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(norm_mixed)(values, count);
}
double squared_norm_double(const double* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(norm_double)(values, count);
}
float radial_exponents(const float* norms, float norm, float gamma, bool root, size_t n, float* dots) {
  return HWY_DYNAMIC_DISPATCH(radial_float)(norms, norm, gamma, root, n, dots);
}
double radial_exponents(const double* norms, double norm, double gamma, bool root, size_t n, double* dots) {
  return HWY_DYNAMIC_DISPATCH(radial_double)(norms, norm, gamma, root, n, dots);
}
void exponentials(const float* exponents, float least, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(exp_float)(exponents, least, n, out);
}
void exponentials(const double* exponents, double least, size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(exp_double)(exponents, least, n, out);
}
void waves(const float* phases, double scale, size_t n, double* cosines, double* sines) {
  HWY_DYNAMIC_DISPATCH(waves_float)(phases, scale, n, cosines, sines);
}
void waves(const double* phases, double scale, size_t n, double* cosines, double* sines) {
  HWY_DYNAMIC_DISPATCH(waves_double)(phases, scale, n, cosines, sines);
}
void add_scaled(double factor, const double* x, size_t n, double* y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_double)(factor, x, n, y);
}
double dot(const double* a, const double* b, size_t n) {
  return HWY_DYNAMIC_DISPATCH(dot_double)(a, b, n);
}

const char* target() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace alder::simd

const char* alder::instruction_set() {
  return simd::target();
}
#endif  // HWY_ONCE
