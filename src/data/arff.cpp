#include "data/arff.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "data/arff_text.h"
#include "data/table_reader.h"
#include "data/text_lines.h"

namespace alder {
namespace {

constexpr const char* kDefaultNumber = "0";

using Values = std::unordered_set<std::string, TextHash, std::equal_to<>>;

bool is_arff_row(std::string_view line) {
  line = trimmed(line);
  return !line.empty() && line[0] != '%';
}

class ArffReader final : public TableReader {
 public:
  using TableReader::TableReader;

  bool next(RawRow& raw) override {
    if (!is_accepted() && !start()) return false;
    std::string_view line;
    do {
      if (!next_line(line)) return false;
    } while (!is_arff_row(line));
    raw.text = line;
    begin(raw);
    std::optional<double> weight;
    const bool is_sparse = parse(line, weight, [&](std::size_t place, const ArffField& field) {
      last_row_[place] = row_number_;
      take_field(place, field, raw);
    });
    if (is_sparse) take_defaults(raw);
    if (weight) {
      if (raw.weight) fail("two weights", "expected one, in a column or in braces");
      raw.weight = weight;
    }
    finish(raw);
    return true;
  }

  [[nodiscard]] char separator() const override { return ','; }

 private:
  [[noreturn]] void fail_head(const std::string& message) const {
    throw Error(Error::Kind::kFormat, fmt::format("{}: {}", where(), message));
  }

  // Reads the head. False: there are no records.
  bool start() {
    if (is_ended_) return false;
    read_head();
    TableHead head;
    head.file = name();
    head.where = where();
    head.columns = attributes_.size();
    for (const ArffAttribute& attribute : attributes_) {
      head.names.push_back(attribute.name);
      head.kinds.push_back(kind_of(attribute.type));
      values_.emplace_back(attribute.values.begin(), attribute.values.end());
    }
    last_row_.assign(attributes_.size(), 0);
    if (!layout().is_known()) take_sample(head);
    accept(std::move(head));
    for (std::size_t place = 0; place < attributes_.size(); ++place) {
      const CellRole& role = roles()[place];
      const bool is_zero = attributes_[place].type == ArffAttribute::Type::kNumber && role.offset == 0.0 &&
                           role.kind == CellRole::Kind::kNumber;
      if (role.kind != CellRole::Kind::kSkipped && !is_zero) with_default_.push_back(place);
    }
    return true;
  }

  void read_head() {
    std::string_view line;
    while (true) {
      if (!next_line(line)) {
        is_ended_ = true;
        fail_head("the end of the file in the head of ARFF text; expected a line '@data' before it");
      }
      if (!is_arff_row(line)) continue;
      std::string_view rest;
      const std::string keyword = arff_keyword(line, rest);
      if (keyword == "@data") break;
      if (keyword == "@relation") continue;
      if (keyword != "@attribute") {
        fail_head(
            fmt::format("{}; expected '@relation', '@attribute' or '@data' in the head of ARFF text", in_quotes(line)));
      }
      if (attributes_.size() == Encoding::kMostColumns) {
        fail_head(fmt::format("one more attribute; expected at most {}", Encoding::kMostColumns));
      }
      try {
        attributes_.push_back(arff_attribute(rest));
      } catch (const ArffFault& fault) {
        fail_head(fault.what());
      }
    }
    if (attributes_.empty()) fail_head("no attributes; expected some before '@data'");
  }

  // The cells of the first records. What is wrong with a line is told when it is read.
  void take_sample(TableHead& head) {
    auto [text, is_whole] = ahead(kSampleRows, kSampleBytes);
    std::string_view line;
    for (std::size_t cells = 0; cells < kSampleCells && head.sample.size() < kSampleRows; cells += attributes_.size()) {
      if (!take_line(text, line, is_whole)) break;
      if (!is_arff_row(line)) continue;
      std::vector<std::string> record(attributes_.size());
      std::vector<bool> is_met(attributes_.size());
      std::optional<double> weight;
      try {
        const bool is_sparse = parse(line, weight, [&](std::size_t place, const ArffField& field) {
          is_met[place] = true;
          if (!is_missing_field(field)) record[place] = field.text;
        });
        for (std::size_t place = 0; is_sparse && place < record.size(); ++place) {
          if (!is_met[place]) record[place] = default_of(place);
        }
      } catch (const BadRow&) {
        continue;
      }
      head.sample.push_back(std::move(record));
    }
  }

  [[nodiscard]] static bool is_missing_field(const ArffField& field) {
    return !field.is_quoted && (field.text.empty() || field.text == "?");
  }
  // What is not in a sparse record; empty: it is missing.
  [[nodiscard]] std::string_view default_of(std::size_t place) const {
    const ArffAttribute& attribute = attributes_[place];
    if (attribute.type == ArffAttribute::Type::kNumber) return kDefaultNumber;
    return attribute.type == ArffAttribute::Type::kNominal ? std::string_view(attribute.values.front())
                                                           : std::string_view();
  }

  // Takes a record apart. Returns whether it is sparse.
  template <class Take>
  bool parse(std::string_view line, std::optional<double>& weight, Take&& take) {
    ++row_number_;
    const char* at = line.data();
    const char* const end = at + line.size();
    skip_blanks(at, end);
    const bool is_sparse = *at == '{';
    if (is_sparse) {
      at = parse_sparse(at + 1, end, take);
    } else {
      at = parse_dense(at, end, take);
    }
    if (at != end) weight = parse_weight_behind(at, end);
    return is_sparse;
  }

  // Both return the end, or where the weight begins.
  template <class Take>
  const char* parse_dense(const char* at, const char* end, Take&& take) {
    std::size_t count = 0;
    for (;; ++count) {
      skip_blanks(at, end);
      if (count == attributes_.size() && at != end && *at == '{') return at;
      const ArffField field = arff_field(at, end, ",\t", scratch_);
      expect_closed(field, count);
      if (count < attributes_.size()) take(count, field);
      at = field.stop;
      if (at == end) break;
      expect_stop(at, ",\t", count);
      // A tab that stands beside a comma.
      if (*at == '\t' && following(at, end) == ',') skip_blanks(at, end);
      ++at;
    }
    if (count + 1 != attributes_.size()) {
      fail(fmt::format("{} {}", count + 1, count == 0 ? "value" : "values"),
           fmt::format("expected {}, as many as there are attributes", attributes_.size()));
    }
    return end;
  }

  template <class Take>
  const char* parse_sparse(const char* at, const char* end, Take&& take) {
    std::size_t next = 0;
    while (true) {
      skip_blanks(at, end);
      if (at != end && *at == '}') break;
      std::size_t place = 0;
      const auto [stop, error] = std::from_chars(at, end, place);
      if (error != std::errc() || stop == end || (*stop != ' ' && *stop != '\t') || place >= attributes_.size()) {
        fail(fmt::format("{} in a sparse record", in_quotes({at, end})),
             fmt::format("expected the place of an attribute, from 0 to {}, and a value behind a space, or '}}'",
                         attributes_.size() - 1));
      }
      if (place < next) fail(fmt::format("the attribute {} behind a later one", place), "expected ascending places");
      next = place + 1;
      const ArffField field = arff_field(stop, end, ",}", scratch_);
      expect_closed(field, place);
      if (field.stop == end) fail("a sparse record without an end", "expected '}' in the line");
      expect_stop(field.stop, ",}", place);
      take(place, field);
      at = field.stop;
      if (*at == ',') ++at;
    }
    ++at;
    skip_blanks(at, end);
    if (at != end && *at == ',') ++at;
    skip_blanks(at, end);
    return at != end && *at == '%' ? end : at;
  }

  [[nodiscard]] double parse_weight_behind(const char* at, const char* end) const {
    const std::string_view text = trimmed({at, end});
    const std::size_t close = text.find('}');
    const std::string_view rest = close == std::string_view::npos ? text : trimmed(text.substr(close + 1));
    if (!text.starts_with('{') || close == std::string_view::npos || !(rest.empty() || rest.starts_with('%'))) {
      fail(fmt::format("{} behind the values", in_quotes(text)), "expected nothing, or a weight in braces");
    }
    const std::string_view inner = trimmed(text.substr(1, close - 1));
    const auto weight = parse_weight(inner);
    if (!weight) fail(in_quotes(inner), kExpectedWeight);
    return *weight;
  }

  static void skip_blanks(const char*& at, const char* end) {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
  }
  // The first character behind blanks; 0: there is none.
  static char following(const char* at, const char* end) {
    skip_blanks(at, end);
    return at == end ? '\0' : *at;
  }
  [[nodiscard]] std::string attribute(std::size_t place) const {
    return place < attributes_.size() ? fmt::format("attribute {} {}", place + 1, in_quotes(attributes_[place].name))
                                      : fmt::format("attribute {}", place + 1);
  }
  void expect_closed(const ArffField& field, std::size_t place) const {
    if (field.is_open) fail(fmt::format("a quote that is not closed in {}", attribute(place)), "expected its end");
  }
  void expect_stop(const char* at, std::string_view stops, std::size_t place) const {
    if (stops.find(*at) == std::string_view::npos) {
      fail(fmt::format("text behind a closing quote in {}", attribute(place)), "expected a comma there");
    }
  }

  void take_field(std::size_t place, const ArffField& field, RawRow& raw) {
    if (is_missing_field(field)) {
      take_missing(place);
      return;
    }
    const ArffAttribute& about = attributes_[place];
    const CellRole::Kind role = roles()[place].kind;
    if (about.type == ArffAttribute::Type::kNumber) {
      const auto number = parse_number(field.text);
      if (!number) fail(fmt::format("{} in {}", in_quotes(field.text), attribute(place)), "expected a number or ?");
      if (role == CellRole::Kind::kNumber && std::isfinite(*number)) {
        take_number(place, *number, field.text);
        return;
      }
    } else if (about.type == ArffAttribute::Type::kNominal) {
      if (values_[place].find(field.text) == values_[place].end()) {
        fail(fmt::format("{} in {}", in_quotes(field.text), attribute(place)), "expected one of the declared values");
      }
    }
    if (role == CellRole::Kind::kLabel) {
      label_ = field.text;
      raw.label = label_;
    } else {
      take(place, field.text, raw);
    }
  }

  void take_defaults(RawRow& raw) {
    for (const std::size_t place : with_default_) {
      if (last_row_[place] == row_number_) continue;
      const std::string_view text = default_of(place);
      if (text.empty()) {
        take_missing(place);
      } else {
        take(place, text, raw);
      }
    }
  }

  std::vector<ArffAttribute> attributes_;
  std::vector<Values> values_;
  std::vector<std::size_t> with_default_;  // places that matter when they are not in a sparse record
  std::vector<std::uint64_t> last_row_;    // by place: the last row that had it, from 1
  std::uint64_t row_number_ = 0;
  bool is_ended_ = false;
  std::string scratch_;
  std::string label_;
};

}  // namespace

std::unique_ptr<RowReader> read_arff(Lines lines, TableLayout& layout) {
  return std::make_unique<ArffReader>(std::move(lines), layout);
}

}  // namespace alder
