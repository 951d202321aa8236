#include "rows/row_block.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/support.h"

namespace alder {
namespace {

using testing::query;
using testing::random_sparse;
using testing::SparseVector;
using testing::Vector;

const Kernel kKernel = Kernel::gaussian(1.0);

// Eight rows, and columns for features.
template <class T>
struct Rows {
  static constexpr std::size_t kRows = RowBlock<T>::kRows;

  std::array<PreparedRow<T>, kRows> queries;
  std::array<PreparedRow<T>*, kRows> pointers;
  std::array<simd::SquaredNorms, kRows> norms;
  Columns<T> columns;
  RowBlock<T> block;

  explicit Rows(const std::vector<SparseVector>& rows, std::size_t slots = 32) {
    columns.widen(slots);
    for (std::size_t r = 0; r < kRows; ++r) {
      queries[r] = query<T>(rows[r].row(), kKernel);
      pointers[r] = &queries[r];
    }
  }
  void make_columns(FeatureIndex from, FeatureIndex to) {
    for (FeatureIndex feature = from; feature < to; ++feature) columns.make(feature);
  }
  void take(Norm norm = Norm::kSquared) { block.take(pointers.data(), columns, norms.data(), norm); }
};

std::vector<SparseVector> eight(const std::vector<double>& shares, std::size_t features) {
  std::mt19937_64 engine(features);
  std::vector<SparseVector> rows;
  for (std::size_t r = 0; r < 8; ++r) {
    const double share = shares[r % shares.size()];
    rows.push_back(random_sparse(engine, 0, features, static_cast<std::size_t>(share * static_cast<double>(features))));
  }
  return rows;
}

template <class T>
void check_norms(const std::vector<SparseVector>& rows, FeatureIndex columns) {
  Rows<T> all(rows);
  all.make_columns(0, columns);
  all.take();
  for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
    EXPECT_EQ(all.norms[r].in_double, all.queries[r].norm()) << "row " << r;
    EXPECT_EQ(all.norms[r].in_float, all.queries[r].float_norm()) << "row " << r;  // 0 for doubles
  }
  all.take(Norm::kAbsolute);
  for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
    const auto x = query<T>(rows[r].row(), Kernel::laplacian_l1(1.0));
    EXPECT_EQ(all.norms[r].in_double, x.norm()) << "row " << r;
    EXPECT_EQ(all.norms[r].in_float, x.float_norm()) << "row " << r;
  }
}

TEST(RowBlock, NormsAreThoseOfEachRowAlone) {
  for (const FeatureIndex features : {1U, 3U, 18U, 100U, 700U}) {
    for (const auto& shares :
         {std::vector<double>{3.0}, {0.1, 2.0, 0.0}, {0.05}, {2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}) {
      for (const FeatureIndex columns : {0U, features / 2, features}) {
        check_norms<float>(eight(shares, features), columns);
        check_norms<double>(eight(shares, features), columns);
      }
    }
  }
}

TEST(RowBlock, IsFullIfItsRowsHaveHalfOfTheColumnsAndNoFeatureWithoutOne) {
  const Vector half = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0};
  Rows<float> rows(std::vector<SparseVector>(8, SparseVector(half)));
  rows.take();
  EXPECT_FALSE(rows.block.is_full());  // no columns
  rows.make_columns(0, 2);
  rows.take();
  EXPECT_FALSE(rows.block.is_full());  // none for feature 2
  rows.make_columns(2, 6);
  rows.take();
  EXPECT_TRUE(rows.block.is_full());
  rows.make_columns(6, 7);
  rows.take();
  EXPECT_FALSE(rows.block.is_full());  // less than half
  rows.block.clear();
  EXPECT_FALSE(rows.block.is_full());
}

// What is written, and what is listed, is what the rows have; what all of them lack is written as 0 and not listed.
template <class T>
void check_written(const std::vector<SparseVector>& rows, FeatureIndex features) {
  Rows<T> all(rows);
  // Made in another order than that of their features, and with something in the slots that must go.
  for (FeatureIndex feature = features; feature > 0; --feature) {
    const std::uint32_t column = all.columns.make(feature - 1);
    std::fill_n(all.columns.data(column), 32, T{7});
  }
  all.take();
  ASSERT_TRUE(all.block.is_full());
  constexpr std::size_t kFirst = 5;
  all.block.write(kFirst, all.columns);
  std::vector<std::vector<T>> dense(Rows<T>::kRows, std::vector<T>(features));
  std::vector<bool> is_used(features, false);
  for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
    for (std::size_t j = 0; j < all.queries[r].features().size(); ++j) {
      dense[r][all.queries[r].features()[j]] = all.queries[r].values()[j];
      is_used[all.queries[r].features()[j]] = true;
    }
  }
  std::size_t listed = 0;
  for (FeatureIndex feature = 0; feature < features; ++feature) {
    const std::uint32_t column = all.columns.find(feature);
    EXPECT_EQ(all.columns.data(column)[kFirst - 1], T{7});
    EXPECT_EQ(all.columns.data(column)[kFirst + Rows<T>::kRows], T{7});
    for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
      ASSERT_EQ(all.columns.data(column)[kFirst + r], dense[r][feature]) << "feature " << feature << " row " << r;
    }
    if (!is_used[feature]) continue;
    ASSERT_LT(listed, all.block.count());
    ASSERT_EQ(all.block.columns()[listed], column);
    for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
      ASSERT_EQ(all.block.values()[listed * Rows<T>::kRows + r], dense[r][feature]);
    }
    ++listed;
  }
  EXPECT_EQ(listed, all.block.count());

  // The same list without writing.
  Rows<T> other(rows);
  for (FeatureIndex feature = features; feature > 0; --feature) {
    std::fill_n(other.columns.data(other.columns.make(feature - 1)), 32, T{7});
  }
  other.take();
  ASSERT_TRUE(other.block.is_full());
  other.block.list(other.columns);
  ASSERT_EQ(other.block.count(), all.block.count());
  for (std::size_t j = 0; j < other.block.count(); ++j) {
    ASSERT_EQ(other.block.columns()[j], all.block.columns()[j]) << j;
    for (std::size_t r = 0; r < Rows<T>::kRows; ++r) {
      ASSERT_EQ(other.block.values()[j * Rows<T>::kRows + r], all.block.values()[j * Rows<T>::kRows + r]) << j;
    }
  }
  for (FeatureIndex feature = 0; feature < features; ++feature) {
    const T* numbers = other.columns.data(other.columns.find(feature));
    ASSERT_TRUE(std::all_of(numbers, numbers + 32, [](T number) { return number == T{7}; })) << feature;
  }
}

TEST(RowBlock, WritesAllColumnsAndListsThoseWithValues) {
  for (const std::size_t features : {1, 2, 3, 4, 5, 22, 100}) {
    std::vector<SparseVector> rows;
    for (std::size_t r = 0; r < 8; ++r) {
      Vector x(features);
      for (std::size_t j = 0; j < features; ++j) x[j] = static_cast<double>(1 + r + 10 * j);
      rows.emplace_back(x);  // all features
    }
    check_written<float>(rows, static_cast<FeatureIndex>(features));
    check_written<double>(rows, static_cast<FeatureIndex>(features));
    if (features < 4) continue;
    for (std::size_t r = 0; r < 8; ++r) {
      Vector x(features);
      for (std::size_t j = 0; j < features; ++j)
        x[j] = (j + r) % 5 == 0 || j % 4 == 1 ? 0.0 : 1.0 + static_cast<double>(r);
      rows[r] = SparseVector(x);  // some, and those with j % 4 == 1 never
    }
    check_written<float>(rows, static_cast<FeatureIndex>(features));
    check_written<double>(rows, static_cast<FeatureIndex>(features));
  }
}

TEST(RowBlock, TakesOneLotOfRowsAfterTheOther) {
  RowBlock<float> block;
  Rows<float> full(std::vector<SparseVector>(8, SparseVector(Vector(20, 0.5))));
  full.make_columns(0, 20);
  Rows<float> sparse(eight({0.1}, 300));
  sparse.make_columns(0, 300);
  for (int i = 0; i < 3; ++i) {
    block.take(full.pointers.data(), full.columns, full.norms.data());
    EXPECT_TRUE(block.is_full());
    EXPECT_EQ(full.norms[7].in_double, 5.0);
    block.take(sparse.pointers.data(), sparse.columns, sparse.norms.data());
    EXPECT_FALSE(block.is_full());
    EXPECT_EQ(sparse.norms[7].in_double, sparse.queries[7].norm());
  }
}

}  // namespace
}  // namespace alder
