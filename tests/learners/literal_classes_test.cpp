// The learners with a function for each class against slow transcriptions.
#include "support/literal_classes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/class_rows.h"
#include "support/compare.h"

namespace alder {
namespace {

using testing::ClassRows;
using testing::LiteralClasses;

struct Met {
  std::uint64_t rounds = 0;  // compared that had more than two classes
  std::uint64_t maps = 0;    // of these, after a map was made
  std::size_t most = 0;      // classes
};

// Every score equals that of the transcription, until a decision is within rounding errors.
template <class Literal>
void compare(Learner& fast, Literal& literal, std::size_t features, Met& met) {
  const auto classes = *rc::gen::inRange<std::size_t>(2, 7);
  const auto every = *rc::gen::element<std::size_t>(1, 8, 25);
  ClassRows data(*rc::gen::inRange<std::uint64_t>(0, 1000000), 120, classes, features, every);
  for (std::size_t t = 0; t < data.size(); ++t) data.weights.push_back(t % 3 == 0 ? 0.5 : t % 7 == 0 ? 2.0 : 1.0);
  double scale = 1.0;
  for (std::size_t t = 0; t < data.size(); ++t) {
    std::vector<double> scores(fast.outputs());
    RC_ASSERT(fast.learn(data.from(t, 1), scores) == 1U);
    const auto expected = literal.learn(data.values[t], static_cast<std::size_t>(data.targets[t]), data.weights[t]);
    RC_ASSERT(scores.size() == expected.size());
    for (std::size_t c = 0; c < scores.size(); ++c) {
      scale = std::max(scale, std::fabs(expected[c]));
      RC_ASSERT(std::fabs(scores[c] - expected[c]) <= 1e-9 * scale);
    }
    if (literal.closest() <= 1e-9 * scale) return;
    met.rounds += scores.size() > 1 ? 1 : 0;
    if constexpr (requires { literal.has_map(); }) met.maps += scores.size() > 1 && literal.has_map() ? 1 : 0;
    met.most = std::max(met.most, literal.classes());
  }
}

Loss any_loss() {
  return Loss::of(*rc::gen::element(Loss::Kind::kHinge, Loss::Kind::kLogistic));
}

TEST(LiteralManyClasses, FogdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    FogdOptions options;
    options.precision = Precision::kDouble;
    options.kernel = testing::any_radial_kernel();
    options.frequencies = *rc::gen::inRange<std::size_t>(1, 70);
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.loss = any_loss();
    options.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    if (*rc::gen::arbitrary<bool>()) options.horizon = 120;
    const auto features = *rc::gen::inRange<std::size_t>(1, 6);
    testing::LiteralFogdClasses literal(options, features);
    compare(*make_fogd(options), literal, features, met);
  }));
  EXPECT_GT(met.rounds, 3000U);
  EXPECT_EQ(met.most, 6U);
}

TEST(LiteralManyClasses, NogdEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    NogdOptions options;
    options.precision = Precision::kDouble;
    options.kernel = testing::any_kernel();
    options.budget = *rc::gen::inRange<std::size_t>(1, 30);
    const auto rank = *rc::gen::inRange<std::size_t>(1, 34);
    options.rank = rank;
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.loss = any_loss();
    if (*rc::gen::arbitrary<bool>()) options.horizon = 120;
    testing::LiteralNogdClasses literal(options, rank);
    compare(*make_nogd(options), literal, *rc::gen::inRange<std::size_t>(1, 6), met);
  }));
  EXPECT_GT(met.rounds, 2000U);
  EXPECT_GT(met.maps, 1000U);
  EXPECT_EQ(met.most, 6U);
}

TEST(LiteralManyClasses, LinearEqualsItsTranscription) {
  Met met;
  EXPECT_TRUE(rc::check([&met] {
    LinearOptions options;
    options.precision = Precision::kDouble;
    options.step = *rc::gen::element(0.13, 1.7, 9.1);
    options.loss = any_loss();
    testing::LiteralLinearClasses literal(options);
    compare(*make_linear(options), literal, *rc::gen::inRange<std::size_t>(1, 6), met);
  }));
  EXPECT_GT(met.rounds, 3000U);
  EXPECT_EQ(met.most, 6U);
}

}  // namespace
}  // namespace alder
