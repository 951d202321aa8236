// 2^(−q) of many q at once; included once for each instruction set, as tile-inl.h is.
#if defined(ALDER_SIMD_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ALDER_SIMD_EXPONENTIAL_INL_H_
#undef ALDER_SIMD_EXPONENTIAL_INL_H_
#else
#define ALDER_SIMD_EXPONENTIAL_INL_H_
#endif

#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Kernel values are 2^(−q) for exponents up to this, the last of which is near the smallest normal number, and beyond
// it what they are there: not 0, but nothing.
template <class A>
inline constexpr A kLastExponent = sizeof(A) == sizeof(float) ? A{125} : A{1021};

// How many powers are computed side by side, operation by operation. One alone is a chain of operations that wait for
// each other, and only a few chains at a time fit into what a processor looks ahead.
constexpr int kSide = kManyRegisters ? 8 : 4;

// For 2^(−q), 0 <= q <= kLastExponent: with an integer n near q, 2^(−q) = 2^(−n)·2^r for r = n − q, which is off by
// half a unit of 1 at most, and by nothing if n is the nearest. 2^r is a polynomial 1 + c r + …, whose coefficients are
// listed from the highest power down to r; the result is never above 1. (Highway's Exp takes any argument,
// results below the normal numbers included, in about twice as many operations or more.)

// c_0, …, of c_0·x^(k−1) + … + c_(k−1), then times x and plus 1, for kCount vectors x.
template <class A, size_t kTerms, int kCount>
HWY_INLINE void polynomials(const A (&coefficients)[kTerms], const hn::Vec<Lanes<A>> (&x)[kCount],
                            hn::Vec<Lanes<A>> (&out)[kCount]) {
  const Lanes<A> d;
  const auto highest = hn::Set(d, coefficients[0]);
  const auto second = hn::Set(d, coefficients[1]);
  for (int i = 0; i < kCount; ++i) out[i] = hn::MulAdd(x[i], highest, second);
  for (size_t k = 2; k < kTerms; ++k) {
    const auto coefficient = hn::Set(d, coefficients[k]);
    for (int i = 0; i < kCount; ++i) out[i] = hn::MulAdd(out[i], x[i], coefficient);
  }
  const auto one = hn::Set(d, A{1});
  for (int i = 0; i < kCount; ++i) out[i] = hn::MulAdd(out[i], x[i], one);
}

// n is rounded by subtracting q from 1.5·2^23 or 1.5·2^52, which leaves −n in the lowest bits of the difference; these
// are added to the exponent's bits of the polynomial. r is in ±1/2.
template <class A>
struct NearestPower;

template <>
struct NearestPower<double> {
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr int kBits = 52;
  // The interpolation of (2^r − 1)/r at Chebyshev's nodes is off by 2e-17.
  static constexpr double kCoefficients[] = {0x1.e9d3fe3952179p-32, 0x1.e6063f7217bc6p-28, 0x1.b524fae627834p-24,
                                             0x1.62bfd47773353p-20, 0x1.ffcbfc670dcd4p-17, 0x1.430913096fd9fp-13,
                                             0x1.5d87fe78a5276p-10, 0x1.3b2ab6fba1ddap-7,  0x1.c6b08d704a0c2p-5,
                                             0x1.ebfbdff82c598p-3,  0x1.62e42fefa39efp-1};
};
template <>
struct NearestPower<float> {
  static constexpr float kRounder = 12582912.0F;
  static constexpr int kBits = 23;
  // The least largest error, 3e-9.
  static constexpr float kCoefficients[] = {0x1.416b6ap-13F, 0x1.5f083p-10F, 0x1.3b2dep-7F,
                                            0x1.c6af7cp-5F,  0x1.ebfbdcp-3F, 0x1.62e43p-1F};
};

#if HWY_TARGET <= HWY_AVX3

// AVX-512 has an instruction for each end: n is rounded up, and the polynomial is one in q − n, which is in (−1, 0].
template <class A>
struct Power;

template <>
struct Power<double> {
  // The interpolation of (2^r − 1)/r at Chebyshev's nodes is off by 3e-17.
  static constexpr double kCoefficients[] = {-0x1.509edf2ecfdf8p-31, 0x1.c7ea67ee59ebfp-28,  -0x1.b7a2459dca29cp-24,
                                             0x1.629e703ac7f08p-20,  -0x1.ffce434c232f0p-17, 0x1.4309065c8357ap-13,
                                             -0x1.5d87fecf83f7bp-10, 0x1.3b2ab6fa48563p-7,   -0x1.c6b08d704fa4fp-5,
                                             0x1.ebfbdff82c4ffp-3,   -0x1.62e42fefa39efp-1};
};
template <>
struct Power<float> {
  // The least largest error, 1.6e-7, where more is allowed the less there is of rounding: all in all below 1.95 units.
  static constexpr float kCoefficients[] = {-0x1.f31ae8p-10F, 0x1.24897ap-7F, -0x1.c9ba4p-5F, 0x1.ebce58p-3F,
                                            -0x1.62e51p-1F};
};

HWY_INLINE hn::Vec<Lanes<float>> beyond_next(hn::Vec<Lanes<float>> q) {
  return hn::Vec<Lanes<float>>{_mm512_reduce_ps(q.raw, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
}
HWY_INLINE hn::Vec<Lanes<double>> beyond_next(hn::Vec<Lanes<double>> q) {
  return hn::Vec<Lanes<double>>{_mm512_reduce_pd(q.raw, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
}
HWY_INLINE hn::Vec<Lanes<float>> times_power(hn::Vec<Lanes<float>> x, hn::Vec<Lanes<float>> exponent) {
  return hn::Vec<Lanes<float>>{_mm512_scalef_ps(x.raw, exponent.raw)};
}
HWY_INLINE hn::Vec<Lanes<double>> times_power(hn::Vec<Lanes<double>> x, hn::Vec<Lanes<double>> exponent) {
  return hn::Vec<Lanes<double>>{_mm512_scalef_pd(x.raw, exponent.raw)};
}

// 2^(−q[i]) goes to out.kernel(i).
template <class A, int kCount, class Out>
HWY_INLINE void powers(const hn::Vec<Lanes<A>> (&q)[kCount], const Out& out) {
  hn::Vec<Lanes<A>> r[kCount];
  hn::Vec<Lanes<A>> p[kCount];
  for (int i = 0; i < kCount; ++i) r[i] = beyond_next(q[i]);
  polynomials(Power<A>::kCoefficients, r, p);
  for (int i = 0; i < kCount; ++i) hn::Store(times_power(p[i], hn::Neg(q[i])), Lanes<A>(), out.kernel(i));
}

#else

// 2^(−q[i]) goes to out.kernel(i). 2^(−n) waits there: there are too few registers to keep it.
template <class A, int kCount, class Out>
HWY_INLINE void powers(const hn::Vec<Lanes<A>> (&q)[kCount], const Out& out) {
  const Lanes<A> d;
  const hn::RebindToSigned<Lanes<A>> bits;
  hn::Vec<Lanes<A>> r[kCount];
  hn::Vec<Lanes<A>> p[kCount];
  const auto rounder = hn::Set(d, NearestPower<A>::kRounder);
  for (int i = 0; i < kCount; ++i) p[i] = hn::Sub(rounder, q[i]);
  for (int i = 0; i < kCount; ++i) {
    hn::Store(hn::BitCast(d, hn::ShiftLeft<NearestPower<A>::kBits>(hn::BitCast(bits, p[i]))), d, out.kernel(i));
  }
  for (int i = 0; i < kCount; ++i) r[i] = hn::Sub(hn::Sub(rounder, p[i]), q[i]);
  polynomials(NearestPower<A>::kCoefficients, r, p);
  for (int i = 0; i < kCount; ++i) {
    const auto power = hn::BitCast(bits, hn::Load(d, out.kernel(i)));
    hn::Store(hn::BitCast(d, hn::Add(hn::BitCast(bits, p[i]), power)), d, out.kernel(i));
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#endif
