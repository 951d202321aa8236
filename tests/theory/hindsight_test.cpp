#include "alder/hindsight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "support/dense.h"
#include "support/literal_function.h"
#include "support/throws.h"
#include "theory/support.h"

namespace alder {
namespace {

using testing::dataset_of;
using testing::LabelledVectors;
using testing::message_of;
using testing::Vector;

Hindsight solved(const LabelledVectors& stream, const Kernel& kernel, double radius, double tolerance = 1e-6) {
  HindsightOptions options;
  options.radius = radius;
  options.tolerance = tolerance;
  return best_in_hindsight(dataset_of(stream), kernel, options);
}

double hinge_sum(const Eigen::VectorXd& scores, const std::vector<double>& labels) {
  double sum = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += std::max(0.0, 1.0 - labels[i] * scores[static_cast<Eigen::Index>(i)]);
  }
  return sum;
}

// Projected subgradient descent on the coefficients, slow and obvious: the least loss met.
double slowly(const Eigen::MatrixXd& gram, const std::vector<double>& labels, double radius, int rounds) {
  Eigen::VectorXd a = Eigen::VectorXd::Zero(gram.rows());
  double least = static_cast<double>(labels.size());
  for (int round = 1; round <= rounds; ++round) {
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(gram.rows());  // in the space of functions
    const Eigen::VectorXd scores = gram * a;
    least = std::min(least, hinge_sum(scores, labels));
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      const double y = labels[static_cast<std::size_t>(i)];
      if (y * scores[i] < 1.0) gradient[i] = y;
    }
    const double length = std::sqrt(std::max(1e-300, gradient.dot(gram * gradient)));
    a += radius / std::sqrt(round) / length * gradient;
    const double norm = std::sqrt(std::max(0.0, a.dot(gram * a)));
    if (norm > radius) a *= radius / norm;
  }
  return least;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Kernel::gaussian(0.4), Kernel::gaussian(3.0), Kernel::laplacian(0.7),
                                          Kernel::polynomial(3, 0.5, 1.0), Kernel::linear()};
  return all;
}

TEST(Hindsight, LossAndNormAreThoseOfItsCoefficients) {
  for (const Kernel& kernel : kernels()) {
    for (const double radius : {0.3, 3.0, 25.0}) {
      const LabelledVectors stream = testing::random_stream(11, 120, 5);
      const Hindsight best = solved(stream, kernel, radius, 1e-5);
      const Eigen::MatrixXd gram = testing::literal_gram(kernel, stream.rows);
      const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(best.coefficients.data(), gram.rows());
      EXPECT_NEAR(best.loss, hinge_sum(gram * a, stream.labels), 1e-6) << kernel.name() << " " << radius;
      EXPECT_NEAR(best.norm, std::sqrt(a.dot(gram * a)), 1e-4) << kernel.name() << " " << radius;
      EXPECT_LE(best.norm, radius * (1.0 + 1e-12));
      EXPECT_LE(best.gap(), 1e-5 * std::max(1.0, best.loss)) << kernel.name() << " " << radius;
      EXPECT_EQ(best.support, static_cast<std::size_t>((a.array() != 0.0).count()));
    }
  }
}

TEST(Hindsight, NoFunctionOfTheBallIsBetterThanItSays) {
  for (const Kernel& kernel : kernels()) {
    for (const double radius : {0.5, 4.0}) {
      const LabelledVectors stream = testing::random_stream(12, 60, 4);
      const Hindsight best = solved(stream, kernel, radius);
      const Eigen::MatrixXd gram = testing::literal_gram(kernel, stream.rows);
      const double slow = slowly(gram, stream.labels, radius, 4000);
      EXPECT_GE(slow, best.certain - 1e-9) << kernel.name() << " " << radius;
      EXPECT_NEAR(slow, best.loss, 0.01 * best.loss) << kernel.name() << " " << radius;
    }
  }
}

// f of norm U <= 1 gains U on its only row.
TEST(Hindsight, OfOneRow) {
  for (const double radius : {0.25, 1.0, 7.0}) {
    const Hindsight best = solved({{{0.3, 0.1}}, {-1.0}}, Kernel::gaussian(1.0), radius, 1e-9);
    EXPECT_NEAR(best.loss, std::max(0.0, 1.0 - radius), 1e-8) << radius;
    EXPECT_NEAR(best.certain, best.loss, 1e-8) << radius;
  }
}

// On rows at right angles f spreads its norm: n − U sqrt(n), down to 0.
TEST(Hindsight, OfRowsAtRightAngles) {
  LabelledVectors stream;
  for (std::size_t i = 0; i < 9; ++i) {
    stream.rows.emplace_back(9);
    stream.rows.back()[i] = 1.0;
    stream.labels.push_back(i % 2 == 0 ? 1.0 : -1.0);
  }
  for (const double radius : {0.5, 2.0, 2.9, 3.0, 10.0}) {
    const Hindsight best = solved(stream, Kernel::linear(), radius);
    EXPECT_NEAR(best.loss, std::max(0.0, 9.0 - 3.0 * radius), 1e-5) << radius;
    EXPECT_LE(best.gap(), 1e-5);
  }
}

// The same row with both labels: the larger class is right, the smaller one pays twice.
TEST(Hindsight, OfOneRowWithBothLabels) {
  for (const std::size_t negative : {0, 1, 20, 21}) {
    LabelledVectors stream;
    for (std::size_t i = 0; i < 40; ++i) {
      stream.rows.push_back({1.0, -2.0});
      stream.labels.push_back(i < negative ? -1.0 : 1.0);
    }
    const double less = std::min<double>(static_cast<double>(negative), 40.0 - static_cast<double>(negative));
    EXPECT_NEAR(solved(stream, Kernel::gaussian(1.0), 25.0).loss, 2.0 * less, 1e-4) << negative;
    EXPECT_NEAR(solved(stream, Kernel::gaussian(1.0), 0.5).loss, 1.5 * less + 0.5 * (40.0 - less), 1e-4) << negative;
  }
}

TEST(Hindsight, OfNoRowsAndOfRowsThatTheKernelMakesNothingOf) {
  EXPECT_EQ(solved({}, Kernel::gaussian(1.0), 1.0).loss, 0.0);
  const Hindsight zeros = solved({{{0.0}, {0.0}}, {1.0, -1.0}}, Kernel::linear(), 1.0);
  EXPECT_EQ(zeros.loss, 2.0);
  EXPECT_EQ(zeros.certain, 2.0);
  EXPECT_EQ(zeros.norm, 0.0);
}

TEST(Hindsight, AGrowingProblemHasTheSolutionOfAFreshOne) {
  const LabelledVectors stream = testing::random_stream(13, 300, 5);
  HindsightOptions options;
  options.radius = 5.0;
  options.tolerance = 1e-5;
  HindsightSolver growing(Kernel::gaussian(0.5), options);
  for (std::size_t i = 0; i < stream.rows.size(); ++i) {
    growing.append({Row::dense(stream.rows[i]), testing::target_of(stream.labels[i])});
    if ((growing.size() & (growing.size() - 1)) != 0 && growing.size() != 300) continue;
    const Hindsight best = growing.solve();
    const LabelledVectors part = {{stream.rows.begin(), stream.rows.begin() + static_cast<std::ptrdiff_t>(i + 1)},
                                  {stream.labels.begin(), stream.labels.begin() + static_cast<std::ptrdiff_t>(i + 1)}};
    const Hindsight fresh = solved(part, Kernel::gaussian(0.5), 5.0, 1e-5);
    EXPECT_NEAR(best.loss, fresh.loss, 1e-5 * std::max(1.0, best.loss)) << i;
    EXPECT_LE(best.certain, fresh.loss);
    EXPECT_LE(fresh.certain, best.loss);
  }
}

TEST(Hindsight, DoesNotDependOnThreadsNorOnMemory) {
  const LabelledVectors stream = testing::random_stream(14, 700, 5);
  HindsightOptions options;
  options.radius = 10.0;
  options.threads = 1;
  const Hindsight one = best_in_hindsight(dataset_of(stream), Kernel::gaussian(0.3), options);
  options.threads = 3;
  const Hindsight three = best_in_hindsight(dataset_of(stream), Kernel::gaussian(0.3), options);
  EXPECT_EQ(one.coefficients, three.coefficients);
  options.cache = 0;
  const Hindsight little = best_in_hindsight(dataset_of(stream), Kernel::gaussian(0.3), options);
  EXPECT_LE(little.certain, one.loss);
  EXPECT_LE(one.certain, little.loss);
  EXPECT_LE(little.gap(), 1e-3 * std::max(1.0, little.loss));
}

TEST(Hindsight, EndsEarlyWhenTold) {
  HindsightOptions options;
  int asked = 0;
  options.stop = [&asked] { return ++asked == 2; };
  options.tolerance = 1e-9;
  const LabelledVectors stream = testing::random_stream(15, 400, 5);
  const Hindsight best = best_in_hindsight(dataset_of(stream), Kernel::gaussian(0.3), options);
  EXPECT_EQ(asked, 2);
  EXPECT_GE(best.gap(), 0.0);
}

TEST(Hindsight, RejectsWhatMakesNoSense) {
  HindsightOptions options;
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.radius = wrong;
    EXPECT_NE(message_of([&] { HindsightSolver(Kernel::linear(), options); }).find("radius"), std::string::npos);
  }
  HindsightSolver solver(Kernel::linear(), {});
  const Vector row = {1.0};
  const Vector bad = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(message_of([&] { solver.append({Row::dense(row), -1.0}); }), "the target is -1; expected class 0 or 1");
  EXPECT_NE(message_of([&] { solver.append({Row::dense(bad), 1.0}); }), "nothing thrown");
  EXPECT_EQ(solver.size(), 0U);
}

}  // namespace
}  // namespace alder
