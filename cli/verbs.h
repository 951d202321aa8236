#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

namespace alder::cli {

/// What a verb does once its options are parsed: returns the exit status, throws alder::Error for what cannot be done
/// and UsageError for options that do not go together.
using Action = std::function<int()>;

/// Each adds the verb's options to its subcommand and returns its action.
Action add_train(CLI::App& verb);
Action add_predict(CLI::App& verb);
Action add_info(CLI::App& verb);
Action add_learners(CLI::App& verb);
Action add_generate(CLI::App& verb);
Action add_scale(CLI::App& verb);
Action add_tune(CLI::App& verb);
Action add_regret(CLI::App& verb);
Action add_bench(CLI::App& verb);
Action add_diagnose(CLI::App& verb);

/// An option that takes a whole number, shown with its default. (The parser would wrap negative ones around.)
template <class Count>
CLI::Option* add_count(CLI::App& verb, const std::string& name, Count& value, const std::string& text) {
  return verb.add_option(name, value, text)->type_name("N")->check(CLI::NonNegativeNumber)->capture_default_str();
}

/// Options that are fine each for itself, but not together. Ends the program like an unknown option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace alder::cli
