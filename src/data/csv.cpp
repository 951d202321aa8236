#include "data/csv.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "data/cell.h"
#include "data/csv_text.h"

namespace alder {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class CsvReader final : public RowReader {
 public:
  CsvReader(Lines lines, TableLayout& layout, const CsvDialect& dialect)
      : RowReader(std::move(lines)), layout_(layout), dialect_(dialect), separator_(dialect.separator) {}

  bool next(RawRow& raw) override {
    if (!row_ && !start()) return false;
    std::string_view line;
    if (!next_filled_line(line)) return false;
    while (!parse(line, raw)) {
      if (!close_quote(line)) reject_open();
    }
    raw.text = line;
    return true;
  }

  [[nodiscard]] std::size_t features() const override {
    return layout_.is_known() ? layout_.encoding().fixed_features() : 0;
  }
  [[nodiscard]] const std::string& header_text() const override { return header_text_; }
  [[nodiscard]] char separator() const override { return separator_; }
  [[nodiscard]] std::optional<double> label_number(std::string_view label) const override {
    return parse_cell_number(label, has_decimal_comma_);
  }

 private:
  // Finds out what the columns are, and takes the header. False: there are no rows.
  bool start() {
    std::string_view line;
    if (!next_filled_line(line)) return false;
    put_back();
    // Where the columns are known, no row is waited for.
    auto [text, is_whole] =
        layout_.is_known() ? Lines::Ahead{look_ahead(), false} : ahead(kSampleRows + 1, kSampleBytes);
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::string converted;
    if (const std::size_t end = text.rfind('\n'); !is_utf8(text.substr(0, end))) {
      converted = from_latin1(text);
      text = converted;
    }
    if (separator_ == 0) separator_ = find_separator(text);
    TableHead head;
    head.sample = split_records(text, separator_, kSampleRows + 1, is_whole);
    head.file = name();
    if (head.sample.empty()) head.sample.emplace_back();
    head.columns = head.sample.front().size();
    has_decimal_comma_ = separator_ != ',' && has_decimal_commas(head.sample);
    head.has_decimal_comma = has_decimal_comma_;
    next_filled_line(line);
    head.where = where();
    const bool has_header = finds_header(head);
    if (has_header) {
      while (!is_complete(line)) {
        if (!close_quote(line)) reject_open();
      }
      header_text_ = line;
      head.names = std::move(head.sample.front());
      head.sample.erase(head.sample.begin());
    } else {
      put_back();
      if (head.sample.size() > kSampleRows) head.sample.pop_back();
    }
    roles_ = layout_.accept(head);
    names_ = head.names;
    if (!has_header) expect_no_header(head);
    row_.emplace(layout_.make_row());
    return true;
  }

  [[nodiscard]] bool is_complete(std::string_view line) const {
    return !split_records(line, separator_, 1, true).empty();
  }

  [[nodiscard]] bool finds_header(const TableHead& head) const {
    if (dialect_.header != Header::kAuto) return dialect_.header == Header::kYes;
    if (const auto known = layout_.is_header(head.sample.front())) return *known;
    return layout_.names_label_column(head.sample.front()) || is_header(head.sample, head.has_decimal_comma);
  }

  // A line of other names than the model's would be taken for a row.
  void expect_no_header(const TableHead& head) const {
    if (!layout_.encoding().has_names() || dialect_.header == Header::kNo) return;
    const std::vector<std::string>& first = head.sample.front();
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (roles_[i].kind != CellRole::Kind::kNumber || is_missing(first[i]) ||
          parse_cell_number(first[i], has_decimal_comma_))
        continue;
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}: {} in column {}; expected a number, or a header that names the columns of the model, "
                      "of which {} is one",
                      head.where, in_quotes(first[i]), i + 1,
                      in_quotes(layout_.encoding().columns()[roles_[i].column].name)));
    }
  }

  // Returns false if the last field goes on in the next line.
  bool parse(std::string_view line, RawRow& raw) {
    const char* at = line.data();
    const char* end = at + line.size();
    if (separator_ == ' ') {
      while (at != end && *at == ' ') ++at;
      while (end != at && end[-1] == ' ') --end;
    }
    row_->begin();
    raw.label = {};
    raw.weight.reset();
    for (std::size_t place = 0;; ++place) {
      if (place == roles_.size()) reject_count(line);
      const CellRole& role = roles_[place];
      double value = 0.0;
      const char* stop = nullptr;
      if (role.kind == CellRole::Kind::kNumber && (stop = parse_value(at, end, value)) != nullptr) {
        row_->append_fixed(role.feature, value - role.offset);
        at = stop;
      } else {
        const CsvField field = csv_field(at, end, separator_, role.kind == CellRole::Kind::kLabel ? label_ : scratch_);
        if (field.is_open) return false;
        if (field.fault != nullptr) reject_quotes(field, place);
        take(field.text, role, place, line, raw);
        at = field.stop;
      }
      if (at == end) {
        if (place + 1 != roles_.size()) reject_count(line);
        break;
      }
      ++at;
      while (separator_ == ' ' && at != end && *at == ' ') ++at;
    }
    raw.row = row_->finish();
    return true;
  }

  // The end of a plain number that fills its field, or null.
  const char* parse_value(const char* at, const char* end, double& value) const {
    if (has_decimal_comma_) return nullptr;
    while (at != end && *at == ' ') ++at;
    // One digit, which is nearly all that files of indicators hold.
    if (end - at > 1 && at[1] == separator_ && *at >= '0' && *at <= '9') {
      value = *at - '0';
      return at + 1;
    }
    const char* const stop = parse_front(at, end, value);
    return stop != nullptr && (stop == end || *stop == separator_) && std::fabs(value) <= largest() ? stop : nullptr;
  }

  void take(std::string_view text, const CellRole& role, std::size_t place, std::string_view line, RawRow& raw) {
    switch (role.kind) {
      case CellRole::Kind::kLabel:
        raw.label = text;
        break;
      case CellRole::Kind::kWeight:
        raw.weight = parse_weight(text);
        if (!raw.weight) {
          expect_count(line);
          fail(fmt::format("{} in {}", text.empty() ? "nothing" : in_quotes(text), column(place)), kExpectedWeight);
        }
        break;
      case CellRole::Kind::kNumber:
        take_number(text, role, place, line);
        break;
      case CellRole::Kind::kCell:
        row_->text(role.column, text);
        break;
      default:
        break;
    }
  }

  // The rare and the wrong: a '+', thousands, a unit, nothing, a word, not finite, too large.
  void take_number(std::string_view text, const CellRole& role, std::size_t place, std::string_view line) {
    const auto number = layout_.is_plain() ? parse_number(text) : parse_cell_number(text, has_decimal_comma_);
    if (number && std::isfinite(*number)) {
      if (std::fabs(*number) > largest()) reject_large(fmt::format("{} in {}", in_quotes(text), column(place)));
      row_->append(role.feature, *number - role.offset);
      return;
    }
    if (!layout_.is_plain()) {
      if (number) {
        row_->number(role.column, *number);
      } else {
        row_->text(role.column, text);
      }
      return;
    }
    // A field that is missing or one too many moves the others: that is the better message.
    expect_count(line);
    if (text.empty()) fail(fmt::format("nothing in {}", column(place)), "expected a number");
    fail(fmt::format("{} in {}", in_quotes(text), column(place)),
         number ? "expected a finite number" : "expected a number");
  }

  [[nodiscard]] std::string column(std::size_t place) const { return TableLayout::column(place, names_); }

  [[nodiscard]] std::size_t count_fields(std::string_view line) const {
    const SampleRows fields = split_records(line, separator_, 1, true);
    return fields.empty() ? 0 : fields.front().size();
  }
  void expect_count(std::string_view line) const {
    if (count_fields(line) != roles_.size()) reject_count(line);
  }
  [[noreturn]] void reject_count(std::string_view line) const {
    const std::size_t count = count_fields(line);
    fail(fmt::format("{} {}", count, count == 1 ? "field" : "fields"), fmt::format("expected {}", roles_.size()));
  }
  [[noreturn]] void reject_quotes(const CsvField& field, std::size_t place) const {
    fail(fmt::format("{} in {}", field.fault, column(place)), "expected the separator behind it, or no quotes");
  }
  [[noreturn]] void reject_open() const {
    fail("a quote that is not closed", "expected its end before that of the file");
  }

  TableLayout& layout_;
  CsvDialect dialect_;
  char separator_;
  bool has_decimal_comma_ = false;
  std::vector<CellRole> roles_;
  std::vector<std::string> names_;
  std::string header_text_;
  std::optional<RecordRow> row_;
  std::string label_;    // of a row with doubled quotes
  std::string scratch_;  // another field with doubled quotes
};

}  // namespace

std::unique_ptr<RowReader> read_csv(Lines lines, TableLayout& layout, const CsvDialect& dialect) {
  return std::make_unique<CsvReader>(std::move(lines), layout, dialect);
}

std::unique_ptr<RowReader> read_csv(std::unique_ptr<ByteSource> source, std::string name, TableLayout& layout,
                                    LineBuffer buffer) {
  return read_csv(Lines(std::move(source), std::move(name), buffer), layout);
}

}  // namespace alder
