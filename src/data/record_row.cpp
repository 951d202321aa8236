#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "alder/encoding.h"

#include "base/text.h"
#include "data/cell.h"

namespace alder {
namespace {

constexpr double kSecondsOfDay = 86400.0;
constexpr double kDaysOfYear = 365.2425;

bool is_word_byte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80U;
}

}  // namespace

FeatureIndex RecordRow::feature_of(std::size_t column, std::string_view text) {
  if (learning_ != nullptr) return learning_->learn_value(column, text);
  const auto found = encoding_.find_value(column, text);
  return found ? *found : encoding_.unknown_feature(column, text.empty());
}

void RecordRow::number(std::size_t column, double value) {
  const Column& about = encoding_.columns()[column];
  switch (about.kind) {
    case ColumnKind::kNumber:
      if (std::isfinite(value)) {
        append(encoding_.first_feature(column), value - about.offset);
      } else if (std::isnan(value)) {
        missing(column);
      } else {
        append(feature_of(column, value > 0.0 ? "inf" : "-inf"), 1.0);
      }
      break;
    case ColumnKind::kBoolean:
      if (std::isnan(value)) {
        missing(column);
      } else {
        boolean(column, value != 0.0);
      }
      break;
    case ColumnKind::kTime:
      if (std::isfinite(value)) {
        time(column, value);
      } else {
        missing(column);
      }
      break;
    case ColumnKind::kIgnored:
      break;
    default:
      if (std::isnan(value)) {
        missing(column);
      } else {
        text(column, fmt::format("{}", value));
      }
  }
}

void RecordRow::boolean(std::size_t column, bool value) {
  const ColumnKind kind = encoding_.columns()[column].kind;
  if (kind == ColumnKind::kBoolean || kind == ColumnKind::kNumber) {
    append(encoding_.first_feature(column), value ? 1.0 : 0.0);
  } else if (kind != ColumnKind::kIgnored) {
    text(column, value ? "true" : "false");
  }
}

void RecordRow::time(std::size_t column, double seconds, bool has_date, bool has_clock) {
  const Column& about = encoding_.columns()[column];
  if (about.kind != ColumnKind::kTime) {
    number(column, seconds);
    return;
  }
  const FeatureIndex first = encoding_.first_feature(column);
  const double days = seconds / kSecondsOfDay;
  const auto append_cycle = [&](FeatureIndex part, double turns) {
    const double angle = 2.0 * std::numbers::pi * (turns - std::floor(turns));
    append(first + part, std::sin(angle));
    append(first + part + 1, std::cos(angle));
  };
  if (has_date) {
    append(first, 1970.0 + days / kDaysOfYear - about.offset);
    append_cycle(1, std::floor(days) / kDaysOfYear);
    append_cycle(3, std::floor(days) / 7.0);
  }
  if (has_clock) append_cycle(5, days);
}

void RecordRow::text(std::size_t column, std::string_view text) {
  const Column& about = encoding_.columns()[column];
  if (about.kind == ColumnKind::kIgnored) return;
  if (alder::is_missing(text)) {
    missing(column);
    return;
  }
  switch (about.kind) {
    case ColumnKind::kBoolean:
      if (const auto value = parse_boolean(text)) {
        boolean(column, *value);
        return;
      }
      break;
    case ColumnKind::kTime:
      if (const auto found = parse_time(text, about.is_day_first)) {
        time(column, found->seconds, found->has_date, found->has_clock);
        return;
      }
      break;
    case ColumnKind::kNumber:
      if (const auto found = parse_cell_number(text, false)) {
        number(column, *found);
        return;
      }
      break;
    case ColumnKind::kText:
      words(column, text);
      return;
    default:
      break;
  }
  append(feature_of(column, trimmed(text)), 1.0);
}

// The words of a text, in small letters: 1 + ln(count) for each, the whole of length 1. Words that are not known are
// one feature, as long as they are together.
void RecordRow::words(std::size_t column, std::string_view text) {
  constexpr std::size_t kLongestWord = 40;
  words_.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    while (at != end && !is_word_byte(static_cast<unsigned char>(*at))) ++at;
    const char* const begin = at;
    while (at != end && is_word_byte(static_cast<unsigned char>(*at))) ++at;
    if (at == begin) break;
    word_.assign(begin, std::min<std::size_t>(kLongestWord, static_cast<std::size_t>(at - begin)));
    std::transform(word_.begin(), word_.end(), word_.begin(), [](char c) { return lower(c); });
    words_.emplace_back(feature_of(column, word_), 1.0);
  }
  std::sort(words_.begin(), words_.end());
  std::size_t size = 0;
  double squares = 0.0;
  for (std::size_t i = 0; i < words_.size();) {
    const std::size_t first = i;
    while (i < words_.size() && words_[i].first == words_[first].first) ++i;
    const double value = 1.0 + std::log(static_cast<double>(i - first));
    words_[size++] = {words_[first].first, value};
    squares += value * value;
  }
  for (std::size_t i = 0; i < size; ++i) append(words_[i].first, words_[i].second / std::sqrt(squares));
}

void RecordRow::make_room(std::size_t size) {
  indices_.resize(size);
  values_.resize(size);
}

// Ascending; two values of one feature are added.
void RecordRow::sort() {
  if (!is_sorted_) {
    for (std::size_t i = 0; i < size_; ++i) entries_.emplace_back(indices_[i], values_[i]);
    size_ = 0;
    is_sorted_ = true;
  }
  std::sort(entries_.begin(), entries_.end());
  if (indices_.size() < size_ + entries_.size()) make_room(size_ + entries_.size());
  for (const auto& [feature, value] : entries_) {
    if (size_ > 0 && indices_[size_ - 1] == feature) {
      values_[size_ - 1] += value;
    } else {
      indices_[size_] = feature;
      values_[size_++] = value;
    }
  }
  entries_.clear();
}

}  // namespace alder
