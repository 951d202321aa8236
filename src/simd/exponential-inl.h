// e^(−q) of many q at once; included once for each instruction set, as tile-inl.h is.
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

// Kernel values are e^(−q) for exponents up to this, the last of which is near the smallest normal number, and beyond
// it what they are there: not 0, but nothing.
template <class A>
inline constexpr A kLastExponent = sizeof(A) == sizeof(float) ? A{87} : A{708};

// So many exponentials are computed side by side, operation by operation. One alone is a chain of operations that wait
// for each other, and only a few chains at a time fit into what a processor looks ahead.
constexpr int kSide = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 8 : 4;

// For e^(−q), 0 <= q <= kLastExponent. Highway's Exp takes any argument, results below the normal numbers included, in
// about twice as many operations. With n = round(−q/ln 2), e^(−q) = 2^n·e^r for r = −q − n·ln 2 in
// ±(ln 2)/2: a polynomial in r, and n added to the exponent's bits. n is rounded by adding 1.5·2^23 or 1.5·2^52, which
// leaves it in the lowest bits of the sum.
template <class A>
struct Exponential;

template <>
struct Exponential<double> {
  static constexpr double kRounder = 6755399441055744.0;
  static constexpr double kLog2 = 1.4426950408889634;
  // ln 2 in two parts, so that n times the first is exact.
  static constexpr double kHigh = 0x1.62e42feep-1;
  static constexpr double kLow = 0x1.a39ef35793c76p-33;
  static constexpr int kBits = 52;
  // From the highest power down to r².
  static constexpr double kCoefficients[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                             1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                             1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5};
};

template <>
struct Exponential<float> {
  static constexpr float kRounder = 12582912.0F;
  static constexpr float kLog2 = 1.442695041F;
  static constexpr float kHigh = 0.693145752F;
  static constexpr float kLow = 1.42860677e-6F;
  static constexpr int kBits = 23;
  // Not Taylor's, but those with the least largest error, 4e-9, among the polynomials 1 + r + c r² + … of degree 6.
  static constexpr float kCoefficients[] = {0x1.6a23cep-10F, 0x1.123a2p-7F, 0x1.5558f2p-5F, 0x1.555492p-3F,
                                            0x1.fffffcp-2F};
};

// e^(−q[i]) goes to out.kernel(i). 2^n waits there: there are too few registers to keep it.
template <class A, int kCount, class Out>
HWY_INLINE void exponentials(const hn::Vec<Lanes<A>> (&q)[kCount], const Out& out) {
  using E = Exponential<A>;
  const Lanes<A> d;
  const hn::RebindToSigned<Lanes<A>> bits;
  hn::Vec<Lanes<A>> r[kCount];
  hn::Vec<Lanes<A>> e[kCount];
  const auto rounder = hn::Set(d, E::kRounder);
  for (int i = 0; i < kCount; ++i) e[i] = hn::NegMulAdd(q[i], hn::Set(d, E::kLog2), rounder);
  for (int i = 0; i < kCount; ++i) {
    hn::Store(hn::BitCast(d, hn::ShiftLeft<E::kBits>(hn::BitCast(bits, e[i]))), d, out.kernel(i));
  }
  for (int i = 0; i < kCount; ++i) e[i] = hn::Sub(e[i], rounder);  // n
  for (int i = 0; i < kCount; ++i) r[i] = hn::NegMulSub(e[i], hn::Set(d, E::kHigh), q[i]);
  for (int i = 0; i < kCount; ++i) r[i] = hn::NegMulAdd(e[i], hn::Set(d, E::kLow), r[i]);
  const auto highest = hn::Set(d, E::kCoefficients[0]);
  for (int i = 0; i < kCount; ++i) e[i] = hn::MulAdd(r[i], highest, hn::Set(d, E::kCoefficients[1]));
  for (size_t k = 2; k < sizeof(E::kCoefficients) / sizeof(A); ++k) {
    const auto coefficient = hn::Set(d, E::kCoefficients[k]);
    for (int i = 0; i < kCount; ++i) e[i] = hn::MulAdd(e[i], r[i], coefficient);
  }
  const auto one = hn::Set(d, A{1});
  for (int i = 0; i < kCount; ++i) e[i] = hn::MulAdd(e[i], r[i], one);
  for (int i = 0; i < kCount; ++i) e[i] = hn::MulAdd(e[i], r[i], one);
  for (int i = 0; i < kCount; ++i) {
    const auto power = hn::BitCast(bits, hn::Load(d, out.kernel(i)));
    hn::Store(hn::BitCast(d, hn::Add(hn::BitCast(bits, e[i]), power)), d, out.kernel(i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#endif
