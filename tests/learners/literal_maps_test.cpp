// The learners on features against slow transcriptions, and float against double.
#include "support/literal_maps.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/any_learner.h"
#include "support/compare.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::any_kernel;
using testing::compare;
using testing::Course;
using testing::learn_one;
using testing::Met;

TEST(LiteralMaps, FogdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    FogdOptions options;
    options.precision = Precision::kDouble;
    options.kernel = testing::any_radial_kernel();
    options.frequencies = *rc::gen::inRange<std::size_t>(1, 70);
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.horizon = course.horizon();
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    testing::LiteralFogd literal(options, course.features);
    compare(*make_fogd(options), literal, course, 1e-8, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
}

// Eigenvectors of nearly equal eigenvalues, and the signs of all, may differ; the scores wᵀφ do not depend on them.
// Rounding errors are multiplied by up to 1e6, the smallest part of the largest eigenvalue that is compared.
TEST(LiteralMaps, NogdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    const Course course;
    NogdOptions options;
    options.precision = Precision::kDouble;
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    std::size_t rank = static_cast<std::size_t>(std::max(1.0, std::round(0.2 * static_cast<double>(options.budget))));
    if (*rc::gen::arbitrary<bool>()) {
      rank = *rc::gen::inRange<std::size_t>(1, 34);
      options.rank = rank;
    }
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.horizon = course.horizon();
    testing::LiteralNogd literal(options, rank);
    compare(*make_nogd(options), literal, course, 1e-8, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
  EXPECT_GT(met.maps, 1000U);
}

// The same, and the pseudo-inverse of Φ_ab multiplies rounding errors once more.
TEST(LiteralMaps, SkegdEqualsItsTranscription) {
  Met met;
  std::uint64_t rebuilds = 0;
  EXPECT_TRUE(rc::check([&met, &rebuilds] {
    const Course course;
    SkegdOptions options;
    options.precision = Precision::kDouble;
    options.kernel = any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    options.nonzeros = *rc::gen::inRange<std::size_t>(1, 6);
    options.cycle = *rc::gen::element(0.03, 0.07, 0.3);
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.horizon = course.horizon();
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    const auto part = [&](double ratio) {
      return static_cast<std::size_t>(std::max(1.0, std::round(ratio * static_cast<double>(options.budget))));
    };
    testing::LiteralSketchSizes sizes{part(0.15), part(0.75), part(0.1), 0};
    if (*rc::gen::arbitrary<bool>()) {
      options.samples = sizes.samples = *rc::gen::inRange<std::size_t>(1, 34);
      options.sketch = sizes.columns = *rc::gen::inRange<std::size_t>(1, 34);
      options.rank = sizes.rank = *rc::gen::inRange<std::size_t>(1, 34);
    }
    const double rounds = options.horizon ? static_cast<double>(*options.horizon) : 1048576.0;
    sizes.cycle = static_cast<std::uint64_t>(std::max(1.0, std::floor(options.cycle * rounds)));
    testing::LiteralSkegd literal(options, sizes);
    compare(*make_skegd(options), literal, course, 1e-8, met);
    rebuilds += literal.rebuilds();
  }));
  EXPECT_GT(met.rounds, 2000U);
  EXPECT_GT(met.maps, 300U);
  EXPECT_GT(rebuilds, 30U);
}

// A float kernel value is off by 1e-6 and less for rows of length 1, and a score by 1e-6·Σ|a|. Where a score is that
// near to where the learner changes its mind, float may take the other way, and the comparison ends.
TEST(LiteralMaps, FloatScoresAreNearThoseOfDouble) {
  for (const std::string& name : learner_names()) {
    if (name == "alder") continue;  // its matrices are floats too: alder_literal_test.cpp
    std::size_t compared = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto stream = testing::random_stream(seed, 300, 6);
      nlohmann::ordered_json options = {{"step", 1.7}, {"horizon", 300},          {"budget", 80},
                                        {"b0", 60},    {"regularization", 0.013}, {"precision", "double"}};
      options["kernel"] = {{"name", "gaussian"}, {"sigma", 1.0}};
      const auto exact = make_learner(name, testing::options_of(name, options));
      options["precision"] = "float";
      const auto fast = make_learner(name, testing::options_of(name, options));
      double scale = 1.0;
      for (std::size_t t = 0; t < 300; ++t) {
        const Row row = Row::dense(stream.rows[t]);
        const double expected = learn_one(*exact, row, stream.labels[t]);
        scale = std::max(scale, std::fabs(expected));
        ASSERT_NEAR(learn_one(*fast, row, stream.labels[t]), expected, 1e-4 * scale) << name << " round " << t;
        if (t > 0 && (std::fabs(expected) < 2e-4 || std::fabs(std::fabs(expected) - 1.0) < 2e-4)) break;
        ++compared;
      }
    }
    EXPECT_GT(compared, 300U) << name;
  }
}

}  // namespace
}  // namespace alder
