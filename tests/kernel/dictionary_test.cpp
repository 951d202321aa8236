#include "kernel/dictionary.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/dense.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::SparseVector;
using testing::Vector;

const std::vector<Kernel> kKernels = {Kernel::gaussian(0.8), Kernel::laplacian(1.3), Kernel::polynomial(3, 0.5, 1.0),
                                      Kernel::linear()};

Vector random_vector(std::mt19937_64& engine, std::size_t features) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Vector x(features);
  // Multiples of 1/1024 are the same in float and double.
  for (double& value : x) value = engine() % 3 == 0 ? 0.0 : std::round(1024.0 * uniform(engine)) / 1024.0;
  return x;
}

template <class T>
Query<T> query(const Row& row, const Kernel& kernel) {
  Query<T> x;
  x.assign(row, kernel);
  return x;
}

// The kernel row against the definition, over sizes around the vector width, through growth, replacement and
// truncation.
template <class T>
void check_against_definition(Accuracy accuracy, double tolerance) {
  std::mt19937_64 engine(5);
  for (const Kernel& kernel : kKernels) {
    Dictionary<T> dictionary(kernel);
    std::vector<Vector> elements;
    KernelRow row;
    for (int step = 0; step < 150; ++step) {
      const Vector x = random_vector(engine, 1 + engine() % 12);
      const auto q = query<T>(SparseVector(x).row(), kernel);
      dictionary.kernel_row(q, accuracy, row);
      ASSERT_EQ(row.size(), elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const double exact = kernel_value(kernel, elements[i], x);
        ASSERT_NEAR(row.kernel(i), exact, tolerance * std::max(1.0, std::fabs(exact))) << kernel.name() << " " << i;
      }
      if (elements.size() > 4 && engine() % 6 == 0) {
        const std::size_t i = engine() % elements.size();
        dictionary.replace(i, q);
        elements[i] = x;
      } else {
        dictionary.append(q);
        elements.push_back(x);
      }
      if (engine() % 70 == 0) {
        dictionary.truncate(elements.size() / 2);
        elements.resize(elements.size() / 2);
      }
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      Vector stored = testing::dense_element(dictionary, i);
      stored.resize(elements[i].size());
      EXPECT_EQ(stored, elements[i]);
    }
  }
}

TEST(Dictionary, DoubleKernelRowMatchesTheDefinition) {
  check_against_definition<double>(Accuracy::kFast, 1e-13);
}
TEST(Dictionary, ExactKernelRowOfFloatsMatchesTheDefinition) {
  check_against_definition<float>(Accuracy::kExact, 1e-13);
}
TEST(Dictionary, FastKernelRowOfFloatsMatchesTheDefinition) {
  check_against_definition<float>(Accuracy::kFast, 1e-5);
}

TEST(Dictionary, SparseAndDenseRowsGiveTheSameBits) {
  std::mt19937_64 engine(6);
  for (const Kernel& kernel : kKernels) {
    Dictionary<float> dictionary(kernel);
    for (int i = 0; i < 37; ++i) dictionary.append(query<float>(Row::dense(random_vector(engine, 9)), kernel));
    KernelRow sparse;
    KernelRow dense;
    for (int i = 0; i < 20; ++i) {
      const Vector x = random_vector(engine, 9);
      const SparseVector s(x);
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        dictionary.kernel_row(query<float>(Row::dense(x), kernel), accuracy, dense);
        dictionary.kernel_row(query<float>(s.row(), kernel), accuracy, sparse);
        for (std::size_t k = 0; k < 37; ++k) ASSERT_EQ(sparse.kernel(k), dense.kernel(k));
      }
    }
  }
}

TEST(Dictionary, ARowIsAtDistanceZeroFromItself) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal(1000.0, 500.0);  // far from the origin, where cancellation is worst
  for (const Kernel& kernel : {Kernel::gaussian(0.01), Kernel::laplacian(0.01)}) {
    Dictionary<float> floats(kernel);
    Dictionary<double> doubles(kernel);
    KernelRow row;
    for (int i = 0; i < 40; ++i) {
      Vector x(30);
      for (double& value : x) value = normal(engine);
      floats.append(query<float>(Row::dense(x), kernel));
      doubles.append(query<double>(Row::dense(x), kernel));
      const auto last = static_cast<std::size_t>(i);
      floats.kernel_row(query<float>(Row::dense(x), kernel), Accuracy::kFast, row);
      EXPECT_EQ(row.kernel(last), 1.0);
      floats.kernel_row(query<float>(Row::dense(x), kernel), Accuracy::kExact, row);
      EXPECT_EQ(row.kernel(last), 1.0);
      doubles.kernel_row(query<double>(Row::dense(x), kernel), Accuracy::kFast, row);
      EXPECT_EQ(row.kernel(last), 1.0);
    }
  }
}

// Unscaled features: ‖x‖² is 1e10, the distances are about 1. Float dot products would be off by 1000.
TEST(Dictionary, FeaturesFarFromTheKernelsScaleDoNotDrownInRounding) {
  const Kernel kernel = Kernel::gaussian(1.0);
  Dictionary<float> dictionary(kernel);
  KernelRow row;
  std::vector<Vector> elements;
  for (int i = 0; i < 5; ++i) {
    elements.push_back({100000.0 + 0.5 * i, 2.0});
    dictionary.append(query<float>(Row::dense(elements.back()), kernel));
  }
  const Vector x = {100001.0, 1.5};
  dictionary.kernel_row(query<float>(Row::dense(x), kernel), Accuracy::kFast, row);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(row.kernel(i), kernel_value(kernel, elements[i], x), 1e-5);
}

TEST(Dictionary, ValuesBelowTheRangeOfFloatKeepTheirOrderAndSign) {
  const Kernel kernel = Kernel::gaussian(0.1);  // distances of 10 to 40: e^(−5000) to e^(−80000)
  Dictionary<float> dictionary(kernel);
  for (const double at : {10.0, 20.0, 40.0}) {
    const Vector x = {at};
    dictionary.append(query<float>(Row::dense(x), kernel));
  }
  KernelRow row;
  const Vector x = {29.0};
  dictionary.kernel_row(query<float>(Row::dense(x), kernel), Accuracy::kFast, row);
  EXPECT_EQ(row.most_similar(3), 1U);
  EXPECT_EQ(row.most_similar(1), 0U);
  AlignedVector<double> weights(padded(3));
  weights[0] = 1.0;
  weights[1] = -1.0;
  weights[2] = 1.0;
  EXPECT_LT(add(row.weighted_sum(weights), {}), 0.0);
  // Among the first and the last, both of which underflow beside the nearest one, the last is nearer.
  weights[1] = 0.0;
  EXPECT_EQ(row.kernel(0), 0.0);
}

TEST(Dictionary, MostSimilarIsTheFirstOnATie) {
  for (const Kernel& kernel : kKernels) {
    Dictionary<double> dictionary(kernel);
    for (const double at : {0.25, 1.0, 1.0, 0.5}) {
      const Vector x = {at};
      dictionary.append(query<double>(Row::dense(x), kernel));
    }
    KernelRow row;
    const Vector x = {1.0};
    dictionary.kernel_row(query<double>(Row::dense(x), kernel), Accuracy::kFast, row);
    EXPECT_EQ(row.most_similar(4), 1U) << kernel.name();
    EXPECT_EQ(row.most_similar(1), 0U) << kernel.name();
  }
}

}  // namespace
}  // namespace alder
