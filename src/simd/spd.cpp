#include "simd/spd.h"

#include <algorithm>
#include <cmath>

#include "simd/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/spd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/exponential-inl.h"
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace alder::simd {
namespace HWY_NAMESPACE {

using std::size_t;
using Floats = Lanes<float>;
using Vector = hn::Vec<Floats>;

constexpr size_t kWidth = hn::MaxLanes(Floats());
// A tile is one block high and kColumns columns wide: 8 sums in registers, which keeps the units busy.
constexpr size_t kVectors = kLanes / kWidth;
constexpr size_t kColumns = kWidth >= 4 ? kWidth / 2 : 1;

struct Tile {
  Vector sums[kColumns][kVectors];

  HWY_INLINE void clear() {
    for (size_t c = 0; c < kColumns; ++c) {
      for (size_t v = 0; v < kVectors; ++v) sums[c][v] = hn::Zero(Floats());
    }
  }
  HWY_INLINE void load(const float* from, size_t stride) {
    for (size_t c = 0; c < kColumns; ++c) {
      for (size_t v = 0; v < kVectors; ++v) sums[c][v] = hn::Load(Floats(), from + c * stride + v * kWidth);
    }
  }
  HWY_INLINE void store(float* to, size_t stride) const {
    for (size_t c = 0; c < kColumns; ++c) {
      for (size_t v = 0; v < kVectors; ++v) hn::Store(sums[c][v], Floats(), to + c * stride + v * kWidth);
    }
  }
  // Adds Σ_k u[k·stride + row] · w[k·step + column·jump], or subtracts it.
  template <bool kMinus>
  HWY_INLINE void add(const float* u, size_t stride, const float* w, size_t step, size_t jump, size_t count) {
    const Floats d;
    for (size_t k = 0; k < count; ++k) {
      Vector numbers[kVectors];
      for (size_t v = 0; v < kVectors; ++v) numbers[v] = hn::Load(d, u + k * stride + v * kWidth);
      for (size_t c = 0; c < kColumns; ++c) {
        const auto factor = hn::Set(d, w[k * step + c * jump]);
        for (size_t v = 0; v < kVectors; ++v) {
          sums[c][v] =
              kMinus ? hn::NegMulAdd(factor, numbers[v], sums[c][v]) : hn::MulAdd(factor, numbers[v], sums[c][v]);
        }
      }
    }
  }
};

// A ± Σ_k u_k w_kᵀ, in blocks, or without A, and without the rows and columns of the block at `except`.
template <bool kMinus, bool kFresh>
HWY_INLINE void products(const float* u, const float* w, size_t count, size_t n, size_t except, float* a) {
  for (size_t j = 0; j < n; j += kColumns) {
    const size_t block = j / kLanes * kLanes;
    if (block == except) continue;
    for (size_t i = block; i < n; i += kLanes) {
      if (i == except) continue;
      Tile tile;
      if (kFresh) {
        tile.clear();
      } else {
        tile.load(a + j * n + i, n);
      }
      tile.add<kMinus>(u + i, n, w + j, n, 1, count);
      tile.store(a + j * n + i, n);
    }
  }
}
void add_products_of_vectors(const float* u, size_t count, size_t n, float* a) {
  products<false, false>(u, u, count, n, n, a);
}

struct InPlace {
  float* out;
  HWY_INLINE float* kernel(int v) const { return out + static_cast<size_t>(v) * kWidth; }
};

void gaussian(const float* coordinates, size_t count, size_t n, size_t used, float* out) {
  const Floats d;
  products<false, true>(coordinates, coordinates, count, n, n, out);
  // The squared norms are on the diagonal, which stays as it is until the end.
  HWY_ALIGN float norms[kLanes];
  for (size_t i = 0; i < n; i += kLanes) {
    const size_t end = i + kLanes;
    for (size_t a = i; a < end; ++a) norms[a - i] = out[a * n + a];
    for (size_t j = 0; j < end; ++j) {
      const auto own = hn::Set(d, out[j * n + j]);
      const auto two = hn::Set(d, 2.0F);
      const auto last = hn::Set(d, kLastExponent<float>);
      Vector q[kVectors];
      for (size_t v = 0; v < kVectors; ++v) {
        const auto sum = hn::Add(own, hn::Load(d, norms + v * kWidth));
        const auto square = hn::NegMulAdd(two, hn::Load(d, out + j * n + i + v * kWidth), sum);
        q[v] = hn::Min(hn::Max(square, hn::Zero(d)), last);
      }
      const float norm = out[j * n + j];
      powers<float, static_cast<int>(kVectors)>(q, InPlace{out + j * n + i});
      if (j >= i) out[j * n + j] = norm;
    }
  }
  for (size_t a = 0; a < n; ++a) out[a * n + a] = 1.0F;
  const float nothing = 0x1.0p-125F;
  for (size_t a = used; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      if (b != a) out[b * n + a] = out[a * n + b] = nothing;
    }
  }
}

// Cholesky's factor L of one block, column by column, with the inverses of its diagonal there; above it is anything.
HWY_INLINE bool factor_one(float* block) {
  const Floats d;
  for (size_t p = 0; p < kLanes; ++p) {
    float* column = block + p * kLanes;
    if (!(column[p] > 0.0F)) return false;
    const float inverse = 1.0F / std::sqrt(column[p]);
    Vector numbers[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      numbers[v] = hn::Mul(hn::Set(d, inverse), hn::Load(d, column + v * kWidth));
      hn::Store(numbers[v], d, column + v * kWidth);
    }
    for (size_t c = p + 1; c < kLanes; ++c) {
      float* other = block + c * kLanes;
      const auto factor = hn::Set(d, column[c]);
      for (size_t v = 0; v < kVectors; ++v) {
        hn::Store(hn::NegMulAdd(factor, numbers[v], hn::Load(d, other + v * kWidth)), d, other + v * kWidth);
      }
    }
    column[p] = inverse;
  }
  return true;
}

// For a panel C of kLanes columns: C becomes C L⁻ᵀ, and `solved` C L⁻ᵀ L⁻¹.
HWY_INLINE void solve_panel(const float* factor, size_t n, float* panel, float* solved) {
  const Floats d;
  for (size_t i = 0; i < n; i += kWidth) {
    Vector x[kLanes];
    for (size_t k = 0; k < kLanes; ++k) x[k] = hn::Load(d, panel + k * n + i);
    for (size_t k = 0; k < kLanes; ++k) {
      const float* column = factor + k * kLanes;
      x[k] = hn::Mul(x[k], hn::Set(d, column[k]));
      hn::Store(x[k], d, panel + k * n + i);
      for (size_t m = k + 1; m < kLanes; ++m) x[m] = hn::NegMulAdd(hn::Set(d, column[m]), x[k], x[m]);
    }
    for (size_t k = kLanes; k-- > 0;) {
      x[k] = hn::Mul(x[k], hn::Set(d, factor[k * kLanes + k]));
      hn::Store(x[k], d, solved + k * n + i);
      for (size_t m = 0; m < k; ++m) x[m] = hn::NegMulAdd(hn::Set(d, factor[m * kLanes + k]), x[k], x[m]);
    }
  }
}

// Block by block: with P = L Lᵀ the block on the diagonal, and C its columns, as a panel of n rows, A becomes A − C P⁻¹
// Cᵀ, C becomes C P⁻¹, and P becomes −P⁻¹. The first of these is computed of C L⁻ᵀ, since P⁻¹ itself would lose too
// many digits; P⁻¹ comes about as a part of the panel that starts as 1.
bool invert(float* a, size_t n, float* scratch) {
  float* panel = scratch;
  float* solved = scratch + kLanes * n;
  HWY_ALIGN float block[kLanes * kLanes];
  for (size_t p = 0; p < n; p += kLanes) {
    for (size_t i = 0; i < p; ++i) {
      for (size_t k = 0; k < kLanes; ++k) panel[k * n + i] = a[i * n + p + k];
    }
    for (size_t k = 0; k < kLanes; ++k) {
      const float* column = a + (p + k) * n;
      std::copy(column + p, column + p + kLanes, block + k * kLanes);
      std::fill(panel + k * n + p, panel + k * n + p + kLanes, 0.0F);
      panel[k * n + p + k] = 1.0F;
      std::copy(column + p + kLanes, column + n, panel + k * n + p + kLanes);
    }
    if (!factor_one(block)) return false;
    solve_panel(block, n, panel, solved);
    products<true, false>(panel, panel, kLanes, n, p, a);
    for (size_t i = 0; i < p; ++i) {
      for (size_t k = 0; k < kLanes; ++k) a[i * n + p + k] = solved[k * n + i];
    }
    for (size_t k = 0; k < kLanes; ++k) {
      float* column = a + (p + k) * n;
      for (size_t i = p; i < p + kLanes; ++i) column[i] = -solved[k * n + i];
      std::copy(solved + k * n + p + kLanes, solved + (k + 1) * n, column + p + kLanes);
    }
  }
  return true;
}

void times(const float* a, size_t n, const float* x, float* out) {
  const Floats d;
  std::fill(out, out + n, 0.0F);
  for (size_t j = 0; j < n; ++j) {
    const float* column = a + j * n;
    const size_t block = j / kLanes * kLanes;
    const auto factor = hn::Set(d, x[j]);
    auto sum = hn::Zero(d);
    for (size_t i = block; i < n; i += kWidth) {
      const auto numbers = hn::Load(d, column + i);
      hn::Store(hn::MulAdd(factor, numbers, hn::Load(d, out + i)), d, out + i);
      if (i >= block + kLanes) sum = hn::MulAdd(numbers, hn::Load(d, x + i), sum);
    }
    out[j] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

void weigh(const float* b, size_t n, float* a, float* sums) {
  const Floats d;
  std::fill(sums, sums + n, 0.0F);
  for (size_t j = 0; j < n; ++j) {
    float* column = a + j * n;
    const float* factors = b + j * n;
    const size_t block = j / kLanes * kLanes;
    std::fill(column + block, column + j + 1, 0.0F);
    auto sum = hn::Zero(d);
    for (size_t i = block; i < n; i += kWidth) {
      const auto product = hn::Mul(hn::Load(d, column + i), hn::Load(d, factors + i));
      hn::Store(product, d, column + i);
      hn::Store(hn::Add(product, hn::Load(d, sums + i)), d, sums + i);
      sum = hn::Add(sum, product);
    }
    sums[j] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// Σ_(a > b) A_ab (z_a − z_b)² = Σ_a z_a (sums_a z_a − 2 Σ_(b < a) A_ab z_b). A tile is one block of a and kColumns
// coordinates.
HWY_INLINE void squares_of(const float* a, const float* sums, const float* coordinates, size_t n,
                           double (&out)[kColumns]) {
  const Floats d;
  const auto two = hn::Set(d, 2.0F);
  Vector totals[kColumns];
  for (size_t c = 0; c < kColumns; ++c) totals[c] = hn::Zero(d);
  for (size_t i = 0; i < n; i += kLanes) {
    Tile tile;
    tile.clear();
    tile.add<false>(a + i, n, coordinates, 1, n, i + kLanes);
    for (size_t c = 0; c < kColumns; ++c) {
      for (size_t v = 0; v < kVectors; ++v) {
        const auto z = hn::Load(d, coordinates + c * n + i + v * kWidth);
        const auto own = hn::Mul(hn::Load(d, sums + i + v * kWidth), z);
        totals[c] = hn::MulAdd(z, hn::NegMulAdd(two, tile.sums[c][v], own), totals[c]);
      }
    }
  }
  for (size_t c = 0; c < kColumns; ++c) out[c] = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, totals[c])));
}
void squares(const float* a, const float* sums, const float* coordinates, size_t count, size_t n, double* out) {
  for (size_t j = 0; j < count; j += kColumns) {
    double tile[kColumns];
    squares_of(a, sums, coordinates + j * n, n, tile);
    std::copy(tile, tile + HWY_MIN(kColumns, count - j), out + j);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::simd {

HWY_EXPORT(gaussian);
HWY_EXPORT(invert);
HWY_EXPORT(times);
HWY_EXPORT(add_products_of_vectors);
HWY_EXPORT(weigh);
HWY_EXPORT(squares);

void gaussian_blocks(const float* coordinates, size_t count, size_t n, size_t used, float* out) {
  HWY_DYNAMIC_DISPATCH(gaussian)(coordinates, count, n, used, out);
}
bool invert_blocks(float* a, size_t n, float* scratch) {
  return HWY_DYNAMIC_DISPATCH(invert)(a, n, scratch);
}
void blocks_times(const float* a, size_t n, const float* x, float* out) {
  HWY_DYNAMIC_DISPATCH(times)(a, n, x, out);
}
void add_to_blocks(const float* u, size_t count, size_t n, float* a) {
  HWY_DYNAMIC_DISPATCH(add_products_of_vectors)(u, count, n, a);
}
void weigh_blocks(const float* b, size_t n, float* a, float* sums) {
  HWY_DYNAMIC_DISPATCH(weigh)(b, n, a, sums);
}
void weighted_squares(const float* a, const float* sums, const float* coordinates, size_t count, size_t n,
                      double* out) {
  HWY_DYNAMIC_DISPATCH(squares)(a, sums, coordinates, count, n, out);
}
}  // namespace alder::simd
#endif
