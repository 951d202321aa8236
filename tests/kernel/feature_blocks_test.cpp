#include "kernel/feature_blocks.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace alder {
namespace {

// Small features go by the table, large ones by hashing; both must behave like a plain map.
TEST(FeatureBlocks, BehaveLikeAMapOfNumbers) {
  std::mt19937_64 engine(3);
  FeatureBlocks<float> blocks;
  std::map<std::pair<FeatureIndex, std::size_t>, float> model;
  std::size_t slots = 0;
  for (int step = 0; step < 20000; ++step) {
    if (engine() % 1000 == 0 || slots == 0) {
      slots += 1 + engine() % 5;
      blocks.reserve_slots(slots);
    }
    const std::uint64_t small = engine() % 50;
    const auto feature = static_cast<FeatureIndex>(engine() % 2 == 0 ? small : 4294967295U - small);
    const std::size_t slot = engine() % slots;
    const auto key = std::make_pair(feature, slot);
    if (model.count(key) != 0) {
      blocks.clear(feature, slot);
      model.erase(key);
    } else {
      const auto value = static_cast<float>(1 + engine() % 100);
      blocks.set(feature, slot, value);
      model[key] = value;
    }
    const auto other = static_cast<FeatureIndex>(engine() % 60);
    const float* column = blocks.column(other);
    bool any = false;
    for (std::size_t i = 0; i < slots; ++i) {
      const auto found = model.find({other, i});
      any = any || found != model.end();
      if (column != nullptr) {
        ASSERT_EQ(column[i], found == model.end() ? 0.0F : found->second);
      }
    }
    ASSERT_EQ(column != nullptr, any);
  }
}

TEST(FeatureBlocks, ColumnsAreAlignedAndZeroToTheirPaddedEnd) {
  FeatureBlocks<double> blocks;
  blocks.reserve_slots(17);
  ASSERT_EQ(blocks.slots(), 32U);
  for (FeatureIndex feature = 0; feature < 40; ++feature) blocks.set(feature, 3, 1.0);
  for (FeatureIndex feature = 0; feature < 40; ++feature) {
    const double* column = blocks.column(feature);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column) % kAlignment, 0U);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(column[i], i == 3 ? 1.0 : 0.0);
  }
}

TEST(FeatureBlocks, MemoryFollowsWhatIsHeldAndNotWhatWasSeen) {
  FeatureBlocks<float> blocks;
  blocks.reserve_slots(16);
  for (FeatureIndex feature = 0; feature < 100; ++feature) blocks.set(2000000000 + feature, 0, 1.0F);
  const std::size_t bytes = blocks.bytes();
  for (FeatureIndex feature = 0; feature < 1000000; ++feature) {
    blocks.clear(2000000000 + feature, 0);
    blocks.set(2000000000 + feature + 100, 0, 1.0F);
  }
  EXPECT_LE(blocks.bytes(), 2 * bytes);
}

}  // namespace
}  // namespace alder
