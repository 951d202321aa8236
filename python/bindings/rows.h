#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "alder/row.h"
#include "alder/row_buffer.h"

namespace alder::python {

namespace nb = nanobind;

/// Read-only arrays of any type and layout.
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ClassIds = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstDoubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstIndices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Numbers as a NumPy array that owns them.
template <class T>
nb::object to_numpy(std::vector<T> numbers) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// The rows of a NumPy matrix or of a SciPy CSR matrix, where they are: only rows whose numbers are no doubles side by
/// side are copied, a few at a time.
class Rows {
 public:
  /// Some of the rows, as the library takes them.
  class Window;

  /// float32 or float64. Throws for any other type, and for more columns than there are feature indices.
  explicit Rows(AnyMatrix dense);
  /// data is float32 or float64, indices and starts are int32 or int64. Throws for row starts that do not ascend from 0
  /// to the number of entries, and for an index outside the columns. The indices of a row must ascend, too: learners
  /// check that.
  Rows(AnyVector data, AnyVector indices, AnyVector starts, std::size_t features);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  /// Whether rows can be views of the caller's arrays.
  [[nodiscard]] bool are_in_place() const {
    return !is_float_ && (is_sparse_ ? !wide_indices_ : dense_.stride(1) == 1);
  }
  /// How many values a row lists on average.
  [[nodiscard]] std::size_t values_per_row() const;

 private:
  [[nodiscard]] Row view(std::size_t i) const;
  void copy(std::size_t i, RowBuffer& to) const;
  template <class Value>
  void copy_dense(std::size_t i, RowBuffer& to) const;
  template <class Value>
  void copy_sparse(std::size_t i, RowBuffer& to) const;
  [[nodiscard]] std::size_t start(std::size_t i) const;
  void check_starts() const;
  template <class Index>
  void check_indices() const;

  AnyMatrix dense_;
  AnyVector data_;
  AnyVector indices_;
  AnyVector starts_;
  bool is_sparse_ = false;
  bool is_float_ = false;
  bool wide_indices_ = false;
  bool wide_starts_ = false;
  std::size_t size_ = 0;
  std::size_t features_ = 0;
};

class Rows::Window {
 public:
  /// `rows` must outlive this.
  explicit Window(const Rows& rows) : from_(rows) {}

  void clear();
  /// Adds row i < size(). Needs no GIL.
  void add(std::size_t i);
  /// All that were added, valid until the next change.
  [[nodiscard]] std::span<const Row> rows() const { return from_.are_in_place() ? views_ : copies_.rows(); }

 private:
  const Rows& from_;
  std::vector<Row> views_;
  RowBuffer copies_;
};

void add_rows(nb::module_& module);

}  // namespace alder::python
