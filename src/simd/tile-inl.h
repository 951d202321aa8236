// What the files of primitives share; they include themselves, and this, once for each instruction set.
#if defined(ALDER_SIMD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ALDER_SIMD_TILE_INL_H_
#undef ALDER_SIMD_TILE_INL_H_
#else
#define ALDER_SIMD_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include "simd/aligned.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether there are 32 registers for vectors, or else 16.
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64;

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

// The columns of a row, by their addresses or by their numbers.
template <class T>
struct Pointed {
  const T* const* columns;
  HWY_INLINE const T* operator[](size_t j) const { return columns[j]; }
};
template <class T>
struct Numbered {
  const T* numbers;
  size_t stride;
  const uint32_t* columns;
  HWY_INLINE const T* operator[](size_t j) const { return numbers + columns[j] * stride; }
};

// The dot products of one row with kVectors vectors of elements from `first` on: their accumulators stay in registers
// for the whole pass over the features. A multiply-add takes 4 cycles and two start per cycle, so 8 chains keep both
// units busy.
template <int kVectors, class Columns, class V, class A>
HWY_INLINE void tile(const Columns& columns, const V* values, size_t count, size_t first, A* out) {
  const Lanes<A> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<Lanes<A>> sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (size_t j = 0; j < count; ++j) {
    const auto* column = columns[j] + first;
    const auto value = hn::Set(d, static_cast<A>(values[j]));
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(value, load_as<A>(d, column + static_cast<size_t>(v) * lanes), sums[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) hn::Store(sums[v], d, out + static_cast<size_t>(v) * lanes);
}

// Calls body.run<v>(first) for v = the number of vectors from 1 to kMost.
template <int kMost, class Body>
HWY_INLINE void with_vectors(size_t vectors, size_t first, const Body& body) {
  if constexpr (kMost > 0) {
    if (vectors == static_cast<size_t>(kMost)) {
      body.template run<kMost>(first);
    } else {
      with_vectors<kMost - 1>(vectors, first, body);
    }
  }
}

// Cuts n elements into as few tiles of at most kMost vectors as possible, all of about the same size: a small one would
// have too few chains to keep the units busy.
template <int kMost, class Body>
HWY_INLINE void for_tiles(size_t n, size_t lanes, const Body& body) {
  const size_t vectors = (n + lanes - 1) / lanes;
  const size_t tiles = (vectors + kMost - 1) / kMost;
  size_t done = 0;
  for (size_t t = 0; t < tiles; ++t) {
    const size_t size = (vectors - done + tiles - t - 1) / (tiles - t);
    with_vectors<kMost>(size, done * lanes, body);
    done += size;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#endif
