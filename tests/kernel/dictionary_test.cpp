#include "kernel/dictionary.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/support.h"

namespace alder {
namespace {

using testing::all_kernels;
using testing::kernel_value;
using testing::query;
using testing::random_vector;
using testing::SparseVector;
using testing::Vector;

// The kernel row against the definition, over sizes around the vector width, through growth, replacement and
// truncation.
template <class T>
void check_against_definition(Accuracy accuracy, double tolerance) {
  std::mt19937_64 engine(5);
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<T> dictionary(kernel);
    std::vector<Vector> elements;
    KernelValues row;
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

// Integers up to a limit take a shorter way, which may be left and taken again at any time. Doubles never take it.
TEST(Dictionary, ExactKernelRowsOfIntegersAreTheSameToTheBit) {
  std::mt19937_64 engine(9);
  for (const Kernel& kernel : {Kernel::gaussian(3.0), Kernel::laplacian(3.0), Kernel::laplacian_l1(30.0)}) {
    for (const double largest : {1.0, 3.0, 2000.0}) {  // the squared norm of the last may be beyond the limit
      Dictionary<float> floats(kernel, 20);
      Dictionary<double> doubles(kernel, 20);
      KernelValues found;
      KernelValues expected;
      for (int step = 0; step < 300; ++step) {
        Vector x(12);
        for (double& value : x) {
          if (engine() % 2 == 0) value = std::floor(largest * static_cast<double>(1 + engine() % 100) / 100.0) + 1.0;
        }
        if (engine() % 20 == 0) x[3] = 0.625;
        const SparseVector sparse(x);
        const auto q = query<float>(sparse.row(), kernel);
        const auto w = query<double>(sparse.row(), kernel);
        floats.kernel_row(q, Accuracy::kExact, found);
        doubles.kernel_row(w, Accuracy::kExact, expected);
        for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(found.kernel(i), expected.kernel(i)) << step;
        const std::size_t scratch = static_cast<std::size_t>(step) % 16;
        if (step >= 16) {
          floats.drop_scratch(scratch);
          doubles.drop_scratch(scratch);
        }
        floats.put_scratch(scratch, q);
        doubles.put_scratch(scratch, w);
        floats.kernel_row(q, Accuracy::kExact, found);
        doubles.kernel_row(w, Accuracy::kExact, expected);
        for (std::size_t g = 0; g < 16; ++g) ASSERT_EQ(found.scratch(g), expected.scratch(g)) << step << " " << g;
        if (engine() % 3 == 0) {
          floats.append(q);
          doubles.append(w);
        }
        if (engine() % 50 == 0) {
          floats.truncate(floats.size() / 2);
          doubles.truncate(doubles.size() / 2);
        }
      }
    }
  }
}

TEST(Dictionary, SparseAndDenseRowsGiveTheSameBits) {
  std::mt19937_64 engine(6);
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<float> dictionary(kernel);
    for (int i = 0; i < 37; ++i) dictionary.append(query<float>(Row::dense(random_vector(engine, 9)), kernel));
    KernelValues sparse;
    KernelValues dense;
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
  for (const Kernel& kernel :
       {Kernel::gaussian(0.01), Kernel::laplacian(0.01), Kernel::laplacian_l1(0.01), Kernel::laplacian_l1(1e4)}) {
    Dictionary<float> floats(kernel);
    Dictionary<double> doubles(kernel);
    KernelValues row;
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
  KernelValues row;
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
  KernelValues row;
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
  weights[2] = -1.0;
  EXPECT_LT(add(row.weighted_sum(weights), {}), 0.0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(row.kernel(i), 1e-300);
}

// A γ that is 0 as a float: everything is equally near, and empty places stay empty.
TEST(Dictionary, AKernelTooWideForFloatIsOneEverywhere) {
  const Kernel kernel = Kernel::gaussian(1e30);
  Dictionary<float> dictionary(kernel, 5);
  KernelValues row;
  AlignedVector<double> scratch_weights(16);
  for (std::size_t i = 0; i < 20; ++i) {
    const Vector x = {static_cast<double>(i), 2.0};
    dictionary.append(query<float>(Row::dense(x), kernel));
    if (i == 7) {
      dictionary.put_scratch(2, query<float>(Row::dense(x), kernel));
      scratch_weights[2] = 0.5;
    }
    dictionary.kernel_row(query<float>(Row::dense(x), kernel), Accuracy::kFast, row);
    AlignedVector<double> weights(padded(i + 1));
    std::fill_n(weights.begin(), i + 1, 1.0);
    const KernelValues::Sums sums = row.sums(weights, scratch_weights);
    EXPECT_EQ(sums.elements.value(), static_cast<double>(i + 1));
    EXPECT_EQ(sums.scratch_rows.value(), i < 7 ? 0.0 : 0.5);
    EXPECT_EQ(row.most_similar(i + 1), 0U);
  }
}

TEST(Dictionary, TruncatedAndRefilledItIsAsIfNothingElseHadBeenThere) {
  std::mt19937_64 engine(8);
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<float> used(kernel);
    for (int i = 0; i < 70; ++i) used.append(query<float>(Row::dense(random_vector(engine, 12)), kernel));
    Dictionary<float> fresh(kernel);
    KernelValues a;
    KernelValues b;
    for (const std::size_t size : {0, 1, 16, 17, 40}) {
      used.truncate(0);
      fresh = Dictionary<float>(kernel);
      for (std::size_t i = 0; i < size; ++i) {
        const auto x = query<float>(Row::dense(random_vector(engine, 5)), kernel);
        used.append(x);
        fresh.append(x);
        if (i % 3 == 0) {
          const auto other = query<float>(Row::dense(random_vector(engine, 9)), kernel);
          used.replace(i / 2, other);
          fresh.replace(i / 2, other);
        }
      }
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        const auto x = query<float>(Row::dense(random_vector(engine, 15)), kernel);
        used.kernel_row(x, accuracy, a);
        fresh.kernel_row(x, accuracy, b);
        testing::expect_same_bits(a, b);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " " << size;
      }
      EXPECT_EQ(used.selfs(), fresh.selfs());
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(used.element(i), fresh.element(i));
        ASSERT_EQ(used.query(i).norm(), fresh.query(i).norm());
        ASSERT_TRUE(std::ranges::equal(used.query(i).values(), fresh.query(i).values()));
      }
    }
  }
}

// One that is too far takes the others with it, until it is gone.
TEST(Dictionary, IsNearUnlessSomethingStoredIsFar) {
  const Kernel kernel = Kernel::gaussian(1.0);
  Dictionary<float> dictionary(kernel, 3);
  const Vector at_one = {1.0};
  const Vector at_thousand = {1000.0};
  const auto near = query<float>(Row::dense(at_one), kernel);
  const auto far = query<float>(Row::dense(at_thousand), kernel);
  EXPECT_FALSE(dictionary.is_always_exact());
  EXPECT_TRUE(dictionary.is_near(near));
  EXPECT_FALSE(dictionary.is_near(far));
  dictionary.append(near);
  dictionary.append(far);
  EXPECT_FALSE(dictionary.is_near(near));
  dictionary.replace(1, near);
  EXPECT_TRUE(dictionary.is_near(near));
  dictionary.append(far);
  dictionary.truncate(2);
  EXPECT_TRUE(dictionary.is_near(near));
  dictionary.put_scratch(1, far);
  EXPECT_FALSE(dictionary.is_near(near));
  dictionary.drop_scratch(1);
  EXPECT_TRUE(dictionary.is_near(near));
  EXPECT_TRUE(Dictionary<double>(kernel).is_always_exact());
  EXPECT_FALSE(Dictionary<double>(kernel).is_near(query<double>(Row::dense(at_one), kernel)));
  EXPECT_TRUE(Dictionary<float>(Kernel::laplacian(1.0)).is_always_exact());
}

TEST(Dictionary, MostSimilarIsTheFirstOnATie) {
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<double> dictionary(kernel);
    for (const double at : {0.25, 1.0, 1.0, 0.5}) {
      const Vector x = {at};
      dictionary.append(query<double>(Row::dense(x), kernel));
    }
    KernelValues row;
    const Vector x = {1.0};
    dictionary.kernel_row(query<double>(Row::dense(x), kernel), Accuracy::kFast, row);
    EXPECT_EQ(row.most_similar(4), 1U) << kernel.name();
    EXPECT_EQ(row.most_similar(1), 0U) << kernel.name();
  }
}

}  // namespace
}  // namespace alder
