#include "data/format.h"

#include <algorithm>

#include "base/text.h"

namespace alder {
namespace {

// Whether a text begins with an index and a colon.
bool begins_with_index(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && text[digits] == ':';
}

}  // namespace

Format format_of(std::string_view line) {
  line = trimmed(line);
  const std::size_t first_end = line.find_first_of(" \t");
  const bool has_separator = line.find_first_of(",;\t") != std::string_view::npos;
  if (first_end == std::string_view::npos) return has_separator ? Format::kCsv : Format::kLibsvm;
  const std::string_view rest = trimmed(line.substr(first_end));
  if (rest.starts_with('#')) return has_separator ? Format::kCsv : Format::kLibsvm;
  // "qid:" as well, for the reader to say what it thinks of it.
  if (begins_with_index(rest) || rest.starts_with("qid:")) return Format::kLibsvm;
  const std::size_t second_end = std::min(rest.size(), rest.find_first_of(" \t"));
  if (parse_number(rest.substr(0, second_end)) && begins_with_index(trimmed(rest.substr(second_end)))) {
    return Format::kLibsvm;
  }
  return has_separator ? Format::kCsv : Format::kAuto;
}

}  // namespace alder
