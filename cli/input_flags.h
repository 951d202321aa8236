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
  std::string separator = "auto";
  std::string labels;  // NEGATIVE,POSITIVE
  InputOptions options;

  void add_to(Flags& verb, bool several);
  /// What open_input needs; throws UsageError for what makes no sense.
  [[nodiscard]] InputOptions input_options() const;
  /// The paths as one word for messages.
  [[nodiscard]] std::string name() const;
  /// The paths and the options that were given, for a command that reads the same rows.
  [[nodiscard]] std::string as_arguments() const;
};

/// Says on standard error which rows were skipped, if any.
void report_bad_rows(const Input& input);

}  // namespace alder::cli
