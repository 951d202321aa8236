#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "alder/encoding.h"
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

/// Some rows of a source, as the library takes them. Nothing of it needs the GIL.
class RowWindow {
 public:
  RowWindow() = default;
  RowWindow(const RowWindow&) = delete;
  RowWindow& operator=(const RowWindow&) = delete;
  virtual ~RowWindow() = default;

  virtual void clear() = 0;
  /// Adds row i < size().
  virtual void add(std::size_t i) = 0;
  /// All that were added, valid until the next change.
  [[nodiscard]] virtual std::span<const Row> rows() const = 0;
};

/// Rows of the caller's: of a matrix, or of a table.
class RowSource {
 public:
  virtual ~RowSource() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// How many features there are, as far as the source itself says so.
  [[nodiscard]] virtual std::size_t features() const = 0;
  /// Whether rows can be views of the caller's arrays.
  [[nodiscard]] virtual bool are_in_place() const = 0;
  /// How many values a row lists on average.
  [[nodiscard]] virtual std::size_t values_per_row() const = 0;

  /// For a model with this encoding, or null: rows to learn, whose new values it meets; and rows to predict. Both must
  /// outlive the window. Throws Error for rows that do not suit the encoding.
  [[nodiscard]] virtual std::unique_ptr<RowWindow> learn_window(Encoding* encoding) const = 0;
  [[nodiscard]] virtual std::unique_ptr<RowWindow> predict_window(const Encoding* encoding) const = 0;
};

/// The rows of a NumPy matrix or of a SciPy CSR matrix, where they are: only rows whose numbers are no doubles side by
/// side are copied, a few at a time.
class Rows final : public RowSource {
 public:
  /// Some of the rows, as the library takes them.
  class Window;

  /// float32 or float64. Throws for any other type, and for more columns than there are feature indices.
  explicit Rows(AnyMatrix dense);
  /// data is float32 or float64, indices and starts are int32 or int64. Throws for row starts that do not ascend from 0
  /// to the number of entries, and for an index outside the columns. The indices of a row must ascend, too: learners
  /// check that.
  Rows(AnyVector data, AnyVector indices, AnyVector starts, std::size_t features);

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] std::size_t features() const override { return features_; }
  [[nodiscard]] bool are_in_place() const override {
    return !is_float_ && (is_sparse_ ? !wide_indices_ : dense_.stride(1) == 1);
  }
  [[nodiscard]] std::size_t values_per_row() const override;

  /// An encoding must be one of numbers as they are, whose features are its columns.
  [[nodiscard]] std::unique_ptr<RowWindow> learn_window(Encoding* encoding) const override;
  [[nodiscard]] std::unique_ptr<RowWindow> predict_window(const Encoding* encoding) const override;

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

class Rows::Window final : public RowWindow {
 public:
  /// `rows` must outlive this.
  explicit Window(const Rows& rows) : from_(rows) {}

  void clear() override;
  void add(std::size_t i) override;
  [[nodiscard]] std::span<const Row> rows() const override { return from_.are_in_place() ? views_ : copies_.rows(); }

 private:
  const Rows& from_;
  std::vector<Row> views_;
  RowBuffer copies_;
};

/// Whether the features of rows so encoded are the columns, with their numbers as they are.
bool is_plain(const Encoding& encoding);

void add_rows(nb::module_& module);

}  // namespace alder::python
