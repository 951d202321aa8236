#include "signals.h"

#include <atomic>
#include <csignal>

#include "alder/input.h"

namespace alder::cli {
namespace {

std::atomic<int> signal_caught = 0;
std::atomic<Input*> input_to_interrupt = nullptr;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Input*>::is_always_lock_free);

extern "C" void catch_signal(int signal) {
  std::signal(signal, SIG_DFL);
  signal_caught = signal;
  if (Input* input = input_to_interrupt) input->interrupt();
}

}  // namespace

Signals::Signals(Input* input) {
  signal_caught = 0;
  input_to_interrupt = input;
  std::signal(SIGINT, catch_signal);
  std::signal(SIGTERM, catch_signal);
}

Signals::~Signals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  input_to_interrupt = nullptr;
}

int Signals::caught() {
  return signal_caught;
}

int Signals::exit_status() {
  return signal_caught == 0 ? 0 : 128 + signal_caught;
}

}  // namespace alder::cli
