#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>

#include "base/threads.h"

namespace alder {

/// Does `work(i)` for all i < count on some threads. `watch(done)` is called on this thread fifty times a second and at
/// the end; when it returns false, nothing more is begun. Returns whether all was done. What `work` throws is thrown
/// here, when all threads have ended.
template <class Work, class Watch>
bool share(std::size_t count, unsigned threads, const Work& work, const Watch& watch) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;
  std::condition_variable changed;
  unsigned ended = 0;        // guarded by the mutex
  std::exception_ptr error;  // likewise
  const auto useful = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, count)));
  Threads workers(useful, [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        next = count;
      }
      ++done;
    }
    const std::lock_guard lock(mutex);
    ++ended;
    changed.notify_one();
  });
  for (std::unique_lock lock(mutex);;) {
    const auto all_ended = [&] { return ended == workers.count(); };
    if (changed.wait_for(lock, std::chrono::milliseconds(20), all_ended)) break;
    lock.unlock();
    if (!watch(done.load())) next = count;
    lock.lock();
  }
  workers.join();
  if (error) std::rethrow_exception(error);
  return watch(done.load()) && done == count;
}

}  // namespace alder
