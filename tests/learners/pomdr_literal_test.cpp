// The fast implementation against Algorithm 1 as the paper writes it, over random streams, kernels and options.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/pomdr.h"

#include "support/dense.h"
#include "support/learning.h"
#include "support/literal_pomdr.h"

namespace alder {
namespace {

using testing::learn_one;
using testing::LiteralPomdr;
using testing::SparseVector;

Kernel any_kernel() {
  const double width = *rc::gen::element(0.2, 0.5, 1.0, 3.0);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return Kernel::gaussian(width);
    case 1:
      return Kernel::laplacian(width);
    case 2:
      return Kernel::polynomial(*rc::gen::inRange(1, 4), width, *rc::gen::element(0.0, 1.0));
    default:
      return Kernel::linear();
  }
}

PomdrOptions any_options(std::uint64_t rounds) {
  PomdrOptions options;
  options.kernel = any_kernel();
  options.radius = *rc::gen::element(0.5, 5.0, 25.0);
  options.window = *rc::gen::inRange<std::size_t>(1, 20);
  options.zeta = *rc::gen::element(0.5, 2.0 / 3.0, 1.0);
  options.ald = *rc::gen::element(0.5, 2.0, 10.0);
  options.factor = *rc::gen::element(0.05, 0.1, 1.0);
  options.horizon = rounds;
  options.b0 = *rc::gen::inRange<std::size_t>(1, 40);
  // From just above B0, where elements of phase 1 are removed too, to well above.
  options.budget = (*options.b0 + 2) / 2 * 2 + 2 * *rc::gen::inRange<std::size_t>(0, 20);
  return options;
}

struct Seen {
  bool phase2 = false;
  bool removal = false;
  bool projection = false;
};

void compare(const PomdrOptions& options, std::uint64_t seed, std::uint64_t rounds, std::size_t features, Seen& seen) {
  PomdrOptions exact = options;
  exact.precision = Precision::kDouble;
  const auto fast = make_pomdr(exact);
  LiteralPomdr literal(exact);
  const auto stream = testing::random_stream(seed, rounds, features);
  double scale = 1.0;
  for (std::size_t t = 0; t < rounds; ++t) {
    const SparseVector x(stream.rows[t]);
    const double score = learn_one(*fast, x.row(), stream.labels[t]);
    const double expected = literal.learn(stream.rows[t], stream.labels[t]);
    const Report report = fast->report();
    scale = std::max(scale, std::fabs(expected));
    RC_ASSERT(std::fabs(score - expected) <= 1e-7 * scale);
    RC_ASSERT(report.support == literal.size());
    RC_ASSERT((literal.lambda() == 0.0 || std::fabs(*report.learning_rate / literal.lambda() - 1.0) <= 1e-9));
    // The square, since the root of a norm that has cancelled is all rounding error.
    const double squared_norm = literal.norm() * literal.norm();
    RC_ASSERT(std::fabs(*report.norm * *report.norm - squared_norm) <= 1e-9 * options.radius * options.radius);
    RC_ASSERT(report.count("switch_round") == literal.switch_round());
    RC_ASSERT((report.removals() > 0) == literal.removed());
    seen.projection = seen.projection || (!report.count("switch_round") && report.rounds > report.support + 20);
  }
  const Report report = fast->report();
  RC_ASSERT(std::fabs(*report.number("sum_delta") - literal.proxy()) <= 1e-8 * (1.0 + literal.proxy()));
  seen.phase2 = seen.phase2 || report.count("switch_round").has_value();
  seen.removal = seen.removal || report.removals() > 0;
}

TEST(PomdrLiteral, FastEqualsLiteralOverRandomStreamsKernelsAndOptions) {
  Seen seen;
  EXPECT_TRUE(rc::check([&seen] {
    const auto rounds = *rc::gen::inRange<std::uint64_t>(1, 160);
    compare(any_options(rounds), *rc::gen::inRange<std::uint64_t>(0, 1000000), rounds,
            *rc::gen::inRange<std::size_t>(1, 8), seen);
  }));
  // Otherwise the comparison would not have met what it is for.
  EXPECT_TRUE(seen.phase2);
  EXPECT_TRUE(seen.removal);
  EXPECT_TRUE(seen.projection);
}

TEST(PomdrLiteral, FastEqualsLiteralWithThePapersSettings) {
  PomdrOptions options;
  options.kernel = Kernel::gaussian(0.3);
  options.horizon = 400;
  options.budget = 120;  // B0 is 90
  options.ald = 1.0;
  Seen seen;
  compare(options, 4, 400, 5, seen);
  EXPECT_TRUE(seen.removal);
}

}  // namespace
}  // namespace alder
