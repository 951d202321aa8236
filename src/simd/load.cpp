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

// Rows are short, so vectors are too: what is left over at the end costs less. Two doubles where they are converted:
// the narrow result of a wider vector hides from the compiler that it has to leave the wide state, and whatever comes
// next would pay for it.
using Few = hn::CappedTag<double, 4>;
using FewIndices = hn::CappedTag<uint32_t, 4>;
using Pair = hn::CappedTag<double, 2>;
using FewFloats = hn::Rebind<float, Pair>;

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

// Converts, and looks whether all values are within the range of float and none is 0 then.
struct Narrow {
  const double* values;
  float* out;
  hn::Mask<FewFloats> no_zero;
  hn::Mask<FewFloats> whole;
  hn::Mask<FewFloats> ones;
  hn::Mask<Pair> good;
  HWY_INLINE void operator()(size_t j) {
    const FewFloats d;
    const auto wide = hn::LoadU(Pair(), values + j);
    const auto value = hn::DemoteTo(d, wide);
    const auto largest = hn::Set(Pair(), static_cast<double>(std::numeric_limits<float>::max()));
    good = hn::And(good, hn::Le(hn::Abs(wide), largest));
    no_zero = hn::And(no_zero, hn::Ne(value, hn::Zero(d)));
    whole = hn::And(whole, hn::Eq(value, hn::Round(value)));
    ones = hn::And(ones, hn::Eq(value, hn::Set(d, 1.0F)));
    hn::StoreU(value, d, out + j);
  }
};

LoadedRow load_float(const double* values, size_t count, float* out) {
  const size_t lanes = hn::Lanes(Pair());
  LoadedRow row = {true, true, true, 0.0, 0.0F};
  size_t j = 0;
  if (count >= lanes) {
    const auto all = all_true(FewFloats());
    Narrow narrow = {values, out, all, all, all, all_true(Pair())};
    cover(0, count, lanes, narrow);
    row.is_plain = hn::AllTrue(FewFloats(), narrow.no_zero) && hn::AllTrue(Pair(), narrow.good);
    row.is_whole = hn::AllTrue(FewFloats(), narrow.whole);
    row.is_ones = hn::AllTrue(FewFloats(), narrow.ones);
  } else {
    for (; j < count; ++j) {
      out[j] = static_cast<float>(values[j]);
      const bool fits =
          values[j] <= std::numeric_limits<float>::max() && values[j] >= -std::numeric_limits<float>::max();
      row.is_plain &= out[j] != 0.0F && fits;
      row.is_whole &= out[j] == std::nearbyint(out[j]);
      row.is_ones &= out[j] == 1.0F;
    }
  }
  if (!row.is_plain) return row;
  const hn::CappedTag<double, 1> one;
  const hn::CappedTag<float, 1> one_float;
  auto norm = hn::Zero(one);
  auto float_norm = hn::Zero(one_float);
  for (j = 0; j < count; ++j) {
    const auto value = hn::Set(one, static_cast<double>(out[j]));
    const auto float_value = hn::Set(one_float, out[j]);
    norm = hn::MulAdd(value, value, norm);
    float_norm = hn::MulAdd(float_value, float_value, float_norm);
  }
  row.norm = hn::GetLane(norm);
  row.float_norm = hn::GetLane(float_norm);
  return row;
}

LoadedRow load_double(const double* values, size_t count, double* out) {
  bool is_plain = true;
  for (size_t j = 0; j < count; ++j) {
    out[j] = values[j];
    is_plain &= out[j] != 0.0;
  }
  return {is_plain, false, false, is_plain ? squared_norm_impl<double>(out, count) : 0.0, 0.0F};
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
}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(sound);
HWY_EXPORT(look_up_all);
HWY_EXPORT(load_float);
HWY_EXPORT(load_double);
HWY_EXPORT(norm_float);
HWY_EXPORT(norm_mixed);
HWY_EXPORT(norm_double);

bool is_sound(const std::uint32_t* indices, const double* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sound)(indices, values, count);
}
bool look_up(const std::uint32_t* table, const std::uint32_t* indices, std::size_t count, std::uint32_t none,
             std::uint32_t* out) {
  return HWY_DYNAMIC_DISPATCH(look_up_all)(table, indices, count, none, out);
}
LoadedRow load_row(const double* values, std::size_t count, float* out) {
  return HWY_DYNAMIC_DISPATCH(load_float)(values, count, out);
}
LoadedRow load_row(const double* values, std::size_t count, double* out) {
  return HWY_DYNAMIC_DISPATCH(load_double)(values, count, out);
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

}  // namespace alder::simd
#endif  // HWY_ONCE
