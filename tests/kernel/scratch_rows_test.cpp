#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "archive/archive.h"
#include "kernel/dictionary.h"
#include "kernel/support.h"

namespace alder {
namespace {

using testing::all_kernels;
using testing::expect_same_bits;
using testing::kernel_value;
using testing::query;
using testing::random_vector;
using testing::SparseVector;
using testing::Vector;

// Scratch rows come and go beside elements that come and go; all values against the definition.
template <class T>
void check_against_definition(Accuracy accuracy, double tolerance) {
  std::mt19937_64 engine(5);
  constexpr std::size_t kScratchRows = 20;
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<T> dictionary(kernel, kScratchRows);
    std::vector<Vector> elements;
    std::vector<Vector> scratch_rows(kScratchRows);  // empty: the place is free
    KernelValues row;
    for (int step = 0; step < 400; ++step) {
      const Vector x = random_vector(engine, 1 + engine() % 12);
      const auto q = query<T>(SparseVector(x).row(), kernel);
      dictionary.kernel_row(q, accuracy, row);
      ASSERT_EQ(row.size(), elements.size());
      const auto check = [&](double value, const Vector& z) {
        const double exact = z.empty() ? 0.0 : kernel_value(kernel, z, x);
        ASSERT_NEAR(value, exact, tolerance * std::max(1.0, std::fabs(exact))) << kernel.name() << " " << step;
      };
      for (std::size_t i = 0; i < elements.size(); ++i) check(row.kernel(i), elements[i]);
      for (std::size_t g = 0; g < kScratchRows; ++g) check(row.scratch(g), scratch_rows[g]);
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
      const std::size_t g = engine() % kScratchRows;
      if (!scratch_rows[g].empty()) {
        dictionary.drop_scratch(g);
        scratch_rows[g].clear();
      }
      if (engine() % 3 != 0) {
        dictionary.put_scratch(g, q);
        scratch_rows[g] = x;
      }
      if (engine() % 4 == 0) {
        dictionary.append(q);
        elements.push_back(x);
      } else if (engine() % 20 == 0) {
        dictionary.truncate(elements.size() / 2);
        elements.resize(elements.size() / 2);
      } else if (!elements.empty() && engine() % 3 == 0) {
        dictionary.replace(step % elements.size(), q);
        elements[step % elements.size()] = x;
      }
    }
  }
}

TEST(ScratchRows, DoubleValuesMatchTheDefinition) {
  check_against_definition<double>(Accuracy::kFast, 1e-13);
}
TEST(ScratchRows, ExactValuesOfFloatsMatchTheDefinition) {
  check_against_definition<float>(Accuracy::kExact, 1e-13);
}
TEST(ScratchRows, FastValuesOfFloatsMatchTheDefinition) {
  check_against_definition<float>(Accuracy::kFast, 1e-5);
}

TEST(ScratchRows, ThatHaveLeftChangeNoBit) {
  std::mt19937_64 engine(6);
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<float> visited(kernel, 16);
    Dictionary<float> quiet(kernel, 16);
    KernelValues a;
    KernelValues b;
    for (int step = 0; step < 200; ++step) {
      const std::size_t g = engine() % 16;
      // Now and then one from far away, whose dot products would be infinite in float.
      Vector far = random_vector(engine, 1 + engine() % 9);
      if (step % 7 == 0) far[0] = 1e25;
      try {
        visited.put_scratch(g, query<float>(Row::dense(far), kernel));
        visited.drop_scratch(g);
      } catch (const std::exception&) {  // out of the kernel's range
      }
      const auto x = query<float>(Row::dense(random_vector(engine, 9)), kernel);
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        visited.kernel_row(x, accuracy, a);
        quiet.kernel_row(x, accuracy, b);
        expect_same_bits(a, b);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " " << step;
      }
      visited.append(x);
      quiet.append(x);
    }
  }
}

TEST(ScratchRows, AreSavedInTheOrderAskedFor) {
  std::mt19937_64 engine(7);
  const Kernel kernel = Kernel::gaussian(1.0);
  Dictionary<float> dictionary(kernel, 16);
  std::vector<Vector> rows;
  for (std::size_t g = 0; g < 16; ++g) {
    rows.push_back(random_vector(engine, 6));
    dictionary.put_scratch(g, query<float>(Row::dense(rows.back()), kernel));
  }
  Archive archive;
  const std::vector<std::size_t> order = {11, 0, 15, 3};
  dictionary.save_scratch_rows(archive, "some", order);
  const auto loaded = load_rows<float>(archive, "some", kernel);
  ASSERT_EQ(loaded.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto expected = query<float>(Row::dense(rows[order[i]]), kernel);
    EXPECT_TRUE(std::ranges::equal(loaded[i].values(), expected.values()));
    EXPECT_EQ(loaded[i].norm(), expected.norm());
    EXPECT_TRUE(std::equal(loaded[i].features().begin(), loaded[i].features().end(), expected.features().begin(),
                           expected.features().end()));
  }
}

enum class Kind { kDense, kSparse, kMixed, kEmpty };

// Dense rows go through the product of matrices, sparse ones go alone, mixed ones both ways in one block.
SparseVector row_of(Kind kind, std::mt19937_64& engine, std::size_t features) {
  if (kind == Kind::kMixed) kind = static_cast<Kind>(engine() % 4);
  if (kind == Kind::kEmpty || kind == Kind::kMixed) return SparseVector(Vector(3));
  if (kind == Kind::kSparse) return testing::random_sparse(engine, 0, features, 1 + features / 20);
  return SparseVector(random_vector(engine, features));
}

template <class T>
void check_blocks(Kind kind, std::size_t features) {
  std::mt19937_64 engine(9);
  constexpr std::size_t kMost = 8;
  for (const Kernel& kernel : {Kernel::gaussian(0.5 * std::sqrt(static_cast<double>(features))), Kernel::laplacian(3.0),
                               Kernel::polynomial(2, 0.1, 1.0), Kernel::linear()}) {
    Dictionary<T> dictionary(kernel, 2 * kMost);
    for (int i = 0; i < 90; ++i) dictionary.append(query<T>(row_of(kind, engine, features).row(), kernel));
    std::vector<KernelValues> together(kMost);
    KernelValues alone;
    for (int step = 0; step < 60; ++step) {
      const std::size_t size = 1 + static_cast<std::size_t>(step) % kMost;
      std::vector<PreparedRow<T>> queries(size);
      std::vector<ScratchRow<T>> rows;
      for (std::size_t r = 0; r < size; ++r) {
        queries[r] = query<T>(row_of(kind, engine, features).row(), kernel);
        const std::size_t scratch = (static_cast<std::size_t>(step) + r) % (2 * kMost);
        dictionary.put_scratch(scratch, queries[r]);
        rows.push_back({scratch, &queries[r], &together[r]});
      }
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        dictionary.scratch_rows(rows, accuracy);
        for (std::size_t r = 0; r < size; ++r) {
          dictionary.kernel_row(queries[r], accuracy, alone);
          expect_same_bits(together[r], alone, 0, 2 * kMost);
          ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " step " << step << " row " << r;
          for (std::size_t other = 0; other < size; ++other) {  // κ is symmetric to the bit
            ASSERT_EQ(together[r].scratch(rows[other].scratch), together[other].scratch(rows[r].scratch));
          }
        }
      }
      dictionary.replace(static_cast<std::size_t>(step), queries[0]);
      for (const ScratchRow<T>& row : rows) dictionary.drop_scratch(row.scratch);
    }
  }
}

TEST(ScratchRows, BlocksOfDenseRowsAreTheSameToTheBit) {
  for (const std::size_t features : {1, 8, 100, 300}) {
    check_blocks<float>(Kind::kDense, features);
    check_blocks<double>(Kind::kDense, features);
  }
}
TEST(ScratchRows, BlocksOfSparseRowsAreTheSameToTheBit) {
  for (const std::size_t features : {40, 300, 20000}) {
    check_blocks<float>(Kind::kSparse, features);
    check_blocks<double>(Kind::kSparse, features);
  }
}
TEST(ScratchRows, BlocksOfAllKindsOfRowsAreTheSameToTheBit) {
  for (const std::size_t features : {5, 60, 400}) {
    check_blocks<float>(Kind::kMixed, features);
    check_blocks<double>(Kind::kMixed, features);
  }
}
TEST(ScratchRows, BlocksOfRowsWithoutFeaturesAreTheSameToTheBit) {
  check_blocks<float>(Kind::kEmpty, 3);
  check_blocks<double>(Kind::kEmpty, 3);
}

// Eight rows at once, into a dictionary with elements of the same features, against one after the other.
template <class T>
void check_together(const std::vector<SparseVector>& stored, const std::vector<SparseVector>& coming) {
  constexpr std::size_t kRows = RowBlock<T>::kRows;
  RowBlock<T> block;
  for (const Kernel& kernel : all_kernels()) {
    Dictionary<T> at_once(kernel, 2 * kRows);
    Dictionary<T> one_by_one(kernel, 2 * kRows);
    for (const SparseVector& x : stored) {
      at_once.append(query<T>(x.row(), kernel));
      one_by_one.append(query<T>(x.row(), kernel));
    }
    std::vector<PreparedRow<T>> queries(kRows);
    std::vector<PreparedRow<T>*> pointers;
    for (PreparedRow<T>& x : queries) pointers.push_back(&x);
    std::vector<KernelValues> values(kRows);
    KernelValues alone;
    for (std::size_t first = 0; first + kRows <= coming.size(); first += kRows) {
      const std::size_t place = first % (2 * kRows);
      std::vector<Row> rows;
      std::vector<ScratchRow<T>> scratch_rows;
      for (std::size_t r = 0; r < kRows; ++r) {
        rows.push_back(coming[first + r].row());
        scratch_rows.push_back({place + r, &queries[r], &values[r]});
        one_by_one.put_scratch(place + r, query<T>(rows[r], kernel));
      }
      ASSERT_EQ(at_once.put_scratch_rows(place, rows, pointers.data(), false, block), kRows);
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        at_once.scratch_rows(scratch_rows, accuracy, &block);
        for (std::size_t r = 0; r < kRows; ++r) {
          one_by_one.kernel_row(query<T>(rows[r], kernel), accuracy, alone);
          expect_same_bits(values[r], alone, 0, 2 * kRows);
          ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " row " << first + r;
        }
      }
      // A scratch row joins, and in the end half of all go: into places where others were.
      at_once.append_scratch(place + 3, queries[3]);
      one_by_one.append(query<T>(rows[3], kernel));
      ASSERT_EQ(at_once.element(at_once.size() - 1), one_by_one.element(one_by_one.size() - 1));
      if (first % 64 == 0) {
        at_once.truncate(at_once.size() / 2);
        one_by_one.truncate(one_by_one.size() / 2);
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        at_once.drop_scratch(place + r);
        one_by_one.drop_scratch(place + r);
      }
    }
  }
}

// Rows of so many features, of which each is 0 in one of so many rows; never if that is 0.
std::vector<SparseVector> rows_with_zeros(std::size_t count, std::size_t features, std::size_t zeros) {
  std::mt19937_64 engine(features + zeros);
  std::vector<SparseVector> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Vector x(features);
    for (double& value : x) {
      value = zeros > 0 && engine() % zeros == 0 ? 0.0 : (1.0 + static_cast<double>(engine() % 999)) / 512.0;
    }
    rows.emplace_back(x);
  }
  return rows;
}

TEST(ScratchRows, EightAtOnceAreTheSameToTheBit) {
  for (const std::size_t features : {1, 3, 18, 22, 100}) {
    for (const std::size_t zeros : {0, 2, 20}) {
      const auto stored = rows_with_zeros(40, features, zeros);
      check_together<float>(stored, rows_with_zeros(240, features, zeros));
      check_together<double>(stored, rows_with_zeros(240, features, zeros));
    }
  }
}
TEST(ScratchRows, EightAtOnceOfWhichSomeHaveOtherFeaturesAreTheSameToTheBit) {
  auto coming = rows_with_zeros(240, 18, 20);
  for (std::size_t i = 50; i < coming.size(); i += 37) coming[i] = SparseVector(Vector(25, 0.5));
  for (std::size_t i = 60; i < coming.size(); i += 41) coming[i] = SparseVector(Vector());
  check_together<float>(rows_with_zeros(40, 18, 0), coming);
  check_together<double>(rows_with_zeros(40, 18, 0), coming);
}

}  // namespace
}  // namespace alder
