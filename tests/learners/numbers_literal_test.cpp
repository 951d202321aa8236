// Learners with the losses of regression against slow transcriptions of their algorithms, over random streams, kernels
// and options.
#include <gtest/gtest.h>

#include "support/compare.h"
#include "support/literal_learners.h"
#include "support/literal_maps.h"

namespace alder {
namespace {

using testing::any_kernel;
using testing::compare;
using testing::Course;
using testing::Met;

constexpr double kClose = 1e-8;

std::vector<Loss> losses_of_numbers() {
  using Kind = Loss::Kind;
  return {Loss::of(Kind::kSquared),        Loss::of(Kind::kAbsolute),   Loss::of(Kind::kInsensitive, 0.113),
          Loss::of(Kind::kQuantile, 0.83), Loss::of(Kind::kHuber, 0.7), Loss::of(Kind::kPoisson)};
}

template <class Options>
Options numbers_options(const Loss& loss, const Course& course) {
  Options options;
  options.precision = Precision::kDouble;
  options.loss = loss;
  options.step = *rc::gen::element(0.13, 1.7, 9.1);
  if constexpr (requires { options.horizon; }) options.horizon = course.horizon();
  return options;
}

// Calls run(loss, met) for many random courses of each loss; most of their rounds must have been compared.
template <class Run>
void expect_equal(const Run& run) {
  for (const Loss& loss : losses_of_numbers()) {
    Met met;
    EXPECT_TRUE(rc::check([&] { run(loss, met); })) << loss.name();
    EXPECT_GT(met.rounds, 2000U) << loss.name();
  }
}

TEST(LiteralNumbers, OgdEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<OgdOptions>(loss, course);
    options.kernel = any_kernel();
    options.radius = *rc::gen::element(0.7, 3.1, 25.0);
    testing::LiteralOgd literal(options);
    compare(*make_ogd(options), literal, course, kClose, met);
  });
}

TEST(LiteralNumbers, BogdEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<BogdOptions>(loss, course);
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    options.lambda = *rc::gen::element(0.0, 1e-3, 0.1);
    options.removal = *rc::gen::element(BogdOptions::Removal::kUniform, BogdOptions::Removal::kWeighted);
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    testing::LiteralBogd literal(options);
    compare(*make_bogd(options), literal, course, kClose, met);
  });
}

TEST(LiteralNumbers, FogdEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<FogdOptions>(loss, course);
    options.kernel = testing::any_radial_kernel();
    options.frequencies = *rc::gen::inRange<std::size_t>(1, 70);
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    testing::LiteralFogd literal(options, course.features);
    compare(*make_fogd(options), literal, course, kClose, met);
  });
}

TEST(LiteralNumbers, NogdEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<NogdOptions>(loss, course);
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    const auto rank = *rc::gen::inRange<std::size_t>(1, 34);
    options.rank = rank;
    testing::LiteralNogd literal(options, rank);
    compare(*make_nogd(options), literal, course, kClose, met);
  });
}

// Maps are renewed by the test of hinge losses; here there is one, which is made when the budget is full.
TEST(LiteralNumbers, SkegdEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<SkegdOptions>(loss, course);
    options.kernel = testing::any_radial_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(20, 60);
    options.horizon = 1000000;
    options.step = 1700.0;
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    const testing::LiteralSketchSizes sizes{3, 15, 1, 300000};
    options.samples = sizes.samples;
    options.sketch = sizes.columns;
    testing::LiteralSkegd literal(options, sizes);
    compare(*make_skegd(options), literal, course, kClose, met);
  });
}

TEST(LiteralNumbers, LinearEqualsItsTranscription) {
  expect_equal([](const Loss& loss, Met& met) {
    const Course course;
    auto options = numbers_options<LinearOptions>(loss, course);
    options.step = *rc::gen::element(0.013, 0.17, 1.9);
    testing::LiteralLinear literal(options);
    compare(*make_linear(options), literal, course, kClose, met);
  });
}

}  // namespace
}  // namespace alder
