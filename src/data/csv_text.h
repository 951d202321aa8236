#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/column_finder.h"

namespace alder {

/// One field of a line, without the quotes and spaces around it.
struct CsvField {
  std::string_view text;
  const char* stop = nullptr;   ///< the separator behind it, or the end of the line
  const char* fault = nullptr;  ///< what is wrong with its quotes; null: nothing
  bool is_open = false;         ///< a quote is not closed: the field may go on in the next line
};

/// The field that begins at `at`. `scratch` holds the text of a field with doubled quotes. Between tabs, quotes that do
/// not enclose a whole field are characters like others. Where spaces separate, several are one.
CsvField csv_field(const char* at, const char* end, char separator, std::string& scratch);

/// The one of tab, semicolon, comma, bar and space that divides the lines of a text into fields: the one that is in
/// each of them, most often in the first. Of two that are equally often, the first of these: where another separates, a
/// comma may be a decimal one.
char find_separator(std::string_view text);

/// The fields of the records at the front of a text, at most `most`; blank lines and comments are left out, and so is a
/// last record that may go on behind the text, unless it is all there is. Records of a wrong form end it.
SampleRows split_records(std::string_view text, char separator, std::size_t most, bool is_whole);

}  // namespace alder
