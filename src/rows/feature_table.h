#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alder/row.h"

#include "simd/simd.h"

namespace alder {

/// A number for each of the features in use, whatever the dimension of the stream.
class FeatureTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// The feature's number, or kNone.
  [[nodiscard]] std::uint32_t find(FeatureIndex feature) const {
    if (feature < table_.size()) return table_[feature];
    if (feature < kTableLimit) return kNone;
    const auto found = hashed_.find(feature);
    return found == hashed_.end() ? kNone : found->second;
  }

  /// Those of several features, which ascend. Returns whether all have one.
  bool find(const FeatureIndex* features, std::size_t count, std::uint32_t* numbers) const {
    if (count == 0) return true;
    if (features[count - 1] < table_.size()) return simd::look_up(table_.data(), features, count, kNone, numbers);
    bool has_all = true;
    for (std::size_t j = 0; j < count; ++j) {
      numbers[j] = find(features[j]);
      has_all &= numbers[j] != kNone;
    }
    return has_all;
  }

  /// Gives a number to a feature that has none.
  void insert(FeatureIndex feature, std::uint32_t number) {
    if (feature < kTableLimit) {
      if (feature >= table_.size()) {
        table_.resize(std::min<std::size_t>(kTableLimit, 2 * std::size_t{feature} + 16), kNone);
      }
      table_[feature] = number;
    } else {
      hashed_.emplace(feature, number);
    }
  }

  /// Takes a feature's number away.
  void erase(FeatureIndex feature) {
    if (feature < kTableLimit) {
      table_[feature] = kNone;
    } else {
      hashed_.erase(feature);
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t kHashNode = sizeof(std::pair<FeatureIndex, std::uint32_t>) + 2 * sizeof(void*);
    return table_.capacity() * sizeof(std::uint32_t) + hashed_.size() * kHashNode;
  }

 private:
  /// Features below this are looked up in a table (4 MiB when full), the others by hashing.
  static constexpr FeatureIndex kTableLimit = 1U << 20U;

  std::vector<std::uint32_t> table_;
  std::unordered_map<FeatureIndex, std::uint32_t> hashed_;
};

}  // namespace alder
