// The learners that keep a sum of kernels, and the linear one, against slow transcriptions of their algorithms, over
// random streams, kernels and options. Steps and the like are odd numbers, or scores would often be exactly 1.
#include <gtest/gtest.h>

#include "support/compare.h"
#include "support/literal_learners.h"

namespace alder {
namespace {

using testing::any_kernel;
using testing::compare;
using testing::Course;
using testing::Met;

// Both sides add up some hundred products in double.
constexpr double kTolerance = 1e-8;

template <class Options>
Options in_double() {
  Options options;
  options.precision = Precision::kDouble;
  return options;
}

TEST(LiteralLearners, OgdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<OgdOptions>();
    options.kernel = any_kernel();
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.radius = *rc::gen::element(0.7, 3.1, 25.0);
    options.horizon = course.horizon();
    testing::LiteralOgd literal(options);
    compare(*make_ogd(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

TEST(LiteralLearners, BogdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<BogdOptions>();
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.lambda = *rc::gen::element(0.0, 1e-3, 0.1, 3.0);
    options.cap = *rc::gen::element(1.0, 1.3, 10.0);
    options.removal = *rc::gen::element(BogdOptions::Removal::kUniform, BogdOptions::Removal::kWeighted);
    options.horizon = course.horizon();
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    testing::LiteralBogd literal(options);
    compare(*make_bogd(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
  EXPECT_GT(met.removals, 500U);
}

TEST(LiteralLearners, Bao2ksEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<Bao2ksOptions>();
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(5, 30);
    options.radius = *rc::gen::element(0.7, 3.1, 30.0);
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.horizon = course.horizon();
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    // round(ln T), T being taken as 2^20 when it is not known.
    const double rounds = options.horizon ? static_cast<double>(*options.horizon) : 1048576.0;
    auto reservoir = static_cast<std::size_t>(std::max(1.0, std::round(std::log(rounds))));
    if (*rc::gen::arbitrary<bool>()) {
      reservoir = *rc::gen::inRange<std::size_t>(1, 12);
      options.reservoir = reservoir;
    }
    testing::LiteralBao2ks literal(options, reservoir);
    compare(*make_bao2ks(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
  EXPECT_GT(met.removals, 50U);
}

// The transcription solves with K_S, whose condition is up to 1/threshold², and more so for kernels that are large.
TEST(LiteralLearners, ProjectronsEqualTheirTranscriptions) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<ProjectronOptions>();
    options.kernel = any_kernel();
    options.threshold = *rc::gen::element(0.03, 0.11, 0.31, 0.97);
    const bool plus_plus = *rc::gen::arbitrary<bool>();
    testing::LiteralProjectron literal(options, plus_plus);
    compare(plus_plus ? *make_projectron_plus_plus(options) : *make_projectron(options), literal, course, 1e-7, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

TEST(LiteralLearners, PegasosEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<PegasosOptions>();
    options.kernel = any_kernel();
    options.lambda = *rc::gen::element(0.0013, 0.017, 0.19, 0.93);
    testing::LiteralPegasos literal(options);
    compare(*make_pegasos(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

TEST(LiteralLearners, PerceptronEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<PerceptronOptions>();
    options.kernel = any_kernel();
    testing::LiteralPerceptron literal(options);
    compare(*make_perceptron(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

TEST(LiteralLearners, LinearEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    auto options = in_double<LinearOptions>();
    options.step = *rc::gen::element(0.013, 0.17, 1.9);
    testing::LiteralLinear literal(options);
    compare(*make_linear(options), literal, course, kTolerance, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

}  // namespace
}  // namespace alder
