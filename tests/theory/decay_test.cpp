#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/theory.h"

#include "support/throws.h"
#include "theory/support.h"

namespace alder {
namespace {

using testing::dataset_of;
using testing::message_of;
using testing::random_stream;

RC_GTEST_PROP(FitDecay, FindsTheLawThatTheEigenvaluesObey, ()) {
  const bool is_exponential = *rc::gen::arbitrary<bool>();
  const double rate = is_exponential ? *rc::gen::inRange(10, 95) / 100.0 : *rc::gen::inRange(10, 60) / 10.0;
  const double constant = *rc::gen::inRange(1, 100000) / 10.0;
  std::vector<double> values;
  for (int i = 1; i <= 60; ++i) {
    values.push_back(constant * (is_exponential ? std::pow(rate, i) : std::pow(i, -rate)));
  }
  const auto fit = fit_decay(values);
  RC_ASSERT(fit.has_value());
  const FittedDecay& better = fit->better();
  RC_ASSERT((better.decay.kind == Decay::Kind::kExponential) == is_exponential);
  RC_ASSERT(std::fabs(better.decay.rate - rate) < 1e-6 * rate);
  RC_ASSERT(std::fabs(better.decay.constant - constant) < 1e-4 * constant);
  RC_ASSERT(better.explained > 0.999999);
}

// The constant is such that no eigenvalue is above the law.
TEST(FitDecay, BoundsTheEigenvalues) {
  const std::vector<double> values = {50.0, 20.0, 19.0, 6.0, 1.0, 0.9, 0.02, 1e-3};
  const auto fit = fit_decay(values);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->used, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<double>(i + 1);
    const Decay& exponential = fit->exponential.decay;
    const Decay& polynomial = fit->polynomial.decay;
    EXPECT_LE(values[i], exponential.constant * std::pow(exponential.rate, place) * (1.0 + 1e-12));
    EXPECT_LE(values[i], polynomial.constant * std::pow(place, -polynomial.rate) * (1.0 + 1e-12));
  }
}

TEST(FitDecay, LeavesOutRoundingErrorsAndKnowsWhenThereIsNothingToFit) {
  const auto fit = fit_decay(std::vector<double>{1.0, 1e-4, 1e-8, 1e-13, 1e-13, 1e-13});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->used, 3U);
  EXPECT_NEAR(fit->exponential.decay.rate, 1e-4, 1e-12);
  EXPECT_FALSE(fit_decay(std::vector<double>{}));
  EXPECT_FALSE(fit_decay(std::vector<double>{1.0, 0.5}));
  EXPECT_FALSE(fit_decay(std::vector<double>{1.0, 1e-14, 1e-15}));
  EXPECT_FALSE(fit_decay(std::vector<double>{1.0, 1.0, 1.0, 1.0})) << "a kernel matrix that is the identity";
  EXPECT_FALSE(fit_decay(std::vector<double>{0.0, 0.0, 0.0}));
}

TEST(LeadingEigenvalues, OfFewRowsAreExact) {
  const Dataset dataset = dataset_of(random_stream(3, 300, 4));
  const Kernel kernel = Kernel::gaussian(0.7);
  const std::vector<double> all = kernel_spectrum(dataset, kernel);
  const auto found = leading_eigenvalues(dataset, kernel, 20, 1);
  ASSERT_TRUE(found && found->exact);
  ASSERT_EQ(found->values.size(), 20U);
  EXPECT_EQ(found->trace, 300.0);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found->values[i], 300.0 * all[i], 1e-12 * 300.0);
  EXPECT_EQ(leading_eigenvalues(dataset, kernel, 1000, 1)->values.size(), 300U);
}

// 2,100 rows, more than are computed exactly.
TEST(LeadingEigenvalues, OfManyRowsAreCloseAndNeverAbove) {
  const Dataset dataset = dataset_of(random_stream(4, 2100, 4));
  for (const Kernel& kernel : {Kernel::gaussian(0.8), Kernel::laplacian(2.0)}) {
    const std::vector<double> all = kernel_spectrum(dataset, kernel);
    const auto found = leading_eigenvalues(dataset, kernel, 15, 1, {2, {}});
    ASSERT_TRUE(found && !found->exact);
    EXPECT_LE(found->columns, 15U * 15U);
    EXPECT_EQ(found->rows, 2100U);
    const double rounding = 1e-10 * found->trace;
    for (std::size_t i = 0; i < found->values.size(); ++i) {
      const double exact = 2100.0 * all[i];
      EXPECT_LE(found->values[i], exact + rounding) << kernel.name() << " " << i;
      EXPECT_GE(found->values[i], exact - found->unseen - rounding) << kernel.name() << " " << i;
      EXPECT_NEAR(found->values[i], exact, 0.25 * exact + rounding) << kernel.name() << " " << i;
    }
    EXPECT_EQ(leading_eigenvalues(dataset, kernel, 15, 1, {1, {}})->values, found->values) << "whatever the threads";
  }
}

// The quadratic kernel in four dimensions has 15 eigenvalues: hardly more columns show all of the matrix.
TEST(LeadingEigenvalues, EndWhereTheMatrixEnds) {
  const Dataset dataset = dataset_of(random_stream(4, 2100, 4));
  const auto found = leading_eigenvalues(dataset, Kernel::polynomial(2, 1.0, 1.0), 30, 1);
  ASSERT_TRUE(found);
  EXPECT_GE(found->columns, 15U);
  EXPECT_LE(found->columns, 20U);
  EXPECT_GT(found->values[14], 1e-4);
  for (std::size_t i = 15; i < found->values.size(); ++i) EXPECT_LT(found->values[i], 1e-9);
  EXPECT_LT(found->unseen, 1e-9 * found->trace);
}

TEST(LeadingEigenvalues, OfZerosAreZero) {
  Dataset dataset;
  for (int i = 0; i < 2001; ++i) dataset.append({Row(), 1.0});
  EXPECT_EQ(leading_eigenvalues(dataset, Kernel::linear(), 5, 1)->values, std::vector<double>{0.0});
  EXPECT_NEAR(leading_eigenvalues(dataset, Kernel::gaussian(1.0), 5, 1)->values[0], 2001.0, 1e-9);
}

TEST(LeadingEigenvalues, CanBeStoppedAndWantToBeSome) {
  const Dataset dataset = dataset_of(random_stream(4, 2100, 4));
  EXPECT_FALSE(leading_eigenvalues(dataset, Kernel::gaussian(1.0), 5, 1, {1, [](double) { return false; }}));
  EXPECT_EQ(message_of([&] { leading_eigenvalues(dataset, Kernel::gaussian(1.0), 0, 1); }),
            "0 eigenvalues are asked for; expected at least 1");
}

}  // namespace
}  // namespace alder
