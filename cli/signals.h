#pragma once

#include <array>
#include <csignal>

namespace alder {
class Input;
}

namespace alder::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for an orderly end instead of ending the program; a second one of the
/// same kind ends it. One that was ignored when the program started stays ignored, as nohup and shells that start
/// background jobs want it. System calls that wait are interrupted, at once and again from 5 seconds later on, so that
/// a pipe without a reader does not keep the program. There is at most one at a time.
class Signals {
 public:
  /// The input, if any, is interrupted, so that no read waits for a pipe; it must outlive this.
  explicit Signals(Input* input);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  /// The signal that was caught, or 0.
  [[nodiscard]] static int caught();
  /// What the program should end with: 0, or 128 + the signal.
  [[nodiscard]] static int exit_status();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_{};
  struct sigaction alarm_before_ = {};
};

}  // namespace alder::cli
