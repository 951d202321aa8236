#pragma once

#include <optional>
#include <string_view>

namespace alder {

/// What stands for a value that is not there: nothing, blanks, ?, NA, N/A, #N/A, NaN, null, none, nil, a dash, a dot;
/// in small or large letters.
bool is_missing(std::string_view text);

/// The number that a cell is, also one with a decimal comma, with commas between thousands, a sign of a currency before
/// or a percent sign or a unit behind it: "$1,200.50", "1 248 CC" is none, "1248 CC" is. Empty: it is none. Infinite
/// and NaN are numbers here.
std::optional<double> parse_cell_number(std::string_view text, bool has_decimal_comma);

/// true, false, yes, no, t, f, y, n, on, off, in small or large letters.
std::optional<bool> parse_boolean(std::string_view text);

/// A point in time, as far as it is written.
struct CellTime {
  double seconds = 0.0;  ///< since 1970, in the time zone that is written
  bool has_date = false;
  bool has_clock = false;
  bool is_day_certain = true;  ///< whether day and month could not be swapped
};

/// 2024-03-05, 2024/3/5, 5.3.2024, 5/3/2024 (by `is_day_first` in March or in May), 5 March 2024, Mar 5, 2024, and a
/// time of day, 14:05[:30[.25]] [am|pm] [Z or ±hh:mm], behind a blank or a T, or alone.
std::optional<CellTime> parse_time(std::string_view text, bool is_day_first);

}  // namespace alder
