#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "alder/encoding.h"

namespace alder::python {

namespace nb = nanobind;

/// Where the cells of a column are missing: true there.
using Mask = std::optional<nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
/// Read-only numbers of any type, any distance apart.
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// The cells of a column, where the caller has them. All functions of an object that is there do without the GIL.
class Cells {
 public:
  Cells() = default;
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  virtual ~Cells() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// What their type says that they are; empty: texts, which have to be looked at.
  [[nodiscard]] virtual std::optional<ColumnKind> kind() const = 0;
  /// Gives cell i < size() to a row, as its cell of a column of the encoding.
  virtual void give(std::size_t i, RecordRow& row, std::size_t column) const = 0;
  /// Cell i as a file would have it; empty: it is missing.
  [[nodiscard]] virtual std::string text(std::size_t i) const = 0;
};

/// Whole numbers or floats; NaN is missing. Throws TypeError for values of another type, ValueError for a mask of
/// another length, as those below.
std::unique_ptr<Cells> number_cells(AnyColumn values, Mask missing);
std::unique_ptr<Cells> boolean_cells(AnyColumn values, Mask missing);
/// Times as int64, since 1970; the least number is missing. One at midnight sharp looks like a date, and is one in a
/// column without times of day.
std::unique_ptr<Cells> time_cells(AnyColumn values, std::int64_t units_per_second, Mask missing);
/// Places among values, which become texts as those of `object_cells`; a negative one is missing.
std::unique_ptr<Cells> code_cells(AnyColumn codes, const nb::list& values);
/// Texts one behind the other, as Arrow has them: text i is from starts[i] to starts[i + 1]; starts are int32 or int64.
std::unique_ptr<Cells> text_cells(AnyColumn starts, AnyColumn bytes, Mask missing);
/// Python's own: text; None, NaN, NaT and NA are missing; all others as text. The list is changed: pass a copy.
std::unique_ptr<Cells> object_cells(nb::list values);

}  // namespace alder::python
