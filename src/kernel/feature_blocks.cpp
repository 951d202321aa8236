#include "kernel/feature_blocks.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace alder {

template <class T>
void FeatureBlocks<T>::reserve_slots(std::size_t slots) {
  if (slots <= slots_) return;
  const std::size_t wider = padded(slots);
  std::vector<AlignedVector<T>> chunks(chunks_.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    chunks[c].resize(kBlocksPerChunk * wider);
    for (std::size_t b = 0; b < kBlocksPerChunk; ++b) {
      std::copy_n(chunks_[c].data() + b * slots_, slots_, chunks[c].data() + b * wider);
    }
  }
  chunks_ = std::move(chunks);
  slots_ = wider;
}

template <class T>
void FeatureBlocks<T>::set(FeatureIndex feature, std::size_t slot, T value) {
  assert(slot < slots_ && value != T{0});
  std::uint32_t block = table_.find(feature);
  if (block == FeatureTable::kNone) block = add_block(feature);
  assert(block_data(block)[slot] == T{0});
  block_data(block)[slot] = value;
  ++users_[block];
}

template <class T>
void FeatureBlocks<T>::clear(FeatureIndex feature, std::size_t slot) {
  const std::uint32_t block = table_.find(feature);
  assert(block != FeatureTable::kNone && block_data(block)[slot] != T{0});
  block_data(block)[slot] = T{0};
  if (--users_[block] == 0) drop_block(feature, block);
}

template <class T>
std::uint32_t FeatureBlocks<T>::add_block(FeatureIndex feature) {
  if (free_.empty()) {
    const std::size_t count = users_.size();
    free_.reserve(count + kBlocksPerChunk);  // drop_block must not allocate
    chunks_.emplace_back(kBlocksPerChunk * slots_);
    users_.resize(count + kBlocksPerChunk);
    for (std::size_t b = kBlocksPerChunk; b-- > 0;) free_.push_back(static_cast<std::uint32_t>(count + b));
  }
  const std::uint32_t block = free_.back();
  table_.insert(feature, block);
  free_.pop_back();
  return block;
}

template <class T>
void FeatureBlocks<T>::drop_block(FeatureIndex feature, std::uint32_t block) {
  table_.erase(feature);
  free_.push_back(block);
}

template <class T>
std::size_t FeatureBlocks<T>::bytes() const {
  return chunks_.size() * kBlocksPerChunk * slots_ * sizeof(T) +
         (users_.capacity() + free_.capacity()) * sizeof(std::uint32_t) + table_.bytes();
}

template class FeatureBlocks<float>;
template class FeatureBlocks<double>;

}  // namespace alder
