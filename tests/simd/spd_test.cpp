#include "simd/spd.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

constexpr std::size_t kOrdersOfBlocks[] = {16, 32, 48, 80, 256};

class SimdBlocks : public testing::EveryTarget {
 protected:
  /// A symmetric matrix of which what must not be looked at is not a number.
  static AlignedVector<float> without_upper(AlignedVector<float> a, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
      std::fill_n(a.begin() + static_cast<std::ptrdiff_t>(j * n), j / kLanes * kLanes, std::nanf(""));
    }
    return a;
  }
  static double at(const AlignedVector<float>& a, std::size_t n, std::size_t i, std::size_t j) {
    return static_cast<double>(i >= j ? a[j * n + i] : a[i * n + j]);
  }
  AlignedVector<float> symmetric(std::size_t n) {
    AlignedVector<float> a = random<float>(n * n, -1.0, 1.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < j; ++i) a[j * n + i] = a[i * n + j];
    }
    return without_upper(a, n);
  }
};

TEST_P(SimdBlocks, GaussianIsThatOfTheDistances) {
  for (const std::size_t n : kOrdersOfBlocks) {
    for (const std::size_t count : {1U, 2U, 7U, 20U}) {
      const std::size_t used = n - 3;
      const auto z = random<float>(n * count, -0.8, 0.8);
      AlignedVector<float> out(n * n);
      simd::gaussian_blocks(z.data(), count, n, used, out.data());
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j / kLanes * kLanes; i < n; ++i) {
          double square = 0.0;
          for (std::size_t k = 0; k < count; ++k) {
            square += std::pow(static_cast<double>(z[k * n + i]) - static_cast<double>(z[k * n + j]), 2.0);
          }
          const bool is_used = i < used && j < used;
          const double expected = i == j ? 1.0 : (is_used ? std::exp2(-square) : 0.0);
          ASSERT_NEAR(out[j * n + i], expected, 1e-5) << n << ' ' << count << ' ' << i << ' ' << j;
        }
      }
    }
  }
}

TEST_P(SimdBlocks, InverseTimesTheMatrixIsMinusOne) {
  for (const std::size_t n : kOrdersOfBlocks) {
    const auto z = random<float>(n * 3, -1.0, 1.0);
    AlignedVector<float> a(n * n);
    simd::gaussian_blocks(z.data(), 3, n, n, a.data());
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += 0.1F;
    a = without_upper(a, n);
    AlignedVector<float> inverse = a;
    AlignedVector<float> scratch(2 * kLanes * n);
    ASSERT_TRUE(simd::invert_blocks(inverse.data(), n, scratch.data()));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; j += 5) {
        double sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) sum += at(a, n, i, k) * at(inverse, n, k, j);
        ASSERT_NEAR(sum, i == j ? -1.0 : 0.0, 1e-3) << n << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST_P(SimdBlocks, InverseOfManyEqualRowsIsFoundAndOfAnIndefiniteMatrixIsNot) {
  for (const std::size_t n : kOrdersOfBlocks) {
    AlignedVector<float> a(n * n, 1.0F);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += 1e-4F;
    AlignedVector<float> scratch(2 * kLanes * n);
    EXPECT_TRUE(simd::invert_blocks(a.data(), n, scratch.data()));
    for (const float wrong : {-1.0F, 0.0F, std::nanf("")}) {
      std::fill(a.begin(), a.end(), 0.0F);
      for (std::size_t i = 0; i < n; ++i) a[i * n + i] = i + 1 == n ? wrong : 1.0F;
      EXPECT_FALSE(simd::invert_blocks(a.data(), n, scratch.data()));
    }
  }
}

TEST_P(SimdBlocks, ProductsAreThoseOfPlainLoops) {
  for (const std::size_t n : kOrdersOfBlocks) {
    auto a = symmetric(n);
    const auto x = random<float>(n, -1.0, 1.0);
    AlignedVector<float> out(n);
    simd::blocks_times(a.data(), n, x.data(), out.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += at(a, n, i, j) * static_cast<double>(x[j]);
      ASSERT_NEAR(out[i], sum, 1e-4);
    }
    for (const std::size_t count : {1U, 3U, 16U}) {
      const auto u = random<float>(n * count, -1.0, 1.0);
      const auto before = a;
      simd::add_to_blocks(u.data(), count, n, a.data());
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j / kLanes * kLanes; i < n; ++i) {
          double sum = before[j * n + i];
          for (std::size_t k = 0; k < count; ++k) {
            sum += static_cast<double>(u[k * n + i]) * static_cast<double>(u[k * n + j]);
          }
          ASSERT_NEAR(a[j * n + i], sum, 1e-4);
        }
      }
    }
  }
}

TEST_P(SimdBlocks, WeightedSquaresAreThoseOfPlainLoops) {
  for (const std::size_t n : kOrdersOfBlocks) {
    for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 17U}) {
      auto a = symmetric(n);
      const auto b = symmetric(n);
      const auto before = a;
      const auto z = random<float>(n * padded(count), -1.0, 1.0);
      AlignedVector<float> sums(n);
      simd::weigh_blocks(b.data(), n, a.data(), sums.data());
      std::vector<double> squares(count + 1, 7.0);
      simd::weighted_squares(a.data(), sums.data(), z.data(), count, n, squares.data());
      EXPECT_EQ(squares.back(), 7.0);
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) sum += i == j ? 0.0 : at(before, n, i, j) * at(b, n, i, j);
        ASSERT_NEAR(sums[i], sum, 1e-4);
      }
      for (std::size_t k = 0; k < count; ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            const double difference = static_cast<double>(z[k * n + i]) - static_cast<double>(z[k * n + j]);
            sum += at(before, n, i, j) * at(b, n, i, j) * difference * difference;
          }
        }
        ASSERT_NEAR(squares[k], sum, 1e-5 * static_cast<double>(n * n)) << n << ' ' << count << ' ' << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SimdBlocks, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
