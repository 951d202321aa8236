#include "array_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder::python {
namespace {

// As many as a model scales and learns at once.
constexpr std::size_t kAtOnce = 64;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.shape(0));
}

}  // namespace

ArrayStream::ArrayStream(const RowSource& rows, const ConstDoubles& targets, const std::optional<ConstDoubles>& weights,
                         const std::optional<ConstIndices>& order)
    : rows_(rows), targets_(span_of(targets)), size_(order ? order->shape(0) : rows.size()) {
  if (weights) weights_ = span_of(*weights);
  if (order) order_ = span_of(*order);
  if (targets_.size() != rows.size()) throw nb::value_error("there are not as many targets as rows");
  if (weights && weights_.size() != rows.size()) throw nb::value_error("there are not as many weights as rows");
}

Examples ArrayStream::read(std::size_t most) {
  window_->clear();
  ordered_targets_.clear();
  ordered_weights_.clear();
  const std::size_t first = next_;
  const std::size_t end = std::min(size_, first + std::min(most, kAtOnce));
  for (; next_ < end; ++next_) {
    const std::size_t i = place(next_);
    if (i >= rows_.size()) {
      if (next_ > first) break;  // said when it is its turn
      throw Error(fmt::format("the order names row {} of {}", order_[next_], rows_.size()));
    }
    window_->add(i);
    if (order_.empty()) continue;
    ordered_targets_.push_back(targets_[i]);
    if (!weights_.empty()) ordered_weights_.push_back(weights_[i]);
  }
  const std::size_t count = next_ - first;
  if (!order_.empty()) return {window_->rows(), ordered_targets_, ordered_weights_};
  return {window_->rows(), targets_.subspan(first, count),
          weights_.empty() ? weights_ : weights_.subspan(first, count)};
}

}  // namespace alder::python
