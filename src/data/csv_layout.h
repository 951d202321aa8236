#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alder {

/// What the caller says about CSV files; as in InputOptions.
struct CsvOptions {
  std::string label_column{};
  char separator = 0;
  bool labels_optional = false;
  std::size_t features = 0;
  std::string weight_column{};
};

/// One field of a line, without the quotes and spaces around it.
struct CsvField {
  std::string_view text;
  const char* stop = nullptr;   ///< the separator behind it, or the end of the line
  const char* fault = nullptr;  ///< what is wrong with its quotes; null: nothing
};

/// The field that begins at `at`. `scratch` holds the text of a field with doubled quotes.
CsvField csv_field(const char* at, const char* end, char separator, std::string& scratch);

/// What the CSV files of a stream agree on: found in the first line of the first, held against the others.
class CsvLayout {
 public:
  /// Throws Error for a column of labels or weights that makes no sense.
  explicit CsvLayout(CsvOptions options);

  /// Takes the first line of a file that is neither blank nor a comment; returns whether it is a header. `file` and
  /// `where`, "file:line", are for messages. Throws Error for columns that are not as they must be.
  bool accept(std::string_view line, const std::string& file, const std::string& where);

  /// Whether a line was accepted.
  [[nodiscard]] bool is_known() const { return !file_.empty(); }
  // After a line was accepted:
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  /// The column of the label, from 0; `columns()`: there is none.
  [[nodiscard]] std::size_t label() const { return label_; }
  /// Whether nothing but its being the last column speaks for it.
  [[nodiscard]] bool is_label_guessed() const { return is_label_guessed_; }
  /// The column of the weight, likewise.
  [[nodiscard]] std::size_t weight() const { return weight_; }
  [[nodiscard]] std::size_t features() const {
    return columns_ - (label_ < columns_ ? 1 : 0) - (weight_ < columns_ ? 1 : 0);
  }
  /// How messages call a column: "column 3 'height'", or without a header "column 3".
  [[nodiscard]] std::string column(std::size_t i) const;
  /// The column of a feature.
  [[nodiscard]] std::size_t column_of(std::size_t feature) const {
    const std::size_t behind_first = feature + (feature >= std::min(label_, weight_) ? 1 : 0);
    return behind_first + (behind_first >= std::max(label_, weight_) ? 1 : 0);
  }

 private:
  void establish(const std::vector<std::string>& fields, const std::string& where);
  [[nodiscard]] bool is_header(const std::vector<std::string>& fields, std::size_t label) const;
  [[nodiscard]] std::size_t find_weight(const std::vector<std::string>& fields, const std::string& where) const;
  [[nodiscard]] std::size_t label_without_header(std::size_t columns, std::size_t weight,
                                                 const std::string& where) const;

  CsvOptions options_;
  std::optional<long> number_;         // options_.label_column, if that is a number
  std::optional<long> weight_number_;  // options_.weight_column likewise
  std::string file_;                   // where the rest was found; empty: nowhere yet
  char separator_ = ',';
  std::size_t columns_ = 0;
  std::size_t label_ = 0;
  std::size_t weight_ = 0;
  bool is_label_guessed_ = false;
  std::vector<std::string> names_;  // of the header; empty: there was none
};

}  // namespace alder
