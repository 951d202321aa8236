#pragma once

#include <algorithm>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "alder/error.h"

namespace alder {

/// Threads that all do the same work, and are waited for. There may be fewer of them than wanted: more than four for
/// each core would only take memory from the work, and the system may not have as many. With none, it throws Error.
class Threads {
 public:
  Threads(unsigned count, const std::function<void()>& work) {
    const unsigned most = std::min(count, kPerCore * std::max(1U, std::thread::hardware_concurrency()));
    threads_.reserve(most);
    try {
      for (unsigned i = 0; i < most; ++i) threads_.emplace_back(work);
    } catch (const std::system_error&) {
      check_count();
    } catch (const std::bad_alloc&) {
      check_count();
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
  static constexpr unsigned kPerCore = 4;

  void check_count() const {
    if (threads_.empty()) throw Error(Error::Kind::kUnsupported, "no thread can be started; expected at least one");
  }

  std::vector<std::thread> threads_;
};

}  // namespace alder
