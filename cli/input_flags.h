#pragma once

#include <string>
#include <vector>

#include "alder/input.h"

#include "flags.h"

namespace alder::cli {

/// The options of all verbs that read files.
struct InputFlags {
  std::vector<std::string> paths;
  std::string format = "auto";
  std::string zero_based = "auto";
  std::string separator = "auto";
  std::string labels;  // A,B,…
  std::string header = "auto";
  std::string columns;  // NAME=KIND,…
  std::string ignored;  // NAME,…
  std::string task = "auto";
  InputOptions options;

  void add_to(Flags& verb, bool several);
  /// --task, for verbs that learn.
  void add_task_to(Flags& verb);
  /// Throws UsageError if --task says numbers; `what` the verb does is of classes.
  void expect_classes(const char* what) const;
  /// Has an input find out what labels are, unless --task says it.
  void find_task(InputOptions& result) const;
  /// Throws Error if it has found numbers; `what` the verb does is of classes.
  void expect_classes(const Input& input, const char* what) const;
  /// What open_input needs; throws UsageError for what makes no sense.
  [[nodiscard]] InputOptions input_options() const;
  /// The names that --labels lists, if it is given.
  [[nodiscard]] std::vector<std::string> label_names() const;
  /// Of all rows of an input: gives their classes ids in the order of --labels, or else in that in which they are
  /// shown. Returns their names.
  std::vector<std::string> order_classes(Dataset& rows, const Input& input) const;
  /// Throws Error unless there are at most two of these classes, and no weights: what the theory is of.
  void expect_theory(const Dataset& rows, const std::vector<std::string>& classes) const;
  /// The paths as one word for messages.
  [[nodiscard]] std::string name() const;
  /// The paths and the options that were given, for a command that reads the same rows.
  [[nodiscard]] std::string as_arguments() const;
};

/// Says on standard error which rows were skipped, if any.
void report_reading(const Input& input);

}  // namespace alder::cli
