#include "data/csv_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// What the column of the label is usually called.
bool names_label(const std::string& field) {
  const std::string name = lower(field);
  return name == "label" || name == "class" || name == "target" || name == "y";
}

// What stands for a value that is not there. It says nothing about whether a line is a header.
bool is_missing(const std::string& field) {
  static constexpr std::array<std::string_view, 8> kMarks = {"", "?", "-", "na", "n/a", "null", "none", "nil"};
  return std::find(kMarks.begin(), kMarks.end(), lower(field)) != kMarks.end();
}

// The number that a column is named by; empty: it has another name. Throws for 0.
std::optional<long> column_number(const std::string& name, const char* what) {
  const char* const begin = name.data() + (name.starts_with('+') ? 1 : 0);
  const char* const end = name.data() + name.size();
  long number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (name.empty() || error != std::errc() || stop != end) return std::nullopt;
  if (number == 0) {
    throw Error(fmt::format("{} column 0; expected a number from 1 or, counted from the last, from -1", what));
  }
  return number;
}

// The place of a column that is named by its number.
std::size_t numbered_column(long number, std::size_t columns, const char* what, const std::string& where) {
  const long last = static_cast<long>(columns);
  if (number > last || number < -last) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} columns; expected a {} in column {}", where, columns, what, number));
  }
  return static_cast<std::size_t>(number > 0 ? number - 1 : last + number);
}

[[noreturn]] void reject_name(const std::string& name, const std::vector<std::string>& fields, bool has_header,
                              const std::string& where) {
  if (!has_header) throw Error(fmt::format("{}: no header; expected one with a column {}", where, in_quotes(name)));
  constexpr std::ptrdiff_t kNamed = 10;
  const auto columns = static_cast<std::ptrdiff_t>(fields.size());
  throw Error(fmt::format("{}: no column {} in the header; expected it beside {}{}", where, in_quotes(name),
                          fmt::join(fields.begin(), fields.begin() + std::min(kNamed, columns), ", "),
                          columns > kNamed ? ", ..." : ""));
}

std::vector<std::string> split(std::string_view line, char separator, const std::string& where) {
  std::vector<std::string> fields;
  std::string scratch;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    const CsvField field = csv_field(at, end, separator, scratch);
    if (field.fault != nullptr) {
      throw Error(Error::Kind::kFormat, fmt::format("{}: {} in column {}; expected a field that ends on its line",
                                                    where, field.fault, fields.size() + 1));
    }
    fields.emplace_back(field.text);
    if (field.stop == end) return fields;
    at = field.stop + 1;
  }
}

// The one of tab, semicolon and comma that is in the line most often outside quotes. Of two that are equally often, the
// first of these: where another separates, a comma may be a decimal one.
char find_separator(std::string_view line) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {'\t', ';', ','}) {
    bool inside = false;
    const std::ptrdiff_t count = std::count_if(line.begin(), line.end(), [&](char c) {
      if (c == '"') inside = !inside;
      return c == candidate && !inside;
    });
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

CsvField csv_field(const char* at, const char* end, char separator, std::string& scratch) {
  const auto is_space = [separator](char c) { return (c == ' ' || c == '\t') && c != separator; };
  while (at != end && is_space(*at)) ++at;
  if (at == end || *at != '"') {
    const char* const stop = std::find(at, end, separator);
    const char* last = stop;
    while (last != at && is_space(last[-1])) --last;
    return {{at, last}, stop, nullptr};
  }
  const char* const begin = at + 1;
  const char* close = std::find(begin, end, '"');
  std::string_view text(begin, close);
  if (close != end && close + 1 != end && close[1] == '"') {
    scratch.clear();
    const char* from = begin;
    while (close != end && close + 1 != end && close[1] == '"') {
      scratch.append(from, close + 1);
      from = close + 2;
      close = std::find(from, end, '"');
    }
    scratch.append(from, close);
    text = scratch;
  }
  if (close == end) return {text, end, "a quote that is not closed"};
  const char* stop = close + 1;
  while (stop != end && is_space(*stop)) ++stop;
  if (stop != end && *stop != separator) return {text, std::find(stop, end, separator), "text behind a closing quote"};
  return {text, stop, nullptr};
}

CsvLayout::CsvLayout(CsvOptions options)
    : options_(std::move(options)),
      number_(column_number(options_.label_column, "label")),
      weight_number_(column_number(options_.weight_column, "weight")) {
  if (options_.label_column == "none" && !options_.labels_optional) {
    throw Error("label column 'none'; expected a column to learn from");
  }
}

bool CsvLayout::accept(std::string_view line, const std::string& file, const std::string& where) {
  if (file_.empty()) {
    separator_ = options_.separator != 0 ? options_.separator : find_separator(line);
    const std::vector<std::string> fields = split(line, separator_, where);
    establish(fields, where);
    file_ = file;
    return !names_.empty();
  }
  std::vector<std::string> fields = split(line, separator_, where);
  if (fields.size() != columns_) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} columns; expected {} as in {}", where, fields.size(), columns_, file_));
  }
  if (!is_header(fields, label_)) return false;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (fields[i] == names_[i]) continue;
    throw Error(Error::Kind::kFormat, fmt::format("{}: column {} is {}; expected {} as in {}", where, i + 1,
                                                  in_quotes(fields[i]), in_quotes(names_[i]), file_));
  }
  names_ = std::move(fields);
  return true;
}

void CsvLayout::establish(const std::vector<std::string>& fields, const std::string& where) {
  const std::size_t columns = fields.size();
  const bool by_name = !options_.label_column.empty() && options_.label_column != "none" && !number_;
  const auto named = std::find(fields.begin(), fields.end(), options_.label_column);
  const std::size_t weight = find_weight(fields, where);
  std::size_t label = label_without_header(columns, weight, where);
  const bool header = is_header(fields, label) || (by_name && named != fields.end()) ||
                      (weight < columns && fields[weight] == options_.weight_column);
  if (by_name) {
    label = static_cast<std::size_t>(named - fields.begin());  // all columns, if there is none
    if (label == columns && !options_.labels_optional) reject_name(options_.label_column, fields, header, where);
  } else if (options_.label_column.empty()) {
    const auto usual = std::find_if(fields.begin(), fields.end(), names_label);
    if (header && usual != fields.end() && std::find_if(usual + 1, fields.end(), names_label) == fields.end()) {
      label = static_cast<std::size_t>(usual - fields.begin());
    } else if (options_.labels_optional && columns - (weight < columns ? 1 : 0) == options_.features) {
      label = columns;
    } else {
      is_label_guessed_ = true;
    }
  }
  if (label == weight && label < columns) {
    throw Error(fmt::format("{}: column {} has both labels and weights; expected two columns", where, label + 1));
  }
  const std::size_t others = (label < columns ? 1 : 0) + (weight < columns ? 1 : 0);
  if (columns <= others) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} expected a label and at least one feature, separated by {}", where,
                            columns == 1 ? "one column;" : fmt::format("{} columns, all but features;", columns),
                            separator_ == '\t' ? "a tab" : in_quotes({&separator_, 1})));
  }
  columns_ = columns;
  label_ = label;
  weight_ = weight;
  if (header) names_ = fields;
}

// The column of the weight; all columns, if there is none.
std::size_t CsvLayout::find_weight(const std::vector<std::string>& fields, const std::string& where) const {
  if (options_.weight_column.empty()) return fields.size();
  if (weight_number_) return numbered_column(*weight_number_, fields.size(), "weight", where);
  const auto named = std::find(fields.begin(), fields.end(), options_.weight_column);
  // Rows to predict need no weights.
  if (named == fields.end() && !options_.labels_optional) {
    reject_name(options_.weight_column, fields,
                is_header(fields, label_without_header(fields.size(), fields.size(), where)), where);
  }
  return static_cast<std::size_t>(named - fields.begin());
}

bool CsvLayout::is_header(const std::vector<std::string>& fields, std::size_t label) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i == label) {
      // No class is called so, but "y" may be one.
      if (names_label(fields[i]) && fields[i].size() > 1) return true;
    } else if (!is_missing(fields[i]) && !parse_number(fields[i])) {
      return true;
    }
  }
  return false;
}

std::size_t CsvLayout::label_without_header(std::size_t columns, std::size_t weight, const std::string& where) const {
  if (options_.label_column == "none") return columns;
  if (number_) return numbered_column(*number_, columns, "label", where);
  return columns - (weight + 1 == columns && columns > 1 ? 2 : 1);
}

std::string CsvLayout::column(std::size_t i) const {
  if (names_.empty() || names_[i].empty()) return fmt::format("column {}", i + 1);
  return fmt::format("column {} {}", i + 1, in_quotes(names_[i]));
}

}  // namespace alder
