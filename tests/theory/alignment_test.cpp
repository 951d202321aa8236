#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "alder/theory.h"

#include "support/throws.h"
#include "theory/support.h"

namespace alder {
namespace {

using testing::dataset_of;
using testing::LabelledVectors;
using testing::message_of;
using testing::random_stream;
using testing::Vector;

// The definition, pair by pair.
double definition(const LabelledVectors& stream, const Kernel& kernel) {
  double trace = 0.0;
  double polarization = 0.0;
  for (std::size_t s = 0; s < stream.rows.size(); ++s) {
    trace += testing::kernel_value(kernel, stream.rows[s], stream.rows[s]);
    for (std::size_t t = 0; t < stream.rows.size(); ++t) {
      polarization +=
          stream.labels[s] * stream.labels[t] * testing::kernel_value(kernel, stream.rows[s], stream.rows[t]);
    }
  }
  return trace - polarization / static_cast<double>(stream.rows.size());
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Kernel::gaussian(0.2),  Kernel::polynomial(3, 0.5, 1.0),
                                          Kernel::gaussian(1.0),  Kernel::laplacian(0.7),
                                          Kernel::gaussian(30.0), Kernel::linear()};
  return all;
}

TEST(KernelAlignment, OfTwoThousandRowsMatchesTheDefinition) {
  const LabelledVectors stream = random_stream(11, 2000, 6);
  const std::vector<Kernel> some = {Kernel::gaussian(0.5), Kernel::gaussian(2.0)};
  const std::vector<Alignment> found = kernel_alignment(dataset_of(stream), some);
  for (std::size_t k = 0; k < some.size(); ++k) {
    const double expected = definition(stream, some[k]);
    EXPECT_NEAR(found[k].alignment, expected, 1e-11 * expected);
  }
}

TEST(KernelAlignment, OfEveryKernelMatchesTheDefinitionAroundTheSizeOfABlock) {
  for (const std::size_t n : std::vector<std::size_t>{1, 2, 15, 16, 17, 511, 512, 513}) {
    const LabelledVectors stream = random_stream(n, n, 3);
    const std::vector<Alignment> found = kernel_alignment(dataset_of(stream), kernels());
    ASSERT_EQ(found.size(), kernels().size());
    for (std::size_t k = 0; k < kernels().size(); ++k) {
      const double expected = definition(stream, kernels()[k]);
      EXPECT_NEAR(found[k].alignment, expected, 1e-11 * found[k].trace) << kernels()[k].name() << " " << n;
      EXPECT_EQ(found[k].rows, n);
      EXPECT_FALSE(found[k].error);
      if (kernels()[k].is_radial()) {
        EXPECT_EQ(found[k].trace, static_cast<double>(n));
      }
      EXPECT_LE(found[k].smallest_self, found[k].largest_self);
    }
  }
}

TEST(KernelAlignment, DoesNotDependOnThreadsOrOnOtherKernels) {
  const Dataset dataset = dataset_of(random_stream(5, 1300, 4));
  const std::vector<Alignment> together = kernel_alignment(dataset, kernels(), {3, {}});
  for (std::size_t k = 0; k < kernels().size(); ++k) {
    EXPECT_EQ(kernel_alignment(dataset, std::span(&kernels()[k], 1), {1, {}})[0].alignment, together[k].alignment);
  }
}

// K = YYᵀ: a kernel that is 1 within a class and −1 between the classes.
TEST(KernelAlignment, OfTheIdealKernelIsZero) {
  Dataset dataset;
  for (int i = 0; i < 700; ++i) {
    const double label = i % 3 == 0 ? 1.0 : -1.0;
    dataset.append({Row::dense(std::span(&label, 1)), testing::target_of(label)});
  }
  const Kernel kernel = Kernel::linear();
  const Alignment found = kernel_alignment(dataset, std::span(&kernel, 1))[0];
  EXPECT_NEAR(found.alignment, 0.0, 1e-10);
  EXPECT_NEAR(found.explained(), 1.0, 1e-12);
}

TEST(KernelAlignment, CanBeWatchedAndStopped) {
  const Dataset dataset = dataset_of(random_stream(5, 4000, 4));
  double last = -1.0;
  EXPECT_FALSE(kernel_alignment(dataset, kernels(),
                                {2,
                                 [&last](double done) {
                                   EXPECT_GE(done, last);
                                   last = done;
                                   return true;
                                 }})
                   .empty());
  EXPECT_EQ(last, 1.0);
  EXPECT_TRUE(kernel_alignment(dataset, kernels(), {2, [](double) { return false; }}).empty());
}

TEST(KernelAlignment, OfNothingIsNothing) {
  EXPECT_EQ(kernel_alignment(Dataset(), kernels())[0].alignment, 0.0);
  EXPECT_EQ(kernel_alignment(Dataset(), kernels())[0].explained(), 0.0);
}

TEST(KernelAlignment, RejectsBadRowsAndLabels) {
  Dataset dataset;
  dataset.append({Row::dense(Vector{1.0, 1e200}), 1.0});
  EXPECT_NE(message_of([&] { kernel_alignment(dataset, kernels()); }), "nothing thrown");
  dataset.clear();
  dataset.append({Row::dense(Vector{1.0}), 1.0});
  dataset.append({Row::dense(Vector{1.0}), 0.5});
  EXPECT_EQ(message_of([&] { kernel_alignment(dataset, kernels()); }),
            "the target of row 2 is 0.5; expected class 0 or 1");
}

// 200 samples: the mean of the estimates is the truth, and their spread is what they say of themselves.
TEST(SampledAlignment, IsRightOnAverageAndKnowsItsError) {
  const Dataset dataset = dataset_of(random_stream(8, 600, 4));
  for (const Kernel& kernel : {Kernel::gaussian(0.05), Kernel::gaussian(0.8), Kernel::polynomial(2, 1.0, 1.0)}) {
    const std::span<const Kernel> one(&kernel, 1);
    const double exact = kernel_alignment(dataset, one)[0].alignment;
    double mean = 0.0;
    double squares = 0.0;
    double claimed = 0.0;
    constexpr int kTimes = 200;
    for (int seed = 0; seed < kTimes; ++seed) {
      const Alignment found = sampled_alignment(dataset, one, 60, static_cast<std::uint64_t>(seed), {1, {}})[0];
      mean += found.alignment / kTimes;
      squares += std::pow(found.alignment - exact, 2) / kTimes;
      claimed += std::pow(found.error.value(), 2) / kTimes;
      EXPECT_EQ(found.rows, 60U);
    }
    EXPECT_NEAR(mean, exact, 4.0 * std::sqrt(squares / kTimes)) << kernel.sigma();
    EXPECT_GT(std::sqrt(claimed / squares), 0.8) << kernel.sigma();
    EXPECT_LT(std::sqrt(claimed / squares), 1.8) << kernel.sigma();
  }
}

TEST(SampledAlignment, OfAllRowsIsExact) {
  const Dataset dataset = dataset_of(random_stream(8, 50, 4));
  for (const std::size_t rows : std::vector<std::size_t>{50, 51, 1000}) {
    const Alignment found = sampled_alignment(dataset, kernels(), rows, 1)[0];
    EXPECT_EQ(found.alignment, kernel_alignment(dataset, kernels())[0].alignment);
    EXPECT_FALSE(found.error);
  }
  EXPECT_EQ(message_of([&] { sampled_alignment(dataset, kernels(), 9, 1); }),
            "the sample has 9 rows; expected at least 10");
}

}  // namespace
}  // namespace alder
