#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alder/input.h"

namespace alder::cli {

/// Text that cannot be taken for two columns or lines.
std::string in_one_field(std::string text);

/// As a text of JSON, and a number, or null where JSON has none.
std::string in_json(const std::string& text);
std::string number_in_json(double number);

/// Writes rows as they are in their files, each with a prediction and numbers behind it: as fields, or of JSON lines as
/// members of the object.
class Appender {
 public:
  Appender() : columns_{"prediction"} {}

  /// Of a column behind the prediction.
  void add_column(std::string name) { columns_.push_back(std::move(name)); }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }

  /// The line before the first; empty: there is none.
  std::string head(const Input& input);
  /// The prediction is given as the text of a field, and as JSON; a number for each column behind it.
  void append(std::string& text, std::string_view line, const std::string& prediction,
              const std::string& prediction_in_json, std::span<const double> numbers) const;

 private:
  char separator_ = '\t';
  std::vector<std::string> columns_;
};

}  // namespace alder::cli
