#include "simd/matrix.h"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "simd/column_matrix.h"
#include "simd/every_target.h"
#include "simd/simd.h"

namespace alder {
namespace {

// Around the widths of vectors and of tiles of them, and the size that ALDER has by default.
constexpr std::size_t kOrders[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 200, 203};

template <class T>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

// A lower triangle in columns, the first row below the diagonal being `first` rows further down: 0 or 1.
template <class T>
struct Triangle {
  std::size_t n;
  std::size_t first;
  std::size_t stride;
  AlignedVector<T> numbers = AlignedVector<T>(stride * std::max<std::size_t>(n, 1));

  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return static_cast<double>(numbers[j * stride + i]); }
  [[nodiscard]] bool is_stored(std::size_t i, std::size_t j) const { return i < n && i >= j + first; }

  // What the triangle does not have stays 0, up to padded(n) and, as nobody has a reason to go there, beyond.
  void expect_zeros_elsewhere() const {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < stride; ++i) {
        if (!is_stored(i, j)) {
          ASSERT_EQ(at(i, j), 0.0) << "n " << n << " row " << i << " column " << j;
        }
      }
    }
  }
};

template <class T>
void expect_zeros_beyond(const AlignedVector<T>& x, std::size_t n) {
  for (std::size_t i = n; i < x.size(); ++i) ASSERT_EQ(x[i], T{0}) << "n " << n << " i " << i;
}

class SimdMatrix : public testing::EveryTarget {
 protected:
  template <class T>
  void check_dots_together() {
    for (const std::size_t n : kOrders) {
      const std::size_t room = padded(n) + kLanes;
      const auto a = random<T>(n, -1.0, 1.0);
      const auto b = random<T>(simd::kTogether * room, -1.0, 1.0);
      std::array<T, simd::kTogether> together = {};
      simd::dot_together(a.data(), b.data(), room, n, together.data());
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        EXPECT_EQ(together[r], simd::dot(a.data(), b.data() + r * room, n)) << n << " " << r;
      }
    }
  }

  template <class T>
  Triangle<T> random_triangle(std::size_t n, std::size_t first, std::size_t more) {
    Triangle<T> triangle{n, first, padded(n) + more};
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j + first; i < n; ++i) triangle.numbers[j * triangle.stride + i] = T(uniform(engine_));
    }
    return triangle;
  }

  template <class T, class Check>
  void for_every_order(const Check& check) {
    for (const std::size_t n : kOrders) {
      for (const std::size_t more : {std::size_t{0}, kLanes, 3 * kLanes}) check(T{}, n, more);
    }
  }
  template <class Check>
  void for_both_types(const Check& check) {
    for_every_order<float>(check);
    for_every_order<double>(check);
  }
};

TEST_P(SimdMatrix, DotsTogetherHaveTheBitsOfDotsAlone) {
  check_dots_together<float>();
  check_dots_together<double>();
}

TEST_P(SimdMatrix, TriangleTimesAVector) {
  for_both_types([this](auto zero, std::size_t n, std::size_t more) {
    using T = decltype(zero);
    const Triangle<T> m = random_triangle<T>(n, 0, more);
    const auto x = random<T>(n, -1.0, 1.0);
    AlignedVector<T> out(padded(n), T{77});
    simd::triangle_times(m.numbers.data(), m.stride, n, x.data(), out.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j <= i; ++j) sum += m.at(i, j) * static_cast<double>(x[j]);
      ASSERT_NEAR(static_cast<double>(out[i]), sum, static_cast<double>(i + 1) * kEpsilon<T>) << n << " " << i;
    }
    expect_zeros_beyond(out, n);
  });
}

TEST_P(SimdMatrix, TriangleTimesVectorsTogetherIsTheSameToTheBit) {
  for_both_types([this](auto zero, std::size_t n, std::size_t more) {
    using T = decltype(zero);
    const Triangle<T> m = random_triangle<T>(n, 0, more);
    const std::size_t room = padded(n) + more;
    AlignedVector<T> x(simd::kMostTriangles * room);
    AlignedVector<T> out(simd::kMostTriangles * room, T{77});
    AlignedVector<T> alone(padded(n));
    for (std::size_t v = 0; v < simd::kMostTriangles; ++v) {
      const auto one = random<T>(n, -1.0, 1.0);
      std::copy_n(one.begin(), n, x.begin() + static_cast<std::ptrdiff_t>(v * room));
    }
    simd::triangle_times_together(m.numbers.data(), m.stride, n, x.data(), room, out.data());
    for (std::size_t v = 0; v < simd::kMostTriangles; ++v) {
      simd::triangle_times(m.numbers.data(), m.stride, n, x.data() + v * room, alone.data());
      for (std::size_t i = 0; i < padded(n); ++i) ASSERT_EQ(out[v * room + i], alone[i]) << n << " " << v << " " << i;
      for (std::size_t i = padded(n); i < room; ++i) ASSERT_EQ(out[v * room + i], T{77}) << n << " " << v << " " << i;
    }
  });
}

TEST_P(SimdMatrix, SymmetricTimesVectors) {
  for_both_types([this](auto zero, std::size_t n, std::size_t more) {
    using T = decltype(zero);
    Triangle<T> below = random_triangle<T>(n, 1, more);
    const simd::Symmetric<T> a = {below.numbers.data(), below.stride, n};
    std::vector<AlignedVector<T>> x;
    std::vector<AlignedVector<T>> out;
    std::vector<const T*> from;
    std::vector<T*> to;
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      x.push_back(random<T>(n, -1.0, 1.0));
      out.emplace_back(padded(n), T{77});
      from.push_back(x.back().data());
      to.push_back(out.back().data());
    }
    simd::symmetric_times(a, from.data(), simd::kTogether, to.data());
    for (std::size_t r = 0; r < simd::kTogether; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          if (j != i) sum += below.at(std::max(i, j), std::min(i, j)) * static_cast<double>(x[r][j]);
        }
        ASSERT_NEAR(static_cast<double>(out[r][i]), sum, static_cast<double>(n + 1) * kEpsilon<T>) << n << " " << i;
      }
      expect_zeros_beyond(out[r], n);
    }
    // Fewer of them have the same bits, wherever they stand, and others are left alone.
    for (std::size_t count = 0; count < simd::kTogether; ++count) {
      std::vector<AlignedVector<T>> some(simd::kTogether, AlignedVector<T>(padded(n), T{77}));
      for (std::size_t r = 0; r < simd::kTogether; ++r) to[r] = some[r].data();
      simd::symmetric_times(a, from.data() + simd::kTogether - count, count, to.data());
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        if (r < count) {
          ASSERT_EQ(some[r], out[simd::kTogether - count + r]) << n << " " << count << " " << r;
        } else {
          ASSERT_EQ(some[r], AlignedVector<T>(padded(n), T{77})) << n << " " << count << " " << r;
        }
      }
    }
  });
}

TEST_P(SimdMatrix, AddingOuterProductsKeepsTheZeros) {
  for_both_types([this](auto zero, std::size_t n, std::size_t more) {
    using T = decltype(zero);
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, simd::kMostProducts}) {
      Triangle<T> below = random_triangle<T>(n, 1, more);
      const Triangle<T> before = below;
      AlignedVector<T> u(below.stride * count);
      AlignedVector<T> factors(padded(count));
      for (std::size_t p = 0; p < count; ++p) {
        const auto one = random<T>(n, -1.0, 1.0);
        std::copy_n(one.begin(), n, u.begin() + static_cast<std::ptrdiff_t>(p * below.stride));
        factors[p] = static_cast<T>(-0.1 * static_cast<double>(p + 1));
      }
      const simd::Symmetric<T> a = {below.numbers.data(), below.stride, n};
      simd::add_products(a, factors.data(), u.data(), count);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j + 1; i < n; ++i) {
          double sum = before.at(i, j);
          for (std::size_t p = 0; p < count; ++p) {
            sum += static_cast<double>(factors[p]) * static_cast<double>(u[p * below.stride + i]) *
                   static_cast<double>(u[p * below.stride + j]);
          }
          // Each factor·u_j is rounded, and so is each sum, which is below 5.
          ASSERT_NEAR(below.at(i, j), sum, 6.0 * static_cast<double>(count) * kEpsilon<T>) << n << " " << i << " " << j;
        }
      }
      below.expect_zeros_elsewhere();
    }
  });
}

TEST_P(SimdMatrix, AnOuterProductTimesAVectorLeavesOutItsDiagonal) {
  for_both_types([this](auto zero, std::size_t n, std::size_t /*more*/) {
    using T = decltype(zero);
    const auto u = random<T>(n, -1.0, 1.0);
    const auto x = random<T>(n, -1.0, 1.0);
    auto out = random<T>(n, -1.0, 1.0);
    const auto before = out;
    double along = 0.0;
    for (std::size_t i = 0; i < n; ++i) along += static_cast<double>(u[i]) * static_cast<double>(x[i]);
    const T factor = static_cast<T>(-0.7);
    simd::add_product_times(factor, u.data(), static_cast<T>(along), x.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto ui = static_cast<double>(u[i]);
      const double sum =
          static_cast<double>(before[i]) + static_cast<double>(factor) * ui * (along - ui * static_cast<double>(x[i]));
      ASSERT_NEAR(static_cast<double>(out[i]), sum, static_cast<double>(n + 4) * kEpsilon<T>) << n << " " << i;
    }
    expect_zeros_beyond(out, n);
  });
}

TEST_P(SimdMatrix, AStepOfAdagrad) {
  for_both_types([this](auto zero, std::size_t n, std::size_t) {
    using T = decltype(zero);
    const auto gradient = random<T>(n, -1.0, 1.0);
    auto squares = random<T>(n, 1e-3, 4.0);
    std::fill(squares.begin() + static_cast<std::ptrdiff_t>(n), squares.end(), T{1});
    auto weights = random<T>(n, -1.0, 1.0);
    const auto squares_before = squares;
    const auto weights_before = weights;
    const T step = static_cast<T>(-0.9);
    simd::adagrad_step(step, gradient.data(), n, squares.data(), weights.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto g = static_cast<double>(gradient[i]);
      const double square = static_cast<double>(squares_before[i]) + g * g;
      ASSERT_NEAR(static_cast<double>(squares[i]), square, square * kEpsilon<T>) << n << " " << i;
      const double weight = static_cast<double>(weights_before[i]) + static_cast<double>(step) * g / std::sqrt(square);
      ASSERT_NEAR(static_cast<double>(weights[i]), weight, 5.0 * kEpsilon<T>) << n << " " << i;
    }
    for (std::size_t i = n; i < padded(n); ++i) ASSERT_EQ(squares[i], T{1}) << n << " " << i;
    expect_zeros_beyond(weights, n);
  });
}

TEST_P(SimdMatrix, DotProductsAndScaledSums) {
  for_both_types([this](auto zero, std::size_t n, std::size_t) {
    using T = decltype(zero);
    const auto a = random<T>(n, -1.0, 1.0);
    const auto b = random<T>(n, -1.0, 1.0);
    auto y = random<T>(n, -1.0, 1.0);
    const auto before = y;
    const T factor = static_cast<T>(0.3);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    ASSERT_NEAR(static_cast<double>(simd::dot(a.data(), b.data(), n)), sum, static_cast<double>(n + 1) * kEpsilon<T>);
    simd::add_scaled(factor, a.data(), n, y.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double expected = static_cast<double>(before[i]) + static_cast<double>(factor) * static_cast<double>(a[i]);
      ASSERT_NEAR(static_cast<double>(y[i]), expected, 2.0 * kEpsilon<T>) << n << " " << i;
    }
    expect_zeros_beyond(y, n);
  });
}

// ‖x‖² by the product of a row with itself, and A(x + y) = Ax + Ay where no sum is rounded.
TEST_P(SimdMatrix, SmallIntegersAreExact) {
  for_both_types([this](auto zero, std::size_t n, std::size_t more) {
    using T = decltype(zero);
    Triangle<T> below{n, 1, padded(n) + more};
    AlignedVector<T> x(padded(n));
    for (std::size_t j = 0; j < n; ++j) {
      x[j] = static_cast<T>(static_cast<int>(engine_() % 7) - 3);
      for (std::size_t i = j + 1; i < n; ++i) {
        below.numbers[j * below.stride + i] = static_cast<T>(static_cast<int>(engine_() % 7) - 3);
      }
    }
    const simd::Symmetric<T> a = {below.numbers.data(), below.stride, n};
    AlignedVector<T> out(padded(n));
    AlignedVector<T> after(padded(n));
    const T* const from = x.data();
    T* to = out.data();
    simd::symmetric_times(a, &from, 1, &to);
    const T two = 2;
    simd::add_products(a, &two, x.data(), 1);
    to = after.data();
    simd::symmetric_times(a, &from, 1, &to);
    simd::add_product_times(two, x.data(), static_cast<T>(simd::dot(x.data(), x.data(), n)), x.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(after[i], out[i]) << n << " " << i;
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, SimdMatrix, testing::every_target(), testing::target_name);

TEST(ColumnMatrix, GrowsByZeros) {
  ColumnMatrix<float> matrix;
  EXPECT_EQ(matrix.stride(), 0U);
  for (std::size_t n = 1; n <= 130; ++n) {
    matrix.grow(n);
    ASSERT_GE(matrix.stride(), n);
    ASSERT_EQ(matrix.stride() % kLanes, 0U);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(matrix.column(n - 1)[i], 0.0F);
      ASSERT_EQ(matrix.column(i)[n - 1], 0.0F);
    }
    for (std::size_t j = 0; j < n; ++j) matrix.column(j)[n - 1] = static_cast<float>(1000 * j + n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) ASSERT_EQ(matrix.column(j)[i], static_cast<float>(1000 * j + i + 1));
    }
  }
}

}  // namespace
}  // namespace alder
