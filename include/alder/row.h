#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace alder {

/// Names a feature, counted from 0. (LIBSVM files count from 1; their reader subtracts it.)
using FeatureIndex = std::uint32_t;

/// A borrowed view of one example's features, sparse or dense. It owns nothing: the arrays behind it must outlive
/// its use. A feature that is not listed is 0, and rows of one stream may have any features: the
/// dimension need not be known in advance.
class Row {
 public:
  Row() = default;

  /// values[j] belongs to feature j.
  static Row dense(std::span<const double> values) { return Row(nullptr, values.data(), values.size()); }

  /// values[j] belongs to feature indices[j]. Throws Error when the lengths differ. The indices must be strictly
  /// ascending; `check` verifies that.
  static Row sparse(std::span<const FeatureIndex> indices, std::span<const double> values);

  /// The same for arrays of one length. `indices` may be null for an empty row.
  static Row sparse(const FeatureIndex* indices, const double* values, std::size_t size) {
    return Row(indices, values, size);
  }

  /// The number of listed values (zeros included, if the caller listed any).
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_sparse() const { return indices_ != nullptr; }
  [[nodiscard]] FeatureIndex feature(std::size_t j) const {
    return indices_ != nullptr ? indices_[j] : static_cast<FeatureIndex>(j);
  }
  [[nodiscard]] double value(std::size_t j) const { return values_[j]; }
  /// The arrays themselves, size() long; null for the indices of a dense row, and for those of an empty one.
  [[nodiscard]] const FeatureIndex* indices() const { return indices_; }
  [[nodiscard]] const double* values() const { return values_; }

  /// Throws Error unless every value is finite and the features are strictly ascending. Learners call it for every
  /// row before they look at it.
  void check() const {
    if (!is_checked_) check_numbers();
  }
  /// The same view, marked as validated: check() does nothing. The arrays must not change.
  [[nodiscard]] Row as_checked() const {
    Row row = *this;
    row.is_checked_ = true;
    return row;
  }
  /// Whether it is marked so.
  [[nodiscard]] bool is_checked() const { return is_checked_; }

 private:
  Row(const FeatureIndex* indices, const double* values, std::size_t size)
      : indices_(indices), values_(values), size_(size) {}

  void check_numbers() const;

  const FeatureIndex* indices_ = nullptr;  // null: dense
  const double* values_ = nullptr;
  std::size_t size_ = 0;
  bool is_checked_ = false;
};

}  // namespace alder
