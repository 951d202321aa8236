#include "alder/encoding.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {"number", "category", "boolean", "time", "text", "names", "ignore"};
constexpr std::array<std::string_view, 7> kTimeParts = {"year",     "year sin", "year cos", "week sin",
                                                        "week cos", "day sin",  "day cos"};
// What the keys of shared features begin with; text cells do not.
constexpr char kBucketMark = '\x1f';

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a: the same on every machine
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::size_t fixed_features_of(ColumnKind kind) {
  if (kind == ColumnKind::kTime) return kTimeParts.size();
  return kind == ColumnKind::kNumber || kind == ColumnKind::kBoolean ? 1 : 0;
}

bool has_words(ColumnKind kind) {
  return kind == ColumnKind::kText || kind == ColumnKind::kNames;
}

}  // namespace

std::string_view column_kind_name(ColumnKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

ColumnKind column_kind_named(std::string_view name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end() || name == "names") {
    throw Error(fmt::format("a column of the kind {}; expected number, category, boolean, time, text or ignore",
                            in_quotes(name)));
  }
  return static_cast<ColumnKind>(found - kKinds.begin());
}

Encoding::Encoding(std::vector<Column> columns) : columns_(std::move(columns)), features_(columns_.size()) {
  if (columns_.size() > kMostColumns) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{} columns; expected at most {}. Rows of very many features that are "
                            "mostly 0 can be written as LIBSVM text",
                            columns_.size(), kMostColumns));
  }
  first_.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    first_[i] = static_cast<FeatureIndex>(fixed_);
    fixed_ += fixed_features_of(columns_[i].kind);
    if (columns_[i].name.empty()) continue;
    has_names_ = true;
    if (!places_.emplace(columns_[i].name, i).second) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("two columns are called {}; expected different names", in_quotes(columns_[i].name)));
    }
  }
}

std::optional<std::size_t> Encoding::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Encoding::count_values(std::size_t column) const {
  const Features& met = features_[column];
  return met.size() - met.count("");
}

std::string Encoding::column_name(std::size_t column) const {
  return columns_[column].name.empty() ? fmt::format("column {}", place_of(column) + 1) : columns_[column].name;
}

std::size_t Encoding::place_of(std::size_t column) const {
  std::size_t place = column;
  const auto [first, second] = std::minmax(label_place, weight_place);  // an empty one is the smaller
  if (first && *first <= place) ++place;
  if (second && *second <= place) ++place;
  return place;
}

double Encoding::offset(FeatureIndex feature) const {
  if (feature >= fixed_) return 0.0;
  const std::size_t column = column_of(feature);
  return feature == first_[column] ? columns_[column].offset : 0.0;  // of a time the years come first
}

std::size_t Encoding::column_of(FeatureIndex feature) const {
  if (feature >= features()) return (feature - features()) % columns_.size();
  if (feature >= fixed_) return values_[feature - fixed_].column;
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), feature) - first_.begin()) - 1;
}

std::string Encoding::feature_name(FeatureIndex feature) const {
  if (feature >= features() + 2 * columns_.size()) return fmt::format("feature {}", feature + std::uint64_t{1});
  const std::size_t column = column_of(feature);
  const std::string name = column_name(column);
  if (feature >= features() + columns_.size()) return name + " missing";
  if (feature >= features()) return name + "=a new value";
  if (feature < fixed_) {
    return columns_[column].kind == ColumnKind::kTime ? fmt::format("{} {}", name, kTimeParts[feature - first_[column]])
                                                      : name;
  }
  const std::string& text = values_[feature - fixed_].text;
  if (text.empty()) return name + " missing";
  if (text[0] == kBucketMark) return fmt::format("{}=other values {}", name, text.substr(1));
  return columns_[column].kind == ColumnKind::kNames ? text : fmt::format("{}={}", name, text);
}

std::string_view Encoding::key(std::size_t column, std::string_view text, std::string& scratch) const {
  if (text.size() <= kLongestValue) return text;
  std::size_t kept = kLongestValue - 20;
  while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0U) == 0x80U) --kept;  // no letter is cut
  scratch = fmt::format("{}...{:016x}", text.substr(0, kept), hash_of(text));
  static_cast<void>(column);
  return scratch;
}

std::optional<FeatureIndex> Encoding::find_value(std::size_t column, std::string_view text) const {
  std::string scratch;
  text = key(column, text, scratch);
  const Features& met = features_[column];
  const auto found = met.find(text);
  if (found != met.end()) return found->second;
  const bool is_words = has_words(columns_[column].kind);
  if (text.empty() || met.size() < (is_words ? kMostWords : kMostValues)) return std::nullopt;
  const auto bucket = met.find(fmt::format("{}{}", kBucketMark, hash_of(text) % (is_words ? kWordBuckets : kBuckets)));
  return bucket == met.end() ? std::nullopt : std::optional(bucket->second);
}

FeatureIndex Encoding::learn_value(std::size_t column, std::string_view text) {
  std::string scratch;
  text = key(column, text, scratch);
  Features& met = features_[column];
  const auto found = met.find(text);
  if (found != met.end()) return found->second;
  const bool is_words = has_words(columns_[column].kind);
  if (text.empty() || met.size() < (is_words ? kMostWords : kMostValues)) return add(column, text);
  const std::string bucket = fmt::format("{}{}", kBucketMark, hash_of(text) % (is_words ? kWordBuckets : kBuckets));
  const auto shared = met.find(bucket);
  return shared != met.end() ? shared->second : add(column, bucket);
}

FeatureIndex Encoding::add(std::size_t column, std::string_view key) {
  const auto feature = static_cast<FeatureIndex>(features());
  features_[column].emplace(key, feature);
  values_.push_back({static_cast<std::uint32_t>(column), std::string(key)});
  return feature;
}

void Encoding::append(const Value& value) {
  add(value.column, value.text);
}

Encoding Encoding::first(std::size_t features) const {
  Encoding copy(columns_);
  copy.label_name = label_name;
  copy.weight_name = weight_name;
  copy.label_place = label_place;
  copy.weight_place = weight_place;
  for (std::size_t i = 0; i < values_.size() && fixed_ + i < features; ++i) copy.append(values_[i]);
  return copy;
}

}  // namespace alder
