#include "data/csv_text.h"

#include <algorithm>
#include <utility>

#include "data/text_lines.h"

namespace alder {
namespace {

// How often a separator is in a line outside quotes.
std::size_t count_separators(std::string_view line, char separator) {
  bool inside = false;
  char before = separator == ' ' ? ' ' : '\0';
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    count += c == separator && !inside && !(separator == ' ' && before == ' ') ? 1 : 0;
    before = c;
  }
  return count;
}

bool is_filled(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] != '#';
}

}  // namespace

CsvField csv_field(const char* at, const char* end, char separator, std::string& scratch) {
  const auto is_space = [separator](char c) { return (c == ' ' || c == '\t') && c != separator; };
  while (at != end && is_space(*at)) ++at;
  const auto plain = [&]() -> CsvField {
    const char* const stop = std::find(at, end, separator);
    const char* last = stop;
    while (last != at && is_space(last[-1])) --last;
    return {{at, last}, stop, nullptr};
  };
  if (at == end || *at != '"') return plain();
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
  if (close == end) {
    if (separator == '\t') return plain();
    return {text, end, "a quote that is not closed", true};
  }
  const char* stop = close + 1;
  while (stop != end && is_space(*stop)) ++stop;
  if (stop != end && *stop != separator) {
    if (separator == '\t') return plain();
    return {text, std::find(stop, end, separator), "text behind a closing quote"};
  }
  return {text, stop, nullptr};
}

char find_separator(std::string_view text) {
  constexpr std::size_t kLines = 20;
  constexpr std::size_t kLongest = std::size_t{1} << 16U;
  std::vector<std::string_view> lines;
  std::string_view line;
  for (std::string_view left = text; lines.size() < kLines && take_line(left, line, true);) {
    if (is_filled(line)) lines.push_back(line.substr(0, kLongest));
  }
  if (lines.size() > 1) lines.pop_back();  // it may be cut off
  char best = ',';
  std::size_t most = 0;
  for (const char candidate : {'\t', ';', ',', '|', ' '}) {
    if (candidate == ' ' && most > 0) break;  // words have spaces between them in any table
    const std::size_t count = lines.empty() ? 0 : count_separators(lines.front(), candidate);
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

SampleRows split_records(std::string_view text, char separator, std::size_t most, bool is_whole) {
  SampleRows records;
  std::string scratch;
  std::string_view line;
  while (records.size() < most && take_line(text, line, is_whole || records.empty())) {
    if (!is_filled(line)) continue;
    std::vector<std::string> fields;
    const char* at = line.data();
    const char* end = at + line.size();
    if (separator == ' ') {
      while (at != end && *at == ' ') ++at;
      while (end != at && end[-1] == ' ') --end;
    }
    while (true) {
      const CsvField field = csv_field(at, end, separator, scratch);
      if (field.is_open) {  // a longer line, from its beginning
        std::string_view next;
        if (!take_line(text, next, is_whole)) return records;
        line = {line.data(), static_cast<std::size_t>(next.data() + next.size() - line.data())};
        at = line.data();
        end = at + line.size();
        fields.clear();
        continue;
      }
      fields.emplace_back(field.text);
      at = field.stop;
      if (at == end) break;
      while (++at != end && separator == ' ' && *at == ' ') {
      }
    }
    records.push_back(std::move(fields));
  }
  return records;
}

}  // namespace alder
