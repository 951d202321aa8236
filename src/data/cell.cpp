#include "data/cell.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace alder {
namespace {

bool is_letter(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80U;
}

bool equals(std::string_view text, std::string_view small) {
  return text.size() == small.size() &&
         std::equal(text.begin(), text.end(), small.begin(), [](char a, char b) { return lower(a) == b; });
}

// Days from 1970-01-01 to a date of the Gregorian calendar, by counting 400-year cycles from a March.
std::int64_t days_of(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Reads a time from the front of what is left.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : left_(text) {}

  [[nodiscard]] bool is_done() const { return left_.empty(); }
  [[nodiscard]] char peek() const { return left_.empty() ? '\0' : left_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ') left_.remove_prefix(1);
  }
  // A whole number of 1 to `most` digits; digits is how many it had, 0 if there is none.
  int number(std::size_t most, std::size_t& digits) {
    int value = 0;
    digits = 0;
    while (digits < most && is_digit(peek())) {
      value = 10 * value + (peek() - '0');
      left_.remove_prefix(1);
      ++digits;
    }
    return value;
  }
  std::string_view word() {
    const auto end = std::find_if(left_.begin(), left_.end(), [](char c) { return !is_letter(c); });
    const std::string_view found = left_.substr(0, static_cast<std::size_t>(end - left_.begin()));
    left_.remove_prefix(found.size());
    return found;
  }
  [[nodiscard]] std::string_view left() const { return left_; }
  void restore(std::string_view left) { left_ = left; }

 private:
  std::string_view left_;
};

// 1 to 12 of its name or the first three letters; 0: it is none.
int month_named(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                               "may",       "june",     "july",     "august",
                                                               "september", "october",  "november", "december"};
  if (word.size() < 3) return 0;
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (word.size() <= kMonths[i].size() && equals(word, kMonths[i].substr(0, word.size())))
      return static_cast<int>(i) + 1;
  }
  return 0;
}

int days_of_month(int year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month) - 1] + (month == 2 && is_leap ? 1 : 0);
}

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
  bool is_day_certain = true;
};

bool is_sound(const Date& date) {
  return date.year >= 1000 && date.year <= 2999 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_of_month(date.year, date.month);
}

int full_year(int year, std::size_t digits) {
  return digits == 2 ? year + (year < 70 ? 2000 : 1900) : year;
}

std::optional<Date> parse_named_month(TimeText& text) {
  Date date;
  std::size_t digits = 0;
  const bool is_month_first = is_letter(text.peek());
  if (!is_month_first) {
    date.day = text.number(2, digits);
    if (digits == 0) return std::nullopt;
    if (is_letter(text.peek())) return std::nullopt;
    if (!text.take('-')) text.skip_blanks();
  }
  date.month = month_named(text.word());
  if (date.month == 0) return std::nullopt;
  text.take('.');
  if (!text.take('-')) text.skip_blanks();
  if (is_month_first) {
    date.day = text.number(2, digits);
    if (digits == 0) return std::nullopt;
    text.take(',');
    text.skip_blanks();
  }
  const int year = text.number(4, digits);
  if (digits != 4 && digits != 2) return std::nullopt;
  date.year = full_year(year, digits);
  return date;
}

std::optional<Date> parse_date(TimeText& text, bool is_day_first) {
  const std::string_view all = text.left();
  if (is_letter(text.peek())) return parse_named_month(text);
  Date date;
  std::size_t digits = 0;
  const int first = text.number(4, digits);
  const char separator = text.peek();
  if (digits == 0) return std::nullopt;
  if (digits <= 2 && (separator == ' ' || separator == '-')) {
    text.restore(all);
    if (auto named = parse_named_month(text)) return named;
    text.restore(all);
    text.number(4, digits);
  }
  if (separator != '-' && separator != '/' && separator != '.') return std::nullopt;
  text.take(separator);
  std::size_t second_digits = 0;
  const int second = text.number(2, second_digits);
  if (second_digits == 0 || !text.take(separator)) return std::nullopt;
  std::size_t third_digits = 0;
  const int third = text.number(4, third_digits);
  if (third_digits == 0) return std::nullopt;
  if (digits == 4) {
    date = {first, second, third, true};
    if (third_digits > 2) return std::nullopt;
  } else if (digits <= 2 && (third_digits == 4 || (third_digits == 2 && separator == '/'))) {
    const bool day_first = separator == '.' || (first > 12 ? true : second > 12 ? false : is_day_first);
    date = {full_year(third, third_digits), day_first ? second : first, day_first ? first : second,
            separator == '.' || first > 12 || second > 12};
  } else {
    return std::nullopt;
  }
  return date;
}

// Seconds of the day; false: it is none.
bool parse_clock(TimeText& text, double& seconds) {
  std::size_t digits = 0;
  int hour = text.number(2, digits);
  if (digits == 0 || !text.take(':')) return false;
  const int minute = text.number(2, digits);
  if (digits != 2) return false;
  double second = 0.0;
  if (text.take(':')) {
    second = text.number(2, digits);
    if (digits != 2) return false;
    if (text.take('.') || text.take(',')) {
      const int fraction = text.number(9, digits);
      if (digits == 0) return false;
      double scale = 1.0;
      for (std::size_t i = 0; i < digits; ++i) scale *= 10.0;
      second += fraction / scale;
    }
  }
  text.skip_blanks();
  const std::string_view word = text.word();
  if (equals(word, "am") || equals(word, "pm")) {
    if (hour < 1 || hour > 12) return false;
    hour = hour % 12 + (lower(word[0]) == 'p' ? 12 : 0);
  } else if (word.size() > 4) {  // else it is the name of a zone
    return false;
  }
  if (text.peek() == '+' || text.peek() == '-') {  // the zone: what is written is kept
    text.take(text.peek());
    text.number(2, digits);
    text.take(':');
    if (digits == 2) text.number(2, digits);
    if (digits != 2) return false;
  }
  if (hour > 24 || minute > 59 || second >= 61.0) return false;
  seconds = 3600.0 * hour + 60.0 * minute + second;
  return true;
}

}  // namespace

bool is_missing(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return true;
  if (text.size() > 4 || std::string_view("?-.nN#<").find(text.front()) == std::string_view::npos) return false;
  static constexpr std::array<std::string_view, 11> kMarks = {"?",    "-",   ".",    "na",   "n/a", "#n/a",
                                                              "null", "nil", "none", "<na>", "nan"};
  return std::any_of(kMarks.begin(), kMarks.end(), [text](std::string_view mark) { return equals(text, mark); });
}

std::optional<double> parse_cell_number(std::string_view text, bool has_decimal_comma) {
  text = trimmed(text);
  if (!has_decimal_comma) {
    if (const auto number = parse_number(text)) return number;
  }
  if (text.empty() || text.size() > 64) return std::nullopt;
  bool is_negative = false;
  const auto take_sign = [&] {
    if (text.empty() || (text[0] != '-' && text[0] != '+')) return;
    is_negative = text[0] == '-';
    text.remove_prefix(1);
  };
  take_sign();
  for (const std::string_view sign : {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9"}) {
    if (!text.starts_with(sign)) continue;
    text = trimmed(text.substr(sign.size()));
    if (!is_negative) take_sign();
    break;
  }
  // Digits, with marks between thousands, and a fraction.
  const char decimal = has_decimal_comma ? ',' : '.';
  const char thousands = has_decimal_comma ? '.' : ',';
  std::string plain;
  std::size_t at = 0;
  std::size_t group = 0;
  bool has_groups = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      plain += text[at];
      ++group;
    } else if (text[at] == thousands && group > 0 && (has_groups ? group == 3 : group <= 3)) {
      has_groups = true;
      group = 0;
    } else {
      break;
    }
  }
  if (plain.empty() && !(at < text.size() && text[at] == decimal)) return std::nullopt;
  if (has_groups && group != 3) return std::nullopt;
  if (at < text.size() && text[at] == decimal) {
    plain += plain.empty() ? "0." : ".";
    const std::size_t whole = plain.size();
    for (++at; at < text.size() && is_digit(text[at]); ++at) plain += text[at];
    if (plain.size() == whole) plain += '0';
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') ? 2 : 1;
    if (at + sign < text.size() && is_digit(text[at + sign])) {
      plain += 'e';
      plain += text[at + 1] == '-' ? "-" : "";
      for (at += sign; at < text.size() && is_digit(text[at]); ++at) plain += text[at];
    }
  }
  std::string_view unit = text.substr(at);
  if (unit.starts_with(' ') && unit.size() > 1 && unit.size() <= 12) {
    unit.remove_prefix(1);
    if (!std::all_of(unit.begin(), unit.end(), [](char c) { return is_letter(c) || c == '/' || c == '%' || c == '.'; }))
      return std::nullopt;
  } else if (!unit.empty() && unit != "%" && unit != "+" && unit != "\xe2\x82\xac") {
    return std::nullopt;
  }
  const auto number = parse_number(plain);
  if (!number) return std::nullopt;
  return is_negative ? -*number : *number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.size() > 5) return std::nullopt;
  for (const std::string_view word : {"true", "yes", "t", "y", "on"}) {
    if (equals(text, word)) return true;
  }
  for (const std::string_view word : {"false", "no", "f", "n", "off"}) {
    if (equals(text, word)) return false;
  }
  return std::nullopt;
}

std::optional<CellTime> parse_time(std::string_view text, bool is_day_first) {
  text = trimmed(text);
  if (text.size() < 4 || text.size() > 50) return std::nullopt;
  if (text.ends_with(')')) text = trimmed(text.substr(0, text.rfind('(')));  // "(EST)" behind mail's dates
  TimeText left(text);
  for (const std::string_view day : {"mon", "tue", "wed", "thu", "fri", "sat", "sun"}) {
    if (!is_letter(left.peek())) break;
    if (text.size() < 4 || !equals(text.substr(0, 3), day)) continue;
    left.word();
    left.take(',');
    left.skip_blanks();
    text = left.left();
  }
  CellTime time;
  if (const auto date = parse_date(left, is_day_first)) {
    if (!is_sound(*date)) return std::nullopt;
    time.seconds = 86400.0 * static_cast<double>(days_of(date->year, date->month, date->day));
    time.has_date = true;
    time.is_day_certain = date->is_day_certain;
    if (left.is_done()) return time;
    left.take(',');
    if (!left.take('T')) left.skip_blanks();
  } else {
    left = TimeText(text);
  }
  double seconds = 0.0;
  if (!parse_clock(left, seconds) || !left.is_done()) return std::nullopt;
  time.seconds += seconds;
  time.has_clock = true;
  return time;
}

}  // namespace alder
