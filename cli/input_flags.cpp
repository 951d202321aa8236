#include "input_flags.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"
#include "message.h"
#include "names.h"
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

// The parts between commas; none of nothing.
std::vector<std::string> split_names(const std::string& text, const char* flag) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.size(), text.find(',', begin));
    names.emplace_back(trimmed(std::string_view(text).substr(begin, end - begin)));
    if (names.back().empty()) {
      throw UsageError(fmt::format("{} is {}; expected names with commas between them", flag, in_quotes(text)));
    }
    begin = end + 1;
  }
  return names;
}

ColumnKind kind_named(const std::string& name) {
  try {
    return column_kind_named(name);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--columns: {}", error.what()));
  }
}

}  // namespace

void InputFlags::add_to(Flags& verb, bool several) {
  const Flag data = verb.texts("DATA", paths, "table or sparse rows, also gz, zst, xz or bz2; - for standard input");
  data.required().of("FILE");
  if (!several) data.single();
  verb.text("--format", format, "auto, csv, json, arff, libsvm or vw")
      .one_of({"auto", "csv", "json", "arff", "libsvm", "vw"})
      .shows_default();
  verb.text("--label,--label-column", options.label_column, "tables: name or number of the label's column");
  verb.text("--columns", columns, "tables: what columns are: number, category, boolean, time, text or ignore")
      .of("NAME=KIND,...");
  verb.text("--ignore", ignored, "tables: columns that are not used, by name or number").of("NAME,...");
  verb.text("--header", header, "CSV: whether the first line names the columns: yes, no or auto")
      .one_of({"auto", "yes", "no"})
      .shows_default();
  verb.text("--zero-based", zero_based, "LIBSVM: whether feature indices count from 0: auto, yes or no")
      .one_of({"auto", "yes", "no"})
      .shows_default();
  verb.text("--separator", separator, "CSV: a character, tab or auto").shows_default();
  verb.text("--labels", labels, "the classes, in the order in which they are shown; others are bad rows").of("A,B,...");
  const Flag column =
      verb.text("--weight-column", options.weight_column, "tables: name or number of the column of weights");
  verb.text("--weights", options.weights_file, "weights of the rows, one number a line").of("FILE").excludes(column);
  verb.count("--skip-bad", options.skip_bad, "skip up to N bad rows and report them");
}

void InputFlags::add_task_to(Flags& verb) {
  verb.text("--task", task, "what labels are: classes, numbers, or auto: as the first rows look")
      .one_of({"auto", "classes", "numbers"})
      .shows_default();
}

void InputFlags::expect_classes(const char* what) const {
  if (task == "numbers") throw UsageError(fmt::format("{} of classes; it does not take --task numbers", what));
}

void InputFlags::find_task(InputOptions& result) const {
  if (task == "auto" && labels.empty()) result.task.reset();
}

void InputFlags::expect_classes(const Input& input, const char* what) const {
  if (input.task() == Task::kClassification || !input.first_labels()) return;
  throw Error(Error::Kind::kUnsupported,
              fmt::format("{}: the labels are numbers, {} different ones in the first {} rows; expected classes: {} of "
                          "classes. --task classes takes every label as a class",
                          name(), input.first_labels()->different, input.first_labels()->rows, what));
}

InputOptions InputFlags::input_options() const {
  InputOptions result = options;
  if (format == "libsvm") result.format = Format::kLibsvm;
  if (format == "csv") result.format = Format::kCsv;
  if (format == "json") result.format = Format::kJson;
  if (format == "arff") result.format = Format::kArff;
  if (format == "vw") result.format = Format::kVw;
  result.header = header == "yes" ? Header::kYes : header == "no" ? Header::kNo : Header::kAuto;
  for (const std::string& one : split_names(columns, "--columns")) {
    const std::size_t at = one.rfind('=');
    if (at == std::string::npos || at == 0) {
      throw UsageError(fmt::format("--columns has {}; expected NAME=KIND, such as age=number", in_quotes(one)));
    }
    result.columns.emplace_back(one.substr(0, at), kind_named(one.substr(at + 1)));
  }
  for (const std::string& one : split_names(ignored, "--ignore")) {
    result.columns.emplace_back(one, ColumnKind::kIgnored);
  }
  if (zero_based != "auto") result.zero_based = zero_based == "yes";
  if (separator == "tab") {
    result.separator = '\t';
  } else if (separator.size() == 1) {
    result.separator = separator[0];
  } else if (separator != "auto") {
    throw UsageError(fmt::format("--separator is {}; expected one character, tab or auto", separator));
  }
  if (options.weights_file == "-") throw UsageError("--weights is -; expected a file");
  result.classes = label_names();
  result.only_classes = !labels.empty();
  return result;
}

std::vector<std::string> InputFlags::label_names() const {
  std::vector<std::string> names = split_names(labels, "--labels");
  if (names.size() == 1) {
    throw UsageError(fmt::format("--labels is {}; expected two names or more, with commas between them", labels));
  }
  return names;
}

std::vector<std::string> InputFlags::order_classes(Dataset& rows, const Input& input) const {
  return labels.empty() ? sort_classes(rows, input.classes()) : label_names();
}

void InputFlags::expect_theory(const Dataset& rows, const std::vector<std::string>& classes) const {
  if (classes.size() > 2) {
    ClassNames names{classes, {}};
    names.shown.resize(classes.size());
    std::iota(names.shown.begin(), names.shown.end(), 0U);
    throw Error(
        Error::Kind::kUnsupported,
        fmt::format("{}: {} classes, {}; expected two: the theory is of two. --labels A,B --skip-bad N takes two",
                    name(), classes.size(), first_names(names)));
  }
  if (!rows.weights().empty()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("{}: rows with weights; expected none: in the theory all rows count alike", name()));
  }
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
  if (zero_based != "auto") arguments += " --zero-based " + zero_based;
  if (!options.label_column.empty()) arguments += " --label " + shell_word(options.label_column);
  if (separator != "auto") arguments += " --separator " + shell_word(separator);
  if (header != "auto") arguments += " --header " + header;
  if (!columns.empty()) arguments += " --columns " + shell_word(columns);
  if (!ignored.empty()) arguments += " --ignore " + shell_word(ignored);
  if (!labels.empty()) arguments += " --labels " + shell_word(labels);
  if (task != "auto") arguments += " --task " + task;
  if (!options.weight_column.empty()) arguments += " --weight-column " + shell_word(options.weight_column);
  if (!options.weights_file.empty()) arguments += " --weights " + shell_word(options.weights_file);
  if (options.skip_bad > 0) arguments += fmt::format(" --skip-bad {}", options.skip_bad);
  return arguments;
}

void report_reading(const Input& input) {
  for (const std::string& note : input.notes()) say("note: {}\n", note);
  if (input.bad_rows() == 0) return;
  say("{} bad {} skipped:\n", input.bad_rows(), input.bad_rows() == 1 ? "row was" : "rows were");
  for (const std::string& message : input.bad_messages()) say("  {}\n", message);
  if (input.bad_rows() > input.bad_messages().size()) say("  ...\n");
}

}  // namespace alder::cli
