#include "kernel/kernel_row.h"

#include <gtest/gtest.h>

namespace alder {
namespace {

TEST(ScaledSum, AddIsThePlainSumWhereThatCanBeHeld) {
  EXPECT_DOUBLE_EQ(add({3.0, 1.0}, {2.0, 2.0}), 3.0 * std::exp(-1.0) + 2.0 * std::exp(-2.0));
  EXPECT_DOUBLE_EQ(add({3.0, 0.0}, {0.0, 0.0}), 3.0);
  EXPECT_EQ(add({0.0, 0.0}, {0.0, 0.0}), 0.0);
}

TEST(ScaledSum, ASumTooSmallForADoubleKeepsItsSign) {
  EXPECT_GT(add({1.0, 2000.0}, {-5.0, 3000.0}), 0.0);
  EXPECT_LT(add({1.0, 3000.0}, {-5.0, 2000.0}), 0.0);
  EXPECT_LT(add({1.0, 1e30}, {-5.0, 1e30}), 0.0);
}

TEST(ScaledSum, AnExactZeroNeitherHidesNorScalesTheOther) {
  // An empty sum has shift 0; the other one lies far below.
  EXPECT_LT(add({0.0, 0.0}, {-5.0, 2000.0}), 0.0);
  EXPECT_GT(add({5.0, 2000.0}, {0.0, 0.0}), 0.0);
}

}  // namespace
}  // namespace alder
