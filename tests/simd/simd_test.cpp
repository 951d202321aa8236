#include "simd/simd.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace alder {
namespace {

// Around the widths of every target's vectors and blocks, and a typical budget.
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 400};

// Runs a check once for every instruction set that this processor has.
class EveryTarget : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  std::mt19937_64 engine_{17};

  template <class T>
  AlignedVector<T> random(std::size_t n, double low, double high) {
    std::uniform_real_distribution<double> uniform(low, high);
    AlignedVector<T> values(padded(n));
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(uniform(engine_));
    return values;
  }

  // dots() against the definition; the bound is that of a sum of `count` rounded products.
  template <class T, class A>
  void check_dots() {
    for (const std::size_t n : kSizes) {
      for (const std::size_t count : {0, 1, 2, 13, 100}) {
        std::vector<AlignedVector<T>> storage;
        std::vector<const T*> columns;
        for (std::size_t j = 0; j < count; ++j) storage.push_back(random<T>(n, -1.0, 1.0));
        for (const auto& column : storage) columns.push_back(column.data());
        const auto values = random<T>(count, -1.0, 1.0);
        AlignedVector<A> out(padded(n), A{77});
        simd::dots(columns.data(), values.data(), count, n, out.data());
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0.0;
          for (std::size_t j = 0; j < count; ++j) {
            sum += static_cast<double>(values[j]) * static_cast<double>(storage[j][i]);
          }
          const double tolerance =
              static_cast<double>(count + 1) * static_cast<double>(std::numeric_limits<A>::epsilon());
          ASSERT_NEAR(static_cast<double>(out[i]), sum, tolerance) << "n " << n << " count " << count << " i " << i;
        }
      }
    }
  }

  template <class A>
  void check_radial(bool root) {
    const A gamma = A{3};
    for (const std::size_t n : kSizes) {
      const auto norms = random<A>(n, 1.0, 2.0);
      const auto dots = random<A>(n, -1.0, 1.4);
      AlignedVector<A> exponents = dots;
      const A least = simd::radial_exponents(norms.data(), A{1.5}, gamma, root, n, exponents.data());
      AlignedVector<double> values(padded(n), 77.0);
      simd::exponentials(exponents.data(), least, n, values.data());
      const double epsilon = static_cast<double>(std::numeric_limits<A>::epsilon());
      double smallest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < n; ++i) {
        const double squared = std::max(0.0, 1.5 + static_cast<double>(norms[i]) - 2.0 * static_cast<double>(dots[i]));
        const double q = 3.0 * (root ? std::sqrt(squared) : squared);
        // The root magnifies the rounding of a small squared distance.
        const double tolerance =
            root ? 8.0 * std::sqrt(epsilon * epsilon + epsilon * (squared < 0.01 ? 1.0 : epsilon / 0.01))
                 : 32.0 * epsilon;
        ASSERT_NEAR(static_cast<double>(exponents[i]), q, tolerance) << "n " << n << " i " << i;
        smallest = std::min(smallest, static_cast<double>(exponents[i]));
        const double exact = std::exp(static_cast<double>(least) - static_cast<double>(exponents[i]));
        ASSERT_NEAR(values[i], exact, 16.0 * epsilon * exact) << "n " << n << " i " << i;
      }
      if (n > 0) {
        ASSERT_EQ(static_cast<double>(least), smallest);
      }
      for (std::size_t i = n; i < padded(n); ++i) {
        ASSERT_TRUE(values[i] >= 0.0 && values[i] <= 1.0);
      }
    }
  }
};

TEST_P(EveryTarget, FloatDotsMatchTheDefinition) {
  check_dots<float, float>();
}
TEST_P(EveryTarget, MixedDotsMatchTheDefinition) {
  check_dots<float, double>();
}
TEST_P(EveryTarget, DoubleDotsMatchTheDefinition) {
  check_dots<double, double>();
}

TEST_P(EveryTarget, FloatGaussianExponentialsMatchTheDefinition) {
  check_radial<float>(false);
}
TEST_P(EveryTarget, DoubleGaussianExponentialsMatchTheDefinition) {
  check_radial<double>(false);
}
TEST_P(EveryTarget, FloatLaplacianExponentialsMatchTheDefinition) {
  check_radial<float>(true);
}
TEST_P(EveryTarget, DoubleLaplacianExponentialsMatchTheDefinition) {
  check_radial<double>(true);
}

TEST_P(EveryTarget, NormIsTheDotOfARowWithItselfToTheBit) {
  for (const std::size_t count : {0, 1, 2, 7, 100, 1000}) {
    const auto floats = random<float>(count, -3.0, 3.0);
    const auto doubles = random<double>(count, -3.0, 3.0);
    for (const std::size_t n : {1, 16, 65}) {
      std::vector<AlignedVector<float>> float_columns;
      std::vector<AlignedVector<double>> double_columns;
      std::vector<const float*> floats_at;
      std::vector<const double*> doubles_at;
      for (std::size_t j = 0; j < count; ++j) {
        float_columns.emplace_back(padded(n), floats[j]);
        double_columns.emplace_back(padded(n), doubles[j]);
      }
      for (const auto& column : float_columns) floats_at.push_back(column.data());
      for (const auto& column : double_columns) doubles_at.push_back(column.data());
      AlignedVector<float> narrow(padded(n));
      AlignedVector<double> wide(padded(n));
      simd::dots(floats_at.data(), floats.data(), count, n, narrow.data());
      EXPECT_EQ(narrow[n - 1], simd::squared_norm_float(floats.data(), count));
      simd::dots(floats_at.data(), floats.data(), count, n, wide.data());
      EXPECT_EQ(wide[n - 1], simd::squared_norm_double(floats.data(), count));
      simd::dots(doubles_at.data(), doubles.data(), count, n, wide.data());
      EXPECT_EQ(wide[n - 1], simd::squared_norm_double(doubles.data(), count));
    }
  }
}

TEST_P(EveryTarget, DotMatchesTheDefinition) {
  for (const std::size_t n : kSizes) {
    const auto a = random<double>(n, -1.0, 1.0);
    const auto b = random<double>(n, -1.0, 1.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(simd::dot(a.data(), b.data(), n), sum, 1e-15 * static_cast<double>(n + 1)) << n;
  }
}

// Within the rounding of the reduced argument: 4 ulp of 1, and half an ulp of the phase itself is not an error.
TEST_P(EveryTarget, WavesMatchCosineAndSine) {
  for (const std::size_t n : kSizes) {
    for (const double reach : {3.0, 50.0, 30000.0}) {
      const auto floats = random<float>(n, -reach, reach);
      const auto doubles = random<double>(n, -reach, reach);
      AlignedVector<double> cosines(padded(n), 77.0);
      AlignedVector<double> sines(padded(n), 77.0);
      simd::waves(floats.data(), 0.5, n, cosines.data(), sines.data());
      for (std::size_t i = 0; i < n; ++i) {
        const auto phase = static_cast<double>(floats[i]);
        ASSERT_NEAR(cosines[i], 0.5 * std::cos(phase), 3e-7) << phase;
        ASSERT_NEAR(sines[i], 0.5 * std::sin(phase), 3e-7) << phase;
      }
      simd::waves(doubles.data(), 0.5, n, cosines.data(), sines.data());
      for (std::size_t i = 0; i < padded(n); ++i) {
        ASSERT_NEAR(cosines[i], i < n ? 0.5 * std::cos(doubles[i]) : 0.0, 1e-15);
        ASSERT_NEAR(sines[i], i < n ? 0.5 * std::sin(doubles[i]) : 0.0, 1e-15);
      }
    }
  }
}

TEST_P(EveryTarget, AddScaledMatchesTheDefinition) {
  for (const std::size_t n : kSizes) {
    const auto x = random<double>(n, -1.0, 1.0);
    auto y = random<double>(n, -1.0, 1.0);
    const auto before = y;
    simd::add_scaled(0.3, x.data(), n, y.data());
    for (std::size_t i = 0; i < padded(n); ++i) ASSERT_NEAR(y[i], before[i] + 0.3 * x[i], 3e-16);
  }
}

TEST_P(EveryTarget, HugeDistancesStayFinite) {
  AlignedVector<double> norms(padded(3), 1e300);
  AlignedVector<double> exponents(padded(3), -1e300);
  const double least = simd::radial_exponents(norms.data(), 1e300, 1e300, false, 3, exponents.data());
  AlignedVector<double> values(padded(3));
  simd::exponentials(exponents.data(), least, 3, values.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values[i], 1.0);  // all equally far
}

std::vector<std::int64_t> targets_here() {
  std::vector<std::int64_t> targets;
  for (std::int64_t all = hwy::SupportedTargets(); all != 0; all &= all - 1) targets.push_back(all & -all);
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Simd, EveryTarget, ::testing::ValuesIn(targets_here()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

}  // namespace
}  // namespace alder
