#include "signals.h"

#include <atomic>

#include <unistd.h>

#include "alder/input.h"

namespace alder::cli {
namespace {

std::atomic<int> signal_caught = 0;
std::atomic<Input*> input_to_interrupt = nullptr;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Input*>::is_always_lock_free);

// What is under way when a signal comes may wait so long for the reader of a pipe, say, for one that takes the model.
constexpr unsigned kGraceSeconds = 5;

extern "C" void catch_signal(int signal) {
  signal_caught = signal;
  if (Input* input = input_to_interrupt) input->interrupt();
  ::alarm(kGraceSeconds);
}

// Its purpose is to interrupt the system call that waits, or the next one.
extern "C" void interrupt_again(int /*signal*/) {
  ::alarm(1);
}

}  // namespace

Signals::Signals(Input* input) {
  signal_caught = 0;
  input_to_interrupt = input;
  struct sigaction again = {};
  again.sa_handler = interrupt_again;
  ::sigaction(SIGALRM, &again, &alarm_before_);
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
  ::alarm(0);
  ::sigaction(SIGALRM, &alarm_before_, nullptr);
  input_to_interrupt = nullptr;
}

int Signals::caught() {
  return signal_caught;
}

int Signals::exit_status() {
  return signal_caught == 0 ? 0 : 128 + signal_caught;
}

}  // namespace alder::cli
