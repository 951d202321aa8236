#include "features/fourier.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "support/dense.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::SparseVector;
using testing::Vector;

const Kernel kKernels[] = {Kernel::gaussian(0.7), Kernel::laplacian(0.9)};

template <class T>
AlignedVector<double> mapped(const FourierMap<T>& map, const Row& row, const Kernel& kernel) {
  PreparedRow<T> x;
  x.assign(row, kernel);
  AlignedVector<double> z;
  map.map(x, z);
  EXPECT_EQ(z.size(), map.length());
  return z;
}

double inner(const AlignedVector<double>& a, const AlignedVector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<Vector> random_rows(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, 0.4);
  std::vector<Vector> rows(count, Vector(3));
  for (Vector& x : rows) {
    for (double& value : x) value = normal(engine);
  }
  return rows;
}

// The root of the mean squared error of z(x)ᵀz(x') over pairs of rows and seeds.
template <class T>
double rms_error(const Kernel& kernel, std::size_t frequencies) {
  const auto rows = random_rows(1, 12);
  double squares = 0.0;
  int pairs = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const FourierMap<T> map(kernel, frequencies, seed);
    std::vector<AlignedVector<double>> z;
    for (const Vector& x : rows) z.push_back(mapped(map, Row::dense(x), kernel));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j, ++pairs) {
        const double error = inner(z[i], z[j]) - kernel_value(kernel, rows[i], rows[j]);
        squares += error * error;
      }
    }
  }
  return std::sqrt(squares / pairs);
}

// Var of cos(uᵀδ) is at most 1/2 for the Gaussian kernel and 1 for any, so the error is at most 1/sqrt(D).
TEST(Fourier, InnerProductsApproachTheKernelAsOneOverTheRootOfTheFrequencies) {
  for (const Kernel& kernel : kKernels) {
    double last = rms_error<float>(kernel, 100);
    EXPECT_LT(last, 0.1);
    EXPECT_GT(last, 0.02);
    for (const std::size_t frequencies : {400, 1600, 6400}) {
      const double error = rms_error<float>(kernel, frequencies);
      EXPECT_NEAR(error / last, 0.5, 0.17) << kernel.name() << " " << frequencies;
      last = error;
    }
  }
}

TEST(Fourier, FeaturesHaveLengthOne) {
  for (const Kernel& kernel : kKernels) {
    for (const std::size_t frequencies : {1, 15, 16, 17, 100}) {
      const FourierMap<float> fast(kernel, frequencies, 3);
      const FourierMap<double> exact(kernel, frequencies, 3);
      for (const Vector& x : random_rows(2, 20)) {
        const auto z = mapped(exact, Row::dense(x), kernel);
        const auto float_z = mapped(fast, Row::dense(x), kernel);
        EXPECT_NEAR(inner(z, z), 1.0, 1e-14);
        EXPECT_NEAR(inner(float_z, float_z), 1.0, 1e-6);
        // z is padded with zeros, and a float phase of this size is off by 1e-6.
        for (std::size_t i = 0; i < z.size(); ++i) {
          const bool is_padding = i % padded(frequencies) >= frequencies;
          ASSERT_TRUE(!is_padding || (z[i] == 0.0 && float_z[i] == 0.0));
          ASSERT_TRUE(kernel.kind() == Kernel::Kind::kLaplacian || std::fabs(z[i] - float_z[i]) < 1e-5);
        }
      }
    }
  }
}

TEST(Fourier, FrequenciesDoNotDependOnTheOrderOfFeatures) {
  const Vector x = {0.3, -0.2, 0.5};
  for (const Kernel& kernel : kKernels) {
    FourierMap<double> forward(kernel, 33, 5);
    FourierMap<double> backward(kernel, 33, 5);
    for (std::uint32_t j = 0; j < 3; ++j) {
      const Vector one = {1.0};
      PreparedRow<double> query;
      const std::vector<FeatureIndex> rising = {j};
      query.assign(Row::sparse(rising, one), kernel);
      forward.meet(query);
      const std::vector<FeatureIndex> falling = {2 - j};
      query.assign(Row::sparse(falling, one), kernel);
      backward.meet(query);
    }
    EXPECT_EQ(mapped(forward, Row::dense(x), kernel), mapped(backward, Row::dense(x), kernel));
    const SparseVector sparse(x);
    EXPECT_EQ(mapped(forward, sparse.row(), kernel), mapped(backward, Row::dense(x), kernel));
  }
}

template <class T>
void check_kept(const Kernel& kernel) {
  FourierMap<T> keeps(kernel, 20, 9);
  const FourierMap<T> draws(kernel, 20, 9);
  const std::vector<FeatureIndex> indices = {0, 7, 4000000000U};
  const Vector values = {0.5, -0.25, 0.125};
  PreparedRow<T> x;
  x.assign(Row::sparse(indices, values), kernel);
  const std::size_t before = keeps.bytes();
  keeps.meet(x);
  EXPECT_GT(keeps.bytes(), before);
  EXPECT_EQ(mapped(keeps, Row::sparse(indices, values), kernel), mapped(draws, Row::sparse(indices, values), kernel));
}

TEST(Fourier, FrequenciesThatAreKeptAreThoseThatAreDrawnAgain) {
  for (const Kernel& kernel : kKernels) {
    check_kept<float>(kernel);
    check_kept<double>(kernel);
  }
}

// 64 MiB of frequencies are kept, here those of 4 features.
TEST(Fourier, FeaturesBeyondTheKeptOnesCountAllTheSame) {
  const Kernel kernel = Kernel::gaussian(1.0);
  FourierMap<double> map(kernel, std::size_t{1} << 21U, 2);
  const std::vector<FeatureIndex> fifth = {4};
  const Vector value = {0.5};
  const auto before = mapped(map, Row::sparse(fifth, value), kernel);
  const Vector four = {0.1, 0.2, 0.3, 0.4};
  PreparedRow<double> query;
  query.assign(Row::dense(four), kernel);
  map.meet(query);
  const std::size_t bytes = map.bytes();
  query.assign(Row::sparse(fifth, value), kernel);
  map.meet(query);
  EXPECT_EQ(map.bytes(), bytes);
  EXPECT_EQ(mapped(map, Row::sparse(fifth, value), kernel), before);
}

template <class T>
void expect_finite(const Kernel& kernel, const Vector& x) {
  const FourierMap<T> map(kernel, 19, 4);
  const auto z = mapped(map, Row::dense(x), kernel);
  for (const double value : z) ASSERT_TRUE(std::isfinite(value)) << kernel.name() << " " << kernel.gamma();
  EXPECT_NEAR(inner(z, z), 1.0, 1e-6) << kernel.name() << " " << kernel.gamma();
}

TEST(Fourier, FeaturesOfAnyRowAreFinite) {
  for (const double width : {1e-60, 1e-40, 1e-20, 1.0, 1e20, 1e40, 1e60}) {
    for (const Kernel& kernel : {Kernel::gaussian(width), Kernel::laplacian(width)}) {
      for (const double value : {1e38, 1e30, 1e10, 1.0, 1e-10, 1e-30, 1e-42}) {
        expect_finite<float>(kernel, {value, -value, 0.5 * value});
        expect_finite<double>(kernel, {value, -value, 0.5 * value});
      }
      expect_finite<double>(kernel, {1e149, -1e149});
      expect_finite<double>(kernel, {1e-300});
      expect_finite<float>(kernel, {});
    }
  }
}

TEST(Fourier, SeedsGiveDifferentFrequencies) {
  const Vector x = {0.3};
  const Kernel kernel = Kernel::gaussian(1.0);
  EXPECT_NE(mapped(FourierMap<double>(kernel, 5, 1), Row::dense(x), kernel),
            mapped(FourierMap<double>(kernel, 5, 2), Row::dense(x), kernel));
}

TEST(Fourier, OnlyRadialKernelsHaveFrequencies) {
  EXPECT_NO_THROW(check_fourier_kernel(Kernel::laplacian(1.0)));
  EXPECT_EQ(testing::message_of([] { check_fourier_kernel(Kernel::linear()); }),
            "the kernel is linear; expected gaussian or laplacian, which random Fourier features are for");
}

}  // namespace
}  // namespace alder
