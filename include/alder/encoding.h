#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alder/row.h"

namespace alder {

/// What the cells of a column are.
enum class ColumnKind : std::uint8_t {
  kNumber,    ///< one feature; a word among the numbers is a value like that of a category
  kCategory,  ///< a feature for each value met
  kBoolean,   ///< one feature, 1 for true
  kTime,      ///< date and time: years, and the cycles of year, week and day
  kText,      ///< a feature for each word met
  kNames,     ///< features by name, each with a number: what has no columns
  kIgnored,
};

/// "number", "category", "boolean", "time", "text", "names", "ignore". The second throws Error for any other.
std::string_view column_kind_name(ColumnKind kind);
ColumnKind column_kind_named(std::string_view name);

/// A column of a table that holds neither labels nor weights.
struct Column {
  std::string name{};  ///< empty: the table has no header
  ColumnKind kind = ColumnKind::kNumber;
  /// Taken off every number (of a time: off its years), so that a missing one, which is not listed and hence 0, lies
  /// among the others: their median, or 0.
  double offset = 0.0;
  bool is_day_first = false;  ///< kTime: 3/4/2020 is in April
  bool has_clock = false;     ///< kTime: cells have times of day, so that one at midnight sharp is no mere date
  std::string reason{};       ///< kIgnored: why, if it was found out
};

/// How the columns of a table become features. The kinds of columns are fixed; the values of categories and the words
/// of texts are met one by one, each getting the next free feature, so a feature is known by the rows up to the first
/// that has it. Beyond kMostValues values of a column (words of a text: kMostWords), further ones share kBuckets
/// (kWordBuckets) features by hash. A missing cell has a feature of its own in its column, and no number, but for
/// tables of more than kMostMissing columns.
class Encoding {
 public:
  static constexpr std::size_t kMostValues = 1000;
  static constexpr std::size_t kBuckets = 256;
  static constexpr std::size_t kMostWords = 50'000;
  static constexpr std::size_t kWordBuckets = 8192;
  static constexpr std::size_t kMostColumns = std::size_t{1} << 18U;
  /// With more columns, a missing cell has no feature, or rows of mostly missing cells would be large.
  static constexpr std::size_t kMostMissing = 4096;
  static constexpr std::size_t kLongestValue = 200;  ///< bytes; of a longer one the hash of its rest is kept

  /// Which value of which column a feature stands for. An empty text: that the cell is missing.
  struct Value {
    std::uint32_t column;
    std::string text;
  };

  /// Throws Error for more than kMostColumns columns and for two of the same name.
  explicit Encoding(std::vector<Column> columns);

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// Whether columns have names, by which those of other tables are found.
  [[nodiscard]] bool has_names() const { return has_names_; }
  /// The place of the column of that name; empty: there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  /// What the columns of label and weight are called, if they were columns; empty: they have no names.
  std::string label_name{};
  std::string weight_name{};
  /// Where these stood in the table, from 0; empty: there was none.
  std::optional<std::size_t> label_place{};
  std::optional<std::size_t> weight_place{};

  /// The features of numbers, booleans and times, which come before those of values.
  [[nodiscard]] std::size_t fixed_features() const { return fixed_; }
  /// The first feature of a column of these kinds.
  [[nodiscard]] FeatureIndex first_feature(std::size_t column) const { return first_[column]; }
  /// All features so far.
  [[nodiscard]] std::size_t features() const { return fixed_ + values_.size(); }
  /// Those beyond the fixed ones, in the order in which they were met.
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  /// How many values of a column were met, the missing one not counted.
  [[nodiscard]] std::size_t count_values(std::size_t column) const;
  /// What a feature is called: "age", "job=technician", "age missing", "date year". Columns without names are called by
  /// number: "column 3".
  [[nodiscard]] std::string feature_name(FeatureIndex feature) const;
  [[nodiscard]] std::string column_name(std::size_t column) const;
  /// Its place in a table like that which the encoding was made of, from 0: label and weight are columns there, too.
  [[nodiscard]] std::size_t place_of(std::size_t column) const;
  /// What values of this feature are counted from: a column of numbers may have an offset.
  [[nodiscard]] double offset(FeatureIndex feature) const;
  /// The feature of values that a column has not met, above all that are known; or of its missing cells, if there were
  /// none.
  [[nodiscard]] FeatureIndex unknown_feature(std::size_t column, bool is_missing) const {
    return static_cast<FeatureIndex>(features() + (is_missing ? columns_.size() : 0) + column);
  }
  /// The column that a feature belongs to.
  [[nodiscard]] std::size_t column_of(FeatureIndex feature) const;

  /// The feature of a value, which becomes known if it was not; the empty text is the missing value.
  FeatureIndex learn_value(std::size_t column, std::string_view text);
  /// The feature of a value; empty: it was not met.
  [[nodiscard]] std::optional<FeatureIndex> find_value(std::size_t column, std::string_view text) const;
  /// Adds a value that another Encoding of the same columns has met next.
  void append(const Value& value);
  /// The same without the values from this feature on.
  [[nodiscard]] Encoding first(std::size_t features) const;

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that the standard library looks for
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Features = std::unordered_map<std::string, FeatureIndex, Hash, std::equal_to<>>;

  /// What a value is known by: itself, shortened, or a bucket.
  [[nodiscard]] std::string_view key(std::size_t column, std::string_view text, std::string& scratch) const;
  FeatureIndex add(std::size_t column, std::string_view key);

  std::vector<Column> columns_;
  bool has_names_ = false;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;  // by name
  std::vector<FeatureIndex> first_;
  std::size_t fixed_ = 0;
  std::vector<Value> values_;
  std::vector<Features> features_;  // by column
};

/// Makes rows of the cells of records.
class RecordRow {
 public:
  /// One that meets new values. The encoding must outlive it.
  explicit RecordRow(Encoding& encoding) : encoding_(encoding), learning_(&encoding) {}
  /// One that changes nothing: a value that was not met is Encoding::unknown_feature.
  explicit RecordRow(const Encoding& encoding) : encoding_(encoding) {}

  void begin() {
    size_ = 0;
    next_ = 0;
    is_sorted_ = true;
    entries_.clear();
    if (indices_.size() <= encoding_.fixed_features()) make_room(encoding_.fixed_features() + 1);
  }
  /// A cell of a column that is not ignored. Each at most once, in any order; a cell that is not given is as if the
  /// column were not there.
  void number(std::size_t column, double value);
  void text(std::size_t column, std::string_view text);
  void boolean(std::size_t column, bool value);
  /// Seconds since 1970, of a column of times.
  void time(std::size_t column, double seconds, bool has_date = true, bool has_clock = true);
  /// Whether that column has times of day.
  [[nodiscard]] bool has_clock(std::size_t column) const { return encoding_.columns()[column].has_clock; }
  void missing(std::size_t column) {
    if (encoding_.columns().size() <= Encoding::kMostMissing) append(feature_of(column, {}), 1.0);
  }
  /// A feature of a column of names; any number of times.
  void named(std::size_t column, std::string_view name, double value) { append(feature_of(column, name), value); }
  /// The value of a feature, for who knows it.
  void append(FeatureIndex feature, double value) {
    if (feature < encoding_.fixed_features()) {
      append_fixed(feature, value);
    } else if (value != 0.0) {
      entries_.emplace_back(feature, value);
    }
  }
  /// The same for one of Encoding::fixed_features, each at most once.
  void append_fixed(FeatureIndex feature, double value) {
    indices_[size_] = feature;
    values_[size_] = value;
    is_sorted_ = is_sorted_ && feature >= next_;
    next_ = feature + 1;
    size_ += value != 0.0 ? 1 : 0;
  }
  /// The row, valid until the next begins.
  Row finish() {
    if (!is_sorted_ || !entries_.empty()) sort();
    return Row::sparse(indices_.data(), values_.data(), size_);
  }

 private:
  [[nodiscard]] FeatureIndex feature_of(std::size_t column, std::string_view text);
  void words(std::size_t column, std::string_view text);
  void make_room(std::size_t size);
  void sort();

  const Encoding& encoding_;
  Encoding* learning_ = nullptr;
  // Fixed features in the order of the cells, which is mostly ascending; apart from them those of values, which is not.
  std::size_t size_ = 0;
  FeatureIndex next_ = 0;  // behind the last one
  bool is_sorted_ = true;
  std::vector<FeatureIndex> indices_;  // the first size_ of them, and of values_
  std::vector<double> values_;
  std::vector<std::pair<FeatureIndex, double>> entries_;
  std::vector<std::pair<FeatureIndex, double>> words_;
  std::string word_;
};

}  // namespace alder
