#pragma once

#include <functional>
#include <stdexcept>

#include "flags.h"

namespace alder::cli {

/// What a verb does once its options are parsed: returns the exit status, throws alder::Error for what cannot be done
/// and UsageError for options that do not go together.
using Action = std::function<int()>;

/// Each adds the verb's options to its subcommand and returns its action.
Action add_train(Flags& verb);
Action add_predict(Flags& verb);
Action add_explain(Flags& verb);
Action add_info(Flags& verb);
Action add_learners(Flags& verb);
Action add_generate(Flags& verb);
Action add_scale(Flags& verb);
Action add_tune(Flags& verb);
Action add_regret(Flags& verb);
Action add_bench(Flags& verb);
Action add_diagnose(Flags& verb);

/// Options that are fine each for itself, but not together. Ends the program like an unknown option.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace alder::cli
