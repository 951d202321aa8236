#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "alder/encoding.h"

#include "rows.h"
#include "table_cells.h"

namespace alder::python {

/// The rows of a table: columns of numbers, times, texts and so on, which the encoding of a model turns into features.
class Table final : public RowSource {
 public:
  /// In an open one, a column may be absent, and its cells are missing then.
  Table(std::size_t size, bool is_open) : size_(size), is_open_(is_open) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() override = default;

  /// An empty name: the table has no names. Throws ValueError for a column of another length.
  void add(std::string name, std::unique_ptr<Cells> cells);

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] std::size_t features() const override { return 0; }
  [[nodiscard]] bool are_in_place() const override { return false; }
  [[nodiscard]] std::size_t values_per_row() const override { return columns_.size(); }

  /// What the columns are: as `kinds` says, by place and name of the kind, as their types say, or as the first rows do.
  [[nodiscard]] Encoding find_encoding(const std::map<std::size_t, std::string>& kinds) const;

  /// The columns of the encoding are found by name if both have names, else by place.
  [[nodiscard]] std::unique_ptr<RowWindow> learn_window(Encoding* encoding) const override;
  [[nodiscard]] std::unique_ptr<RowWindow> predict_window(const Encoding* encoding) const override;

 private:
  class Window;
  struct Matched {
    std::size_t column;  // of the encoding
    const Cells* cells;  // null: all are missing
  };

  [[nodiscard]] std::vector<Matched> match(const Encoding* encoding) const;
  [[nodiscard]] std::vector<const Cells*> by_name(const Encoding& encoding) const;

  std::size_t size_;
  bool is_open_;
  bool has_names_ = false;
  std::vector<std::pair<std::string, std::unique_ptr<Cells>>> columns_;
};

void add_table(nb::module_& module);

}  // namespace alder::python
