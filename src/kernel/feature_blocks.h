#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "alder/row.h"

#include "kernel/feature_table.h"
#include "simd/aligned.h"

namespace alder {

/// The storage of a feature-major matrix: for every feature that some element has, a column with one number per
/// element slot, zero where the element lacks the feature. A feature's column appears with the first element that has
/// it and is given back with the last, so memory follows what is held, never the dimension of the stream.
template <class T>
class FeatureBlocks {
 public:
  /// The column of a feature, padded(slots()) numbers long and aligned; null if no element has the feature.
  [[nodiscard]] const T* column(FeatureIndex feature) const {
    const std::uint32_t block = table_.find(feature);
    return block == FeatureTable::kNone ? nullptr : block_data(block);
  }

  [[nodiscard]] std::size_t slots() const { return slots_; }
  /// Makes room for at least `slots` elements; keeps what is stored. Columns move.
  void reserve_slots(std::size_t slots);

  /// Puts the value (not 0) of a feature into a slot (below slots()) that has none for it.
  void set(FeatureIndex feature, std::size_t slot, T value);
  /// Takes the value of a feature out of a slot that has one.
  void clear(FeatureIndex feature, std::size_t slot);

  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlocksPerChunk = 16;

  [[nodiscard]] const T* block_data(std::uint32_t block) const {
    return chunks_[block / kBlocksPerChunk].data() + block % kBlocksPerChunk * slots_;
  }
  T* block_data(std::uint32_t block) { return const_cast<T*>(std::as_const(*this).block_data(block)); }
  std::uint32_t add_block(FeatureIndex feature);
  void drop_block(FeatureIndex feature, std::uint32_t block);

  std::size_t slots_ = 0;                 // a multiple of kLanes
  std::vector<AlignedVector<T>> chunks_;  // blocks of slots_ numbers each; stable while slots_ is
  std::vector<std::uint32_t> users_;      // per block: how many slots have a value
  std::vector<std::uint32_t> free_;       // blocks that nobody uses, all zero
  FeatureTable table_;                    // feature -> block
};

}  // namespace alder
