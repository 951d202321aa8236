#include "learners/pomdr/merge_plan.h"

#include <gtest/gtest.h>

#include "kernel/dictionary.h"
#include "support/dense.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::Vector;

TEST(MergePlan, MergesEveryYoungerElementIntoTheMostSimilarOlderOne) {
  const Kernel kernel = Kernel::gaussian(0.9);
  constexpr std::size_t kBudget = 34;
  MergePlan halving(kBudget);
  Dictionary<double> dictionary(kernel);
  AlignedVector<double> a;
  std::vector<Vector> elements;
  PreparedRow<double> x;
  KernelValues row;
  std::uint64_t seed = 0;
  for (int removal = 0; removal < 3; ++removal) {
    const auto stream = testing::random_stream(++seed, kBudget - elements.size(), 4);
    for (const Vector& point : stream.rows) {
      x.assign(Row::dense(point), kernel);
      dictionary.kernel_row(x, Accuracy::kExact, row);
      halving.record(row, x.self());
      dictionary.append(x);
      a.resize(padded(elements.size() + 1));
      a[elements.size()] = std::cos(static_cast<double>(elements.size() + seed));
      elements.push_back(point);
    }
    Vector expected(a.begin(), a.begin() + kBudget / 2);
    for (std::size_t j = kBudget / 2; j < kBudget; ++j) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < kBudget / 2; ++i) {
        if (kernel_value(kernel, elements[i], elements[j]) > kernel_value(kernel, elements[best], elements[j]))
          best = i;
      }
      expected[best] += a[j];
    }
    double squared_norm = 0.0;
    for (std::size_t i = 0; i < kBudget / 2; ++i) {
      for (std::size_t j = 0; j < kBudget / 2; ++j) {
        squared_norm += expected[i] * expected[j] * kernel_value(kernel, elements[i], elements[j]);
      }
    }
    EXPECT_NEAR(halving.merge(a), squared_norm, 1e-10);
    dictionary.truncate(kBudget / 2);
    elements.resize(kBudget / 2);
    ASSERT_EQ(a.size(), padded(kBudget / 2));
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i], i < kBudget / 2 ? expected[i] : 0.0, 1e-14);
    }
  }
}

}  // namespace
}  // namespace alder
