// The kernel of |x−s|₁ in dictionaries of all layouts. What holds for every kernel is tested with the others.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/support.h"

namespace alder {
namespace {

using testing::query;
using testing::random_sparse;
using testing::SparseVector;

enum class StoredAs { kOnes, kWhole, kPieces };

double absolute_distance(const SparseVector& x, const SparseVector& z) {
  double sum = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.indices.size() || j < z.indices.size()) {
    const bool has_x = i < x.indices.size() && (j == z.indices.size() || x.indices[i] <= z.indices[j]);
    const bool has_z = j < z.indices.size() && (i == x.indices.size() || z.indices[j] <= x.indices[i]);
    sum += std::fabs((has_x ? x.values[i] : 0.0) - (has_z ? z.values[j] : 0.0));
    i += has_x ? 1 : 0;
    j += has_z ? 1 : 0;
  }
  return sum;
}

// Rows for a dictionary of that layout, and sparse enough for pieces where it is that.
struct RowsStoredAs {
  explicit RowsStoredAs(StoredAs l) : layout(l), features(l == StoredAs::kPieces ? 30000 : 40) {}

  SparseVector next() {
    SparseVector x = random_sparse(engine, 0, features, 30);
    for (std::size_t j = 0; j < x.indices.size(); ++j) {
      // As floats have them.
      x.values[j] = layout == StoredAs::kOnes ? 1.0 : static_cast<double>(static_cast<float>(2.0 * x.values[j]));
    }
    if (layout == StoredAs::kPieces) {
      const SparseVector common = random_sparse(engine, static_cast<FeatureIndex>(features), 20, 15);
      for (std::size_t j = 0; j < common.indices.size(); ++j) {
        x.indices.push_back(common.indices[j]);
        x.values.push_back(static_cast<double>(static_cast<float>(common.values[j])));
      }
    }
    return x;
  }
  std::mt19937_64 engine{11};
  StoredAs layout;
  std::size_t features;
};

template <class T>
void check_layout(StoredAs layout, Accuracy accuracy, double tolerance) {
  const Kernel kernel = Kernel::laplacian_l1(9.0);
  RowsStoredAs rows(layout);
  Dictionary<T> dictionary(kernel, 16);
  std::vector<SparseVector> elements;
  for (std::size_t i = 0; i < (layout == StoredAs::kPieces ? 300U : 75U); ++i) {
    elements.push_back(rows.next());
    dictionary.append(query<T>(elements.back().row(), kernel));
  }
  KernelValues row;
  std::vector<KernelValues> own(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    dictionary.kernel_row(dictionary.query(i), accuracy, own[i]);
    ASSERT_EQ(own[i].exponent(i), 0.0);
    ASSERT_EQ(own[i].kernel(i), 1.0);
    for (std::size_t k = 0; k < i; ++k) {
      ASSERT_EQ(own[i].kernel(k), own[k].kernel(i));
      ASSERT_EQ(own[i].exponent(k), own[k].exponent(i));
    }
  }
  // Others may have any values, whatever is stored.
  RowsStoredAs any(layout == StoredAs::kOnes ? StoredAs::kWhole : layout);
  for (int t = 0; t < 20; ++t) {
    const SparseVector x = t % 2 == 0 ? rows.next() : any.next();
    dictionary.kernel_row(query<T>(x.row(), kernel), accuracy, row);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double q = absolute_distance(x, elements[i]) / 9.0;
      ASSERT_NEAR(row.exponent(i), q, tolerance * (1.0 + q)) << t << " " << i;
      ASSERT_NEAR(row.kernel(i), std::exp(-q), tolerance) << t << " " << i;
    }
  }
}

template <class T>
void check_layouts(Accuracy accuracy, double tolerance) {
  for (const StoredAs layout : {StoredAs::kOnes, StoredAs::kWhole, StoredAs::kPieces}) {
    check_layout<T>(layout, accuracy, tolerance);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << static_cast<int>(layout);
  }
}

TEST(LaplacianL1, FastRowsOfFloatsMatchTheDefinitionInEveryLayout) {
  check_layouts<float>(Accuracy::kFast, 3e-6);
}
TEST(LaplacianL1, ExactRowsOfFloatsMatchTheDefinitionInEveryLayout) {
  check_layouts<float>(Accuracy::kExact, 1e-14);
}
TEST(LaplacianL1, RowsOfDoublesMatchTheDefinitionInEveryLayout) {
  check_layouts<double>(Accuracy::kFast, 1e-14);
}

// γ|x|₁ decides, not γ‖x‖².
TEST(LaplacianL1, RowsFarFromTheKernelsScaleAreComputedInDouble) {
  const Kernel kernel = Kernel::laplacian_l1(1.0);
  Dictionary<float> dictionary(kernel);
  const auto near = query<float>(Row::dense(testing::Vector{500.0, -499.0}), kernel);
  const auto far = query<float>(Row::dense(testing::Vector{500.0, -501.0}), kernel);
  EXPECT_EQ(near.norm(), 999.0);
  EXPECT_EQ(near.float_norm(), 999.0F);
  EXPECT_FALSE(dictionary.is_always_exact());
  EXPECT_TRUE(dictionary.is_near(near));
  EXPECT_FALSE(dictionary.is_near(far));
  const testing::Vector large = {1e6 + 0.5};
  const testing::Vector beside = {1e6 + 0.25};
  dictionary.append(query<float>(Row::dense(large), kernel));
  KernelValues row;
  dictionary.kernel_row(query<float>(Row::dense(beside), kernel), Accuracy::kFast, row);
  EXPECT_DOUBLE_EQ(row.kernel(0), std::exp(-0.25));
}

TEST(LaplacianL1, ARebuiltDictionaryHasTheNormsOfItsKernel) {
  const Kernel gaussian = Kernel::gaussian(2.0);
  const Kernel kernel = Kernel::laplacian_l1(2.0);
  Dictionary<float> dictionary(gaussian, 16);
  Dictionary<float> expected(kernel, 16);
  RowsStoredAs rows(StoredAs::kWhole);
  for (int i = 0; i < 20; ++i) {
    const SparseVector x = rows.next();
    dictionary.append(query<float>(x.row(), gaussian));
    if (i % 2 == 0) expected.append(query<float>(x.row(), kernel));
  }
  const std::vector<std::size_t> even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18};
  const Dictionary<float> built = dictionary.rebuilt(kernel, even);
  KernelValues a;
  KernelValues b;
  const auto x = query<float>(rows.next().row(), kernel);
  built.kernel_row(x, Accuracy::kFast, a);
  expected.kernel_row(x, Accuracy::kFast, b);
  testing::expect_same_bits(a, b);
}

}  // namespace
}  // namespace alder
