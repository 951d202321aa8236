#include "data/format.h"

#include "base/text.h"

namespace alder {

Format format_of(std::string_view line) {
  line = trimmed(line);
  const std::size_t first_end = line.find_first_of(" \t");
  const bool has_separator = line.find_first_of(",;\t") != std::string_view::npos;
  if (first_end == std::string_view::npos) return has_separator ? Format::kCsv : Format::kLibsvm;
  const std::string_view rest = trimmed(line.substr(first_end));
  if (rest.starts_with('#')) return has_separator ? Format::kCsv : Format::kLibsvm;
  const std::size_t digits = rest.find_first_not_of("0123456789");
  const bool is_index = digits != std::string_view::npos && digits > 0 && rest[digits] == ':';
  // "qid:" as well, for the reader to say what it thinks of it.
  if (is_index || rest.starts_with("qid:")) return Format::kLibsvm;
  return has_separator ? Format::kCsv : Format::kAuto;
}

}  // namespace alder
