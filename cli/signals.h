#pragma once

#include <functional>

namespace alder {
class Input;
}

namespace alder::cli {

/// While it lives, SIGINT and SIGTERM ask for an orderly end instead of ending the program; a second one ends it. There
/// is at most one at a time.
class Signals {
 public:
  /// The input, if any, is interrupted, so that nobody waits for a pipe; it must outlive this.
  explicit Signals(Input* input);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// The signal that was caught, or 0.
  [[nodiscard]] static int caught();
  /// What the program should end with: 0, or 128 + the signal.
  [[nodiscard]] static int exit_status();
};

}  // namespace alder::cli
