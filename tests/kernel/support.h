#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/dictionary.h"
#include "support/dense.h"

namespace alder::testing {

/// One of every kind, also of that which is not offered.
inline const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {Kernel::gaussian(0.8), Kernel::laplacian(1.3),
                                              Kernel::polynomial(3, 0.5, 1.0), Kernel::linear(),
                                              Kernel::laplacian_l1(0.9)};
  return kernels;
}

inline Vector random_vector(std::mt19937_64& engine, std::size_t features) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Vector x(features);
  // Multiples of 1/1024 are the same in float and double.
  for (double& value : x) value = engine() % 3 == 0 ? 0.0 : std::round(1024.0 * uniform(engine)) / 1024.0;
  return x;
}

template <class T>
PreparedRow<T> query(const Row& row, const Kernel& kernel) {
  PreparedRow<T> x;
  x.assign(row, kernel);
  return x;
}

/// Features in [first, first + features), `count` of them or fewer, with values within ±1.
inline SparseVector random_sparse(std::mt19937_64& engine, FeatureIndex first, std::size_t features,
                                  std::size_t count) {
  std::vector<FeatureIndex> indices;
  for (std::size_t j = 0; j < count; ++j) indices.push_back(first + static_cast<FeatureIndex>(engine() % features));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  SparseVector x{Vector()};
  for (const FeatureIndex index : indices) {
    x.indices.push_back(index);
    x.values.push_back(uniform(engine));
  }
  return x;
}

/// Two kernel rows, as far as anybody can see, agree to the bit in all elements and in the scratch rows of [first,
/// end).
inline void expect_same_bits(const KernelValues& a, const KernelValues& b, std::size_t first = 0, std::size_t end = 0) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.kernel(i), b.kernel(i)) << "element " << i;
  for (std::size_t g = first; g < end; ++g) ASSERT_EQ(a.scratch(g), b.scratch(g)) << "scratch " << g;
  if (a.size() > 0) {
    ASSERT_EQ(a.most_similar(a.size()), b.most_similar(b.size()));
  }
  AlignedVector<double> weights(padded(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) weights[i] = std::sin(static_cast<double>(i + 1));
  const ScaledSum sum = a.weighted_sum(weights);
  const ScaledSum other = b.weighted_sum(weights);
  ASSERT_EQ(sum.sum, other.sum);
  ASSERT_EQ(sum.shift, other.shift);
}

}  // namespace alder::testing
