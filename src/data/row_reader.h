#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "alder/error.h"
#include "alder/row.h"

#include "io/lines.h"

namespace alder {

/// An Error about one line of a file: the caller may skip it and go on with the next.
class BadRow : public Error {
 public:
  using Error::Error;
  explicit BadRow(const std::string& message) : Error(Kind::kRow, message) {}
};

/// The weight that a text is: a number from 0 to kMostWeight. Empty: it is none.
std::optional<double> parse_weight(std::string_view text);
/// What messages expect instead.
inline constexpr const char* kExpectedWeight = "expected a weight, a number from 0 to 1000000";

/// A row as it stands in a file: its label is text, not interpreted yet.
struct RawRow {
  Row row;
  std::string_view label;          ///< empty: there is none
  std::optional<double> weight{};  ///< empty: there is none
  std::string_view text{};         ///< the line itself
};

/// Reads the rows of one file, whatever its format.
class RowReader {
 public:
  explicit RowReader(Lines lines) : lines_(std::move(lines)) {}
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  virtual ~RowReader() = default;

  /// The next row, valid until the next call; false at the end. Throws BadRow for a line that is no row and goes on
  /// with the next line when called again; any other Error is for good.
  virtual bool next(RawRow& row) = 0;

  /// How many features there were so far: the highest one, from 0, plus 1.
  [[nodiscard]] virtual std::size_t features() const = 0;

  /// The line of names, if there was one, and what stands between fields.
  [[nodiscard]] virtual const std::string& header_text() const {
    static const std::string none;
    return none;
  }
  [[nodiscard]] virtual char separator() const { return '\t'; }

  /// The number that a label of this text is, also an infinite one or NaN; empty: it is none.
  [[nodiscard]] virtual std::optional<double> label_number(std::string_view label) const;

  /// What was found that is right but may surprise; empty: nothing.
  [[nodiscard]] const std::string& note() const { return note_; }

  /// From now on a value that a float cannot hold is wrong.
  void expect_floats() { largest_ = std::numeric_limits<float>::max(); }

  /// Where the row last read stands: "name:line".
  [[nodiscard]] std::string where() const { return lines_.where(); }

 protected:
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;

  /// As Lines::next and Lines::next_filled; fails for a line that is no text. One that is no UTF-8 is taken for
  /// Latin-1.
  bool next_line(std::string_view& line) { return lines_.next(line) && take_text(line); }
  bool next_filled_line(std::string_view& line) { return lines_.next_filled(line) && take_text(line); }

  /// As in Lines. A line that was extended is text, too.
  void put_back() { lines_.put_back(); }
  /// Joins lines to one with an open quote, up to the one that closes it: that has an odd number of quotes. False:
  /// there is none.
  bool close_quote(std::string_view& line);
  std::string_view look_ahead() { return lines_.look_ahead(); }
  Lines::Ahead ahead(std::size_t lines, std::size_t bytes) { return lines_.ahead(lines, bytes); }

  /// The largest number that a value may be.
  [[nodiscard]] double largest() const { return largest_; }
  /// Fails for a finite number that is larger; `found` names it.
  [[noreturn]] void reject_large(const std::string& found) const;

  [[nodiscard]] const std::string& name() const { return lines_.name(); }

 private:
  bool take_text(std::string_view& line) {
    size_ = line.size();
    if (lines_.holds_nul(line)) fail("a NUL byte", "expected text");
    if (lines_.holds_high(line)) take_utf8(line);
    return true;
  }
  void take_utf8(std::string_view& line);

  Lines lines_;
  std::size_t size_ = 0;   // of the line last taken, as it is in the file
  std::string converted_;  // a line that is no UTF-8
  std::string note_;
  double largest_ = std::numeric_limits<double>::max();
};

}  // namespace alder
