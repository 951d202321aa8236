#include "io/lines.h"

#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {

bool Lines::next(std::string_view& line) {
  std::size_t scanned = 0;  // bytes of this line known to hold no newline: a long line is scanned once
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(start + scanned, '\n', end_ - begin_ - scanned);
    if (newline != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
      return take(line, length, length + 1);
    }
    scanned = end_ - begin_;
    if (source_ended_) return scanned > 0 && take(line, scanned, scanned);
    // One more than the longest line, for the '\r' that may still turn out to end it.
    if (scanned > longest_line_ + 1) fail_too_long();
    refill();
  }
}

bool Lines::next_filled(std::string_view& line) {
  while (next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#') return true;
  }
  return false;
}

void Lines::put_back() {
  assert(taken_ > 0 && taken_ <= begin_);
  begin_ -= taken_;
  taken_ = 0;
  --number_;
}

std::string Lines::where() const {
  return fmt::format("{}:{}", name_, number_);
}

bool Lines::take(std::string_view& line, std::size_t length, std::size_t with_end) {
  line = std::string_view(buffer_.data() + begin_, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > longest_line_) fail_too_long();
  if (number_ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  begin_ += with_end;
  taken_ = with_end;
  ++number_;
  return true;
}

void Lines::refill() {
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    } else {
      buffer_.resize(2 * buffer_.size());
    }
  }
  const std::size_t count = source_->read(std::span(buffer_).subspan(end_));
  has_nul_ = has_nul_ || (count > 0 && std::memchr(buffer_.data() + end_, 0, count) != nullptr);
  end_ += count;
  source_ended_ = count == 0;
}

// Leaves the line where it is, so that every later call throws the same.
void Lines::fail_too_long() const {
  throw Error(Error::Kind::kFormat,
              fmt::format("{}:{}: a line of more than {} bytes; a text file with one row on each line is expected",
                          name_, number_ + 1, longest_line_));
}

}  // namespace alder
