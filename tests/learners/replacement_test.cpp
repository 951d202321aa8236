// Stored rows of ALDER that are replaced, at high effort, in a stream that moves fast.
#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "learners/core/margin.h"
#include "support/driven_candidate.h"

namespace alder {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::DrivenCandidate;

constexpr double kGamma = 1.0;

// Points on the plane; the classes are sectors that turn around.
struct TurningStream {
  TurningStream(int rows, double rows_around, std::size_t classes) {
    std::mt19937_64 engine(8);
    std::normal_distribution<double> normal;
    for (int t = 0; t < rows; ++t) {
      VectorXd& x = points.emplace_back(2);
      for (double& value : x) value = normal(engine);
      const double turned = std::atan2(x[1], x[0]) / (2.0 * std::numbers::pi) + 1.0 + t / rows_around;
      targets.push_back(
          static_cast<double>(static_cast<std::size_t>(turned * 3.0 * static_cast<double>(classes)) % classes));
    }
    weights.assign(points.size(), 1.0);
    for (const VectorXd& x : points) rows_of.push_back(Row::dense(std::span(x.data(), 2)).as_checked());
  }

  std::vector<VectorXd> points;
  std::vector<double> targets;
  std::vector<double> weights;
  std::vector<Row> rows_of;
};

MatrixXd gram_of(const std::vector<VectorXd>& a, const std::vector<VectorXd>& b) {
  MatrixXd gram(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < gram.cols(); ++j) {
      gram(i, j) = std::exp(-kGamma * (a[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(j)]).squaredNorm());
    }
  }
  return gram;
}

// The inverse of the Cholesky factor.
MatrixXd coordinates_of(const std::vector<VectorXd>& elements) {
  const MatrixXd gram = gram_of(elements, elements);
  return gram.llt().matrixL().solve(MatrixXd::Identity(gram.rows(), gram.rows()));
}

MatrixXd weights_of(const Arow<double>& arow) {
  MatrixXd all(static_cast<Index>(arow.size()), static_cast<Index>(arow.weights().count()));
  for (Index c = 0; c < all.cols(); ++c) {
    all.col(c) = Eigen::Map<const VectorXd>(arow.weights()[static_cast<std::size_t>(c)], all.rows());
  }
  return all;
}

MatrixXd covariance_of(const Arow<double>& arow) {
  const auto n = static_cast<Index>(arow.size());
  return MatrixXd::NullaryExpr(n, n, [&](Index i, Index j) {
    return arow.covariance(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  });
}

// A row leaves S, and x comes. By the definition: functions are projected onto the span of what stays, R = M' K(S', S)
// Mᵀ being how that changes their coordinates, and one more coordinate follows, of which nothing is known.
void check_replacements(std::size_t classes) {
  const TurningStream stream(2600, 2500.0, classes);
  AlderOptions options;
  options.budget = 50;
  options.effort = AlderOptions::Effort::kHigh;
  DrivenCandidate<double> made(options, stream, classes, Kernel::gaussian_gamma(kGamma), 1.0);
  std::vector<VectorXd> elements;
  std::vector<std::size_t> born;
  std::size_t last = 0;
  int replaced = 0;
  made.run(stream, 0, stream.points.size(), 8, [&](std::size_t t) {
    if (::testing::Test::HasFatalFailure()) return;
    const VectorXd& x = stream.points[t];
    if (made.candidate.size() > elements.size()) {  // the row before joined
      elements.push_back(stream.points[t - 1]);
      born.push_back(t - 1);
    }
    const auto n = static_cast<Index>(elements.size());
    const auto linear = static_cast<Index>(made.geometry.linear_inputs().size());
    const std::size_t top = made.candidate.mixture().top();
    const std::size_t width = classes == 2 ? 1 : classes;
    const double margin = margin_of(std::span(made.forecast.each).subspan(top * width, width), stream.targets[t]).value;
    const bool is_due = top == 2 && n == 50 && made.forecast.alpha > 0.05 && margin < 1.0 && t >= last + 5;
    const MatrixXd old = n > 0 ? coordinates_of(elements) : MatrixXd();
    Index victim = -1;
    if (is_due) {
      const VectorXd squares = old.cwiseAbs2().colwise().sum();
      const MatrixXd coefficients = old.transpose() * weights_of(made.candidate.predictor(top)).bottomRows(n);
      const VectorXd losses = coefficients.cwiseAbs2().rowwise().sum().cwiseQuotient(squares);
      for (Index j = 0; j < n; ++j) {
        if (born[static_cast<std::size_t>(j)] + 500 < t && (victim < 0 || losses[j] < losses[victim])) victim = j;
      }
    }
    std::vector<MatrixXd> weights;
    std::vector<MatrixXd> covariances;
    for (std::size_t p = 0; p < 3; ++p) {
      weights.push_back(weights_of(made.candidate.predictor(p)));
      covariances.push_back(covariance_of(made.candidate.predictor(p)));
    }
    made.candidate.replace(made.geometry, made.forecast, stream.targets[t]);
    ASSERT_EQ(made.candidate.size(), elements.size());
    if (victim >= 0) {
      const std::vector<VectorXd> before = elements;
      elements.erase(elements.begin() + victim);
      born.erase(born.begin() + victim);
      MatrixXd moved = MatrixXd::Zero(linear + n, linear + n);
      moved.topLeftCorner(linear, linear).setIdentity();
      moved.block(linear, linear, n - 1, n) = coordinates_of(elements) * gram_of(elements, before) * old.transpose();
      for (std::size_t p = 0; p < 3; ++p) {
        weights[p] = moved * weights[p];
        covariances[p] = moved * covariances[p] * moved.transpose();
        covariances[p](linear + n - 1, linear + n - 1) = 1.0;
        const VectorXd scales = covariances[p].diagonal().cwiseMax(1.0).cwiseSqrt().cwiseInverse();  // 1 is the most
        covariances[p] = scales.asDiagonal() * covariances[p] * scales.asDiagonal();
      }
      elements.push_back(x);
      born.push_back(t);
      last = t;
      ++replaced;
      const VectorXd phi = coordinates_of(elements) * gram_of(elements, {x});
      ASSERT_LT((Eigen::Map<const VectorXd>(made.forecast.phi.data(), n) - phi).norm(), 1e-7) << t;
    }
    for (std::size_t p = 0; p < 3; ++p) {
      ASSERT_LT((weights_of(made.candidate.predictor(p)) - weights[p]).norm(), 1e-7) << t;
      ASSERT_LT((covariance_of(made.candidate.predictor(p)) - covariances[p]).norm(), 1e-7) << t;
    }
  });
  EXPECT_GT(replaced, 50);
}

TEST(Replacement, EqualsItsDefinition) {
  check_replacements(2);
  check_replacements(3);
}

// With updates that are not carried out yet, and some numbers before the coordinates.
TEST(Replacement, TurnsPredictors) {
  constexpr Index kSize = 40;
  constexpr std::size_t kBefore = 4;
  for (const int rows : {5, 8, 21}) {
    std::mt19937_64 engine(11);
    Arow<double> arow(0.1, 1e-3);
    arow.add_class();
    arow.resize(static_cast<std::size_t>(kSize));
    std::vector<double> scores(3);
    for (int t = 0; t < rows; ++t) {
      AlignedVector<double> z(padded(kSize));
      for (std::size_t i = 0; i < kSize; ++i) z[i] = 0.2 * std::normal_distribution<double>()(engine);
      arow.score(z.data(), scores);
      arow.learn(t % 3, scores, z.data());
    }
    Turns turns;
    turns.first = 6;
    MatrixXd turned = MatrixXd::Identity(kSize, kSize);
    for (Index i = 10; i + 1 < kSize; ++i) {
      const double angle = std::uniform_real_distribution<double>(-3.0, 3.0)(engine);
      turns.turns.push_back({std::cos(angle), std::sin(angle)});
      MatrixXd one = MatrixXd::Identity(kSize, kSize);
      one(i, i) = one(i + 1, i + 1) = std::cos(angle);
      one(i, i + 1) = -std::sin(angle);
      one(i + 1, i) = std::sin(angle);
      turned = one * turned;
    }
    MatrixXd covariance = turned * covariance_of(arow) * turned.transpose();
    covariance.row(kSize - 1).setZero();
    covariance.col(kSize - 1).setZero();
    covariance(kSize - 1, kSize - 1) = 1.0;
    const VectorXd scales = covariance.diagonal().cwiseMax(1.0).cwiseSqrt().cwiseInverse();  // 1 is the most
    covariance = scales.asDiagonal() * covariance * scales.asDiagonal();
    std::vector<VectorXd> weights;
    for (std::size_t c = 0; c < 3; ++c) {
      weights.emplace_back(turned * Eigen::Map<const VectorXd>(arow.weights()[c], kSize));
      weights.back()[kSize - 1] = 0.0;
    }
    arow.turn(turns, kBefore);
    EXPECT_LT((covariance_of(arow) - covariance).norm(), 1e-12);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_LT((Eigen::Map<const VectorXd>(arow.weights()[c], kSize) - weights[c]).norm(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace alder
