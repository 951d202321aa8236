#include "kernel/ald.h"

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "kernel/dictionary.h"
#include "support/dense.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::Vector;

struct Grown {
  explicit Grown(const Kernel& kernel) : dictionary(kernel) {}

  // Tests x and appends it if it is independent; returns its ALD error.
  double offer(const Vector& x, double threshold) {
    query.assign(Row::dense(x), dictionary.kernel());
    dictionary.kernel_row(query, Accuracy::kExact, row);
    basis.project(row, query.self(), projection);
    if (AldBasis::independent(projection, query.self(), threshold)) {
      basis.append(projection);
      dictionary.append(query);
      elements.push_back(x);
    }
    return projection.alpha;
  }
  [[nodiscard]] Eigen::MatrixXd gram() const {
    const auto n = static_cast<Eigen::Index>(elements.size());
    return Eigen::MatrixXd::NullaryExpr(n, n, [this](Eigen::Index i, Eigen::Index j) {
      return kernel_value(dictionary.kernel(), elements[static_cast<std::size_t>(i)],
                          elements[static_cast<std::size_t>(j)]);
    });
  }

  Dictionary<double> dictionary;
  AldBasis basis;
  std::vector<Vector> elements;
  PreparedRow<double> query;
  KernelValues row;
  Projection projection;
};

TEST(AldBasis, FactorTimesItsTransposeIsTheGramMatrix) {
  for (const Kernel& kernel :
       {Kernel::gaussian(0.7), Kernel::laplacian(1.0), Kernel::polynomial(2), Kernel::linear()}) {
    Grown grown(kernel);
    for (const Vector& x : testing::random_stream(1, 200, 5).rows) grown.offer(x, 0.01);
    const Eigen::MatrixXd factor = grown.basis.factor();
    ASSERT_GE(grown.basis.size(), 5U) << kernel.name();
    const Eigen::MatrixXd lower = factor.triangularView<Eigen::Lower>();
    EXPECT_LT((lower * lower.transpose() - grown.gram()).cwiseAbs().maxCoeff(), 1e-12) << kernel.name();
  }
}

TEST(AldBasis, ErrorAndCoefficientsSolveTheLeastSquaresProblem) {
  Grown grown(Kernel::gaussian(0.7));
  const auto stream = testing::random_stream(2, 120, 4);
  for (std::size_t t = 0; t < 100; ++t) grown.offer(stream.rows[t], 0.05);
  const Eigen::MatrixXd gram = grown.gram();
  for (std::size_t t = 100; t < 120; ++t) {
    const Vector& x = stream.rows[t];
    Eigen::VectorXd k(gram.rows());
    for (Eigen::Index i = 0; i < k.size(); ++i) {
      k[i] = kernel_value(grown.dictionary.kernel(), grown.elements[static_cast<std::size_t>(i)], x);
    }
    const double alpha = grown.offer(x, 1e9);  // tested, never appended
    Eigen::VectorXd beta;
    grown.basis.coefficients(grown.projection, beta);
    EXPECT_LT((gram * beta - k).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(alpha, 1.0 - k.dot(gram.ldlt().solve(k)), 1e-9);
  }
}

TEST(AldBasis, ErrorsOf1e10AreResolved) {
  // Two points at distance h: α = 1 − e^(−2γh²) ≈ 2γh², here 1e-10.
  Grown grown(Kernel::gaussian_gamma(0.5));
  grown.offer({1.0, 2.0}, 0.0);
  EXPECT_NEAR(grown.offer({1.00001, 2.0}, 1e9), 1e-10, 1e-14);
}

TEST(AldBasis, ARepeatedRowIsDependentEvenWithoutAThreshold) {
  Grown grown(Kernel::laplacian(0.3));
  const auto stream = testing::random_stream(3, 60, 6);
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const Vector& x : stream.rows) grown.offer(x, 0.0);
  }
  EXPECT_LE(grown.basis.size(), 60U);
  EXPECT_TRUE(Eigen::MatrixXd(grown.basis.factor()).diagonal().minCoeff() > 0.0);
}

TEST(AldBasis, LinearKernelStopsAtTheDimension) {
  Grown grown(Kernel::linear());
  for (const Vector& x : testing::random_stream(4, 300, 7).rows) grown.offer(x, 0.0);
  EXPECT_EQ(grown.basis.size(), 7U);
}

}  // namespace
}  // namespace alder
