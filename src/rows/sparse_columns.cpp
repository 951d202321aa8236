#include "rows/sparse_columns.h"

#include <algorithm>
#include <cassert>

namespace alder {

template <class T>
std::uint32_t SparseColumns<T>::make(FeatureIndex feature) {
  const std::uint32_t found = table_.find(feature);
  if (found != kNone) return found;
  if (free_columns_.empty()) {
    columns_.emplace_back();
    free_columns_.push_back(static_cast<std::uint32_t>(columns_.size() - 1));
  }
  const std::uint32_t column = free_columns_.back();
  table_.insert(feature, column);
  free_columns_.pop_back();
  columns_[column].feature = feature;
  return column;
}

template <class T>
void SparseColumns<T>::put(std::uint32_t column, std::size_t slot, T value) {
  assert(value != T{0});
  const auto group = static_cast<std::uint32_t>(slot / kLanes);
  std::vector<Part>& parts = columns_[column].parts;
  auto part = std::find_if(parts.begin(), parts.end(), [group](const Part& p) { return p.group == group; });
  if (part == parts.end()) {
    if (free_pieces_.empty()) {
      const std::size_t first = chunks_.size() * kPiecesPerChunk;
      chunks_.emplace_back(kPiecesPerChunk * kLanes);
      for (std::size_t p = kPiecesPerChunk; p-- > 0;) free_pieces_.push_back(static_cast<std::uint32_t>(first + p));
    }
    part = parts.insert(parts.end(), {group, free_pieces_.back()});
    free_pieces_.pop_back();
  }
  piece(part->piece)[slot % kLanes] = value;
}

template <class T>
void SparseColumns<T>::clear(std::uint32_t column, std::size_t slot) {
  std::vector<Part>& parts = columns_[column].parts;
  const auto part =
      std::find_if(parts.begin(), parts.end(), [slot](const Part& p) { return p.group == slot / kLanes; });
  assert(part != parts.end());
  T* numbers = piece(part->piece);
  numbers[slot % kLanes] = T{0};
  if (std::any_of(numbers, numbers + kLanes, [](T number) { return number != T{0}; })) return;
  free_pieces_.push_back(part->piece);
  *part = parts.back();
  parts.pop_back();
  if (!parts.empty()) return;
  table_.erase(columns_[column].feature);
  free_columns_.push_back(column);
}

template <class T>
T SparseColumns<T>::value(std::uint32_t column, std::size_t slot) const {
  for (const Part& part : columns_[column].parts) {
    if (part.group == slot / kLanes) return piece(part.piece)[slot % kLanes];
  }
  return T{0};
}

template <class T>
template <class V, class A>
void SparseColumns<T>::list(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
                            std::vector<simd::Piece<T, A>>& pieces, A* out) const {
  pieces.clear();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (const Part& part : columns_[columns[j]].parts) {
      if (part.group * kLanes < slots)
        pieces.push_back({piece(part.piece), out + part.group * kLanes, static_cast<T>(values[j])});
    }
  }
  std::fill_n(out, slots, A{0});
}

template <class T>
template <class V, class A>
void SparseColumns<T>::dots(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
                            std::vector<simd::Piece<T, A>>& pieces, A* out) const {
  list(columns, values, slots, pieces, out);
  simd::add_pieces(pieces.data(), pieces.size());
}

template <class T>
template <class V, class A>
void SparseColumns<T>::overlaps(std::span<const std::uint32_t> columns, const V* values, std::size_t slots,
                                std::vector<simd::Piece<T, A>>& pieces, A* out) const {
  list(columns, values, slots, pieces, out);
  simd::overlap_pieces(pieces.data(), pieces.size());
}

template <class T>
std::size_t SparseColumns<T>::bytes() const {
  std::size_t total = columns_.capacity() * sizeof(Column) + chunks_.size() * kPiecesPerChunk * kLanes * sizeof(T) +
                      (free_columns_.capacity() + free_pieces_.capacity()) * sizeof(std::uint32_t) + table_.bytes();
  for (const Column& column : columns_) total += column.parts.capacity() * sizeof(Part);
  return total;
}

template class SparseColumns<float>;
template class SparseColumns<double>;
template void SparseColumns<float>::dots(std::span<const std::uint32_t>, const float*, std::size_t,
                                         std::vector<simd::Piece<float, float>>&, float*) const;
template void SparseColumns<float>::dots(std::span<const std::uint32_t>, const float*, std::size_t,
                                         std::vector<simd::Piece<float, double>>&, double*) const;
template void SparseColumns<float>::dots(std::span<const std::uint32_t>, const double*, std::size_t,
                                         std::vector<simd::Piece<float, double>>&, double*) const;
template void SparseColumns<double>::dots(std::span<const std::uint32_t>, const double*, std::size_t,
                                          std::vector<simd::Piece<double, double>>&, double*) const;
template void SparseColumns<float>::overlaps(std::span<const std::uint32_t>, const float*, std::size_t,
                                             std::vector<simd::Piece<float, float>>&, float*) const;
template void SparseColumns<float>::overlaps(std::span<const std::uint32_t>, const double*, std::size_t,
                                             std::vector<simd::Piece<float, double>>&, double*) const;
template void SparseColumns<double>::overlaps(std::span<const std::uint32_t>, const double*, std::size_t,
                                              std::vector<simd::Piece<double, double>>&, double*) const;

}  // namespace alder
