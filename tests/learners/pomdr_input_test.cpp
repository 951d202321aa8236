// Streams that are legal but trying: a defined result, no hang, nothing that is not finite.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/pomdr.h"

#include "support/dense.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_one;
using testing::Tally;
using testing::Vector;

const Kernel kKernels[] = {Kernel::gaussian(1.0), Kernel::gaussian(1e-3), Kernel::laplacian(1.0), Kernel::polynomial(3),
                           Kernel::linear()};
constexpr Precision kPrecisions[] = {Precision::kFloat, Precision::kDouble};

void expect_sound(const Learner& learner, const Tally& tally) {
  const Report report = learner.report();
  EXPECT_TRUE(std::isfinite(report.norm.value()));
  EXPECT_TRUE(std::isfinite(tally.hinge_loss()));
  EXPECT_TRUE(std::isfinite(report.number("sum_delta").value()));
  EXPECT_TRUE(std::isfinite(*report.learning_rate) && *report.learning_rate > 0.0);
  EXPECT_LE(report.norm, 25.0 * (1.0 + 1e-12));
}

// Runs a stream through every kernel and precision, given B0 or (b0 = 2) almost at once in phase 2.
template <class NextRow, class NextLabel>
void run_everywhere(int rounds, const NextRow& row, const NextLabel& label) {
  for (const Kernel& kernel : kKernels) {
    for (const Precision precision : kPrecisions) {
      for (const std::size_t b0 : {2, 60}) {
        PomdrOptions options;
        options.kernel = kernel;
        options.precision = precision;
        options.b0 = b0;
        options.budget = 62;
        const auto learner = make_pomdr(options);
        Tally tally;
        for (int t = 0; t < rounds; ++t) {
          const Vector x = row(t);
          ASSERT_TRUE(std::isfinite(tally.learn(*learner, Row::dense(x), label(t)))) << kernel.name() << " round " << t;
        }
        expect_sound(*learner, tally);
        EXPECT_LT(learner->report().support, 62U);
      }
    }
  }
}

double alternating(int t) {
  return t % 2 == 0 ? 1.0 : -1.0;
}

TEST(PomdrInput, TheSameRowTenThousandTimes) {
  run_everywhere(
      10000,
      [](int) {
        return Vector{0.3, -1.0, 2.0};
      },
      alternating);
  run_everywhere(
      10000,
      [](int) {
        return Vector{0.3, -1.0, 2.0};
      },
      [](int) { return 1.0; });
}

TEST(PomdrInput, RowsOfZerosOnly) {
  run_everywhere(
      500, [](int) { return Vector(4); }, alternating);
  run_everywhere(
      500, [](int) { return Vector(); }, alternating);
}

TEST(PomdrInput, OneClassOnlyIsSoonLearned) {
  PomdrOptions options;
  const auto learner = make_pomdr(options);
  const auto stream = testing::random_stream(1, 300, 4);
  Tally tally;
  for (const Vector& x : stream.rows) tally.learn(*learner, Row::dense(x), -1.0);
  EXPECT_EQ(tally.mistakes(), 1U);  // the first round predicts +1
  run_everywhere(
      500, [&](int t) { return stream.rows[static_cast<std::size_t>(t % 300)]; }, [](int) { return -1.0; });
}

TEST(PomdrInput, HugeAndTinyValues) {
  run_everywhere(
      300,
      [](int t) {
        return Vector{1e8 * (t % 7), 1e-30 * t, -1e8};
      },
      alternating);
  run_everywhere(
      300,
      [](int t) {
        return Vector{1e-40 * t, 1e-44, 0.0};
      },
      alternating);
  run_everywhere(
      300,
      [](int t) {
        return Vector{t % 3 == 0 ? 1e15 : 1e-15, std::sin(t)};
      },
      alternating);
}

TEST(PomdrInput, FeaturesMayAppearAtAnyRoundAndWithAnyIndex) {
  for (const Precision precision : kPrecisions) {
    PomdrOptions options;
    options.precision = precision;
    const auto learner = make_pomdr(options);
    Tally tally;
    const Vector one = {1.0};
    for (std::uint32_t t = 0; t < 3000; ++t) {
      const std::vector<FeatureIndex> indices = {t % 5 == 0 ? 4294967295U - t : t * 1000U};
      tally.learn(*learner, Row::sparse(indices, one), t % 2 == 0 ? 1.0 : -1.0);
    }
    expect_sound(*learner, tally);
    EXPECT_LT(learner->report().bytes, 20000000U);
  }
}

TEST(PomdrInput, ValuesBeyondTheRangeAreRejectedWithAdvice) {
  PomdrOptions options;
  const Vector large = {1e39};
  EXPECT_EQ(testing::message_of([&] { learn_one(*make_pomdr(options), Row::dense(large), 1.0); }),
            "feature 0 is 1e+39; expected a value in the range of float, or double precision");
  options.precision = Precision::kDouble;
  EXPECT_EQ(testing::message_of([&] { learn_one(*make_pomdr(options), Row::dense(large), 1.0); }), "nothing thrown");
  const Vector larger = {1e160};
  EXPECT_EQ(testing::message_of([&] { (void)make_pomdr(options)->score(Row::dense(larger)); }),
            "the row's squared norm is inf; expected at most 1e+300: scale the features");
  options.kernel = Kernel::linear();
  const Vector too_long = {1e60};
  EXPECT_EQ(testing::message_of([&] { learn_one(*make_pomdr(options), Row::dense(too_long), 1.0); }),
            "the linear kernel of the row with itself is 1e+120; expected at most 1e+100: scale the features");
}

TEST(PomdrInput, ATargetThatIsNoClassIsRejected) {
  const auto learner = make_pomdr({});
  const Vector x = {1.0};
  EXPECT_EQ(testing::message_of([&] { learn_one(*learner, Row::dense(x), 0.0); }),
            "the target is 0.5; expected a class from 0 to 1");
  EXPECT_EQ(testing::message_of([&] { learn_one(*learner, Row::dense(x), 3.0); }),
            "the target is 2; expected a class from 0 to 1");
  EXPECT_EQ(learner->report().rounds, 0U);
}

TEST(PomdrInput, BeforeAnyRoundTheScoreIsZero) {
  const Vector x = {1.0};
  EXPECT_EQ(make_pomdr({})->score(Row::dense(x)), 0.0);
  EXPECT_EQ(class_of(0.0), 1.0);
}

TEST(PomdrInput, AnUnknownHorizonIsExceededWithoutRelearning) {
  PomdrOptions options;
  options.kernel = Kernel::gaussian(0.5);
  const auto learner = make_pomdr(options);
  const auto stream = testing::random_stream(3, 64, 2);
  const std::uint64_t rounds = (std::uint64_t{1} << 20U) + 100;
  Tally tally;
  for (std::uint64_t t = 0; t < rounds; ++t)
    tally.learn(*learner, Row::dense(stream.rows[t % 64]), stream.labels[t % 64]);
  EXPECT_EQ(learner->report().rounds, rounds);
  expect_sound(*learner, tally);
}

}  // namespace
}  // namespace alder
