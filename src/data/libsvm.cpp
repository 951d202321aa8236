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

constexpr std::uint64_t kHighestIndex = std::numeric_limits<FeatureIndex>::max();  // counted from 1
constexpr std::string_view kTenDigits = "0123456789";
constexpr std::string_view kQuery = "qid:";

// Whether a token begins like a feature, "12:", so that it is no label.
bool is_feature(std::string_view token) {
  const std::size_t digits = token.find_first_not_of(kTenDigits);
  return digits != 0 && digits != std::string_view::npos && token[digits] == ':';
}

// Whether a token is the query of a row of ranking, "qid:12".
bool is_query(std::string_view token) {
  return token.starts_with(kQuery) && token.size() > kQuery.size() &&
         token.find_first_not_of(kTenDigits, kQuery.size()) == std::string_view::npos;
}

// Whether the first feature of a row has index 0. Behind the label, the weight and the query nothing else comes first.
bool begins_with_zero(std::string_view line) {
  for (int words = 0; words < 4; ++words) {
    line = line.substr(std::min(line.size(), line.find_first_not_of(" \t")));
    if (line.empty() || line[0] == '#') return false;
    const std::string_view token = line.substr(0, line.find_first_of(" \t"));
    if (is_feature(token)) return token[token.find_first_not_of('0')] == ':';
    line.remove_prefix(token.size());
  }
  return false;
}

// Whether a row of this text, which may end within one, has a feature 0. Indices ascend, so it is the first.
bool counts_from_zero(std::string_view text) {
  const char line_end = text.find('\n') != std::string_view::npos ? '\n' : '\r';
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find(line_end));
    if (begins_with_zero(line)) return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

class LibsvmReader final : public RowReader {
 public:
  LibsvmReader(Lines lines, bool zero_based) : RowReader(std::move(lines)), shift_(zero_based ? 1 : 0) {}

  bool next(RawRow& raw) override {
    std::string_view line;
    while (next_line(line)) {
      raw.text = line;
      const void* comment = line.empty() ? nullptr : std::memchr(line.data(), '#', line.size());
      if (comment != nullptr) {
        line = line.substr(0, static_cast<std::size_t>(static_cast<const char*>(comment) - line.data()));
      }
      const char* at = line.data();
      const char* const end = at + line.size();
      while (at != end && is_blank(*at)) ++at;
      if (at == end) continue;
      const char* const token = at;
      while (at != end && !is_blank(*at)) ++at;
      raw.label = std::string_view(token, at);
      if (is_feature(raw.label) || is_query(raw.label)) {
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
    std::uint64_t previous = 0;  // this and `index` count from 1
    bool has_query = false;
    while (true) {
      while (at != end && is_blank(*at)) ++at;
      if (at == end) break;
      std::uint64_t index = 0;
      const auto [colon, index_error] = std::from_chars(at, end, index);
      index += shift_;
      // Everything that is not an ascending index in range and a colon; 0 is never above `previous`.
      if (index_error != std::errc() || colon == end || *colon != ':' || index <= previous || index > kHighestIndex) {
        if (size == 0 && !has_query) {
          has_query = take_query(at, end);
          if (has_query || (!raw.label.empty() && !raw.weight && take_weight(at, end, raw))) continue;
        }
        reject_index({at, end}, previous);
      }
      double value = 0.0;
      at = parse_value(colon + 1, end, index - shift_, value);
      indices_[size] = static_cast<FeatureIndex>(index - 1);
      values_[size] = value;
      ++size;
      previous = index;
    }
    features_ = std::max<std::size_t>(features_, previous);
    return Row::sparse(std::span(indices_).first(size), std::span(values_).first(size));
  }

  // Whether the next token is a query; `at` is behind it then.
  static bool take_query(const char*& at, const char* const end) {
    const char* const stop = std::find_if(at, end, is_blank);
    if (!is_query({at, stop})) return false;
    at = stop;
    return true;
  }

  // Whether the next token is the row's weight; `at` is behind it then.
  bool take_weight(const char*& at, const char* const end, RawRow& raw) const {
    const char* const stop = std::find_if(at, end, is_blank);
    const std::string_view token(at, stop);
    if (!parse_number(token)) return false;
    raw.weight = parse_weight(token);
    if (!raw.weight) fail(in_quotes(token), kExpectedWeight);
    at = stop;
    return true;
  }

  // Returns where the value ends.
  const char* parse_value(const char* at, const char* const end, std::uint64_t index, double& value) const {
    const auto is_end = [end](const char* p) { return p == end || is_blank(*p); };
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

  // `rest` begins with a token that is no acceptable "index:"; `previous` counts from 1.
  [[noreturn]] void reject_index(std::string_view rest, std::uint64_t previous) const {
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t"));
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos) {
      fail(fmt::format("{} has no ':'", in_quotes(token)), "index:value is expected");
    }
    const std::string_view text = token.substr(0, colon);
    if (text == "qid") {
      fail(in_quotes(token), "expected one qid with a whole number, before all features");
    }
    const std::string range = fmt::format("an index from {} to {} is expected", 1 - shift_, kHighestIndex - shift_);
    std::uint64_t index = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (stop != text.data() + text.size() || error == std::errc::invalid_argument) {
      fail(fmt::format("feature index {} is not a whole number", in_quotes(text)), range);
    }
    if (error == std::errc::result_out_of_range || index > kHighestIndex - shift_) {
      fail(fmt::format("feature index {} is too large", in_quotes(text)), range);
    }
    if (index + shift_ == 0) {
      fail("feature index 0", "feature indices count from 1 here; if they count from 0, use --zero-based yes");
    }
    fail(index + shift_ == previous ? fmt::format("feature index {} is repeated", index)
                                    : fmt::format("feature index {} comes after {}", index, previous - shift_),
         "strictly ascending indices are expected");
  }

  std::uint64_t shift_;  // added to an index as written, it counts from 1
  std::size_t features_ = 0;
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowReader> read_libsvm(Lines lines, std::optional<bool>& zero_based) {
  if (!zero_based) zero_based = counts_from_zero(lines.look_ahead());
  return std::make_unique<LibsvmReader>(std::move(lines), *zero_based);
}

std::unique_ptr<RowReader> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LineBuffer buffer,
                                       std::optional<bool> zero_based) {
  return read_libsvm(Lines(std::move(source), std::move(name), buffer), zero_based);
}

}  // namespace alder
