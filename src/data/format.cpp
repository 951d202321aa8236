#include "data/format.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "data/arff_text.h"

namespace alder {
namespace {

// Whether a text begins with an index and a colon, or with the query of a row of ranking.
bool begins_with_index(std::string_view text) {
  if (text.starts_with("qid:")) return true;
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && text[digits] == ':';
}

// Whether a text begins as JSON lines do, or as one JSON text, for the reader to say what it thinks of it.
bool begins_as_json(std::string_view line) {
  return line.starts_with('{') || line == "[" || (line.starts_with('[') && trimmed(line.substr(1)).starts_with('{'));
}

bool begins_as_arff(std::string_view line) {
  std::string_view rest;
  const std::string keyword = arff_keyword(line, rest);
  return keyword == "@relation" || keyword == "@attribute" || keyword == "@data";
}

// Whether a word is a feature with a value: "name:0.5".
bool is_named_value(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && parse_number(word.substr(colon + 1)).has_value();
}

// Whether there is a bar, with at most three numbers and a tag before it. Where the bar follows a number at once, or
// a label has costs, a feature with a value must follow, too: '1|2' is CSV.
bool begins_as_vw(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return false;
  std::string_view before = line.substr(0, bar);
  bool needs_value = !before.empty() && before.back() != ' ' && before.back() != '\t';
  std::size_t numbers = 0;
  for (std::string_view word = take_word(before); !word.empty(); word = take_word(before)) {
    if (word.starts_with('\'')) {
      needs_value = false;
      if (!trimmed(before).empty()) return false;
    } else if (word.find_first_not_of("0123456789.:") == std::string_view::npos) {
      // Also labels with costs, "1:0.5:0.25", for the reader to say what it thinks of them.
      needs_value = needs_value || word.find(':') != std::string_view::npos;
      ++numbers;
    } else if (++numbers > 3 || !parse_number(word)) {
      return false;
    }
  }
  if (!needs_value) return numbers <= 3;
  std::string_view behind = line.substr(bar + 1);
  for (std::string_view word = take_word(behind); !word.empty(); word = take_word(behind)) {
    if (is_named_value(word)) return true;
  }
  return false;
}

bool has_index(std::string_view line) {
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
    if (begins_with_index(word)) return true;
  }
  return false;
}

}  // namespace

Format format_of(std::string_view line) {
  line = trimmed(line);
  if (begins_as_json(line)) return Format::kJson;
  if (begins_as_arff(line)) return Format::kArff;
  if (begins_as_vw(line)) return Format::kVw;
  if (line.starts_with('"')) return Format::kCsv;  // a field, which may hold the end of the line
  const std::size_t first_end = line.find_first_of(" \t");
  const bool has_separator = line.find_first_of(",;\t|") != std::string_view::npos;
  if (first_end == std::string_view::npos) return has_separator ? Format::kCsv : Format::kLibsvm;
  const std::string_view rest = trimmed(line.substr(first_end));
  if (rest.starts_with('#')) return has_separator ? Format::kCsv : Format::kLibsvm;
  if (begins_with_index(rest)) return Format::kLibsvm;
  const std::size_t second_end = std::min(rest.size(), rest.find_first_of(" \t"));
  if (parse_number(rest.substr(0, second_end)) && begins_with_index(trimmed(rest.substr(second_end)))) {
    return Format::kLibsvm;
  }
  return has_separator || !has_index(line) ? Format::kCsv : Format::kAuto;
}

}  // namespace alder
