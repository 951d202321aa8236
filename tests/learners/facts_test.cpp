// The facts that define the learners.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/learners.h"

#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::learn_one;
using testing::Tally;
using testing::Vector;

constexpr BogdOptions::Removal kRemovals[] = {BogdOptions::Removal::kUniform, BogdOptions::Removal::kWeighted};

// Rows ±(margin + something, noise…): separable by the first feature, and the squared length is at most 1.
testing::LabelledVectors separable(std::uint64_t seed, std::size_t count, double margin) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  testing::LabelledVectors stream;
  for (std::size_t t = 0; t < count; ++t) {
    const double label = uniform(engine) < 0.0 ? -1.0 : 1.0;
    Vector x(4);
    x[0] = label * (margin + 0.1 * std::fabs(uniform(engine)));
    for (std::size_t j = 1; j < 4; ++j) x[j] = 0.4 * uniform(engine);
    stream.rows.push_back(x);
    stream.labels.push_back(label);
  }
  return stream;
}

TEST(LearnerFacts, BogdNeverStoresMoreThanItsBudget) {
  const auto stream = testing::random_stream(3, 300, 5);
  for (const auto removal : kRemovals) {
    for (const std::size_t budget : {1, 2, 15, 16, 17}) {
      BogdOptions options;
      options.kernel = Kernel::gaussian(0.3);
      options.budget = budget;
      options.removal = removal;
      const auto learner = make_bogd(options);
      for (std::size_t t = 0; t < 300; ++t) {
        learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
        ASSERT_LE(learner->report().support, budget);
      }
      EXPECT_EQ(learner->report().support, budget);
      EXPECT_GT(learner->report().removals(), 100U);
    }
  }
}

// The mean over n seeds, and how far it may be from the expectation: five standard errors.
class Mean {
 public:
  void add(double value) {
    ++n_;
    sum_ += value;
    squares_ += value * value;
  }
  [[nodiscard]] double value() const { return sum_ / n_; }
  [[nodiscard]] double tolerance() const {
    return 5.0 * std::sqrt(std::max(0.0, squares_ / n_ - value() * value()) / n_) + 1e-12;
  }

 private:
  double n_ = 0.0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

// Without a regulariser and with the cap out of reach, E f after a removal is f + η y κ(x,·).
TEST(LearnerFacts, RemovalsOfBogdAreUnbiased) {
  const std::vector<Vector> rows = {{0.0, 0.0}, {1.0, 0.2}, {-0.5, 0.8}, {0.3, -0.9}, {-0.7, -0.4}, {0.9, 0.9}};
  const std::vector<double> labels = {1.0, -1.0, 1.0, 1.0, -1.0, -1.0};
  const Vector probe = {0.2, 0.1};
  for (const auto removal : kRemovals) {
    BogdOptions options;
    options.kernel = Kernel::gaussian(0.6);
    options.precision = Precision::kDouble;
    options.budget = 5;
    options.removal = removal;
    options.lambda = 0.0;
    options.cap = 1e40;
    options.step = 0.1;  // η_t = 0.1/sqrt(t): every round is a violation, and no two coefficients are equal
    double expected = 0.0;
    for (std::size_t t = 0; t < 6; ++t) {
      expected +=
          0.1 / std::sqrt(static_cast<double>(t + 1)) * labels[t] * kernel_value(options.kernel, rows[t], probe);
    }
    Mean mean;
    for (options.seed = 0; options.seed < 4000; ++options.seed) {
      const auto learner = make_bogd(options);
      for (std::size_t t = 0; t < 6; ++t) learn_one(*learner, Row::dense(rows[t]), labels[t]);
      ASSERT_EQ(learner->report().removals(), 1U);
      mean.add(learner->score(Row::dense(probe)));
    }
    EXPECT_NEAR(mean.value(), expected, mean.tolerance());
    EXPECT_LT(mean.tolerance(), 0.1 * std::fabs(expected));
  }
}

// E ∇̃ = ∇, so E f' after one round is f' + λ y κ(x,·). (A round adds λ times the mean of the reservoir to its score.)
TEST(LearnerFacts, TheSampledGradientOfBao2ksIsUnbiased) {
  const std::vector<Vector> rows = {{0.0, 0.0}, {1.0, 0.2}, {-0.5, 0.8}};
  const std::vector<double> labels = {1.0, -1.0, 1.0};
  const Vector probe = {0.2, 0.1};
  Bao2ksOptions options;
  options.kernel = Kernel::gaussian(0.6);
  options.precision = Precision::kDouble;
  options.reservoir = 3;
  options.horizon = 100;
  options.step = 0.1;
  const double rate = 0.01;
  double expected = 0.0;
  for (std::size_t t = 0; t < 3; ++t) {
    expected += rate * labels[t] * kernel_value(options.kernel, rows[t], probe);
  }
  Mean mean;
  for (options.seed = 0; options.seed < 25000; ++options.seed) {
    const auto learner = make_bao2ks(options);
    for (std::size_t t = 0; t < 3; ++t) learn_one(*learner, Row::dense(rows[t]), labels[t]);
    mean.add(learner->score(Row::dense(probe)));
  }
  EXPECT_NEAR(mean.value(), expected, mean.tolerance());
  EXPECT_LT(mean.tolerance(), 0.2 * std::fabs(expected));
}

TEST(LearnerFacts, Bao2ksBeginsAgainWhenItsSupportExceedsTheBudget) {
  const auto stream = testing::random_stream(5, 400, 4);
  Bao2ksOptions options;
  options.kernel = Kernel::gaussian(0.3);
  options.budget = 20;
  const auto learner = make_bao2ks(options);
  std::uint64_t restarts = 0;
  for (std::size_t t = 0; t < 400; ++t) {
    learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    const Report report = learner->report();
    ASSERT_LE(report.support, 20U);
    if (report.removals() > restarts) {
      ASSERT_EQ(report.support, 0U);
      ASSERT_EQ(report.norm, 0.0);
      ASSERT_EQ(learner->score(Row::dense(stream.rows[0])), 0.0);
    }
    restarts = report.removals();
  }
  EXPECT_GT(restarts, 2U);
}

// Without errors of projection nothing is lost; a row that is stored already is projected on itself.
TEST(LearnerFacts, ProjectronWithTheThresholdZeroIsThePerceptron) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto stream = testing::random_stream(seed, 200, 5);
    ProjectronOptions options;
    options.kernel = Kernel::gaussian(0.3);
    options.threshold = 0.0;
    options.precision = Precision::kDouble;
    PerceptronOptions same;
    same.kernel = options.kernel;
    same.precision = options.precision;
    const auto projectron = make_projectron(options);
    const auto perceptron = make_perceptron(same);
    std::size_t compared = 0;
    for (std::size_t t = 0; t < 200; ++t) {
      const Row row = Row::dense(stream.rows[t]);
      const bool may_tie = perceptron->report().support > 0;
      const double expected = learn_one(*perceptron, row, stream.labels[t]);
      ASSERT_NEAR(learn_one(*projectron, row, stream.labels[t]), expected, 1e-9) << t;
      if (may_tie && std::fabs(expected) < 1e-9) break;  // rounding errors decide
      ++compared;
    }
    EXPECT_GT(compared, 100U);
    EXPECT_LE(projectron->report().support, perceptron->report().support);
  }
}

// Rows in the square [0,1]² that are further than the threshold from the span of the others are few, however many come.
TEST(LearnerFacts, TheSupportOfProjectronsStaysBoundedWithALargeThreshold) {
  for (const auto make : {make_projectron, make_projectron_plus_plus}) {
    ProjectronOptions options;
    options.kernel = Kernel::gaussian(1.0);
    options.threshold = 0.5;
    const auto learner = make(options);
    std::mt19937_64 engine(4);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::size_t early = 0;
    for (int t = 0; t < 2000; ++t) {
      const Vector x = {uniform(engine), uniform(engine)};
      learn_one(*learner, Row::dense(x), uniform(engine) < 0.5 ? -1.0 : 1.0);  // a mistake in every second round
      if (t == 500) early = learner->report().support;
    }
    EXPECT_EQ(learner->report().support, early);
    EXPECT_LE(learner->report().support, 10U);
  }
}

// The signs of equal rows can cancel in the count sketch: then there is a map without features, whose score is 0.
TEST(LearnerFacts, SkegdEnduresSketchesThatVanish) {
  const Vector x = {0.3, -0.2};
  for (const std::size_t budget : {2, 3}) {
    SkegdOptions options;
    options.budget = budget;
    options.sketch = 1;
    options.horizon = 100;
    options.cycle = 0.02;
    options.step = 0.1;
    for (options.seed = 0; options.seed < 30; ++options.seed) {
      const auto learner = make_skegd(options);
      for (int t = 0; t < 100; ++t) {
        ASSERT_TRUE(std::isfinite(learn_one(*learner, Row::dense(x), t % 2 == 0 ? 1.0 : -1.0)));
        ASSERT_TRUE(std::isfinite(learner->report().norm.value_or(0.0)));
      }
    }
  }
}

TEST(LearnerFacts, NormsStayWithinTheRadius) {
  const auto stream = testing::random_stream(6, 300, 5);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    OgdOptions ogd;
    ogd.kernel = Kernel::gaussian(0.5);
    ogd.precision = precision;
    ogd.radius = 2.0;
    ogd.step = 10.0;
    Bao2ksOptions bao2ks;
    bao2ks.kernel = ogd.kernel;
    bao2ks.precision = precision;
    bao2ks.radius = 2.0;
    bao2ks.step = 10.0;
    for (const auto& learner : {make_ogd(ogd), make_bao2ks(bao2ks)}) {
      double largest = 0.0;
      for (std::size_t t = 0; t < 300; ++t) {
        // |f(x)| <= ‖f‖ sqrt(κ(x,x)), but for the rounding of float kernel values.
        ASSERT_LE(std::fabs(learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t])), 2.0 + 1e-3);
        ASSERT_LE(learner->report().norm, 2.0 * (1.0 + 1e-12));
        largest = std::max(largest, *learner->report().norm);
      }
      EXPECT_NEAR(largest, 2.0, 1e-12);
    }
  }
}

// Novikoff 1962: (R/margin)² mistakes at most, R being the largest length of a row.
TEST(LearnerFacts, ThePerceptronKeepsItsMistakeBound) {
  for (const double margin : {0.02, 0.1, 0.3}) {
    const auto stream = separable(7, 3000, margin);
    PerceptronOptions options;
    options.kernel = Kernel::linear();
    const auto learner = make_perceptron(options);
    Tally tally;
    double squared_radius = 0.0;
    for (std::size_t t = 0; t < 3000; ++t) {
      squared_radius = std::max(squared_radius, testing::dot(stream.rows[t], stream.rows[t]));
      tally.learn(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    }
    EXPECT_GT(tally.mistakes(), 0U);
    EXPECT_LE(static_cast<double>(tally.mistakes()), squared_radius / (margin * margin));
    EXPECT_EQ(learner->report().support, tally.mistakes());
  }
}

TEST(LearnerFacts, LinearSoonLearnsWhatAHyperplaneCan) {
  const auto stream = separable(8, 2000, 0.3);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    LinearOptions options;
    options.precision = precision;
    const auto learner = make_linear(options);
    Tally tally;
    for (std::size_t t = 0; t < 2000; ++t) tally.learn(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    EXPECT_LT(tally.mistakes(), 40U);
  }
}

// λ‖f‖² <= 1 where f is optimal; on the way to it the bound is R/λ, since f = g/(λt) and ‖g‖ <= R times the violations.
TEST(LearnerFacts, TheNormOfPegasosEndsBelowThatOfTheOptimum) {
  const auto stream = testing::random_stream(9, 600, 4);
  for (const double lambda : {0.01, 0.1, 1.0}) {
    PegasosOptions options;
    options.kernel = Kernel::gaussian(0.5);
    options.lambda = lambda;
    const auto learner = make_pegasos(options);
    for (std::size_t t = 0; t < 600; ++t) {
      learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
      ASSERT_LE(learner->report().norm, 1.0 / lambda * (1.0 + 1e-6));
    }
    EXPECT_LE(learner->report().norm, 1.1 / std::sqrt(lambda));
  }
}

}  // namespace
}  // namespace alder
