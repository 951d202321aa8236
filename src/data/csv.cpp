#include "data/csv.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace alder {
namespace {

class CsvReader final : public RowReader {
 public:
  CsvReader(Lines lines, CsvLayout& layout) : RowReader(std::move(lines)), layout_(layout) {}

  bool next(RawRow& raw) override {
    std::string_view line;
    if (!next_filled_line(line)) return false;
    if (!started_) {
      started_ = true;
      const bool header = layout_.accept(line, name(), where());
      indices_.resize(layout_.features());
      values_.resize(layout_.features());
      if (header && !next_filled_line(line)) return false;
    }
    parse(line, raw);
    return true;
  }

  [[nodiscard]] std::size_t features() const override { return started_ ? layout_.features() : 0; }

 private:
  void parse(std::string_view line, RawRow& raw) {
    const std::size_t columns = layout_.columns();
    const std::size_t label = layout_.label();
    const std::size_t weight = layout_.weight();
    const char separator = layout_.separator();
    const char* at = line.data();
    const char* const end = at + line.size();
    std::size_t size = 0;
    FeatureIndex feature = 0;
    raw.label = {};
    raw.weight.reset();
    for (std::size_t column = 0;; ++column) {
      if (column == columns) reject_count(line);
      if (column == label) {
        const CsvField field = csv_field(at, end, separator, label_);
        if (field.fault != nullptr) reject_quotes(field, column);
        raw.label = field.text;
        at = field.stop;
      } else if (column == weight) {
        at = parse_weight_field(line, at, column, raw);
      } else {
        double value = 0.0;
        at = parse_value(line, at, column, value);
        indices_[size] = feature++;
        values_[size] = value;
        size += value != 0.0 ? 1 : 0;
      }
      if (at == end) {
        if (column + 1 != columns) reject_count(line);
        break;
      }
      ++at;
    }
    raw.row = Row::sparse(std::span(indices_).first(size), std::span(values_).first(size));
  }

  // Returns where the field ends.
  const char* parse_value(std::string_view line, const char* at, std::size_t column, double& value) {
    const char* const end = line.data() + line.size();
    const char separator = layout_.separator();
    while (at != end && *at == ' ' && separator != ' ') ++at;
    // One digit, which is nearly all that files of indicators hold.
    if (end - at > 1 && at[1] == separator && *at >= '0' && *at <= '9') {
      value = *at - '0';
      return at + 1;
    }
    const char* const stop = parse_front(at, end, value);
    if (stop != nullptr && (stop == end || *stop == separator) && std::fabs(value) <= largest()) return stop;
    return parse_odd_value(line, at, column, value);
  }

  // The same of the weight.
  const char* parse_weight_field(std::string_view line, const char* at, std::size_t column, RawRow& raw) {
    const CsvField field = csv_field(at, line.data() + line.size(), layout_.separator(), scratch_);
    if (field.fault != nullptr) reject_quotes(field, column);
    raw.weight = parse_weight(field.text);
    if (!raw.weight) {
      if (count_fields(line) != layout_.columns()) reject_count(line);
      fail(fmt::format("{} in {}", field.text.empty() ? "nothing" : in_quotes(field.text), layout_.column(column)),
           kExpectedWeight);
    }
    return field.stop;
  }

  // The rare and the wrong: spaces, quotes, a leading '+', no number, not finite, too large.
  const char* parse_odd_value(std::string_view line, const char* at, std::size_t column, double& value) {
    const CsvField field = csv_field(at, line.data() + line.size(), layout_.separator(), scratch_);
    if (field.fault != nullptr) reject_quotes(field, column);
    const std::optional<double> number = parse_number(field.text);
    if (number && std::isfinite(*number)) {
      if (std::fabs(*number) > largest()) {
        reject_large(fmt::format("{} in {}", in_quotes(field.text), layout_.column(column)));
      }
      value = *number;
      return field.stop;
    }
    // A field that is missing or one too many moves the others: that is the better message.
    if (count_fields(line) != layout_.columns()) reject_count(line);
    if (field.text.empty()) fail(fmt::format("nothing in {}", layout_.column(column)), "expected a number");
    fail(fmt::format("{} in {}", in_quotes(field.text), layout_.column(column)),
         number ? "expected a finite number" : "expected a number");
  }

  [[nodiscard]] std::size_t count_fields(std::string_view line) const {
    const char* at = line.data();
    const char* const end = at + line.size();
    std::string scratch;  // not scratch_, in which a field may be that is still to be named
    for (std::size_t count = 1;; ++count) {
      at = csv_field(at, end, layout_.separator(), scratch).stop;
      if (at == end) return count;
      ++at;
    }
  }

  [[noreturn]] void reject_count(std::string_view line) const {
    const std::size_t count = count_fields(line);
    fail(fmt::format("{} {}", count, count == 1 ? "field" : "fields"), fmt::format("expected {}", layout_.columns()));
  }

  [[noreturn]] void reject_quotes(const CsvField& field, std::size_t column) const {
    fail(fmt::format("{} in {}", field.fault, layout_.column(column)), "expected a field that ends on its line");
  }

  CsvLayout& layout_;
  bool started_ = false;
  std::string label_;    // of a row with doubled quotes
  std::string scratch_;  // a feature with doubled quotes
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowReader> read_csv(Lines lines, CsvLayout& layout) {
  return std::make_unique<CsvReader>(std::move(lines), layout);
}

std::unique_ptr<RowReader> read_csv(std::unique_ptr<ByteSource> source, std::string name, CsvLayout& layout,
                                    LineBuffer buffer) {
  return read_csv(Lines(std::move(source), std::move(name), buffer), layout);
}

}  // namespace alder
