#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

using testing::Matrix;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMost = 40;  // the longest row that is tried at every position

class Load : public testing::EveryTarget {
 protected:
  // The primitive looks for these at every position; arrays are as long as their content, for the sanitizers.
  template <class T>
  void check_loaded(const std::vector<double>& bad_values) {
    for (std::size_t count = 0; count <= kMost; ++count) {
      const auto random_values = random<double>(count, 0.5, 3.0);
      std::vector<double> values(random_values.begin(), random_values.begin() + static_cast<std::ptrdiff_t>(count));
      for (std::size_t j = 0; j < count; j += 2) values[j] = -values[j];
      std::vector<T> out(count, T{77});
      const simd::LoadedRow row = simd::load_row(values.data(), count, out.data());
      ASSERT_TRUE(row.is_plain()) << count;
      ASSERT_EQ(row.is_whole(), count == 0 && sizeof(T) == sizeof(float)) << count;
      for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(out[j], static_cast<T>(values[j])) << count << " " << j;
      for (std::size_t j = 0; j < count; ++j) {
        for (const double bad : bad_values) {
          const double before = values[j];
          values[j] = bad;
          ASSERT_FALSE(simd::load_row(values.data(), count, out.data()).is_plain()) << count << " " << j << " " << bad;
          values[j] = before;
        }
      }
    }
  }

  // Arrays are as long as their content.
  template <class T>
  void check_together() {
    for (std::size_t count = 0; count <= kMost; ++count) {
      std::vector<std::vector<T>> rows;
      std::vector<const T*> pointers;
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        const auto values = random<T>(count, -3.0, 3.0);
        rows.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
      }
      for (const auto& row : rows) pointers.push_back(row.data());
      std::vector<T> block(count * simd::kTogether, T{77});
      simd::transpose_together(pointers.data(), count, block.data());
      std::vector<simd::SquaredNorms> norms(simd::kTogether);
      simd::squared_norms_together(block.data(), count, norms.data());
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(block[j * simd::kTogether + r], rows[r][j]) << count;
        const simd::SquaredNorms alone = simd::squared_norms(rows[r].data(), count);
        ASSERT_EQ(norms[r].in_double, alone.in_double) << count << " " << r;
        ASSERT_EQ(norms[r].in_float, alone.in_float) << count << " " << r;
      }
    }
  }

  // The squared norm of a row and its dot with an element that equals it, among others.
  template <class T, class A, class Norm>
  void check_norm(const Norm& norm) {
    for (const std::size_t count : {0, 1, 2, 3, 7, 8, 9, 100, 1000}) {
      Matrix<T> matrix;
      matrix.values = random<T>(count, -3.0, 3.0);
      for (const std::size_t n : {1, 16, 65, 400}) {
        matrix.columns.clear();
        matrix.storage.clear();
        for (std::size_t j = 0; j < count; ++j) matrix.add(random<T>(n, -3.0, 3.0));
        for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
          for (std::size_t j = 0; j < count; ++j) matrix.storage[j][i] = matrix.values[j];
        }
        AlignedVector<A> out(padded(n));
        simd::dots(matrix.columns.data(), matrix.values.data(), count, n, out.data());
        for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
          ASSERT_EQ(out[i], norm(matrix.values.data(), count)) << count << " " << n << " " << i;
        }
      }
    }
  }
};

TEST_P(Load, IntegersAreKnownAtEveryPosition) {
  for (std::size_t count = 1; count <= kMost; ++count) {
    std::vector<double> values(count);
    std::vector<float> out(count);
    std::fill(values.begin(), values.end(), 1.0);
    ASSERT_TRUE(simd::load_row(values.data(), count, out.data()).is_ones()) << count;
    for (const std::size_t j : {std::size_t{0}, count / 2, count - 1}) {
      values[j] = -1.0;
      ASSERT_FALSE(simd::load_row(values.data(), count, out.data()).is_ones()) << count << " " << j;
      values[j] = 1.0;
    }
    for (std::size_t j = 0; j < count; ++j)
      values[j] = (j % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(1 + engine_() % 9);
    ASSERT_TRUE(simd::load_row(values.data(), count, out.data()).is_whole()) << count;
    for (std::size_t j = 0; j < count; ++j) {
      for (const double fraction : {0.5, 1e-6, -0.25}) {
        const double before = values[j];
        values[j] += fraction;
        ASSERT_FALSE(simd::load_row(values.data(), count, out.data()).is_whole()) << count << " " << j;
        values[j] = before;
      }
    }
  }
}

TEST_P(Load, IsSoundFindsWhatIsNotFiniteAtEveryPosition) {
  for (std::size_t count = 0; count <= kMost; ++count) {
    std::vector<std::uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 5U);
    std::vector<double> values(count, std::numeric_limits<double>::max());
    ASSERT_TRUE(simd::is_sound(nullptr, values.data(), count)) << count;
    ASSERT_TRUE(simd::is_sound(indices.data(), values.data(), count)) << count;
    for (std::size_t j = 0; j < count; ++j) {
      for (const double bad : {kNan, -kNan, kInfinity, -kInfinity}) {
        values[j] = bad;
        ASSERT_FALSE(simd::is_sound(nullptr, values.data(), count)) << count << " " << j << " " << bad;
        ASSERT_FALSE(simd::is_sound(indices.data(), values.data(), count)) << count << " " << j << " " << bad;
      }
      values[j] = j % 2 == 0 ? -0.0 : std::numeric_limits<double>::denorm_min();
      ASSERT_TRUE(simd::is_sound(indices.data(), values.data(), count)) << count << " " << j;
    }
  }
}

TEST_P(Load, IsSoundFindsWhatDoesNotAscendAtEveryPosition) {
  for (std::size_t count = 2; count <= kMost; ++count) {
    const std::vector<double> values(count, 1.0);
    std::vector<std::uint32_t> indices(count);
    for (std::size_t j = 0; j < count; ++j) {
      // Up to the largest indices, half of which would be negative as signed numbers.
      indices[j] = static_cast<std::uint32_t>(0xFFFFFFFFU - 100000000U * (count - 1 - j));
    }
    ASSERT_TRUE(simd::is_sound(indices.data(), values.data(), count)) << count;
    for (std::size_t j = 1; j < count; ++j) {
      const std::uint32_t before = indices[j];
      for (const std::uint32_t bad : {indices[j - 1], indices[j - 1] - 1, 0U}) {
        indices[j] = bad;
        ASSERT_FALSE(simd::is_sound(indices.data(), values.data(), count)) << count << " " << j << " " << bad;
      }
      indices[j] = before;
    }
  }
}

TEST_P(Load, LookUpFindsEveryNumberAndEveryNone) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> table(1000);
  for (std::uint32_t& number : table) number = static_cast<std::uint32_t>(engine_() % kNone);
  for (std::size_t count = 0; count <= kMost; ++count) {
    std::vector<std::uint32_t> indices(count);
    for (std::size_t j = 0; j < count; ++j) indices[j] = static_cast<std::uint32_t>(25 * j + engine_() % 25);
    if (count > 0) indices[count - 1] = static_cast<std::uint32_t>(table.size() - 1);
    std::vector<std::uint32_t> out(count, 77U);
    ASSERT_TRUE(simd::look_up(table.data(), indices.data(), count, kNone, out.data())) << count;
    for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(out[j], table[indices[j]]) << count << " " << j;
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t before = table[indices[j]];
      table[indices[j]] = kNone;
      ASSERT_FALSE(simd::look_up(table.data(), indices.data(), count, kNone, out.data())) << count << " " << j;
      for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(out[k], table[indices[k]]) << count << " " << j;
      table[indices[j]] = before;
    }
  }
}

TEST_P(Load, FloatRowsArePlainUnlessAValueBecomesZeroOrInfinite) {
  check_loaded<float>({0.0, -0.0, 1e-60, -1e-60, 1e39, -1e39, 3.5e38, std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::denorm_min()});
}
TEST_P(Load, DoubleRowsArePlainUnlessAValueIsZero) {
  check_loaded<double>({0.0, -0.0});
}

TEST_P(Load, TheLargestAndSmallestFloatsArePlain) {
  for (const float extreme : {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()}) {
    for (const std::size_t count : {1, 2, 3, 8}) {
      const std::vector<double> values(count, static_cast<double>(-extreme));
      std::vector<float> out(count);
      EXPECT_TRUE(simd::load_row(values.data(), count, out.data()).is_plain()) << extreme;
      for (const float value : out) EXPECT_EQ(value, -extreme);
    }
  }
}

TEST_P(Load, NormIsTheDotOfARowWithItselfToTheBit) {
  check_norm<float, float>([](const float* values, std::size_t n) { return simd::squared_norms(values, n).in_float; });
  check_norm<float, double>(
      [](const float* values, std::size_t n) { return simd::squared_norms(values, n).in_double; });
  check_norm<double, double>(
      [](const double* values, std::size_t n) { return simd::squared_norms(values, n).in_double; });
}

TEST_P(Load, TransposesEightRowsAndHasTheirNormsToTheBit) {
  check_together<float>();
  check_together<double>();
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Load, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
