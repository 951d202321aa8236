// From dot products to the values of a radial kernel; included once for each instruction set, as tile-inl.h is.
#if defined(ALDER_SIMD_RADIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ALDER_SIMD_RADIAL_INL_H_
#undef ALDER_SIMD_RADIAL_INL_H_
#else
#define ALDER_SIMD_RADIAL_INL_H_
#endif

#include <limits>

#include <hwy/highway.h>

#include "simd/exponential-inl.h"
#include "simd/simd.h"
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Differences of exponents up to this are numbers. Floats are not used for distances that need it.
inline constexpr double kLargestExponent = std::numeric_limits<double>::max() / 4;

// Where the vectors are whose dot products become kernel values side by side: along a row, or those of the same
// elements in several rows.
template <class A>
struct AlongRow {
  const RadialRow<A>& row;
  size_t first;
  [[nodiscard]] HWY_INLINE A norm(int /*i*/) const { return row.norm; }
  [[nodiscard]] HWY_INLINE size_t at(int i) const { return first + static_cast<size_t>(i) * hn::Lanes(Lanes<A>()); }
  [[nodiscard]] HWY_INLINE A* exponents(int i) const { return row.exponents + at(i); }
  [[nodiscard]] HWY_INLINE A* kernel(int i) const { return row.kernel + at(i); }
};
template <class A>
struct AcrossRows {
  const RadialRow<A>* rows;
  size_t first;
  [[nodiscard]] HWY_INLINE A norm(int i) const { return rows[i].norm; }
  [[nodiscard]] HWY_INLINE size_t at(int /*i*/) const { return first; }
  [[nodiscard]] HWY_INLINE A* exponents(int i) const { return rows[i].exponents + first; }
  [[nodiscard]] HWY_INLINE A* kernel(int i) const { return rows[i].kernel + first; }
};

// Turns the dot products that are in `exponents` into exponents and kernel values. They were written a moment ago.
template <bool kRoot, int kCount, class A, class Place>
HWY_INLINE void finish_side(const RadialElements<A>& elements, const Place& place) {
  const Lanes<A> d;
  const auto gamma = hn::Set(d, elements.gamma);
  hn::Vec<Lanes<A>> q[kCount];
  for (int i = 0; i < kCount; ++i) {
    const auto both = hn::Add(hn::Set(d, place.norm(i)), hn::Load(d, elements.norms + place.at(i)));
    const auto dot = hn::Load(d, place.exponents(i));
    const auto squared = hn::Max(hn::Zero(d), hn::MulAdd(hn::Set(d, A{-2}), dot, both));
    q[i] = hn::Mul(gamma, kRoot ? hn::Sqrt(squared) : squared);
    if constexpr (sizeof(A) == sizeof(double)) q[i] = hn::Min(q[i], hn::Set(d, kLargestExponent));
    hn::Store(q[i], d, place.exponents(i));
    q[i] = hn::Min(q[i], hn::Set(d, kLastExponent<A>));
  }
  powers<A>(q, place);
}
template <int kCount, class A, class Place>
HWY_INLINE void finish_some(const RadialElements<A>& elements, const Place& place) {
  if (elements.root) {
    finish_side<true, kCount>(elements, place);
  } else {
    finish_side<false, kCount>(elements, place);
  }
}

// kVectors vectors from `first` on, in one row.
template <int kVectors, class A>
HWY_INLINE void finish_tile(const RadialElements<A>& elements, const RadialRow<A>& row, size_t first) {
  constexpr int kCount = HWY_MIN(kVectors, kSide);
  finish_some<kCount>(elements, AlongRow<A>{row, first});
  if constexpr (kVectors > kCount) {
    finish_tile<kVectors - kCount>(elements, row, first + kCount * hn::Lanes(Lanes<A>()));
  }
}

// From `first` to `end`, in one row.
template <class A>
HWY_INLINE void finish(const RadialElements<A>& elements, const RadialRow<A>& row, size_t first, size_t end) {
  const size_t lanes = hn::Lanes(Lanes<A>());
  size_t i = first;
  for (; i + kSide * lanes <= end; i += kSide * lanes) finish_some<kSide>(elements, AlongRow<A>{row, i});
  for (; i < end; i += lanes) finish_some<1>(elements, AlongRow<A>{row, i});
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#endif
