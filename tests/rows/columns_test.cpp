#include "rows/columns.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace alder {
namespace {

// Small features go by the table, large ones by hashing; both must behave like a plain map.
TEST(Columns, BehaveLikeAMapOfNumbers) {
  std::mt19937_64 engine(3);
  Columns<float> columns;
  std::map<FeatureIndex, std::map<std::size_t, float>> model;
  std::size_t slots = 0;
  for (int step = 0; step < 20000; ++step) {
    if (engine() % 1000 == 0 || slots == 0) {
      slots += 1 + engine() % 5;
      columns.widen(slots);
      ASSERT_GE(columns.slots(), slots);
    }
    const std::uint64_t small = engine() % 50;
    const auto feature = static_cast<FeatureIndex>(engine() % 2 == 0 ? small : 4294967295U - small);
    const std::size_t slot = engine() % slots;
    const auto value = static_cast<float>(engine() % 3);
    columns.data(columns.make(feature))[slot] = value;
    if (value == 0.0F) {
      model[feature].erase(slot);
    } else {
      model[feature][slot] = value;
    }
    if (engine() % 100 == 0) {  // those that are all 0 go
      std::vector<bool> marked(columns.numbers());
      for (const auto& [kept, numbers] : model) {
        if (!numbers.empty()) marked[columns.find(kept)] = true;
      }
      columns.keep(marked);
      std::erase_if(model, [](const auto& entry) { return entry.second.empty(); });
    }
    ASSERT_EQ(columns.count(), model.size());
    const auto other = static_cast<FeatureIndex>(engine() % 60);
    const std::uint32_t column = columns.find(other);
    ASSERT_EQ(column != Columns<float>::kNone, model.contains(other));
    if (column == Columns<float>::kNone) continue;
    ASSERT_LT(column, columns.numbers());
    ASSERT_EQ(columns.feature(column), other);
    ASSERT_EQ(columns.features()[column], other);
    for (std::size_t i = 0; i < columns.slots(); ++i) {
      ASSERT_EQ(columns.data(column)[i], model[other].contains(i) ? model[other][i] : 0.0F);
    }
  }
}

TEST(Columns, SeveralFeaturesAreFoundAsOneByOne) {
  std::mt19937_64 engine(4);
  for (const FeatureIndex spread : {30U, 3000U, 4000000U, 400000000U}) {
    Columns<double> columns;
    columns.widen(16);
    for (int i = 0; i < 100; ++i) columns.make(static_cast<FeatureIndex>(engine() % (10 * spread)));
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<FeatureIndex> features;
      while (features.size() < count) {  // ascending, some of them known
        const FeatureIndex last = features.empty() ? 0 : features.back() + 1;
        features.push_back(last + static_cast<FeatureIndex>(engine() % (spread / 5)));
      }
      if (engine() % 2 == 0) {
        features.assign(columns.features(), columns.features() + count);
        std::sort(features.begin(), features.end());
        features.erase(std::unique(features.begin(), features.end()), features.end());
      }
      std::vector<std::uint32_t> found(features.size(), 77U);
      bool has_all = true;
      for (const FeatureIndex feature : features) has_all &= columns.find(feature) != Columns<double>::kNone;
      ASSERT_EQ(columns.find(features.data(), features.size(), found.data()), has_all);
      for (std::size_t j = 0; j < features.size(); ++j) ASSERT_EQ(found[j], columns.find(features[j]));
    }
  }
}

TEST(Columns, AreAlignedApartByTheStrideAndZeroToTheirEnd) {
  Columns<double> columns;
  columns.widen(17);
  ASSERT_EQ(columns.slots(), 32U);
  for (FeatureIndex feature = 0; feature < 40; ++feature) columns.data(columns.make(feature))[3] = 1.0;
  EXPECT_EQ(columns.stride() * sizeof(double) / kAlignment % 2, 1U);  // lines, an odd number of them
  for (FeatureIndex feature = 0; feature < 40; ++feature) {
    const std::uint32_t column = columns.find(feature);
    const double* numbers = columns.data(column);
    EXPECT_EQ(numbers, columns.data(0) + column * columns.stride());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers) % kAlignment, 0U);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i == 3 ? 1.0 : 0.0);
  }
}

TEST(Columns, AreSortedByFeatureUnlessThereAreTooMany) {
  std::mt19937_64 engine(5);
  Columns<float> columns;
  columns.widen(16);
  for (int step = 0; step < 2000; ++step) {
    columns.make(static_cast<FeatureIndex>(engine() % 400));
    if (engine() % 50 == 0) {
      std::vector<bool> marked(columns.numbers());
      for (std::size_t c = 0; c < marked.size(); ++c) {
        marked[c] = columns.find(columns.feature(static_cast<std::uint32_t>(c))) == c && engine() % 4 != 0;
      }
      columns.keep(marked);
    }
    const auto& sorted = columns.sorted();
    ASSERT_EQ(sorted.size(), columns.count() <= Columns<float>::kMostSorted ? columns.count() : 0U);
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      ASSERT_EQ(columns.places().at(columns.feature(sorted[place])), place + 1);
      ASSERT_EQ(columns.find(columns.feature(sorted[place])), sorted[place]);
      if (place > 0) {
        ASSERT_LT(columns.feature(sorted[place - 1]), columns.feature(sorted[place]));
      }
    }
    ASSERT_EQ(std::ranges::count(columns.places(), 0),
              static_cast<std::ptrdiff_t>(columns.places().size() - sorted.size()));
  }
}

TEST(Columns, HaveNoTableOfPlacesWhileAFeatureIsFarAway) {
  Columns<float> columns;
  columns.widen(16);
  columns.make(3);
  const std::uint32_t far = columns.make(1U << 20U);
  columns.make(7);
  EXPECT_TRUE(columns.places().empty());
  std::vector<bool> marked(columns.numbers(), true);
  marked[far] = false;
  columns.keep(marked);
  EXPECT_EQ(columns.places(), (std::vector<std::uint16_t>{0, 0, 0, 1, 0, 0, 0, 2}));
}

TEST(Columns, MayBeMadeBeforeTheyHaveSlots) {
  Columns<float> columns;
  for (FeatureIndex feature = 0; feature < 20; ++feature) columns.make(feature);
  columns.widen(1600);
  EXPECT_GE(columns.bytes(), 20 * columns.stride() * sizeof(float));
}

TEST(Columns, MemoryFollowsWhatIsKeptAndNotWhatWasSeen) {
  Columns<float> columns;
  columns.widen(16);
  std::size_t bytes = 0;
  for (FeatureIndex feature = 0; feature < 1000000; ++feature) {
    columns.make(2000000000 + feature);
    if (columns.count() < 100) continue;
    columns.keep(std::vector<bool>(columns.numbers()));
    if (bytes == 0) bytes = columns.bytes();
  }
  EXPECT_LE(columns.numbers(), 100U);
  EXPECT_LE(columns.bytes(), 2 * bytes);
}

}  // namespace
}  // namespace alder
