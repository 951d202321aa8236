#include "signals.h"

#include <atomic>

#include "alder/input.h"

namespace alder::cli {
namespace {

std::atomic<int> signal_caught = 0;
std::atomic<Input*> input_to_interrupt = nullptr;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Input*>::is_always_lock_free);

extern "C" void catch_signal(int signal) {
  signal_caught = signal;
  if (Input* input = input_to_interrupt) input->interrupt();
}

}  // namespace

Signals::Signals(Input* input) {
  signal_caught = 0;
  input_to_interrupt = input;
  struct sigaction action = {};
  action.sa_handler = catch_signal;
  action.sa_flags = SA_RESETHAND;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Signals::~Signals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  input_to_interrupt = nullptr;
}

int Signals::caught() {
  return signal_caught;
}

int Signals::exit_status() {
  return signal_caught == 0 ? 0 : 128 + signal_caught;
}

}  // namespace alder::cli
