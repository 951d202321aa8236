#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_reader.h"
#include "data/table_layout.h"

namespace alder {

/// What readers of tables whose cells come one by one, as texts, have in common.
class TableReader : public RowReader {
 public:
  /// The layout is shared by the files of a stream and must outlive the reader.
  TableReader(Lines lines, TableLayout& layout) : RowReader(std::move(lines)), layout_(layout) {}

  [[nodiscard]] std::size_t features() const override {
    return layout_.is_known() ? layout_.encoding().fixed_features() : 0;
  }
  [[nodiscard]] std::optional<double> label_number(std::string_view label) const override;

 protected:
  /// The most cells of a sample, so that one of very many columns has few rows.
  static constexpr std::size_t kSampleCells = std::size_t{1} << 20U;

  [[nodiscard]] TableLayout& layout() { return layout_; }
  /// Agrees with the layout on the columns; before any row.
  void accept(TableHead head);
  [[nodiscard]] bool is_accepted() const { return row_.has_value(); }
  [[nodiscard]] const std::vector<CellRole>& roles() const { return roles_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::string column(std::size_t place) const { return TableLayout::column(place, names_); }

  /// A row: begin, then each column once, then finish. Texts of labels must stay until the row is used.
  void begin(RawRow& raw);
  void take(std::size_t place, std::string_view text, RawRow& raw);
  void take_number(std::size_t place, double value, std::string_view text);
  void take_missing(std::size_t place);
  void finish(RawRow& raw) { raw.row = row_->finish(); }

 private:
  void take_number_text(std::size_t place, std::string_view text);

  TableLayout& layout_;
  std::vector<CellRole> roles_;
  std::vector<std::string> names_;
  std::optional<RecordRow> row_;
};

}  // namespace alder
