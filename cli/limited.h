#pragma once

#include <algorithm>
#include <cstdint>

#include "alder/stream.h"

namespace alder::cli {

/// The first rows of another stream, up to a number; that stream must outlive it.
class Limited final : public Stream {
 public:
  Limited(Stream& source, std::uint64_t rows) : source_(source), left_(rows) {}
  Examples read(std::size_t most) override {
    if (left_ == 0) return {};
    const Examples examples = source_.read(std::min<std::uint64_t>(most, left_));
    left_ -= examples.size();
    return examples;
  }

 private:
  Stream& source_;
  std::uint64_t left_;
};

}  // namespace alder::cli
