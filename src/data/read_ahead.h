#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "data/row_feed.h"

namespace alder {

/// Where batches come from. One thread at a time.
class BatchSource {
 public:
  BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;
  virtual ~BatchSource() = default;

  /// The next batch, valid until the next call. Must not be called after the last.
  virtual const RowBatch& next() = 0;
};

/// Reads row by row when it is asked to. `feed` must outlive it.
class ReadOnDemand final : public BatchSource {
 public:
  explicit ReadOnDemand(RowFeed& feed) : feed_(feed) {}
  const RowBatch& next() override;

 private:
  RowFeed& feed_;
  RowBatch batch_;
};

/// Reads on a thread of its own, a few batches ahead: `rows` rows or 256 bytes for each, or as many as there are when
/// the next row has to be waited for. The batches are a ring and used again, so nothing is allocated once they have
/// grown. `feed` must outlive it and is its own. The destructor interrupts the feed and returns at once.
class ReadAhead final : public BatchSource {
 public:
  ReadAhead(RowFeed& feed, std::size_t rows);
  ~ReadAhead() override;
  const RowBatch& next() override;

 private:
  void run();
  RowBatch& wait_for_room();
  void publish();

  RowFeed& feed_;
  std::size_t rows_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_batch_;
  std::array<RowBatch, 4> ring_;
  // Counted without end: batch i is in ring_[i % size]. Those in [taken_, made_) are ready or with the consumer, the
  // one at made_ is the reader's.
  std::uint64_t made_ = 0;
  std::uint64_t taken_ = 0;
  bool holds_ = false;  // whether the consumer has the batch at taken_
  bool stopping_ = false;
  std::thread thread_;  // no std::jthread: its stop token brings system calls that the library must not make
};

}  // namespace alder
