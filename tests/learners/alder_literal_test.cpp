// ALDER against a slow transcription, over random streams, kernels and options.
#include <gtest/gtest.h>

#include "support/compare.h"
#include "support/learning.h"
#include "support/literal_alder.h"

namespace alder {
namespace {

using testing::any_kernel;
using testing::compare;
using testing::Course;
using testing::learn_one;
using testing::LiteralAlder;
using testing::Met;

// Of a score, or of the largest so far: the condition of K_S, which the threshold bounds, times what double leaves
// over.
constexpr double kTolerance = 1e-8;

AlderOptions any_options() {
  AlderOptions options;
  options.precision = Precision::kDouble;
  options.budget = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 30));
  options.threshold = *rc::gen::element(0.053, 0.11, 0.31, 0.97);
  options.noise = *rc::gen::element(0.013, 0.1, 1.7);
  options.forget = *rc::gen::element(0.0, 0.0, 1e-4, 0.013);
  options.recent_labels = *rc::gen::arbitrary<bool>();
  return options;
}

TEST(LiteralAlder, EqualsAlderWithAKernel) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    AlderOptions options = any_options();
    options.kernel = any_kernel();
    LiteralAlder literal(options);
    compare(*make_alder(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

// Two clouds that are easily told apart.
testing::LabelledVectors clouds(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  testing::LabelledVectors stream;
  for (std::size_t t = 0; t < count; ++t) {
    const double label = engine() % 2 == 0 ? 1.0 : -1.0;
    testing::Vector x(6);
    for (double& value : x) value = normal(engine);
    x[0] += 2.5 * label;
    stream.rows.push_back(x);
    stream.labels.push_back(label);
  }
  return stream;
}

// Covariances are floats, whose errors add up; and decisions that are not seen from outside may fall the other way.
TEST(LiteralAlder, FloatScoresAreNearThoseOfDouble) {
  for (const double sigma : {0.5, 1.0}) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      const auto stream = testing::random_stream(seed % 8, 300, 6);
      AlderOptions options;
      options.recent_labels = seed < 8;
      options.kernel = Kernel::gaussian(sigma);
      options.budget = 80;
      const auto fast = make_alder(options);
      options.precision = Precision::kDouble;
      const auto exact = make_alder(options);
      double scale = 1.0;
      for (std::size_t t = 0; t < 300; ++t) {
        const Row row = Row::dense(stream.rows[t]);
        const double expected = learn_one(*exact, row, stream.labels[t]);
        scale = std::max(scale, std::fabs(expected));
        ASSERT_NEAR(learn_one(*fast, row, stream.labels[t]), expected, 5e-3 * scale) << seed << " round " << t;
      }
    }
  }
}

TEST(LiteralAlder, IsCloseToAlderInFloat) {
  std::size_t rounds = 0;
  std::size_t same_sign = 0;
  double difference = 0.0;
  for (const std::uint64_t seed : {4, 5, 6, 7, 8, 9}) {
    AlderOptions options;
    options.recent_labels = seed <= 6;
    options.budget = 25;
    options.kernel = Kernel::gaussian(2.0);
    LiteralAlder literal(options);
    const auto learner = make_alder(options);
    const auto stream = clouds((seed - 1) % 3 + 4, 500);
    for (std::size_t t = 0; t < stream.rows.size(); ++t) {
      const double expected = literal.learn(stream.rows[t], stream.labels[t]);
      const double score = learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
      difference += std::fabs(score - expected);
      same_sign += class_of(score) == class_of(expected) ? 1 : 0;
      ++rounds;
    }
  }
  EXPECT_GT(static_cast<double>(same_sign), 0.99 * static_cast<double>(rounds));
  EXPECT_LT(difference / static_cast<double>(rounds), 0.02);
}

}  // namespace
}  // namespace alder
