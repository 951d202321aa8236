#pragma once

#include <algorithm>
#include <cstdint>

#include "alder/stream.h"

namespace alder::cli {

/// The first rows of another stream, up to a number; that stream must outlive it.
class Limited final : public Stream {
 public:
  Limited(Stream& source, std::uint64_t rows) : source_(source), left_(rows) {}
  bool next(Example& example) override {
    if (left_ == 0) return false;
    --left_;
    return source_.next(example);
  }
  std::span<const Example> ahead(std::size_t most) override {
    return source_.ahead(std::min<std::uint64_t>(most, left_));
  }
  void advance(std::size_t count) override {
    left_ -= count;
    source_.advance(count);
  }

 private:
  Stream& source_;
  std::uint64_t left_;
};

}  // namespace alder::cli
