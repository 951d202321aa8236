#include "data/column_finder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "base/text.h"
#include "data/cell.h"

namespace alder {
namespace {

// Of the cells that are not missing this part must be of a kind, since a few may be wrong.
constexpr double kMost = 0.9;
// Fewer rows say nothing about identifiers.
constexpr std::size_t kRowsOfIdentifier = 50;
constexpr double kYearOf1970 = 1970.0;
constexpr double kSecondsOfYear = 86400.0 * 365.2425;

bool names_identifier(const std::string& name) {
  const std::string small = lower(name);
  for (const std::string_view one : {"id", "index", "rownames", "row", "no", "uuid", "unnamed: 0", "rownum"}) {
    if (small == one) return true;
  }
  return small.ends_with("_id") || small.starts_with("id_") || small.ends_with(" id") ||
         (name.size() > 2 && name.ends_with("ID")) || (name.size() > 2 && name.ends_with("Id"));
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    words += !is_blank && !inside ? 1 : 0;
    inside = !is_blank;
  }
  return words;
}

// What the cells of a column have in common.
struct Cells {
  std::size_t filled = 0;
  std::size_t missing = 0;
  std::size_t booleans = 0;
  std::size_t times = 0;
  std::size_t clocks = 0;  // of the times: of a day
  std::size_t words = 0;
  std::vector<double> numbers;
  std::vector<double> years;
  bool is_first_swapped = false;  // a date whose day is above 12 and comes first
  std::unordered_set<std::string_view> different;
};

Cells look(const SampleRows& sample, std::size_t place, bool has_decimal_comma) {
  Cells cells;
  for (const std::vector<std::string>& row : sample) {
    const std::string_view text = place < row.size() ? trimmed(row[place]) : std::string_view();
    if (is_missing(text)) {
      ++cells.missing;
      continue;
    }
    ++cells.filled;
    cells.different.insert(text);
    cells.words += count_words(text);
    cells.booleans += parse_boolean(text) ? 1 : 0;
    if (const auto number = parse_cell_number(text, has_decimal_comma); number && std::isfinite(*number)) {
      cells.numbers.push_back(*number);
    }
    if (const auto time = parse_time(text, true)) {
      ++cells.times;
      cells.clocks += time->has_clock ? 1 : 0;
      if (time->has_date) cells.years.push_back(kYearOf1970 + time->seconds / kSecondsOfYear);
      // Read with the month first, it would be another day, unless that is impossible.
      if (const auto other = parse_time(text, false); time->is_day_certain && time->has_date && text.find('/') < 3) {
        const int first = (text[0] - '0') * (text[1] == '/' ? 1 : 10) + (text[1] == '/' ? 0 : text[1] - '0');
        cells.is_first_swapped = cells.is_first_swapped || (other && first > 12);
      }
    }
  }
  return cells;
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0.0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// What is taken off numbers: their median, if cells are missing or 0 is far from all of them.
double offset_of(const Cells& cells) {
  if (cells.numbers.empty()) return 0.0;
  const auto [least, most] = std::minmax_element(cells.numbers.begin(), cells.numbers.end());
  const double range = *most - *least;
  const bool is_far = *least > range || -*most > range;
  return cells.missing > 0 || (is_far && cells.numbers.size() >= kRowsOfIdentifier) ? median(cells.numbers) : 0.0;
}

// Whether numbers count rows or name them: 1, 2, 3, …, or all different whole ones under a name that says so.
bool is_identifier(const Cells& cells, const std::string& name) {
  const std::vector<double>& numbers = cells.numbers;
  if (name.empty() || numbers.size() < kRowsOfIdentifier || cells.different.size() < numbers.size()) return false;
  bool is_counting = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != std::floor(numbers[i])) return false;
    is_counting = is_counting && (i == 0 || numbers[i] == numbers[i - 1] + 1.0);
  }
  return is_counting || names_identifier(name);
}

}  // namespace

Column describe_column(ColumnKind kind, const SampleRows& sample, std::size_t place, const std::string& name,
                       bool has_decimal_comma) {
  const Cells cells = look(sample, place, has_decimal_comma);
  Column column;
  column.name = name;
  column.kind = kind;
  if (kind == ColumnKind::kNumber) column.offset = offset_of(cells);
  if (kind == ColumnKind::kTime) {
    column.offset = median(cells.years);
    column.is_day_first = cells.is_first_swapped;
    column.has_clock = cells.clocks > 0;
  }
  return column;
}

Column find_column(const SampleRows& sample, std::size_t place, const std::string& name, bool has_decimal_comma) {
  const Cells cells = look(sample, place, has_decimal_comma);
  const double most = kMost * static_cast<double>(cells.filled);
  const auto are_most = [&](std::size_t count) { return static_cast<double>(count) >= most; };
  const auto of = [&](ColumnKind kind) { return describe_column(kind, sample, place, name, has_decimal_comma); };
  const auto ignored = [&](const char* reason) {
    Column column;
    column.name = name;
    column.kind = ColumnKind::kIgnored;
    column.reason = reason;
    return column;
  };
  if (cells.filled == 0) return of(ColumnKind::kNumber);
  if (are_most(cells.numbers.size())) {
    return is_identifier(cells, name) ? ignored("counts or names the rows") : of(ColumnKind::kNumber);
  }
  if (cells.booleans == cells.filled && cells.different.size() <= 2) return of(ColumnKind::kBoolean);
  if (are_most(cells.times)) return of(ColumnKind::kTime);
  const bool are_different = 2 * cells.different.size() > cells.filled;
  if (are_different && cells.filled >= 20 && cells.words >= 3 * cells.filled) return of(ColumnKind::kText);
  if (cells.filled >= kRowsOfIdentifier && are_most(cells.different.size()) && 2 * cells.missing < sample.size()) {
    return ignored("another value in nearly every row");
  }
  return of(ColumnKind::kCategory);
}

bool is_header(const SampleRows& sample, bool has_decimal_comma) {
  const auto is_number = [&](const std::string& text) {
    return parse_cell_number(text, has_decimal_comma).has_value();
  };
  if (sample.empty()) return false;
  const std::vector<std::string>& first = sample.front();
  std::size_t words = 0;   // above numbers
  std::size_t others = 0;  // words above words, that do not come again
  std::size_t numbers = 0;
  std::size_t repeated = 0;  // words that come again
  bool may_be_names = true;  // whether numbers are whole and do not come again, as years in the names of columns
  std::set<std::string_view> different;
  bool are_different = true;
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (is_missing(first[column])) continue;
    are_different = different.insert(first[column]).second && are_different;
    std::size_t of_numbers = 0;
    std::size_t filled = 0;
    bool comes_again = false;
    for (std::size_t row = 1; row < sample.size(); ++row) {
      if (column >= sample[row].size() || is_missing(sample[row][column])) continue;
      ++filled;
      of_numbers += is_number(sample[row][column]) ? 1 : 0;
      comes_again = comes_again || sample[row][column] == first[column];
    }
    if (is_number(first[column])) {
      ++numbers;
      may_be_names = may_be_names && !comes_again && first[column].find_first_not_of("0123456789") == std::string::npos;
    } else if (filled == 0 || (filled > 0 && static_cast<double>(of_numbers) >= kMost * static_cast<double>(filled))) {
      ++words;
    } else if (comes_again) {
      ++repeated;
    } else {
      ++others;
    }
  }
  // Spreadsheets may have two columns of one name.
  if (words > 0 && words > numbers) return are_different || 2 * different.size() > first.size();
  if (words > 0) return are_different && may_be_names && repeated == 0 && words + others > 1;
  return are_different && numbers == 0 && repeated == 0 && !different.empty();
}

bool has_decimal_commas(const SampleRows& sample) {
  std::size_t commas = 0;
  std::size_t points = 0;
  for (const std::vector<std::string>& row : sample) {
    for (const std::string& cell : row) {
      const std::size_t at = cell.find_first_of(",.");
      if (at == std::string::npos || !parse_cell_number(cell, cell[at] == ',')) continue;
      ++(cell[at] == ',' ? commas : points);
    }
  }
  return commas > points;
}

}  // namespace alder
