#include "alder/row_buffer.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace alder {

RowBuffer::RowBuffer(RowBuffer&& other) noexcept {
  *this = std::move(other);
}

RowBuffer& RowBuffer::operator=(RowBuffer&& other) noexcept {
  if (this == &other) return *this;
  indices_ = std::exchange(other.indices_, {});
  values_ = std::exchange(other.values_, {});
  used_ = std::exchange(other.used_, 0);
  rows_ = std::exchange(other.rows_, {});
  return *this;
}

void RowBuffer::clear() {
  used_ = 0;
  rows_.clear();
}

void RowBuffer::append(const Row& row) {
  const Room to = room(row.size());
  std::copy_n(row.values(), row.size(), to.values.data());
  if (row.is_sparse()) std::copy_n(row.indices(), row.size(), to.indices.data());
  const Row copy =
      row.is_sparse() ? Row::sparse(to.indices.data(), to.values.data(), row.size()) : Row::dense(to.values);
  append_written(row.is_checked() ? copy.as_checked() : copy);
}

void RowBuffer::append(std::span<const float> dense) {
  const Room to = room(dense.size());
  std::copy(dense.begin(), dense.end(), to.values.begin());
  append_written(Row::dense(to.values));
}

RowBuffer::Room RowBuffer::room(std::size_t most) {
  if (values_.size() - used_ < most) grow(used_ + most);
  return {std::span(indices_).subspan(used_, most), std::span(values_).subspan(used_, most)};
}

void RowBuffer::append_written(const Row& row) {
  assert(row.size() == 0 || row.values() == values_.data() + used_);
  assert(row.size() <= values_.size() - used_);
  assert(!row.is_sparse() || row.size() == 0 || row.indices() == indices_.data() + used_);
  rows_.push_back(row);
  used_ += row.size();
}

// The arrays move, and with them the rows.
void RowBuffer::grow(std::size_t size) {
  size = std::max(size, 2 * values_.size());
  std::vector<FeatureIndex> indices(size);
  std::vector<double> values(size);
  std::copy_n(indices_.data(), used_, indices.data());
  std::copy_n(values_.data(), used_, values.data());
  std::size_t start = 0;
  for (Row& row : rows_) {
    const std::span<const double> numbers(values.data() + start, row.size());
    const Row moved =
        row.is_sparse() ? Row::sparse(indices.data() + start, numbers.data(), row.size()) : Row::dense(numbers);
    row = row.is_checked() ? moved.as_checked() : moved;
    start += row.size();
  }
  indices_ = std::move(indices);
  values_ = std::move(values);
}

std::size_t RowBuffer::bytes() const {
  return indices_.capacity() * sizeof(FeatureIndex) + values_.capacity() * sizeof(double) +
         rows_.capacity() * sizeof(Row);
}

}  // namespace alder
