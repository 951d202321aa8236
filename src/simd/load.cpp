// Rows on their way from the caller's arrays into a learner.
#include <cmath>
#include <limits>

#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/load.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

// Rows are short, so vectors are too: what is left over at the end costs less.
using Few = hn::CappedTag<double, 4>;
using FewIndices = hn::CappedTag<uint32_t, 4>;
// For the conversion to float. Not four, the half of an AVX2 vector: that the narrow result comes from a wider vector
// hides from the compiler that it has to leave the wide state, and whatever comes next would pay for it.
using Pair = hn::CappedTag<double, 2>;
using Eight = hn::CappedTag<double, HWY_TARGET <= HWY_AVX3 ? 8 : 2>;

template <class D>
HWY_INLINE hn::Mask<D> all_true(D d) {
  return hn::Eq(hn::Zero(d), hn::Zero(d));
}

// Calls body(j) for vectors of `lanes` numbers that cover [begin, count), the last ones overlapping. Requires that
// there are as many.
template <class Body>
HWY_INLINE void cover(size_t begin, size_t count, size_t lanes, Body& body) {
  size_t j = begin;
  for (; j + lanes <= count; j += lanes) body(j);
  if (j < count) body(count - lanes);
}

// |v| <= the largest finite number is false for infinities and for what is no number.
struct AllFinite {
  const double* values;
  hn::Mask<Few> good;
  HWY_INLINE void operator()(size_t j) {
    const auto largest = hn::Set(Few(), std::numeric_limits<double>::max());
    good = hn::And(good, hn::Le(hn::Abs(hn::LoadU(Few(), values + j)), largest));
  }
};
struct AllAscend {
  const uint32_t* indices;
  hn::Mask<FewIndices> good;
  HWY_INLINE void operator()(size_t j) {
    const FewIndices d;
    good = hn::And(good, hn::Gt(hn::LoadU(d, indices + j), hn::LoadU(d, indices + j - 1)));
  }
};

bool sound(const uint32_t* indices, const double* values, size_t count) {
  const size_t lanes = hn::Lanes(Few());
  bool is_good = true;
  if (count > 4) {
    AllFinite finite = {values, all_true(Few())};
    cover(0, count, lanes, finite);
    is_good = hn::AllTrue(Few(), finite.good);
    if (indices == nullptr) return is_good;
    AllAscend ascend = {indices, all_true(FewIndices())};
    cover(1, count, hn::Lanes(FewIndices()), ascend);
    return is_good && hn::AllTrue(FewIndices(), ascend.good);
  }
  for (size_t j = 0; j < count; ++j) is_good &= values[j] - values[j] == 0.0;
  for (size_t j = 1; indices != nullptr && j < count; ++j) is_good &= indices[j] > indices[j - 1];
  return is_good;
}

struct Look {
  const uint32_t* table;
  const uint32_t* indices;
  uint32_t none;
  uint32_t* out;
  hn::Mask<hn::CappedTag<uint32_t, 8>> good;
  HWY_INLINE void operator()(size_t j) {
    const hn::CappedTag<uint32_t, 8> d;
    const hn::RebindToSigned<decltype(d)> offsets;
    const auto found = hn::GatherIndex(d, table, hn::BitCast(offsets, hn::LoadU(d, indices + j)));
    good = hn::And(good, hn::Ne(found, hn::Set(d, none)));
    hn::StoreU(found, d, out + j);
  }
};

bool look_up_all(const uint32_t* table, const uint32_t* indices, size_t count, uint32_t none, uint32_t* out) {
  const hn::CappedTag<uint32_t, 8> d;
  if (count >= hn::Lanes(d)) {
    Look look = {table, indices, none, out, all_true(d)};
    cover(0, count, hn::Lanes(d), look);
    return hn::AllTrue(d, look.good);
  }
  bool has_all = true;
  for (size_t j = 0; j < count; ++j) {
    out[j] = table[indices[j]];
    has_all &= out[j] != none;
  }
  return has_all;
}

// Converts, and looks whether all values are within the range of float and none is 0 then.
template <class D>
struct Narrow {
  using Floats = hn::Rebind<float, D>;

  const double* values;
  float* out;
  hn::Mask<D> good = all_true(D());
  hn::Mask<Floats> no_zero = all_true(Floats());
  hn::Mask<Floats> whole = all_true(Floats());
  hn::Mask<Floats> ones = all_true(Floats());

  HWY_INLINE void operator()(size_t j) {
    const Floats d;
    const auto wide = hn::LoadU(D(), values + j);
    const auto value = hn::DemoteTo(d, wide);
    const auto largest = hn::Set(D(), static_cast<double>(std::numeric_limits<float>::max()));
    good = hn::And(good, hn::Le(hn::Abs(wide), largest));
    no_zero = hn::And(no_zero, hn::Ne(value, hn::Zero(d)));
    whole = hn::And(whole, hn::Eq(value, hn::Round(value)));
    ones = hn::And(ones, hn::Eq(value, hn::Set(d, 1.0F)));
    hn::StoreU(value, d, out + j);
  }
};

// The bits of a LoadedRow. It is not made of bools because compilers put these together by way of memory.
HWY_INLINE unsigned bits_of(bool is_plain, bool is_whole, bool is_ones) {
  return (is_plain ? 1U : 0U) | (is_whole ? 2U : 0U) | (is_ones ? 4U : 0U);
}

template <class D>
HWY_INLINE unsigned narrow_all(D /*d*/, const double* values, size_t count, float* out) {
  using Floats = typename Narrow<D>::Floats;
  Narrow<D> narrow = {values, out};
  cover(0, count, hn::Lanes(D()), narrow);
  return bits_of(hn::AllTrue(Floats(), narrow.no_zero) && hn::AllTrue(D(), narrow.good),
                 hn::AllTrue(Floats(), narrow.whole), hn::AllTrue(Floats(), narrow.ones));
}

unsigned load_float(const double* values, size_t count, float* out) {
  if (count >= hn::Lanes(Eight())) return narrow_all(Eight(), values, count, out);
  if (count >= hn::Lanes(Pair())) return narrow_all(Pair(), values, count, out);
  bool is_plain = true;
  bool is_whole = true;
  bool is_ones = true;
  for (size_t j = 0; j < count; ++j) {
    out[j] = static_cast<float>(values[j]);
    const bool fits = values[j] <= std::numeric_limits<float>::max() && values[j] >= -std::numeric_limits<float>::max();
    is_plain &= out[j] != 0.0F && fits;
    is_whole &= out[j] == std::nearbyint(out[j]);
    is_ones &= out[j] == 1.0F;
  }
  return bits_of(is_plain, is_whole, is_ones);
}

unsigned load_double(const double* values, size_t count, double* out) {
  bool is_plain = true;
  for (size_t j = 0; j < count; ++j) {
    out[j] = values[j];
    is_plain &= out[j] != 0.0;
  }
  return bits_of(is_plain, false, false);
}

SquaredNorms norms_float(const float* values, size_t count) {
  const hn::CappedTag<double, 1> one;
  const hn::CappedTag<float, 1> one_float;
  auto norm = hn::Zero(one);
  auto float_norm = hn::Zero(one_float);
  for (size_t j = 0; j < count; ++j) {
    const auto value = hn::Set(one, static_cast<double>(values[j]));
    const auto float_value = hn::Set(one_float, values[j]);
    norm = hn::MulAdd(value, value, norm);
    float_norm = hn::MulAdd(float_value, float_value, float_norm);
  }
  return {hn::GetLane(norm), hn::GetLane(float_norm)};
}
SquaredNorms norms_double(const double* values, size_t count) {
  const hn::CappedTag<double, 1> one;
  auto norm = hn::Zero(one);
  for (size_t j = 0; j < count; ++j) {
    const auto value = hn::Set(one, values[j]);
    norm = hn::MulAdd(value, value, norm);
  }
  return {hn::GetLane(norm), 0.0F};
}

// One vector of rows after the other, in the arithmetic of A.
template <class A, class T>
struct NormsTogether {
  using D = hn::CappedTag<A, kTogether>;
  static constexpr size_t kVectors = kTogether / hn::MaxLanes(D());

  hn::Vec<D> sums[kVectors];

  HWY_INLINE void clear() {
    for (size_t v = 0; v < kVectors; ++v) sums[v] = hn::Zero(D());
  }
  HWY_INLINE void take(const T* values) {
    const hn::Rebind<T, D> from;
    for (size_t v = 0; v < kVectors; ++v) {
      const auto loaded = hn::LoadU(from, values + v * hn::MaxLanes(D()));
      if constexpr (sizeof(T) == sizeof(A)) {
        sums[v] = hn::MulAdd(loaded, loaded, sums[v]);
      } else {
        const auto value = hn::PromoteTo(D(), loaded);
        sums[v] = hn::MulAdd(value, value, sums[v]);
      }
    }
  }
  HWY_INLINE void store(A* norms) const {
    for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], D(), norms + v * hn::MaxLanes(D()));
  }
};
void norms_together_float(const float* values, size_t count, SquaredNorms* norms) {
  double in_double[kTogether];
  float in_float[kTogether];
  NormsTogether<double, float> doubles;
  NormsTogether<float, float> floats;
  doubles.clear();
  floats.clear();
  for (size_t j = 0; j < count; ++j) {
    doubles.take(values + j * kTogether);
    floats.take(values + j * kTogether);
  }
  doubles.store(in_double);
  floats.store(in_float);
  for (size_t r = 0; r < kTogether; ++r) norms[r] = {in_double[r], in_float[r]};
}
void norms_together_double(const double* values, size_t count, SquaredNorms* norms) {
  double in_double[kTogether];
  NormsTogether<double, double> doubles;
  doubles.clear();
  for (size_t j = 0; j < count; ++j) doubles.take(values + j * kTogether);
  doubles.store(in_double);
  for (size_t r = 0; r < kTogether; ++r) norms[r] = {in_double[r], 0.0F};
}

template <class T>
HWY_INLINE void transpose_impl(const T* const* rows, size_t count, T* out) {
  for (size_t j = 0; j < count; ++j) {
    for (size_t r = 0; r < kTogether; ++r) out[j * kTogether + r] = rows[r][j];
  }
}

// Squares of four by four, the last ones overlapping.
void transpose_float(const float* const* rows, size_t count, float* out) {
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<float> d;
  for (size_t first = 0; count >= 4 && first < count; first += 4) {
    const size_t j = HWY_MIN(first, count - 4);
    float* to = out + j * kTogether;
    for (size_t r = 0; r < kTogether; r += 4) {
      const auto a = hn::LoadU(d, rows[r] + j);
      const auto b = hn::LoadU(d, rows[r + 1] + j);
      const auto c = hn::LoadU(d, rows[r + 2] + j);
      const auto e = hn::LoadU(d, rows[r + 3] + j);
      const auto low = hn::InterleaveLower(d, a, c);
      const auto high = hn::InterleaveUpper(d, a, c);
      const auto other_low = hn::InterleaveLower(d, b, e);
      const auto other_high = hn::InterleaveUpper(d, b, e);
      hn::StoreU(hn::InterleaveLower(d, low, other_low), d, to + r);
      hn::StoreU(hn::InterleaveUpper(d, low, other_low), d, to + kTogether + r);
      hn::StoreU(hn::InterleaveLower(d, high, other_high), d, to + 2 * kTogether + r);
      hn::StoreU(hn::InterleaveUpper(d, high, other_high), d, to + 3 * kTogether + r);
    }
  }
  if (count >= 4) return;
#endif
  transpose_impl(rows, count, out);
}
void transpose_double(const double* const* rows, size_t count, double* out) {
  transpose_impl(rows, count, out);
}
}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(sound);
HWY_EXPORT(look_up_all);
HWY_EXPORT(load_float);
HWY_EXPORT(load_double);
HWY_EXPORT(norms_float);
HWY_EXPORT(norms_double);
HWY_EXPORT(norms_together_float);
HWY_EXPORT(norms_together_double);
HWY_EXPORT(transpose_float);
HWY_EXPORT(transpose_double);

bool is_sound(const std::uint32_t* indices, const double* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sound)(indices, values, count);
}
bool look_up(const std::uint32_t* table, const std::uint32_t* indices, std::size_t count, std::uint32_t none,
             std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(look_up_all)(table, indices, count, none, out);
}
LoadedRow load_row(const double* values, std::size_t count, float* out) {
  return {HWY_DYNAMIC_DISPATCH(load_float)(values, count, out)};
}
LoadedRow load_row(const double* values, std::size_t count, double* out) {
  return {HWY_DYNAMIC_DISPATCH(load_double)(values, count, out)};
}
SquaredNorms squared_norms(const float* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(norms_float)(values, count);
}
SquaredNorms squared_norms(const double* values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(norms_double)(values, count);
}
void squared_norms_together(const float* values, size_t count, SquaredNorms* norms) {
  HWY_DYNAMIC_DISPATCH(norms_together_float)(values, count, norms);
}
void squared_norms_together(const double* values, size_t count, SquaredNorms* norms) {
  HWY_DYNAMIC_DISPATCH(norms_together_double)(values, count, norms);
}
void transpose_together(const float* const* rows, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(transpose_float)(rows, count, out);
}
void transpose_together(const double* const* rows, size_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(transpose_double)(rows, count, out);
}

}  // namespace alder::simd
#endif  // HWY_ONCE
