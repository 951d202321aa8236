#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/pomdr.h"
#include "alder/theory.h"

#include "support/dense.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_one;
using testing::message_of;

// Written out by hand from Theorem 2 and Corollary 1.
TEST(RegretBound, IsThatOfTheTheorem) {
  EXPECT_DOUBLE_EQ(regret_bound_of_delta(16.0, {25.0, 1.0, {}}), 3.0 * 25.0 * 4.0 + 9.0 * 25.0);
  EXPECT_DOUBLE_EQ(regret_bound_of_delta(0.0, {1.0, 1.0, {}}), 9.0);
  EXPECT_DOUBLE_EQ(regret_bound_of_alignment(14.0, {2.0, 1.0, {}}), 6.0 * 2.0 * 4.0 + 9.0 * 2.0);
  const RegretTerms::Removals removals = {800, 400};
  EXPECT_DOUBLE_EQ(regret_bound_of_delta(9.0, {5.0, 1.0, removals}), 3.0 * 5.0 * 3.0 + 9.0 * 5.0 + 3.0 * 5.0 * 6.0);
  EXPECT_DOUBLE_EQ(regret_bound_of_alignment(7.0, {5.0, 1.0, removals}), 6.0 * 5.0 * 3.0 + 9.0 * 5.0 + 6.0 * 5.0 * 6.0);
}

// Σδ <= 4 A_T + 8D is how the corollary follows from the theorem.
RC_GTEST_PROP(RegretBound, OfTheAlignmentIsThatOfTheLargestSumOfDelta, ()) {
  const double alignment = *rc::gen::inRange(0, 100000) / 7.0;
  RegretTerms terms = {*rc::gen::inRange(1, 1000) / 10.0, *rc::gen::inRange(1, 1000) / 100.0, {}};
  if (*rc::gen::arbitrary<bool>()) {
    terms.removals = {*rc::gen::inRange<std::uint64_t>(1, 1000000), *rc::gen::inRange<std::size_t>(2, 5000)};
  }
  const double expected = regret_bound_of_delta(4.0 * alignment + 8.0 * terms.largest_self, terms);
  RC_ASSERT(std::fabs(regret_bound_of_alignment(alignment, terms) - expected) <= 1e-12 * expected);
}

// The kernel κ/D with the radius U·sqrt(D) has the same functions in its ball, the same losses, and 1/D of Σδ.
TEST(RegretBound, DoesNotDependOnTheScaleOfTheKernel) {
  for (const double d : {0.01, 3.0, 500.0}) {
    EXPECT_DOUBLE_EQ(regret_bound_of_delta(40.0 * d, {2.0, d, {}}),
                     regret_bound_of_delta(40.0, {2.0 * std::sqrt(d), 1.0, {}}));
    EXPECT_DOUBLE_EQ(regret_bound_of_alignment(40.0 * d, {2.0, d, {{100, 10}}}),
                     regret_bound_of_alignment(40.0, {2.0 * std::sqrt(d), 1.0, {{100, 10}}}));
  }
}

TEST(RegretBound, RejectsWhatIsNoSum) {
  EXPECT_EQ(message_of([] { regret_bound_of_delta(-1.0, {}); }),
            "the sum of delta is -1; expected a finite number that is not negative");
  EXPECT_EQ(message_of([] { regret_bound_of_alignment(std::nan(""), {}); }),
            "the alignment is nan; expected a finite number that is not negative");
  EXPECT_EQ(message_of([] {
              regret_bound_of_delta(1.0, {-2.0, 1.0, {}});
            }),
            "the radius is -2; expected a finite number that is not negative");
  EXPECT_EQ(message_of([] {
              regret_bound_of_delta(1.0, {2.0, 1.0, {{10, 0}}});
            }),
            "the budget is 0; expected at least 1");
}

TEST(BudgetBound, IsThatOfTheTheorem) {
  const double alpha = ald_error(1.0, 1.0, 1000);
  EXPECT_DOUBLE_EQ(alpha, 1e-6);
  EXPECT_DOUBLE_EQ(ald_error(10.0, 0.5, 1000, 4.0), 0.4);
  EXPECT_NEAR(budget_bound({Decay::Kind::kExponential, 1000.0, 0.5}, alpha), 2.0 * std::log(1e9) / std::log(2.0), 1e-9);
  EXPECT_NEAR(budget_bound({Decay::Kind::kPolynomial, 1000.0, 3.0}, alpha), std::exp(1.0) * 1000.0, 1e-9);
  // A stored row may have a κ(x,x) below α: the constant of the theorem.
  EXPECT_NEAR(budget_bound({Decay::Kind::kPolynomial, 8.0, 3.0}, 1.0, 0.125), std::exp(1.0) * 4.0, 1e-12);
  EXPECT_EQ(budget_bound({Decay::Kind::kExponential, 1e-9, 0.5}, 1.0), 1.0) << "one row is always stored";
}

TEST(BudgetBound, RejectsWhatDoesNotDecay) {
  EXPECT_EQ(message_of([] {
              budget_bound({Decay::Kind::kExponential, 1.0, 1.0}, 0.1);
            }),
            "the rate of an exponential decay is 1; expected r < 1");
  EXPECT_EQ(message_of([] {
              budget_bound({Decay::Kind::kPolynomial, 1.0, 0.0}, 0.1);
            }),
            "the rate of the decay is 0; expected a finite number above 0");
  EXPECT_EQ(message_of([] {
              budget_bound({Decay::Kind::kPolynomial, 1.0, 1.0}, 0.0);
            }),
            "the ALD error is 0; expected a finite number above 0");
  EXPECT_EQ(message_of([] { ald_error(1.0, 1.0, 0); }), "the number of rounds is 0; expected at least 1");
}

// The bound from the eigenvalues is the sharpest of the three: those of a decay are put into the same inequality.
RC_GTEST_PROP(BudgetBound, OfTheEigenvaluesIsNeverAboveThatOfADecayTheyObey, ()) {
  const auto kind = *rc::gen::element(Decay::Kind::kExponential, Decay::Kind::kPolynomial);
  const double rate =
      kind == Decay::Kind::kExponential ? *rc::gen::inRange(5, 98) / 100.0 : *rc::gen::inRange(10, 60) / 10.0;
  const Decay decay = {kind, *rc::gen::inRange(1, 100000) / 10.0, rate};
  const double alpha = std::pow(10.0, -*rc::gen::inRange(0, 10));
  const double smallest = *rc::gen::inRange(1, 200) / 100.0;
  std::vector<double> eigenvalues;
  for (int i = 1; i <= 400; ++i) {
    eigenvalues.push_back(decay.constant *
                          (kind == Decay::Kind::kExponential ? std::pow(rate, i) : std::pow(i, -rate)));
  }
  const double trace = std::accumulate(eigenvalues.begin(), eigenvalues.end(), 0.0);
  const std::size_t exact = budget_bound(eigenvalues, trace, 400, alpha, smallest);
  RC_ASSERT(static_cast<double>(exact) <= budget_bound(decay, alpha, smallest) + 1e-9);
  // With fewer of them known it is larger, but still there.
  const std::span<const double> some = std::span(eigenvalues).first(*rc::gen::inRange<std::size_t>(0, 400));
  RC_ASSERT(budget_bound(some, trace, 400, alpha, smallest) >= exact);
}

TEST(BudgetBound, OfNoEigenvaluesIsOneRow) {
  EXPECT_EQ(budget_bound(std::span<const double>(), 0.0, 10, 0.1), 1U);
  EXPECT_EQ(budget_bound(std::vector<double>{5.0, 0.0}, 5.0, 2, 0.1), 1U);
}

// Theorem 1 itself: phase 1 never stores more than the eigenvalues of the kernel matrix allow.
TEST(BudgetBound, HoldsForPhaseOne) {
  for (const double sigma : {0.3, 1.0, 4.0}) {
    for (const double zeta : {0.5, 1.0}) {
      const std::size_t rows = 200;
      const auto [vectors, labels] = testing::random_stream(7, rows, 4);
      Dataset dataset;
      for (std::size_t t = 0; t < rows; ++t) dataset.append({Row::dense(vectors[t]), testing::target_of(labels[t])});
      std::vector<double> eigenvalues = kernel_spectrum(dataset, Kernel::gaussian(sigma));
      for (double& eigenvalue : eigenvalues) eigenvalue *= static_cast<double>(rows);

      PomdrOptions options;
      options.kernel = Kernel::gaussian(sigma);
      options.zeta = zeta;
      options.ald = 1.0;
      options.b0 = rows + 1;
      options.budget = rows + 2;
      options.horizon = rows;
      const auto learner = make_pomdr(options);
      for (std::size_t t = 0; t < rows; ++t) learn_one(*learner, dataset[t]);
      const std::size_t bound = budget_bound(eigenvalues, static_cast<double>(rows), rows, ald_error(1.0, zeta, rows));
      EXPECT_LE(learner->report().support, bound) << sigma << " " << zeta;
      EXPECT_GT(learner->report().support, 3U);
    }
  }
}

}  // namespace
}  // namespace alder
