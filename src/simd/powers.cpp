// Kernel values to any power, from their exponents.
#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/powers.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/exponential-inl.h"
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Beyond these exponents results are 0: those of 1e-20 and 1e-150.
template <class A>
inline constexpr A kVanishing = sizeof(A) == sizeof(float) ? A(66.438562F) : A(498.28921423310435);

// A factor, and the two halves of its digits, whose products with other halves are exact.
template <class A>
struct Halves {
  // The digits of the upper half, of which a number has those that are not masked out.
  using Bits = hwy::MakeUnsigned<A>;
  static constexpr Bits kUpper = ~((Bits{1} << (sizeof(A) == sizeof(float) ? 12U : 27U)) - 1U);

  hn::Vec<Lanes<A>> whole;
  hn::Vec<Lanes<A>> upper;
  hn::Vec<Lanes<A>> lower;
};
template <class A>
HWY_INLINE Halves<A> halves_of(hn::Vec<Lanes<A>> number) {
  const Lanes<A> d;
  const hn::RebindToUnsigned<Lanes<A>> bits;
  const auto upper = hn::BitCast(d, hn::And(hn::BitCast(bits, number), hn::Set(bits, Halves<A>::kUpper)));
  return {number, upper, hn::Sub(number, upper)};
}

// ratio·q − product, where `product` is that, rounded: up to half a unit in its last place, which in a power of 2 would
// be as many units as the product is large.
template <class A>
HWY_INLINE hn::Vec<Lanes<A>> rounded_off(const Halves<A>& ratio, hn::Vec<Lanes<A>> q, hn::Vec<Lanes<A>> product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(ratio.whole, q, product);
#else
  const Halves<A> other = halves_of<A>(q);
  auto rest = hn::Sub(hn::Mul(ratio.upper, other.upper), product);
  rest = hn::Add(rest, hn::Mul(ratio.upper, other.lower));
  rest = hn::Add(rest, hn::Mul(ratio.lower, other.upper));
  return hn::Add(rest, hn::Mul(ratio.lower, other.lower));
#endif
}

// 2^(−ratio·q) for kCount vectors, side by side as in exponential-inl.h.
template <int kCount, class A>
HWY_INLINE void powers_side(const A* exponents, const Halves<A>& ratio, A* out) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  const hn::RebindToSigned<Lanes<A>> bits;
  using Nearest = NearestPower<A>;
  const auto rounder = hn::Set(d, Nearest::kRounder);
  const auto last = hn::Set(d, kVanishing<A>);
  hn::Vec<Lanes<A>> product[kCount];
  hn::Vec<Lanes<A>> r[kCount];
  hn::Vec<Lanes<A>> p[kCount];
  for (int i = 0; i < kCount; ++i) {
    const auto q = hn::LoadU(d, exponents + static_cast<size_t>(i) * lanes);
    product[i] = hn::Mul(ratio.whole, q);
    const auto n = hn::Sub(rounder, hn::Sub(rounder, product[i]));
    r[i] = hn::Sub(hn::Sub(n, product[i]), rounded_off<A>(ratio, q, product[i]));
  }
  polynomials(Nearest::kCoefficients, r, p);
  for (int i = 0; i < kCount; ++i) {
    const auto power = hn::ShiftLeft<Nearest::kBits>(hn::BitCast(bits, hn::Sub(rounder, product[i])));
    const auto value = hn::BitCast(d, hn::Add(hn::BitCast(bits, p[i]), power));
    hn::StoreU(hn::IfThenElseZero(hn::Le(product[i], last), value), d, out + static_cast<size_t>(i) * lanes);
  }
}

template <class A>
HWY_INLINE void powers_impl(const A* exponents, A ratio, size_t n, A* out) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  const Halves<A> factor = halves_of<A>(hn::Set(d, ratio));
  size_t i = 0;
  for (; i + kSide * lanes <= n; i += kSide * lanes) powers_side<kSide>(exponents + i, factor, out + i);
  for (; i + lanes <= n; i += lanes) powers_side<1>(exponents + i, factor, out + i);
  if (i == n) return;
  HWY_ALIGN A rest[kLanes] = {};
  for (size_t k = i; k < n; ++k) rest[k - i] = exponents[k];
  powers_side<1>(rest, factor, rest);
  for (size_t k = i; k < n; ++k) out[k] = rest[k - i];
}

// Non-template names for the dispatch table.
void powers_float(const float* exponents, float ratio, size_t n, float* out) {
  powers_impl(exponents, ratio, n, out);
}
void powers_double(const double* exponents, double ratio, size_t n, double* out) {
  powers_impl(exponents, ratio, n, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(powers_float);
HWY_EXPORT(powers_double);

void powers(const float* exponents, float ratio, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(powers_float)(exponents, ratio, n, out);
}
void powers(const double* exponents, double ratio, std::size_t n, double* out) {
  HWY_DYNAMIC_DISPATCH(powers_double)(exponents, ratio, n, out);
}

}  // namespace alder::simd
#endif  // HWY_ONCE
