#include "rows/sparse_columns.h"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "rows/columns.h"

namespace alder {
namespace {

FeatureIndex random_feature(std::mt19937_64& engine) {
  const std::uint64_t small = engine() % 50;
  return static_cast<FeatureIndex>(engine() % 2 == 0 ? small : 4294967295U - small);
}

TEST(SparseColumns, BehaveLikeAMapOfNumbers) {
  std::mt19937_64 engine(3);
  SparseColumns<float> columns;
  std::map<FeatureIndex, std::map<std::size_t, float>> model;
  for (int step = 0; step < 50000; ++step) {
    const FeatureIndex feature = random_feature(engine);
    const std::size_t slot = engine() % 200;
    auto& numbers = model[feature];
    const std::uint32_t column = columns.make(feature);
    if (numbers.contains(slot)) {
      columns.clear(column, slot);
      numbers.erase(slot);
    } else {
      numbers[slot] = static_cast<float>(1 + engine() % 100);
      columns.put(column, slot, numbers[slot]);
    }
    if (numbers.empty()) model.erase(feature);
    const FeatureIndex other = random_feature(engine);
    std::uint32_t found = 77;
    ASSERT_EQ(columns.find(&other, 1, &found), model.contains(other));
    ASSERT_EQ(found != SparseColumns<float>::kNone, model.contains(other));
    if (found == SparseColumns<float>::kNone) continue;
    ASSERT_EQ(columns.feature(found), other);
    for (std::size_t i = 0; i < 220; ++i) {
      ASSERT_EQ(columns.value(found, i), model[other].contains(i) ? model[other][i] : 0.0F);
    }
  }
}

// Whole columns and those in pieces, filled with the same numbers, which also go again.
template <class T, class A>
void check_dots() {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  constexpr std::size_t kSlots = 208;
  Columns<T> whole;
  SparseColumns<T> sparse;
  whole.widen(kSlots);
  std::vector<simd::Piece<T, A>> pieces;
  for (int step = 0; step < 3000; ++step) {
    const auto feature = static_cast<FeatureIndex>(engine() % 60);
    const std::size_t slot = engine() % kSlots;
    T& number = whole.data(whole.make(feature))[slot];
    const std::uint32_t column = sparse.make(feature);
    if (number != T{0}) {
      sparse.clear(column, slot);
      number = T{0};
    } else {
      number = static_cast<T>(engine() % 2 == 0 ? uniform(engine) : -uniform(engine));
      sparse.put(column, slot, number);
    }
    if (step % 10 != 0) continue;
    std::vector<std::uint32_t> columns;
    std::vector<const T*> pointers;
    std::vector<T> values;
    for (FeatureIndex f = 0; f < 60; ++f) {
      std::uint32_t found = 0;
      if (engine() % 3 == 0 || !sparse.find(&f, 1, &found)) continue;
      columns.push_back(found);
      pointers.push_back(whole.data(whole.find(f)));
      values.push_back(static_cast<T>(uniform(engine) - 1.0));
    }
    for (std::size_t slots = kLanes; slots <= kSlots; slots += kLanes) {
      AlignedVector<A> expected(slots);
      AlignedVector<A> dots(slots + kLanes, A{77});
      simd::dots(pointers.data(), values.data(), values.size(), slots, expected.data());
      sparse.dots(columns, values.data(), slots, pieces, dots.data());
      for (std::size_t i = 0; i < slots; ++i) ASSERT_EQ(dots[i], expected[i]) << step << " " << slots << " " << i;
      for (std::size_t i = slots; i < dots.size(); ++i) ASSERT_EQ(dots[i], A{77});
    }
  }
}

TEST(SparseColumns, DotsAreThoseOfWholeColumnsToTheBit) {
  check_dots<float, float>();
  check_dots<float, double>();
  check_dots<double, double>();
}

TEST(SparseColumns, SeveralFeaturesAreFoundAsOneByOne) {
  SparseColumns<double> columns;
  for (const FeatureIndex feature : {3U, 9U, 2000000U, 4294967295U}) columns.put(columns.make(feature), 5, 1.0);
  const std::vector<FeatureIndex> all = {3, 9, 2000000, 4294967295U};
  const std::vector<FeatureIndex> some = {3, 4, 2000000, 4294967294U};
  std::vector<std::uint32_t> found(4);
  EXPECT_TRUE(columns.find(all.data(), 4, found.data()));
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(columns.feature(found[j]), all[j]);
  EXPECT_FALSE(columns.find(some.data(), 4, found.data()));
  EXPECT_EQ(columns.feature(found[0]), 3U);
  EXPECT_EQ(found[1], SparseColumns<double>::kNone);
  EXPECT_EQ(columns.feature(found[2]), 2000000U);
  EXPECT_EQ(found[3], SparseColumns<double>::kNone);
}

TEST(SparseColumns, MemoryFollowsWhatIsHeldAndNotWhatWasSeen) {
  SparseColumns<float> columns;
  const auto make = [&](FeatureIndex feature) { return columns.make(2000000000 + feature); };
  for (FeatureIndex feature = 0; feature < 100; ++feature) columns.put(make(feature), 0, 1.0F);
  const std::size_t bytes = columns.bytes();
  for (FeatureIndex feature = 0; feature < 1000000; ++feature) {
    columns.clear(make(feature), 0);
    columns.put(make(feature + 100), 0, 1.0F);
  }
  EXPECT_LE(columns.bytes(), 2 * bytes);
}

}  // namespace
}  // namespace alder
