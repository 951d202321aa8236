#include "rows/prepared_row.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "kernel/support.h"
#include "simd/simd.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;
using testing::SparseVector;
using testing::Vector;

template <class T>
void expect_row(const PreparedRow<T>& query, const Vector& x) {
  std::size_t next = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (static_cast<T>(x[j]) == T{0}) continue;
    ASSERT_LT(next, query.values().size());
    ASSERT_EQ(query.features()[next], j);
    ASSERT_EQ(query.values()[next], static_cast<T>(x[j]));
    ++next;
  }
  ASSERT_EQ(query.values().size(), next);
  ASSERT_EQ(query.features().size(), next);
  const simd::SquaredNorms norms = simd::squared_norms(query.values().data(), next);
  ASSERT_EQ(query.norm(), norms.in_double);
  ASSERT_EQ(query.float_norm(), norms.in_float);
}

// Rows with and without zeros, dense, sparse and sparse with zeros listed, one after the other in the same query.
template <class T>
void check_rows() {
  std::mt19937_64 engine(3);
  const Kernel kernel = Kernel::polynomial(2, 0.5, 1.0);
  PreparedRow<T> assigned;
  PreparedRow<T> borrowed;
  PreparedRow<T> in_steps;
  for (std::size_t size = 0; size <= 40; ++size) {
    std::vector<FeatureIndex> all(size);
    for (std::size_t j = 0; j < size; ++j) all[j] = static_cast<FeatureIndex>(j);
    for (const bool has_zeros : {false, true}) {
      Vector x = testing::random_vector(engine, size);
      for (double& value : x) {
        if (!has_zeros && value == 0.0) value = 0.1;
        if (has_zeros && engine() % 10 == 0) value = 1e-60;  // 0 as a float
      }
      const SparseVector sparse(x);
      for (const Row& row : {Row::dense(x), sparse.row(), Row::sparse(all, x)}) {
        borrowed.borrow(row, kernel);
        expect_row(borrowed, x);
        in_steps.borrow_values(row);
        ASSERT_TRUE(in_steps.take_norms(in_steps.compute_norms(), kernel));
        expect_row(in_steps, x);
        {
          const Vector copy = x;  // gone afterwards
          assigned.assign(row.is_sparse() ? row : Row::dense(copy), kernel);
        }
        expect_row(assigned, x);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << size;
        EXPECT_EQ(assigned.self(), kernel.self(assigned.norm()));
        EXPECT_EQ(borrowed.self(), assigned.self());
      }
    }
  }
}

TEST(PreparedRow, HasTheRowsValuesWithoutZeros) {
  check_rows<float>();
  check_rows<double>();
}

TEST(PreparedRow, AssignedIsIndependentOfTheRow) {
  std::vector<FeatureIndex> indices = {2, 5};
  Vector values = {1.0, -3.0};
  PreparedRow<float> query;
  query.assign(Row::sparse(indices, values), Kernel::linear());
  indices = {7, 8};
  values = {0.0, 0.0};
  expect_row(query, {0.0, 0.0, 1.0, 0.0, 0.0, -3.0});
}

TEST(PreparedRow, RejectsWhatIsOutOfRangeWhereverItIs) {
  for (std::size_t size = 1; size <= 9; ++size) {
    for (std::size_t j = 0; j < size; ++j) {
      Vector x(size, 1.0);
      x[j] = -1e39;
      PreparedRow<float> floats;
      PreparedRow<double> doubles;
      EXPECT_EQ(
          message_of([&] { floats.assign(Row::dense(x), Kernel::gaussian(1.0)); }),
          "feature " + std::to_string(j) + " is -1e+39; expected a value in the range of float, or double precision");
      EXPECT_NO_THROW(doubles.assign(Row::dense(x), Kernel::gaussian(1.0)));
      x[j] = 1e151;
      EXPECT_EQ(message_of([&] { doubles.assign(Row::dense(x), Kernel::gaussian(1.0)); }),
                "the row's squared norm is 1e+302; expected at most 1e+300: scale the features");
      x[j] = 1e60;
      EXPECT_THROW(doubles.assign(Row::dense(x), Kernel::linear()), Error);
      x[j] = 0.5;
      floats.assign(Row::dense(x), Kernel::gaussian(1.0));  // as if nothing had happened
      expect_row(floats, x);
    }
  }
}

TEST(PreparedRow, NormsOfOnesAreTheirNumber) {
  PreparedRow<float> query;
  for (const std::size_t size : {1, 7, 255, 256}) {
    const Vector ones(size, 1.0);
    query.borrow(Row::dense(ones), Kernel::gaussian(1.0));
    EXPECT_EQ(query.is_ones(), size <= 255);
    expect_row(query, ones);
  }
}

}  // namespace
}  // namespace alder
