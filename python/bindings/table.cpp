#include "table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "alder/error.h"
#include "alder/row_buffer.h"

#include "base/text.h"
#include "data/column_finder.h"

namespace alder::python {

class Table::Window final : public RowWindow {
 public:
  template <class AnyEncoding>
  Window(AnyEncoding& encoding, std::vector<Matched> columns) : columns_(std::move(columns)), row_(encoding) {}

  void clear() override { rows_.clear(); }
  void add(std::size_t i) override {
    row_.begin();
    for (const Matched& one : columns_) {
      if (one.cells != nullptr) {
        one.cells->give(i, row_, one.column);
      } else {
        row_.missing(one.column);
      }
    }
    rows_.append(row_.finish());
  }
  [[nodiscard]] std::span<const Row> rows() const override { return rows_.rows(); }

 private:
  std::vector<Matched> columns_;
  RecordRow row_;
  RowBuffer rows_;
};

void Table::add(std::string name, std::unique_ptr<Cells> cells) {
  if (cells->size() != size_) {
    throw nb::value_error(
        fmt::format("column {} has {} cells; expected {}, the number of rows", in_quotes(name), cells->size(), size_)
            .c_str());
  }
  has_names_ = has_names_ || !name.empty();
  columns_.emplace_back(std::move(name), std::move(cells));
}

Encoding Table::find_encoding(const std::map<std::size_t, std::string>& kinds) const {
  std::vector<Column> found;
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    const auto& [name, cells] = columns_[place];
    SampleRows sample(std::min(size_, kSampleRows));
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i].push_back(cells->text(i));
    std::optional<ColumnKind> kind = cells->kind();
    if (const auto given = kinds.find(place); given != kinds.end()) kind = column_kind_named(given->second);
    found.push_back(kind ? describe_column(*kind, sample, 0, name, false) : find_column(sample, 0, name, false));
  }
  return Encoding(std::move(found));
}

std::vector<const Cells*> Table::by_name(const Encoding& encoding) const {
  std::vector<const Cells*> found(encoding.columns().size(), nullptr);
  for (const auto& [name, cells] : columns_) {
    const auto place = encoding.find(name);
    if (place && found[*place] == nullptr) found[*place] = cells.get();
  }
  const bool is_strange = std::all_of(found.begin(), found.end(), [](const Cells* cells) { return cells == nullptr; });
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Column& column = encoding.columns()[i];
    if (found[i] != nullptr || column.kind == ColumnKind::kIgnored || (is_open_ && !is_strange)) continue;
    constexpr std::size_t kNamed = 10;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < std::min(kNamed, columns_.size()); ++j) names.push_back(columns_[j].first);
    throw Error(Error::Kind::kFormat,
                fmt::format("no column {}; expected all columns of the model, of which this is one. The table has {}{}",
                            in_quotes(column.name), fmt::join(names, ", "), columns_.size() > kNamed ? ", ..." : ""));
  }
  return found;
}

std::vector<Table::Matched> Table::match(const Encoding* encoding) const {
  if (encoding == nullptr)
    throw Error(Error::Kind::kUnsupported, "a table; expected a matrix: the model has learned rows without columns");
  std::vector<const Cells*> found;
  if (encoding->has_names() && has_names_) {
    found = by_name(*encoding);
  } else {
    if (columns_.size() != encoding->columns().size()) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("{} columns; expected {} as in the model", columns_.size(), encoding->columns().size()));
    }
    for (const auto& column : columns_) found.push_back(column.second.get());
  }
  std::vector<Matched> matched;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (encoding->columns()[i].kind != ColumnKind::kIgnored) matched.push_back({i, found[i]});
  }
  return matched;
}

std::unique_ptr<RowWindow> Table::learn_window(Encoding* encoding) const {
  std::vector<Matched> columns = match(encoding);
  return std::make_unique<Window>(*encoding, std::move(columns));
}

std::unique_ptr<RowWindow> Table::predict_window(const Encoding* encoding) const {
  std::vector<Matched> columns = match(encoding);
  return std::make_unique<Window>(*encoding, std::move(columns));
}

void add_table(nb::module_& module) {
  nb::class_<Table, RowSource>(module, "Table", "The rows of a table, where its columns are.")
      .def(nb::init<std::size_t, bool>(), nb::arg("size"), nb::arg("is_open") = false)
      .def(
          "add_numbers",
          [](Table& table, std::string name, AnyColumn values, Mask missing) {
            table.add(std::move(name), number_cells(std::move(values), std::move(missing)));
          },
          nb::arg("name"), nb::arg("values"), nb::arg("missing").none() = nb::none())
      .def(
          "add_booleans",
          [](Table& table, std::string name, AnyColumn values, Mask missing) {
            table.add(std::move(name), boolean_cells(std::move(values), std::move(missing)));
          },
          nb::arg("name"), nb::arg("values"), nb::arg("missing").none() = nb::none())
      .def(
          "add_times",
          [](Table& table, std::string name, AnyColumn values, std::int64_t units_per_second, Mask missing) {
            table.add(std::move(name), time_cells(std::move(values), units_per_second, std::move(missing)));
          },
          nb::arg("name"), nb::arg("values"), nb::arg("units_per_second"), nb::arg("missing").none() = nb::none())
      .def(
          "add_codes",
          [](Table& table, std::string name, AnyColumn codes, const nb::list& values) {
            table.add(std::move(name), code_cells(std::move(codes), values));
          },
          nb::arg("name"), nb::arg("codes"), nb::arg("values"))
      .def(
          "add_texts",
          [](Table& table, std::string name, AnyColumn starts, AnyColumn bytes, Mask missing) {
            table.add(std::move(name), text_cells(std::move(starts), std::move(bytes), std::move(missing)));
          },
          nb::arg("name"), nb::arg("starts"), nb::arg("bytes"), nb::arg("missing").none() = nb::none())
      .def(
          "add_objects",
          [](Table& table, std::string name, nb::list values) {
            table.add(std::move(name), object_cells(std::move(values)));
          },
          nb::arg("name"), nb::arg("values"));
}

}  // namespace alder::python
