#include "alder/row.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

TEST(Row, DenseAndSparseGiveFeaturesAndValues) {
  const std::vector<double> values = {1.5, 0.0, -2.0};
  const std::vector<FeatureIndex> indices = {0, 7, 4000000000};
  const Row dense = Row::dense(values);
  const Row sparse = Row::sparse(indices, values);
  ASSERT_EQ(dense.size(), 3U);
  ASSERT_EQ(sparse.size(), 3U);
  EXPECT_FALSE(dense.is_sparse());
  EXPECT_TRUE(sparse.is_sparse());
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(dense.feature(j), j);
    EXPECT_EQ(sparse.feature(j), indices[j]);
    EXPECT_EQ(dense.value(j), values[j]);
    EXPECT_EQ(sparse.value(j), values[j]);
  }
  EXPECT_NO_THROW(dense.check());
  EXPECT_NO_THROW(sparse.check());
}

TEST(Row, EmptyIsLegal) {
  EXPECT_NO_THROW(Row().check());
  EXPECT_NO_THROW(Row::sparse({}, {}).check());
  EXPECT_EQ(Row::sparse({}, {}).size(), 0U);
}

TEST(Row, RejectsDifferentLengths) {
  const std::vector<double> values = {1.0, 2.0};
  const std::vector<FeatureIndex> indices = {1};
  EXPECT_EQ(message_of([&] { (void)Row::sparse(indices, values); }),
            "a sparse row has 1 indices and 2 values; expected as many of both");
}

TEST(Row, RejectsUnsortedAndRepeatedFeatures) {
  const std::vector<double> values = {1.0, 2.0};
  const std::vector<FeatureIndex> unsorted = {5, 3};
  const std::vector<FeatureIndex> repeated = {5, 5};
  EXPECT_EQ(message_of([&] { Row::sparse(unsorted, values).check(); }),
            "feature 3 comes after feature 5; expected strictly ascending indices");
  EXPECT_EQ(message_of([&] { Row::sparse(repeated, values).check(); }),
            "feature 5 comes after feature 5; expected strictly ascending indices");
}

TEST(Row, RejectsValuesThatAreNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    const std::vector<double> values = {1.0, bad};
    EXPECT_THROW(Row::dense(values).check(), Error);
    EXPECT_NE(message_of([&] { Row::dense(values).check(); }).find("feature 1 is"), std::string::npos);
  }
}

}  // namespace
}  // namespace alder
