#include "alder/row_buffer.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace alder {
namespace {

std::vector<double> values_of(const Row& row) {
  return {row.values(), row.values() + row.size()};
}

std::vector<FeatureIndex> features_of(const Row& row) {
  std::vector<FeatureIndex> features;
  for (std::size_t j = 0; j < row.size(); ++j) features.push_back(row.feature(j));
  return features;
}

TEST(RowBuffer, CopiesRows) {
  std::vector<FeatureIndex> indices = {3, 4294967294U};
  std::vector<double> values = {0.5, -0.0};
  RowBuffer buffer;
  buffer.append(Row::sparse(indices, values));
  buffer.append(Row::dense(values));
  buffer.append(Row());
  indices[0] = 7;
  values[0] = 9.0;
  ASSERT_EQ(buffer.size(), 3U);
  const std::span<const Row> rows = buffer.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[0].is_sparse());
  EXPECT_EQ(features_of(rows[0]), (std::vector<FeatureIndex>{3, 4294967294U}));
  EXPECT_EQ(values_of(rows[0]), (std::vector<double>{0.5, -0.0}));
  EXPECT_TRUE(std::signbit(rows[0].value(1)));
  EXPECT_FALSE(rows[1].is_sparse());
  EXPECT_EQ(values_of(rows[1]), (std::vector<double>{0.5, -0.0}));
  EXPECT_EQ(rows[2].size(), 0U);
}

TEST(RowBuffer, CopiesWhatIsNotSound) {
  const std::vector<FeatureIndex> indices = {3, 3};
  const std::vector<double> values = {0.5, std::numeric_limits<double>::infinity()};
  RowBuffer buffer;
  buffer.append(Row::sparse(indices, values));
  EXPECT_EQ(features_of(buffer.rows()[0]), indices);
  EXPECT_EQ(values_of(buffer.rows()[0]), values);
  EXPECT_ANY_THROW(buffer.rows()[0].check());
}

TEST(RowBuffer, KeepsTheMarkOfCheckedRows) {
  const std::vector<double> values = {1.0, 2.0};
  const std::vector<FeatureIndex> indices = {1, 2};
  RowBuffer buffer;
  for (int i = 0; i < 100; ++i) {  // the arrays grow meanwhile
    buffer.append(Row::dense(values).as_checked());
    buffer.append(Row::dense(values));
    buffer.append(Row::sparse(indices, values).as_checked());
    buffer.append(Row::sparse(indices, values));
  }
  for (std::size_t i = 0; i < buffer.size(); ++i) EXPECT_EQ(buffer.rows()[i].is_checked(), i % 2 == 0) << i;
}

TEST(RowBuffer, WidensFloats) {
  const std::vector<float> values = {0.1F, -0.0F, std::numeric_limits<float>::denorm_min(),
                                     std::numeric_limits<float>::max()};
  RowBuffer buffer;
  buffer.append(values);
  const Row row = buffer.rows()[0];
  EXPECT_FALSE(row.is_sparse());
  EXPECT_FALSE(row.is_checked());
  ASSERT_EQ(row.size(), values.size());
  for (std::size_t j = 0; j < values.size(); ++j) EXPECT_EQ(row.value(j), static_cast<double>(values[j]));
  EXPECT_TRUE(std::signbit(row.value(1)));
}

TEST(RowBuffer, TakesRowsWrittenInPlace) {
  RowBuffer buffer;
  RowBuffer::Room room = buffer.room(5);
  ASSERT_EQ(room.indices.size(), 5U);
  ASSERT_EQ(room.values.size(), 5U);
  room.indices[0] = 8;
  room.values[0] = 1.5;
  buffer.append_written(Row::sparse(room.indices.data(), room.values.data(), 1).as_checked());
  room = buffer.room(2);
  room.values[0] = 2.0;
  room.values[1] = 3.0;
  buffer.append_written(Row::dense(room.values));
  room = buffer.room(1000);  // moves the others
  buffer.append_written(Row::sparse(room.indices.data(), room.values.data(), 0));
  ASSERT_EQ(buffer.size(), 3U);
  EXPECT_EQ(features_of(buffer.rows()[0]), (std::vector<FeatureIndex>{8}));
  EXPECT_EQ(values_of(buffer.rows()[0]), (std::vector<double>{1.5}));
  EXPECT_TRUE(buffer.rows()[0].is_checked());
  EXPECT_EQ(values_of(buffer.rows()[1]), (std::vector<double>{2.0, 3.0}));
  EXPECT_EQ(buffer.rows()[2].size(), 0U);
}

TEST(RowBuffer, StartsAgainInTheSameMemory) {
  const std::vector<double> values(10, 1.0);
  RowBuffer buffer;
  for (int i = 0; i < 20; ++i) buffer.append(Row::dense(values));
  const std::size_t bytes = buffer.bytes();
  const double* start = buffer.rows()[0].values();
  EXPECT_GE(bytes, 20 * (sizeof(Row) + 10 * sizeof(double)));
  buffer.clear();
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_TRUE(buffer.rows().empty());
  for (int i = 0; i < 20; ++i) buffer.append(Row::dense(values));
  EXPECT_EQ(buffer.bytes(), bytes);
  EXPECT_EQ(buffer.rows()[0].values(), start);
}

TEST(RowBuffer, MovesWithItsRows) {
  const std::vector<double> values = {1.0, 2.0};
  RowBuffer buffer;
  buffer.append(Row::dense(values));
  const double* start = buffer.rows()[0].values();
  RowBuffer other = std::move(buffer);
  EXPECT_EQ(other.rows()[0].values(), start);
  EXPECT_EQ(buffer.size(), 0U);  // NOLINT: it is empty, not unknown
  buffer.append(Row::dense(values));
  EXPECT_EQ(values_of(buffer.rows()[0]), values);
  buffer = std::move(other);
  EXPECT_EQ(buffer.size(), 1U);
  EXPECT_EQ(buffer.rows()[0].values(), start);
}

RC_GTEST_PROP(RowBuffer, HoldsWhatWasAppended, (const std::vector<std::vector<double>>& all)) {
  RowBuffer buffer;
  for (int round = 0; round < 2; ++round) {
    buffer.clear();
    std::vector<std::vector<FeatureIndex>> indices;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<FeatureIndex>& features = indices.emplace_back();
      for (std::size_t j = 0; j < all[i].size(); ++j) features.push_back(static_cast<FeatureIndex>(i + 3 * j));
      buffer.append(i % 3 == 0 ? Row::dense(all[i]) : Row::sparse(features, all[i]));
    }
    RC_ASSERT(buffer.rows().size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Row row = buffer.rows()[i];
      RC_ASSERT(values_of(row) == all[i]);
      if (!all[i].empty()) RC_ASSERT(row.is_sparse() == (i % 3 != 0));
      if (i % 3 != 0) RC_ASSERT(features_of(row) == indices[i]);
    }
  }
}

}  // namespace
}  // namespace alder
