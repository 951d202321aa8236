#include "kernel/window.h"

#include <deque>

#include <gtest/gtest.h>

#include "support/dense.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::Vector;

TEST(Window, HintIsTheMeanOverTheLastExamples) {
  const Kernel kernel = Kernel::gaussian(0.6);
  for (const std::size_t capacity : {1, 2, 15, 16, 17}) {
    Window<double> window(kernel, capacity);
    std::deque<std::pair<Vector, double>> last;
    KernelRow row;
    Query<double> x;
    const auto stream = testing::random_stream(capacity, 60, 4);
    for (std::size_t t = 0; t < 60; ++t) {
      x.assign(Row::dense(stream.rows[t]), kernel);
      double mean = 0.0;
      for (const auto& [z, y] : last)
        mean += y * kernel_value(kernel, z, stream.rows[t]) / static_cast<double>(last.size());
      EXPECT_NEAR(window.hint(x, Accuracy::kFast, row).value(), mean, 1e-14) << capacity << " " << t;
      window.push(x, stream.labels[t]);
      last.emplace_back(stream.rows[t], stream.labels[t]);
      if (last.size() > capacity) last.pop_front();
      EXPECT_EQ(window.size(), last.size());
    }
  }
}

TEST(Window, ProjectedHintIsTheDoubleSumOverWindowAndSupport) {
  const Kernel kernel = Kernel::laplacian(1.5);
  Window<double> window(kernel, 5);
  Dictionary<double> support(kernel);
  std::vector<Vector> elements;
  std::deque<std::pair<Vector, double>> last;
  KernelRow support_row;
  KernelRow window_row;
  Query<double> x;
  const auto stream = testing::random_stream(9, 40, 4);
  for (std::size_t t = 0; t < 40; ++t) {
    x.assign(Row::dense(stream.rows[t]), kernel);
    support.kernel_row(x, Accuracy::kExact, support_row);
    window.hint(x, Accuracy::kExact, window_row);
    const bool grow = t % 3 == 0;
    if (grow) {
      support.append(x);
      elements.push_back(stream.rows[t]);
      window.extend_support_values(window_row);
    }
    window.push(x, stream.labels[t]);
    const double self = x.self();
    window.keep_support_values(support_row, grow ? &self : nullptr);
    last.emplace_back(stream.rows[t], stream.labels[t]);
    if (last.size() > 5) last.pop_front();

    Eigen::VectorXd beta(static_cast<Eigen::Index>(elements.size()));
    double exact = 0.0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      beta[static_cast<Eigen::Index>(i)] = std::sin(static_cast<double>(i + t));
      for (const auto& [z, y] : last) {
        exact += y * beta[static_cast<Eigen::Index>(i)] * kernel_value(kernel, elements[i], z) /
                 static_cast<double>(last.size());
      }
    }
    EXPECT_NEAR(window.projected_hint(beta), exact, 1e-12);
  }
}

}  // namespace
}  // namespace alder
