#include "data/libsvm.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

constexpr std::uint64_t kHighestIndex = std::numeric_limits<FeatureIndex>::max();  // as written, counted from 1

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

// A piece of the file for a message: short, on one line, and printable whatever is in it.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  out += text.size() > kLongest ? "...'" : "'";
  return out;
}

// Where the number at the front of [at, end) stops, or null when there is none. Infinite and NaN are numbers here; too
// large a number is infinite, too small a one is 0.
const char* parse_front(const char* at, const char* end, double& value) {
  const auto [stop, error] = fast_float::from_chars(at, end, value);
  return error == std::errc::invalid_argument ? nullptr : stop;
}

// The whole of `text` as a number, which may have a '+'.
std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  double value = 0.0;
  if (parse_front(text.data(), end, value) != end || text.empty()) return std::nullopt;
  return value;
}

// Cuts bytes into lines, counting them from 1. A line is valid until the next is taken.
class Lines {
 public:
  Lines(std::unique_ptr<ByteSource> source, std::string name, LibsvmBuffer sizes)
      : source_(std::move(source)), name_(std::move(name)), longest_line_(sizes.longest_line), buffer_(sizes.bytes) {}

  /// The next line without its end; false after the last. A final line needs no newline.
  bool next(std::string_view& line) {
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

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    throw Error(fmt::format("{}:{}: {}; {}", name_, number_, found, expected));
  }

 private:
  bool take(std::string_view& line, std::size_t length, std::size_t with_end) {
    line = std::string_view(buffer_.data() + begin_, length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > longest_line_) fail_too_long();
    begin_ += with_end;
    ++number_;
    return true;
  }

  void refill() {
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
    end_ += count;
    source_ended_ = count == 0;
  }

  // Leaves the line where it is, so that every later call throws the same.
  [[noreturn]] void fail_too_long() const {
    throw Error(fmt::format("{}:{}: a line of more than {} bytes; a text file with one row on each line is expected",
                            name_, number_ + 1, longest_line_));
  }

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::size_t longest_line_;
  std::vector<char> buffer_;  // the unread bytes are [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;  // of the line last taken
  bool source_ended_ = false;
};

class LibsvmStream final : public Stream {
 public:
  LibsvmStream(std::unique_ptr<ByteSource> source, std::string name, LibsvmBuffer buffer)
      : lines_(std::move(source), std::move(name), buffer) {}

  bool next(Example& example) override {
    std::string_view line;
    while (lines_.next(line)) {
      const void* comment = line.empty() ? nullptr : std::memchr(line.data(), '#', line.size());
      if (comment != nullptr) {
        line = line.substr(0, static_cast<std::size_t>(static_cast<const char*>(comment) - line.data()));
      }
      const char* at = line.data();
      const char* const end = at + line.size();
      while (at != end && is_space(*at)) ++at;
      if (at == end) continue;
      const char* const token = at;
      while (at != end && !is_space(*at)) ++at;
      example.label = label({token, at});
      example.row = row(at, end);
      return true;
    }
    return false;
  }

 private:
  double label(std::string_view token) {
    const std::optional<double> value = parse_number(token);
    if (!value || (*value != 1.0 && *value != -1.0 && *value != 0.0)) {
      lines_.fail(fmt::format("label {}", quoted(token)), "-1 or 0 (negative), +1 or 1 (positive) is expected");
    }
    if (*value == 1.0) return 1.0;
    if (!negative_) negative_ = *value == 0.0 ? 0.0 : -1.0;
    if (*value != *negative_) {
      lines_.fail(fmt::format("label {} in a file that called the negative class {} before", quoted(token), *negative_),
                  "one of -1 and 0 throughout is expected");
    }
    return -1.0;
  }

  Row row(const char* at, const char* const end) {
    // "1:1 " is the shortest feature, so this is room for all of them and nothing grows below.
    const std::size_t most = static_cast<std::size_t>(end - at) / 4 + 1;
    if (indices_.size() < most) {
      indices_.resize(most);
      values_.resize(most);
    }
    std::size_t size = 0;
    std::uint64_t previous = 0;
    while (true) {
      while (at != end && is_space(*at)) ++at;
      if (at == end) break;
      std::uint64_t index = 0;
      const auto [colon, index_error] = std::from_chars(at, end, index);
      // Everything that is not an ascending index in range and a colon; 0 is never above `previous`.
      if (index_error != std::errc() || colon == end || *colon != ':' || index <= previous || index > kHighestIndex) {
        reject_index({at, end}, previous);
      }
      double value = 0.0;
      at = parse_value(colon + 1, end, index, value);
      indices_[size] = static_cast<FeatureIndex>(index - 1);
      values_[size] = value;
      ++size;
      previous = index;
    }
    return Row::sparse(std::span(indices_).first(size), std::span(values_).first(size));
  }

  // Returns where the value ends.
  const char* parse_value(const char* at, const char* const end, std::uint64_t index, double& value) const {
    const auto is_end = [end](const char* p) { return p == end || is_space(*p); };
    // One digit, which is nearly all that files of indicators hold.
    if (at != end && *at >= '0' && *at <= '9' && is_end(at + 1)) {
      value = *at - '0';
      return at + 1;
    }
    const char* const stop = parse_front(at, end, value);
    if (stop != nullptr && is_end(stop) && std::isfinite(value)) return stop;
    return parse_odd_value({at, end}, index, value);
  }

  // The rare and the wrong: a leading '+', no number, not finite. `rest` begins with the value.
  const char* parse_odd_value(std::string_view rest, std::uint64_t index, double& value) const {
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
    const std::optional<double> number = parse_number(token);
    if (!number) {
      lines_.fail(fmt::format("value {} of feature {} is not a number", quoted(token), index), "a number is expected");
    }
    if (!std::isfinite(*number)) {
      lines_.fail(fmt::format("value {} of feature {} is not finite", quoted(token), index),
                  "a finite number is expected");
    }
    value = *number;
    return token.data() + token.size();
  }

  // `rest` begins with a token that is no acceptable "index:".
  [[noreturn]] void reject_index(std::string_view rest, std::uint64_t previous) const {
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) {
      lines_.fail(fmt::format("{} has no ':'", quoted(token)), "index:value is expected");
    }
    const std::string_view text = token.substr(0, colon);
    if (text == "qid") {
      lines_.fail(fmt::format("{} is for ranking", quoted(token)), "rows of two classes, without qid, are expected");
    }
    std::uint64_t index = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (stop != text.data() + text.size() || error == std::errc::invalid_argument) {
      lines_.fail(fmt::format("feature index {} is not a whole number", quoted(text)),
                  fmt::format("an index from 1 to {} is expected", kHighestIndex));
    }
    if (error == std::errc::result_out_of_range || index > kHighestIndex) {
      lines_.fail(fmt::format("feature index {} is too large", quoted(text)),
                  fmt::format("an index from 1 to {} is expected", kHighestIndex));
    }
    if (index == 0) lines_.fail("feature index 0", "feature indices count from 1");
    lines_.fail(index == previous ? fmt::format("feature index {} is repeated", index)
                                  : fmt::format("feature index {} comes after {}", index, previous),
                "strictly ascending indices are expected");
  }

  Lines lines_;
  std::optional<double> negative_;  // the label of the negative class, once seen
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Stream> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LibsvmBuffer buffer) {
  return std::make_unique<LibsvmStream>(std::move(source), std::move(name), buffer);
}

std::unique_ptr<Stream> open_libsvm(const std::string& path) {
  return read_libsvm(open_bytes(path), display_name(path));
}

}  // namespace alder
