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

#include <fmt/format.h>

#include "base/text.h"

namespace alder {
namespace {

constexpr std::uint64_t kHighestIndex = std::numeric_limits<FeatureIndex>::max();  // as written, counted from 1

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

// Whether a token begins like a feature, "12:", so that it is no label.
bool is_feature(std::string_view token) {
  const std::size_t digits = token.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && token[digits] == ':';
}

class LibsvmReader final : public RowReader {
 public:
  using RowReader::RowReader;

  bool next(RawRow& raw) override {
    std::string_view line;
    while (next_line(line)) {
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
      raw.label = std::string_view(token, at);
      if (is_feature(raw.label)) {
        raw.label = {};
        at = token;
      }
      raw.weight.reset();
      raw.row = row(at, end, raw);
      return true;
    }
    return false;
  }

  [[nodiscard]] std::size_t features() const override { return features_; }

 private:
  Row row(const char* at, const char* const end, RawRow& raw) {
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
        if (size == 0 && !raw.label.empty() && !raw.weight && take_weight(at, end, raw)) continue;
        reject_index({at, end}, previous);
      }
      double value = 0.0;
      at = parse_value(colon + 1, end, index, value);
      indices_[size] = static_cast<FeatureIndex>(index - 1);
      values_[size] = value;
      ++size;
      previous = index;
    }
    features_ = std::max<std::size_t>(features_, previous);
    return Row::sparse(std::span(indices_).first(size), std::span(values_).first(size));
  }

  // Whether the next token is the row's weight; `at` is behind it then.
  bool take_weight(const char*& at, const char* const end, RawRow& raw) const {
    const char* const stop = std::find_if(at, end, is_space);
    const std::string_view token(at, stop);
    if (!parse_number(token)) return false;
    raw.weight = parse_weight(token);
    if (!raw.weight) fail(in_quotes(token), kExpectedWeight);
    at = stop;
    return true;
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
    if (stop != nullptr && is_end(stop) && std::fabs(value) <= largest()) return stop;
    return parse_odd_value({at, end}, index, value);
  }

  // The rare and the wrong: a leading '+', no number, not finite, too large. `rest` begins with the value.
  const char* parse_odd_value(std::string_view rest, std::uint64_t index, double& value) const {
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
    const std::optional<double> number = parse_number(token);
    if (!number) {
      fail(fmt::format("value {} of feature {} is not a number", in_quotes(token), index), "a number is expected");
    }
    if (!std::isfinite(*number)) {
      fail(fmt::format("value {} of feature {} is not finite", in_quotes(token), index), "a finite number is expected");
    }
    if (std::fabs(*number) > largest()) reject_large(fmt::format("value {} of feature {}", in_quotes(token), index));
    value = *number;
    return token.data() + token.size();
  }

  // `rest` begins with a token that is no acceptable "index:".
  [[noreturn]] void reject_index(std::string_view rest, std::uint64_t previous) const {
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) {
      fail(fmt::format("{} has no ':'", in_quotes(token)), "index:value is expected");
    }
    const std::string_view text = token.substr(0, colon);
    if (text == "qid") {
      fail(fmt::format("{} is for ranking", in_quotes(token)), "rows of classes, without qid, are expected");
    }
    std::uint64_t index = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (stop != text.data() + text.size() || error == std::errc::invalid_argument) {
      fail(fmt::format("feature index {} is not a whole number", in_quotes(text)),
           fmt::format("an index from 1 to {} is expected", kHighestIndex));
    }
    if (error == std::errc::result_out_of_range || index > kHighestIndex) {
      fail(fmt::format("feature index {} is too large", in_quotes(text)),
           fmt::format("an index from 1 to {} is expected", kHighestIndex));
    }
    if (index == 0) fail("feature index 0", "feature indices count from 1");
    fail(index == previous ? fmt::format("feature index {} is repeated", index)
                           : fmt::format("feature index {} comes after {}", index, previous),
         "strictly ascending indices are expected");
  }

  std::size_t features_ = 0;
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowReader> read_libsvm(Lines lines) {
  return std::make_unique<LibsvmReader>(std::move(lines));
}

std::unique_ptr<RowReader> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LineBuffer buffer) {
  return read_libsvm(Lines(std::move(source), std::move(name), buffer));
}

}  // namespace alder
