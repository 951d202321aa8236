#include "simd/simd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

using testing::kSizes;
using testing::Matrix;

class Simd : public testing::EveryTarget {
 protected:
  template <class T>
  Matrix<T> random_matrix(std::size_t count, std::size_t n) {
    Matrix<T> matrix;
    for (std::size_t j = 0; j < count; ++j) matrix.add(random<T>(n, -1.0, 1.0));
    matrix.values = random<T>(count, -1.0, 1.0);
    return matrix;
  }

  // dots() against the definition; the bound is that of a sum of `count` rounded products.
  template <class T, class A>
  void check_dots() {
    for (const std::size_t n : kSizes) {
      for (const std::size_t count : {0, 1, 2, 13, 100}) {
        const Matrix<T> matrix = random_matrix<T>(count, n);
        AlignedVector<A> out(padded(n), A{77});
        simd::dots(matrix.columns.data(), matrix.values.data(), count, n, out.data());
        const double tolerance =
            static_cast<double>(count + 1) * static_cast<double>(std::numeric_limits<A>::epsilon());
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_NEAR(static_cast<double>(out[i]), matrix.dot(i), tolerance)
              << "n " << n << " count " << count << " i " << i;
        }
        for (const A number : out) ASSERT_TRUE(std::isfinite(number));
      }
    }
  }

  template <class T, class A>
  void check_zeros_change_nothing() {
    for (const std::size_t n : kSizes) {
      Matrix<T> matrix = random_matrix<T>(40, n);
      Matrix<T> rest;
      std::vector<T> values;
      for (std::size_t j = 0; j < 40; ++j) {
        if (engine_() % 3 == 0) {
          matrix.values[j] = T{0};
        } else {
          rest.add(matrix.storage[j]);
          values.push_back(matrix.values[j]);
        }
      }
      rest.values.assign(values.begin(), values.end());
      AlignedVector<A> all(padded(n));
      AlignedVector<A> some(padded(n));
      simd::dots(matrix.columns.data(), matrix.values.data(), 40, n, all.data());
      simd::dots(rest.columns.data(), rest.values.data(), values.size(), n, some.data());
      ASSERT_EQ(all, some) << n;
    }
  }

  // Pieces of columns that are all 0 are left out.
  template <class T, class A>
  void check_pieces() {
    for (std::size_t n = kLanes; n <= 8 * kLanes; n += kLanes) {
      for (const std::size_t count : {0, 1, 2, 30}) {
        Matrix<T> matrix = random_matrix<T>(count, n);
        AlignedVector<A> out(n);
        std::vector<simd::Piece<T, A>> pieces;
        for (std::size_t j = 0; j < count; ++j) {
          for (std::size_t first = 0; first < n; first += kLanes) {
            if (engine_() % 2 == 0) {
              std::fill_n(matrix.storage[j].data() + first, kLanes, T{0});
            } else {
              pieces.push_back({matrix.columns[j] + first, out.data() + first, matrix.values[j]});
            }
          }
        }
        AlignedVector<A> whole(n);
        simd::dots(matrix.columns.data(), matrix.values.data(), count, n, whole.data());
        simd::add_pieces(pieces.data(), pieces.size());
        ASSERT_EQ(out, whole) << "n " << n << " count " << count;
      }
    }
  }

  template <class A>
  void check_row_sums() {
    for (const std::size_t front_n : {0, 16, 32, 48}) {
      for (const std::size_t n : kSizes) {
        const auto front_weights = random<double>(front_n, -1.0, 1.0);
        const auto weights = random<double>(n, -1.0, 1.0);
        const auto front = random<A>(front_n, 0.0, 9.0);
        const auto values = random<A>(n, 0.0, 1.0);
        double front_sum = 0.0;
        for (std::size_t i = 0; i < front_n; ++i) front_sum += front_weights[i] * static_cast<double>(front[i]);
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += weights[i] * static_cast<double>(values[i]);
        const simd::RowSums sums =
            simd::row_sums(front_weights.data(), front.data(), front_n, weights.data(), values.data(), n, A{0.5});
        ASSERT_NEAR(sums.front, front_sum, 1e-14 * static_cast<double>(front_n + 1)) << front_n << " " << n;
        ASSERT_NEAR(sums.sum, sum, 1e-15 * static_cast<double>(n + 1)) << front_n << " " << n;
      }
    }
  }

  // One value, or product, that is not small, wherever it is.
  template <class A>
  void check_small() {
    const A small{0.25};
    for (const std::size_t n : kSizes) {
      const auto weights = random<double>(n, -9.0, 9.0);
      AlignedVector<A> values(padded(n), A{-3});
      std::fill_n(values.begin(), n, A{0.125});
      ASSERT_TRUE(simd::row_sums(nullptr, values.data(), 0, weights.data(), values.data(), n, small).is_small) << n;
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = small;
        ASSERT_FALSE(simd::row_sums(nullptr, values.data(), 0, weights.data(), values.data(), n, small).is_small) << n;
        values[i] = A{0};
      }
    }
    for (const std::size_t n : {16, 32, 48}) {
      AlignedVector<double> weights(n, -0.5);
      const AlignedVector<A> front(n, A{0.4375});
      const auto is_small = [&] {
        return simd::row_sums(weights.data(), front.data(), n, nullptr, front.data(), 0, small).front_is_small;
      };
      ASSERT_TRUE(is_small());
      for (double& weight : weights) {
        weight = -0.6;
        ASSERT_FALSE(is_small()) << n;
        weight = 0.0;
      }
    }
  }

  template <class A>
  void check_index_of_least() {
    const A infinity = std::numeric_limits<A>::infinity();
    for (std::size_t n = 1; n <= 70; ++n) {
      AlignedVector<A> numbers(padded(n), A{-7});  // beyond n there may be anything
      std::fill_n(numbers.begin(), n, infinity);
      ASSERT_EQ(simd::index_of_least(numbers.data(), n), 0U) << n;
      for (std::size_t first = 0; first < n; ++first) {
        std::fill_n(numbers.begin(), n, A{5});
        numbers[first] = A{3};
        ASSERT_EQ(simd::index_of_least(numbers.data(), n), first) << n;
        for (std::size_t again = first + 1; again < n; ++again) {
          numbers[again] = A{3};
          ASSERT_EQ(simd::index_of_least(numbers.data(), n), first) << n << " " << again;
        }
      }
    }
  }

  void check_waves(std::size_t n, double reach);
};

TEST_P(Simd, FloatDotsMatchTheDefinition) {
  check_dots<float, float>();
}
TEST_P(Simd, MixedDotsMatchTheDefinition) {
  check_dots<float, double>();
}
TEST_P(Simd, DoubleDotsMatchTheDefinition) {
  check_dots<double, double>();
}

TEST_P(Simd, FeaturesWithValueZeroChangeNoBitOfADot) {
  check_zeros_change_nothing<float, float>();
  check_zeros_change_nothing<float, double>();
  check_zeros_change_nothing<double, double>();
}

TEST_P(Simd, PiecesGiveTheBitsOfWholeColumns) {
  check_pieces<float, float>();
  check_pieces<float, double>();
  check_pieces<double, double>();
}

TEST_P(Simd, RowSumsMatchTheDefinition) {
  check_row_sums<float>();
  check_row_sums<double>();
}
TEST_P(Simd, RowSumsFindTheLargestValueWhereverItIs) {
  check_small<float>();
  check_small<double>();
}

TEST_P(Simd, IndexOfLeastIsTheFirstOnATie) {
  check_index_of_least<float>();
  check_index_of_least<double>();
}

TEST_P(Simd, DotMatchesTheDefinition) {
  for (const std::size_t n : kSizes) {
    const auto a = random<double>(n, -1.0, 1.0);
    auto b = random<double>(n, -1.0, 1.0);
    std::fill(b.begin() + static_cast<std::ptrdiff_t>(n), b.end(), 77.0);  // times 0
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(simd::dot(a.data(), b.data(), n), sum, 1e-15 * static_cast<double>(n + 1)) << n;
  }
}

TEST_P(Simd, UnalignedDotLooksAtItsNumbersOnly) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t n : kSizes) {
    for (const std::size_t shift : {0, 1, 2, 3, 7}) {
      std::vector<double> a(n + 20, nan);
      std::vector<double> b(n + 20, nan);
      const auto numbers = random<double>(2 * n, -1.0, 1.0);
      std::copy_n(numbers.data(), n, a.data() + shift);
      std::copy_n(numbers.data() + n, n, b.data() + 2 * shift);
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += numbers[i] * numbers[n + i];
      EXPECT_NEAR(simd::dot_unaligned(a.data() + shift, b.data() + 2 * shift, n), sum,
                  1e-15 * static_cast<double>(n + 1))
          << n << " " << shift;
    }
  }
}

TEST_P(Simd, QuadraticFormIsThatOfTheTriangle) {
  for (const std::size_t n : kSizes) {
    const auto a = random<double>(n, -1.0, 1.0);
    const auto numbers = random<double>(n * (n + 1) / 2, -1.0, 1.0);
    const std::vector<double> triangle(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n * (n + 1) / 2));
    double form = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) form += (i == j ? 1.0 : 2.0) * a[i] * a[j] * triangle[i * (i + 1) / 2 + j];
    }
    EXPECT_NEAR(simd::quadratic_form(triangle.data(), a.data(), n), form, 1e-15 * static_cast<double>(n * n + 1)) << n;
  }
}

TEST_P(Simd, ScaleMultipliesToThePaddedEndAndNoFurther) {
  for (const std::size_t n : kSizes) {
    auto x = random<double>(padded(n) + kLanes, -1.0, 1.0);
    const auto before = x;
    simd::scale(0.3, n, x.data());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], i < padded(n) ? 0.3 * before[i] : before[i]) << n;
  }
}

TEST_P(Simd, AddScaledMatchesTheDefinition) {
  for (const std::size_t n : kSizes) {
    const auto x = random<double>(padded(n) + kLanes, -1.0, 1.0);
    auto y = random<double>(padded(n) + kLanes, -1.0, 1.0);
    const auto before = y;
    simd::add_scaled(0.3, x.data(), n, y.data());
    for (std::size_t i = 0; i < padded(n); ++i) ASSERT_NEAR(y[i], before[i] + 0.3 * x[i], 3e-16);
    for (std::size_t i = padded(n); i < y.size(); ++i) ASSERT_EQ(y[i], before[i]);
  }
}

// Within the rounding of the reduced argument: 4 ulp of 1, and half an ulp of the phase itself is not an error.
void Simd::check_waves(std::size_t n, double reach) {
  const auto floats = random<float>(n, -reach, reach);
  const auto doubles = random<double>(n, -reach, reach);
  AlignedVector<double> cosines(padded(n), 77.0);
  AlignedVector<double> sines(padded(n), 77.0);
  simd::waves(floats.data(), 0.5, n, cosines.data(), sines.data());
  for (std::size_t i = 0; i < padded(n); ++i) {
    const auto phase = static_cast<double>(floats[i]);
    ASSERT_NEAR(cosines[i], i < n ? 0.5 * std::cos(phase) : 0.0, 3e-7) << phase;
    ASSERT_NEAR(sines[i], i < n ? 0.5 * std::sin(phase) : 0.0, 3e-7) << phase;
  }
  simd::waves(doubles.data(), 0.5, n, cosines.data(), sines.data());
  for (std::size_t i = 0; i < padded(n); ++i) {
    ASSERT_NEAR(cosines[i], i < n ? 0.5 * std::cos(doubles[i]) : 0.0, 1e-15);
    ASSERT_NEAR(sines[i], i < n ? 0.5 * std::sin(doubles[i]) : 0.0, 1e-15);
  }
  for (std::size_t i = n; i < padded(n); ++i) ASSERT_EQ(std::fabs(cosines[i]) + std::fabs(sines[i]), 0.0);
}

TEST_P(Simd, WavesMatchCosineAndSine) {
  for (const std::size_t n : kSizes) {
    for (const double reach : {3.0, 50.0, 30000.0}) check_waves(n, reach);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Simd, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
