#include "io/lines.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {

bool Lines::next(std::string_view& line) {
  if (!cut(line)) return false;
  number_ += count_;
  count_ = 1;
  if (number_ == 1) line = taken();
  return true;
}

bool Lines::next_filled(std::string_view& line) {
  while (next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#') return true;
  }
  return false;
}

bool Lines::extend(std::string_view& line) {
  assert(taken_ > 0 && taken_ <= begin_);
  begin_ -= taken_;
  joined_ = taken_;
  const bool is_longer = cut(line);
  if (is_longer) {
    ++count_;
  } else {
    begin_ += joined_;
    taken_ = joined_;
    joined_ = 0;
  }
  line = taken();
  return is_longer;
}

void Lines::put_back() {
  assert(taken_ > 0 && taken_ <= begin_);
  begin_ -= taken_;
  taken_ = 0;
  --number_;
  count_ = 1;
}

std::string_view Lines::look_ahead() {
  const std::size_t most = 4 * sizes_.bytes;
  while (end_ - begin_ < most && !source_ended_ && failure_ == nullptr && source_->ready()) {
    try {
      refill();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

Lines::Ahead Lines::ahead(std::size_t lines, std::size_t bytes) {
  std::size_t scanned = 0;
  std::size_t found = 0;
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    found += static_cast<std::size_t>(std::count(start + scanned, start + size, line_end_));
    scanned = size;
    if (source_ended_ || found >= lines || size >= bytes) break;
    refill();
  }
  taken_ = 0;
  return {{buffer_.data() + begin_, end_ - begin_}, source_ended_};
}

std::string Lines::where() const {
  return fmt::format("{}:{}", name_, number_);
}

// Takes the text up to the next line end that is not in what is joined already.
bool Lines::cut(std::string_view& line) {
  std::size_t scanned = joined_;  // bytes known to hold no line end that counts: a long line is scanned once
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + scanned, line_end_, end_ - begin_ - scanned);
    const std::size_t length =
        found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - start) : end_ - begin_;
    if (number_ == 0 && ends_by_cr(length)) {
      line_end_ = '\r';
      scanned = 0;
      continue;
    }
    if (found == nullptr && !source_ended_) {
      // One more than the longest line, for the '\r' that may still turn out to end it.
      if (length > sizes_.longest_line + 1) fail_too_long();
      scanned = length;
      refill();
      continue;
    }
    const std::size_t with_end = length + (found != nullptr ? 1 : 0);
    if (with_end == joined_) return false;
    const std::size_t cr = line_end_ == '\n' && length > joined_ && start[length - 1] == '\r' ? 1 : 0;
    if (length - cr > sizes_.longest_line) fail_too_long();
    line = std::string_view(start, length - cr);
    begin_ += with_end;
    taken_ = with_end;
    joined_ = 0;
    return true;
  }
}

// Whether lines turn out to end with '\r', since the first one has this many bytes before any '\n', or so far. The '\r'
// is among the bytes that a line may have, and what is behind it is known to be no '\n'.
bool Lines::ends_by_cr(std::size_t length) const {
  constexpr std::size_t kTold = std::size_t{1} << 16;
  if (line_end_ == '\r') return false;
  const std::size_t most = std::min(kTold, sizes_.longest_line + 1);
  const bool is_whole = source_ended_ && length == end_ - begin_;
  if (length <= most && !is_whole) return false;
  return length > 0 && std::memchr(buffer_.data() + begin_, '\r', std::min(length, most)) != nullptr;
}

// The line last taken, without its end and a byte order mark before the first.
std::string_view Lines::taken() const {
  std::string_view line(buffer_.data() + begin_ - taken_, taken_);
  if (line.ends_with(line_end_)) line.remove_suffix(1);
  if (line_end_ == '\n' && line.ends_with('\r')) line.remove_suffix(1);
  if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  return line;
}

void Lines::refill() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      taken_ = 0;  // no longer there; `extend` has it in joined_
    } else {
      buffer_.resize(2 * buffer_.size());
    }
  }
  const std::size_t count = source_->read(std::span(buffer_).subspan(end_));
  const std::string_view added(buffer_.data() + end_, count);
  has_nul_ = has_nul_ || added.find('\0') != std::string_view::npos;
  has_high_ = has_high_ || is_high(added);
  end_ += count;
  source_ended_ = count == 0;
}

// Without a branch for each byte, so that the compiler makes vectors of it.
bool Lines::is_high(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
  return (all & 0x80U) != 0;
}

// Leaves the line where it is, so that every later call throws the same.
void Lines::fail_too_long() const {
  if (joined_ > 0) {
    throw Error(
        Error::Kind::kFormat,
        fmt::format("{}:{}: a row that goes on over lines of more than {} bytes; expected a closing quote before",
                    name_, number_, sizes_.longest_line));
  }
  throw Error(Error::Kind::kFormat,
              fmt::format("{}:{}: a line of more than {} bytes; a text file with one row on each line is expected",
                          name_, number_ + count_, sizes_.longest_line));
}

}  // namespace alder
