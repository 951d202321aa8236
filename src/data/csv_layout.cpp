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

CsvLayout::CsvLayout(CsvOptions options) : options_(std::move(options)) {
  const std::string& label = options_.label_column;
  const char* const begin = label.data() + (label.starts_with('+') ? 1 : 0);
  const char* const end = label.data() + label.size();
  long number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (!label.empty() && error == std::errc() && stop == end) number_ = number;
  if (number_ && *number_ == 0) {
    throw Error("label column 0; expected a number from 1 or, counted from the last, from -1");
  }
  if (label == "none" && !options_.labels_optional) {
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
  std::size_t label = label_without_header(columns, where);
  const bool header = is_header(fields, label) || (by_name && named != fields.end());
  if (by_name) {
    label = static_cast<std::size_t>(named - fields.begin());  // all columns, if there is none
    if (label == columns && !options_.labels_optional) {
      throw Error(
          header
              ? fmt::format("{}: no column {} in the header; expected it beside {}{}", where,
                            in_quotes(options_.label_column),
                            fmt::join(fields.begin(), fields.begin() + std::min<long>(10, long(columns)), ", "),
                            columns > 10 ? ", ..." : "")
              : fmt::format("{}: no header; expected one with a column {}", where, in_quotes(options_.label_column)));
    }
  } else if (options_.label_column.empty()) {
    const auto usual = std::find_if(fields.begin(), fields.end(), names_label);
    if (header && usual != fields.end() && std::find_if(usual + 1, fields.end(), names_label) == fields.end()) {
      label = static_cast<std::size_t>(usual - fields.begin());
    } else if (options_.labels_optional && columns == options_.features) {
      label = columns;
    } else {
      is_label_guessed_ = true;
    }
  }
  if (columns == (label < columns ? 1 : 0)) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: one column; expected a label and at least one feature, separated by {}", where,
                            separator_ == '\t' ? "a tab" : in_quotes({&separator_, 1})));
  }
  columns_ = columns;
  label_ = label;
  if (header) names_ = fields;
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

std::size_t CsvLayout::label_without_header(std::size_t columns, const std::string& where) const {
  if (options_.label_column == "none") return columns;
  if (!number_) return columns - 1;
  const long last = static_cast<long>(columns);
  if (*number_ > last || *number_ < -last) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} columns; expected a label in column {}", where, columns, *number_));
  }
  return static_cast<std::size_t>(*number_ > 0 ? *number_ - 1 : last + *number_);
}

std::string CsvLayout::column(std::size_t i) const {
  if (names_.empty() || names_[i].empty()) return fmt::format("column {}", i + 1);
  return fmt::format("column {} {}", i + 1, in_quotes(names_[i]));
}

}  // namespace alder
