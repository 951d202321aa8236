#pragma once

#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "alder/error.h"

namespace alder {

/// Threads that all do the same work, and are waited for. There may be fewer of them than wanted, if the system does
/// not have more; with none, it throws Error.
class Threads {
 public:
  Threads(unsigned count, const std::function<void()>& work) {
    try {
      for (unsigned i = 0; i < count; ++i) threads_.emplace_back(work);
    } catch (const std::system_error&) {
      if (threads_.empty()) throw Error("no thread can be started; expected at least one");
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(threads_.size()); }

  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace alder
