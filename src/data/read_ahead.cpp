#include "data/read_ahead.h"

namespace alder {

const RowBatch& ReadOnDemand::next() {
  feed_.fill(batch_, 1);
  return batch_;
}

ReadAhead::ReadAhead(RowFeed& feed, std::size_t rows) : feed_(feed), rows_(rows) {
  feed_.on_wait = [this]() -> RowBatch& {
    publish();
    return wait_for_room();
  };
  thread_ = std::thread([this] { run(); });
}

ReadAhead::~ReadAhead() {
  feed_.interrupt();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  has_room_.notify_one();
  thread_.join();
  feed_.on_wait = nullptr;
}

const RowBatch& ReadAhead::next() {
  std::unique_lock lock(mutex_);
  if (holds_) {
    ++taken_;
    has_room_.notify_one();
  }
  has_batch_.wait(lock, [this] { return taken_ < made_; });
  holds_ = true;
  return ring_[taken_ % ring_.size()];
}

void ReadAhead::run() {
  try {
    while (true) {
      feed_.fill(wait_for_room(), rows_);
      // Only this thread changes made_.
      const bool is_last = ring_[made_ % ring_.size()].is_last;
      publish();
      if (is_last) return;
    }
  } catch (const Interrupted&) {  // the rest is not wanted
  }
}

RowBatch& ReadAhead::wait_for_room() {
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [this] { return stopping_ || made_ - taken_ < ring_.size(); });
  if (stopping_) throw Interrupted();
  return ring_[made_ % ring_.size()];
}

void ReadAhead::publish() {
  {
    const std::lock_guard lock(mutex_);
    ++made_;
  }
  has_batch_.notify_one();
}

}  // namespace alder
