#include "rows.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder::python {
namespace {

// A feature index is below this: as in LIBSVM files, whose indices count from 1, the highest number is left out.
constexpr std::size_t kMostColumns = std::numeric_limits<FeatureIndex>::max();

// Whether a type is the narrow one of two.
template <class Narrow, class Wide, class Array>
bool is_narrow(const Array& array, const char* what, const char* expected) {
  if (array.dtype() == nb::dtype<Narrow>()) return true;
  if (array.dtype() == nb::dtype<Wide>()) return false;
  throw nb::type_error(fmt::format("{} are of another type; expected {}", what, expected).c_str());
}

}  // namespace

Rows::Rows(AnyMatrix dense)
    : dense_(std::move(dense)),
      is_float_(is_narrow<float, double>(dense_, "the values", "float32 or float64")),
      size_(dense_.shape(0)),
      features_(dense_.shape(1)) {
  if (features_ > kMostColumns) {
    throw nb::value_error(
        fmt::format("the matrix has {} columns; expected at most {}", features_, kMostColumns).c_str());
  }
}

Rows::Rows(AnyVector data, AnyVector indices, AnyVector starts, std::size_t features)
    : data_(std::move(data)),
      indices_(std::move(indices)),
      starts_(std::move(starts)),
      is_sparse_(true),
      is_float_(is_narrow<float, double>(data_, "the values", "float32 or float64")),
      wide_indices_(!is_narrow<std::int32_t, std::int64_t>(indices_, "the indices", "int32 or int64")),
      wide_starts_(!is_narrow<std::int32_t, std::int64_t>(starts_, "the row starts", "int32 or int64")),
      size_(starts_.shape(0) == 0 ? 0 : starts_.shape(0) - 1),
      features_(features) {
  check_starts();
  if (wide_indices_) {
    check_indices<std::int64_t>();
  } else {
    check_indices<std::int32_t>();
  }
}

void Rows::check_starts() const {
  if (starts_.shape(0) == 0) throw nb::value_error("there are no row starts; expected one more than rows");
  const auto entries = static_cast<std::int64_t>(std::min(data_.shape(0), indices_.shape(0)));
  std::int64_t previous = 0;
  for (std::size_t i = 0; i <= size_; ++i) {
    const auto at = static_cast<std::int64_t>(start(i));
    if (at < previous || at > entries) {
      throw nb::value_error(fmt::format("row start {} is {}; expected {} to {}: row starts ascend from 0 to the number "
                                        "of entries",
                                        i, at, previous, entries)
                                .c_str());
    }
    previous = at;
  }
}

template <class Index>
void Rows::check_indices() const {
  const std::size_t columns = std::min(features_, kMostColumns);
  const auto* const indices = static_cast<const Index*>(indices_.data());
  // As an unsigned number, a negative one is too large.
  const auto is_outside = [columns](Index index) { return static_cast<std::uint64_t>(index) >= columns; };
  const Index* const end = indices + start(size_);
  const Index* const found = std::find_if(indices + start(0), end, is_outside);
  if (found == end) return;
  std::size_t row = 0;
  while (start(row + 1) <= static_cast<std::size_t>(found - indices)) ++row;
  const char* const reason = features_ > kMostColumns ? ", the most that a model can tell apart" : "";
  throw nb::value_error(fmt::format("row {} has an entry in column {}; expected columns from 0 to below {}{}", row,
                                    *found, columns, reason)
                            .c_str());
}

std::size_t Rows::start(std::size_t i) const {
  return wide_starts_ ? static_cast<std::size_t>(static_cast<const std::int64_t*>(starts_.data())[i])
                      : static_cast<std::size_t>(static_cast<const std::int32_t*>(starts_.data())[i]);
}

std::size_t Rows::values_per_row() const {
  return !is_sparse_ ? features_ : size_ == 0 ? 0 : (start(size_) - start(0)) / size_;
}

Row Rows::view(std::size_t i) const {
  if (!is_sparse_) {
    const auto* const begin =
        static_cast<const double*>(dense_.data()) + static_cast<std::int64_t>(i) * dense_.stride(0);
    return Row::dense(std::span(begin, features_));
  }
  static_assert(sizeof(FeatureIndex) == sizeof(std::int32_t));
  const std::size_t from = start(i);
  return Row::sparse(static_cast<const FeatureIndex*>(indices_.data()) + from,
                     static_cast<const double*>(data_.data()) + from, start(i + 1) - from);
}

void Rows::copy(std::size_t i, RowBuffer& to) const {
  if (is_sparse_) {
    is_float_ ? copy_sparse<float>(i, to) : copy_sparse<double>(i, to);
  } else {
    is_float_ ? copy_dense<float>(i, to) : copy_dense<double>(i, to);
  }
}

template <class Value>
void Rows::copy_dense(std::size_t i, RowBuffer& to) const {
  const Value* const begin = static_cast<const Value*>(dense_.data()) + static_cast<std::int64_t>(i) * dense_.stride(0);
  const std::int64_t step = dense_.stride(1);
  const std::span<double> values = to.room(features_).values;
  for (std::size_t j = 0; j < features_; ++j) {
    values[j] = static_cast<double>(begin[static_cast<std::int64_t>(j) * step]);
  }
  to.append_written(Row::dense(values));
}

template <class Value>
void Rows::copy_sparse(std::size_t i, RowBuffer& to) const {
  const std::size_t from = start(i);
  const std::size_t count = start(i + 1) - from;
  const RowBuffer::Room room = to.room(count);
  const Value* const values = static_cast<const Value*>(data_.data()) + from;
  std::copy(values, values + count, room.values.begin());
  const auto copy_indices = [&](const auto* indices) {
    std::transform(indices, indices + count, room.indices.begin(),
                   [](auto index) { return static_cast<FeatureIndex>(index); });
  };
  if (wide_indices_) {
    copy_indices(static_cast<const std::int64_t*>(indices_.data()) + from);
  } else {
    copy_indices(static_cast<const std::int32_t*>(indices_.data()) + from);
  }
  to.append_written(Row::sparse(room.indices.data(), room.values.data(), count));
}

bool is_plain(const Encoding& encoding) {
  return encoding.values().empty() &&
         std::all_of(encoding.columns().begin(), encoding.columns().end(),
                     [](const Column& column) { return column.kind == ColumnKind::kNumber && column.offset == 0.0; });
}

std::unique_ptr<RowWindow> Rows::learn_window(Encoding* encoding) const {
  return predict_window(encoding);
}

std::unique_ptr<RowWindow> Rows::predict_window(const Encoding* encoding) const {
  if (encoding != nullptr && !is_plain(*encoding)) {
    throw Error(Error::Kind::kUnsupported,
                "rows of a sparse matrix, which has no columns of words, times or missing cells; expected a table with "
                "the columns that the model knows");
  }
  return std::make_unique<Window>(*this);
}

void Rows::Window::clear() {
  views_.clear();
  copies_.clear();
}

void Rows::Window::add(std::size_t i) {
  if (from_.are_in_place()) {
    views_.push_back(from_.view(i));
  } else {
    from_.copy(i, copies_);
  }
}

void add_rows(nb::module_& module) {
  nb::class_<RowSource>(module, "RowSource", "Rows that a model can take.").def("__len__", &RowSource::size);
  nb::class_<Rows, RowSource>(module, "Rows", "The rows of a matrix, where they are.")
      .def_static(
          "dense", [](AnyMatrix matrix) { return new Rows(std::move(matrix)); }, nb::arg("matrix"))
      .def_static(
          "csr",
          [](AnyVector data, AnyVector indices, AnyVector starts, std::size_t features) {
            return new Rows(std::move(data), std::move(indices), std::move(starts), features);
          },
          nb::arg("data"), nb::arg("indices"), nb::arg("starts"), nb::arg("features"))
      .def_prop_ro("features", &Rows::features);
}

}  // namespace alder::python
