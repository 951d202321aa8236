#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "alder/encoding.h"
#include "alder/input.h"
#include "alder/model.h"

namespace alder::cli {

/// The columns of a table: "age number, job category (12), id ignored (counts or names the rows)"; at most some of
/// them.
std::string describe_columns(const Encoding& encoding);

/// The same as a list of name, kind and number of values.
nlohmann::ordered_json columns_json(const Encoding& encoding);

/// Where labels come from: "column 5 'species', the last".
std::string describe_label(const LabelColumn& label);

/// The warning that it was guessed; empty: it was not.
std::string guessed_label_warning(const std::optional<LabelColumn>& label);

/// What may surprise in a table that was read: words among numbers, columns that were ignored. Empty: nothing.
std::vector<std::string> table_warnings(const Encoding& encoding);

/// The cells of tables to predict that are not of their column's kind, which the model has not met either.
class StrangeCells {
 public:
  void add(const Encoding& encoding, std::span<const Row> rows);
  /// A line for each column that has some: "age: 5 of 20 cells are no number, …".
  [[nodiscard]] std::vector<std::string> warnings(const Encoding& encoding) const;

 private:
  std::uint64_t rows_ = 0;
  std::map<std::size_t, std::uint64_t> counts_;  // by column
};

/// Rows to go on with, or to predict, have labels of the model's task, and tables its columns; those of a model that
/// knows none have numbers only.
void match_model(InputOptions& options, const Model& model, bool is_fixed);

/// How rows are read that the model is to predict.
InputOptions options_to_predict(InputOptions options, const Model& model);

}  // namespace alder::cli
