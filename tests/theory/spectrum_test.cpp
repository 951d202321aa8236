#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "alder/kernel.h"
#include "alder/theory.h"

#include "support/dense.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;
using testing::Vector;

Dataset dataset_of(const std::vector<Vector>& rows) {
  Dataset dataset;
  for (const Vector& row : rows) dataset.append({Row::dense(row), 1.0});
  return dataset;
}

// The definition: the whole matrix, both halves, and a solver that does not know that it is symmetric.
std::vector<double> definition(const std::vector<Vector>& rows, const Kernel& kernel) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      matrix(i, j) =
          testing::kernel_value(kernel, rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
  }
  std::vector<double> values;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, false);
  for (Eigen::Index i = 0; i < n; ++i) values.push_back(solver.eigenvalues()[i].real() / static_cast<double>(n));
  std::sort(values.rbegin(), values.rend());
  return values;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Kernel::gaussian(0.4),           Kernel::gaussian(3.0),
                                          Kernel::laplacian(0.7),          Kernel::polynomial(3, 0.5, 1.0),
                                          Kernel::polynomial(2, 1.0, 0.0), Kernel::linear()};
  return all;
}

TEST(KernelSpectrum, MatchesTheDefinition) {
  for (const Kernel& kernel : kernels()) {
    for (const std::size_t n : {1, 2, 3, 7, 8, 9, 33, 60}) {
      const std::vector<Vector> rows = testing::random_stream(3 + n, n, 5).rows;
      const std::vector<double> expected = definition(rows, kernel);
      const std::vector<double> found = kernel_spectrum(dataset_of(rows), kernel);
      ASSERT_EQ(found.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(found[i], expected[i], 1e-12 * std::max(1.0, expected[0])) << kernel.name() << " " << n << " " << i;
      }
    }
  }
}

TEST(KernelSpectrum, FallsIsNeverNegativeAndAddsUpToTheMeanOfTheDiagonal) {
  const std::vector<Vector> rows = testing::random_stream(4, 80, 6).rows;
  for (const Kernel& kernel : kernels()) {
    const std::vector<double> found = kernel_spectrum(dataset_of(rows), kernel);
    EXPECT_TRUE(std::is_sorted(found.rbegin(), found.rend())) << kernel.name();
    EXPECT_GE(found.back(), 0.0);
    double diagonal = 0.0;
    for (const Vector& row : rows) diagonal += testing::kernel_value(kernel, row, row) / 80.0;
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), kernel.is_radial() ? 1.0 : diagonal, 1e-12);
  }
}

// n copies of k rows: the eigenvalues of the k rows, and zeros.
TEST(KernelSpectrum, RepeatedRowsAddZeros) {
  const std::vector<Vector> rows = {{0.0, 1.0}, {0.7, 0.0}, {-0.4, 0.2}};
  for (const Kernel& kernel : {Kernel::gaussian(0.5), Kernel::laplacian(1.0)}) {
    const std::vector<double> once = kernel_spectrum(dataset_of(rows), kernel);
    std::vector<Vector> repeated;
    for (int copy = 0; copy < 5; ++copy) repeated.insert(repeated.end(), rows.begin(), rows.end());
    const std::vector<double> found = kernel_spectrum(dataset_of(repeated), kernel);
    ASSERT_EQ(found.size(), 15U);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(found[i], i < 3 ? once[i] : 0.0, 1e-14);
  }
}

// The linear kernel of rows in d dimensions has no more than d eigenvalues.
TEST(KernelSpectrum, TheLinearKernelHasTheRankOfTheRows) {
  const std::vector<double> found =
      kernel_spectrum(dataset_of(testing::random_stream(5, 30, 2).rows), Kernel::linear());
  EXPECT_GT(found[1], 1e-3);
  EXPECT_LT(found[2], 1e-15);
}

TEST(KernelSpectrum, OfNoRowsAndOfOne) {
  EXPECT_TRUE(kernel_spectrum(Dataset(), Kernel::gaussian(1.0)).empty());
  EXPECT_EQ(kernel_spectrum(dataset_of({{3.0, 4.0}}), Kernel::gaussian(1.0)), std::vector<double>{1.0});
  EXPECT_EQ(kernel_spectrum(dataset_of({{3.0, 4.0}}), Kernel::linear()), std::vector<double>{25.0});
  EXPECT_EQ(kernel_spectrum(dataset_of({{}}), Kernel::linear()), std::vector<double>{0.0});
}

TEST(KernelSpectrum, DoesNotLookAtLabelsAndTakesSparseRows) {
  const std::vector<Vector> rows = testing::random_stream(6, 20, 7).rows;
  Dataset sparse;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const testing::SparseVector row(rows[i]);
    sparse.append({row.row(), i % 2 == 0 ? 1.0 : 0.0});
  }
  EXPECT_EQ(kernel_spectrum(sparse, Kernel::gaussian(0.5)), kernel_spectrum(dataset_of(rows), Kernel::gaussian(0.5)));
}

TEST(KernelSpectrum, RejectsRowsThatAreOutOfRange) {
  for (const Kernel& kernel : kernels()) {
    const Dataset dataset = dataset_of({{0.5, 1.0}, {1.0, 1e200}});
    EXPECT_NE(message_of([&] { kernel_spectrum(dataset, kernel); }), "nothing thrown") << kernel.name();
  }
}

}  // namespace
}  // namespace alder
