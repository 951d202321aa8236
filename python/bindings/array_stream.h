#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alder/stream.h"

#include "rows.h"

namespace alder::python {

/// The rows of a matrix or table with their targets, as a stream. Rows stay where they are if they can.
class ArrayStream final : public Stream {
 public:
  /// `targets`, and `weights` if there are any, have one number for each row. `order` names rows, and may leave out or
  /// repeat some; without it all rows come as they stand. What is given must outlive this.
  ArrayStream(const RowSource& rows, const ConstDoubles& targets, const std::optional<ConstDoubles>& weights,
              const std::optional<ConstIndices>& order);

  /// Must be called before the first read: the encoding of the model that learns them, or null.
  void begin(Encoding* encoding) { window_ = rows_.learn_window(encoding); }

  /// At most 64 rows at once. Throws Error for an order that names a row that does not exist.
  Examples read(std::size_t most) override;

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Which row of the matrix is the t-th of the stream, from 0. Requires t < size().
  [[nodiscard]] std::size_t place(std::size_t t) const {
    return order_.empty() ? t : static_cast<std::size_t>(order_[t]);
  }

 private:
  const RowSource& rows_;
  std::span<const double> targets_;
  std::span<const double> weights_;
  std::span<const std::int64_t> order_;  // empty: as they stand
  std::size_t size_;
  std::size_t next_ = 0;

  // Of the rows in hand:
  std::unique_ptr<RowWindow> window_;
  std::vector<double> ordered_targets_;
  std::vector<double> ordered_weights_;
};

}  // namespace alder::python
