#include "table_cells.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "alder/error.h"

#include "base/utf8.h"

namespace alder::python {
namespace {

// What all columns in arrays have.
class ArrayCells : public Cells {
 public:
  ArrayCells(AnyColumn values, Mask missing) : values_(std::move(values)), mask_(std::move(missing)) {
    if (mask_ && mask_->shape(0) != values_.shape(0))
      throw nb::value_error("a mask is not as long as its column; expected one truth value for each cell");
  }
  [[nodiscard]] std::size_t size() const override { return values_.shape(0); }

 protected:
  [[nodiscard]] bool is_masked(std::size_t i) const { return mask_ && mask_->data()[i]; }
  template <class T>
  [[nodiscard]] T at(std::size_t i) const {
    return static_cast<const T*>(values_.data())[static_cast<std::int64_t>(i) * values_.stride(0)];
  }

 private:
  AnyColumn values_;
  Mask mask_;
};

template <class T>
class NumberCells final : public ArrayCells {
 public:
  using ArrayCells::ArrayCells;
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return ColumnKind::kNumber; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override { row.number(column, value(i)); }
  [[nodiscard]] std::string text(std::size_t i) const override {
    const double number = value(i);
    return std::isnan(number) ? std::string() : fmt::format("{}", number);
  }

 private:
  [[nodiscard]] double value(std::size_t i) const {
    return is_masked(i) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(at<T>(i));
  }
};

class BooleanCells final : public ArrayCells {
 public:
  using ArrayCells::ArrayCells;
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return ColumnKind::kBoolean; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override {
    is_masked(i) ? row.missing(column) : row.boolean(column, at<bool>(i));
  }
  [[nodiscard]] std::string text(std::size_t i) const override {
    return is_masked(i) ? "" : at<bool>(i) ? "true" : "false";
  }
};

class TimeCells final : public ArrayCells {
 public:
  TimeCells(AnyColumn values, std::int64_t units, Mask missing)
      : ArrayCells(std::move(values), std::move(missing)), units_(units) {}
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return ColumnKind::kTime; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override {
    if (is_missing(i)) {
      row.missing(column);
    } else {
      row.time(column, seconds(i), true, row.has_clock(column));
    }
  }
  [[nodiscard]] std::string text(std::size_t i) const override {
    if (is_missing(i)) return {};
    const double all = seconds(i);
    const double day = std::floor(all / kSecondsOfDay);
    const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(static_cast<int>(day))));
    std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    if (!has_clock(i)) return text;
    const double rest = all - day * kSecondsOfDay;
    const auto whole = static_cast<int>(rest);
    return text + fmt::format(" {:02}:{:02}:{:09.6f}", whole / 3600, whole / 60 % 60, rest - whole / 60 * 60);
  }

 private:
  static constexpr double kSecondsOfDay = 86400.0;

  [[nodiscard]] bool is_missing(std::size_t i) const {
    return is_masked(i) || at<std::int64_t>(i) == std::numeric_limits<std::int64_t>::min();
  }
  // Whole seconds exactly.
  [[nodiscard]] double seconds(std::size_t i) const {
    const auto value = at<std::int64_t>(i);
    return static_cast<double>(value / units_) + static_cast<double>(value % units_) / static_cast<double>(units_);
  }
  [[nodiscard]] bool has_clock(std::size_t i) const { return at<std::int64_t>(i) % (86400 * units_) != 0; }

  std::int64_t units_;
};

constexpr std::string_view kMidnight = " 00:00:00";
constexpr std::size_t kDateLength = 10;

// The text of an object that is no text; None: it is missing.
nb::object text_of(nb::handle value) {
  if (value.is_none()) return nb::none();
  if (PyBool_Check(value.ptr()) != 0) return nb::str(value.ptr() == Py_True ? "true" : "false");
  if (PyFloat_Check(value.ptr()) != 0 || (PyNumber_Check(value.ptr()) != 0 && PyIndex_Check(value.ptr()) == 0)) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number != -1.0 || PyErr_Occurred() == nullptr) {
      if (std::isnan(number)) return nb::none();
      return nb::str(fmt::format("{}", number).c_str());
    }
    PyErr_Clear();
  }
  if (PyBytes_Check(value.ptr()) != 0) return value.attr("decode")("utf-8", "replace");
  nb::object text = nb::str(value);
  const std::string_view shown = nb::cast<std::string_view>(text);
  // A datetime at midnight sharp is a date, as in `time_cells`.
  if (nb::hasattr(value, "isoformat") && shown.size() > kDateLength &&
      shown.substr(kDateLength).starts_with(kMidnight) && shown.find('.') == std::string_view::npos) {
    return nb::str(shown.data(), kDateLength);
  }
  return shown == "NaT" || shown == "<NA>" || shown == "nan" ? nb::none() : text;
}

// The UTF-8 of a str, which lives as long as that; empty: half of a letter in it has none.
std::optional<std::string_view> utf8_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return std::string_view(bytes, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

class ObjectCells final : public Cells {
 public:
  explicit ObjectCells(nb::list values) : values_(std::move(values)) {
    texts_.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const nb::object value = values_[i];
      nb::object text = PyUnicode_Check(value.ptr()) != 0 ? value : text_of(value);
      are_dates_.push_back(!text.is(value) && nb::hasattr(value, "isoformat"));
      if (text.is_none()) {
        texts_.emplace_back();
        continue;
      }
      auto bytes = utf8_of(text);
      if (!bytes) {
        text = text.attr("encode")("utf-8", "replace").attr("decode")("utf-8");
        bytes = utf8_of(text);
      }
      texts_.push_back(bytes.value_or(std::string_view()));
      if (!text.is(value)) values_[i] = text;  // which keeps it
    }
  }
  [[nodiscard]] std::size_t size() const override { return texts_.size(); }
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return std::nullopt; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override {
    if (are_dates_[i] && texts_[i].size() == kDateLength && row.has_clock(column)) {
      row.text(column, std::string(texts_[i]).append(kMidnight));
    } else {
      row.text(column, texts_[i]);
    }
  }
  [[nodiscard]] std::string text(std::size_t i) const override { return std::string(texts_[i]); }
  [[nodiscard]] std::string_view view(std::size_t i) const { return texts_[i]; }

 private:
  nb::list values_;
  std::vector<bool> are_dates_;  // objects of dates or times, which at midnight have no time of day
  std::vector<std::string_view> texts_;
};

template <class Code>
class CodeCells final : public ArrayCells {
 public:
  CodeCells(AnyColumn codes, const nb::list& values) : ArrayCells(std::move(codes), std::nullopt), texts_(values) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (at<Code>(i) >= 0 && static_cast<std::uint64_t>(at<Code>(i)) >= texts_.size())
        throw nb::value_error(fmt::format("a category has the code {}; expected codes below {}, the number of "
                                          "categories",
                                          at<Code>(i), texts_.size())
                                  .c_str());
    }
  }
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return ColumnKind::kCategory; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override { row.text(column, view(i)); }
  [[nodiscard]] std::string text(std::size_t i) const override { return std::string(view(i)); }

 private:
  [[nodiscard]] std::string_view view(std::size_t i) const {
    const Code code = at<Code>(i);
    return code < 0 ? std::string_view() : texts_.view(static_cast<std::size_t>(code));
  }

  ObjectCells texts_;
};

template <class Start>
class TextCells final : public Cells {
 public:
  TextCells(AnyColumn starts, AnyColumn bytes, Mask missing)
      : starts_(std::move(starts)), bytes_(std::move(bytes)), mask_(std::move(missing)) {
    if (starts_.shape(0) == 0 || starts_.stride(0) != 1 || (bytes_.shape(0) > 0 && bytes_.stride(0) != 1) ||
        (mask_ && mask_->shape(0) != size())) {
      throw nb::value_error("the starts of texts are no plain array; expected one more of them than there are texts");
    }
    std::int64_t previous = 0;
    bool are_sound = true;
    for (std::size_t i = 0; i <= size(); ++i) {
      are_sound = are_sound && start(i) >= previous && start(i) <= static_cast<std::int64_t>(bytes_.shape(0));
      previous = start(i);
    }
    if (!are_sound) throw nb::value_error("the starts of texts do not ascend from 0 to the number of bytes");
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_utf8(view(i))) throw nb::value_error(fmt::format("row {}: a text that is no UTF-8", i).c_str());
    }
  }
  [[nodiscard]] std::size_t size() const override { return starts_.shape(0) - 1; }
  [[nodiscard]] std::optional<ColumnKind> kind() const override { return std::nullopt; }
  void give(std::size_t i, RecordRow& row, std::size_t column) const override { row.text(column, view(i)); }
  [[nodiscard]] std::string text(std::size_t i) const override { return std::string(view(i)); }

 private:
  [[nodiscard]] std::int64_t start(std::size_t i) const { return static_cast<const Start*>(starts_.data())[i]; }
  [[nodiscard]] std::string_view view(std::size_t i) const {
    if (mask_ && mask_->data()[i]) return {};
    return {static_cast<const char*>(bytes_.data()) + start(i), static_cast<std::size_t>(start(i + 1) - start(i))};
  }

  AnyColumn starts_;
  AnyColumn bytes_;
  Mask mask_;
};

// Calls make.operator()<T>() with the first of these types that the values have.
template <class First, class... Others, class Make>
std::unique_ptr<Cells> by_type(const AnyColumn& values, const char* expected, const Make& make) {
  if (values.dtype() == nb::dtype<First>()) return make.template operator()<First>();
  if constexpr (sizeof...(Others) > 0) {
    return by_type<Others...>(values, expected, make);
  } else {
    throw nb::type_error(fmt::format("a column has values of another type; expected {}", expected).c_str());
  }
}

}  // namespace

std::unique_ptr<Cells> number_cells(AnyColumn values, Mask missing) {
  return by_type<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t, std::uint64_t, std::uint32_t,
                 std::uint16_t, std::uint8_t>(values, "whole numbers, float32 or float64", [&]<class T>() {
    return std::make_unique<NumberCells<T>>(std::move(values), std::move(missing));
  });
}

std::unique_ptr<Cells> boolean_cells(AnyColumn values, Mask missing) {
  return by_type<bool>(values, "truth values", [&]<class T>() {
    return std::make_unique<BooleanCells>(std::move(values), std::move(missing));
  });
}

std::unique_ptr<Cells> time_cells(AnyColumn values, std::int64_t units_per_second, Mask missing) {
  if (units_per_second < 1 || units_per_second > 1'000'000'000)
    throw nb::value_error("a second has 1 to 1000000000 units of time");
  return by_type<std::int64_t>(values, "int64", [&]<class T>() {
    return std::make_unique<TimeCells>(std::move(values), units_per_second, std::move(missing));
  });
}

std::unique_ptr<Cells> code_cells(AnyColumn codes, const nb::list& values) {
  return by_type<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(codes, "signed whole numbers", [&]<class T>() {
    return std::make_unique<CodeCells<T>>(std::move(codes), values);
  });
}

std::unique_ptr<Cells> text_cells(AnyColumn starts, AnyColumn bytes, Mask missing) {
  if (bytes.dtype() != nb::dtype<std::uint8_t>()) throw nb::type_error("texts are no bytes; expected uint8");
  return by_type<std::int32_t, std::int64_t>(starts, "int32 or int64", [&]<class T>() {
    return std::make_unique<TextCells<T>>(std::move(starts), std::move(bytes), std::move(missing));
  });
}

std::unique_ptr<Cells> object_cells(nb::list values) {
  return std::make_unique<ObjectCells>(std::move(values));
}

}  // namespace alder::python
