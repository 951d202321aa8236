#include "input_flags.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include "message.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// A word of a shell's command line.
std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || std::strchr("_./:,+-=@%", letter) != nullptr;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace

void InputFlags::add_to(Flags& verb, bool several) {
  const Flag data = verb.texts("DATA", paths, "LIBSVM or CSV text, also gz, zst or xz; - for standard input");
  data.required().of("FILE");
  if (!several) data.single();
  verb.text("--format", format, "auto, libsvm or csv").one_of({"auto", "libsvm", "csv"}).shows_default();
  verb.text("--label-column", options.label_column, "CSV: name or number of the label's column");
  verb.text("--separator", separator, "CSV: a character, tab or auto").shows_default();
  verb.text("--labels", labels, "names of the two classes: NEGATIVE,POSITIVE");
  verb.count("--skip-bad", options.skip_bad, "skip up to N bad rows and report them");
}

InputOptions InputFlags::input_options() const {
  InputOptions result = options;
  if (format == "libsvm") result.format = Format::kLibsvm;
  if (format == "csv") result.format = Format::kCsv;
  if (separator == "tab") {
    result.separator = '\t';
  } else if (separator.size() == 1) {
    result.separator = separator[0];
  } else if (separator != "auto") {
    throw UsageError(fmt::format("--separator is {}; expected one character, tab or auto", separator));
  }
  if (!labels.empty()) {
    const std::size_t comma = labels.find(',');
    if (comma == 0 || comma == std::string::npos || comma + 1 == labels.size() ||
        labels.find(',', comma + 1) != std::string::npos) {
      throw UsageError(fmt::format("--labels is {}; expected two names with a comma between them", labels));
    }
    result.classes = Classes{labels.substr(0, comma), labels.substr(comma + 1)};
  }
  return result;
}

std::string InputFlags::name() const {
  const std::string first = paths.front() == "-" ? "standard input" : paths.front();
  return paths.size() == 1 ? first : fmt::format("{} and {} more", first, paths.size() - 1);
}

std::string InputFlags::as_arguments() const {
  std::string arguments;
  for (const std::string& path : paths)
    arguments += fmt::format("{}{}", arguments.empty() ? "" : " ", shell_word(path));
  if (format != "auto") arguments += " --format " + format;
  if (!options.label_column.empty()) arguments += " --label-column " + shell_word(options.label_column);
  if (separator != "auto") arguments += " --separator " + shell_word(separator);
  if (!labels.empty()) arguments += " --labels " + shell_word(labels);
  if (options.skip_bad > 0) arguments += fmt::format(" --skip-bad {}", options.skip_bad);
  return arguments;
}

void report_bad_rows(const Input& input) {
  if (input.bad_rows() == 0) return;
  say("{} bad {} skipped:\n", input.bad_rows(), input.bad_rows() == 1 ? "row was" : "rows were");
  for (const std::string& message : input.bad_messages()) say("  {}\n", message);
  if (input.bad_rows() > input.bad_messages().size()) say("  ...\n");
}

}  // namespace alder::cli
