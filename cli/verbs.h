#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace alder::cli {

/// What a verb does once its options are parsed. It throws alder::Error for what cannot be done.
using Action = std::function<void()>;

/// Each adds the verb's options to its subcommand and returns its action.
Action add_train(CLI::App& verb);
Action add_generate(CLI::App& verb);

}  // namespace alder::cli
