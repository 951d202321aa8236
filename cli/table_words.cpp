#include "table_words.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "base/text.h"
#include "learner_flags.h"
#include "names.h"

namespace alder::cli {
namespace {

constexpr std::size_t kNamed = 12;

std::string describe(const Encoding& encoding, std::size_t i) {
  const Column& column = encoding.columns()[i];
  const std::string name = shown_name(encoding.column_name(i), 30);
  if (column.kind == ColumnKind::kIgnored) {
    return fmt::format("{} ignored{}", name, column.reason.empty() ? "" : fmt::format(" ({})", column.reason));
  }
  const std::size_t values = encoding.count_values(i);
  const bool has_values = column.kind == ColumnKind::kCategory || column.kind == ColumnKind::kText;
  return fmt::format("{} {}{}", name, column_kind_name(column.kind),
                     !has_values                        ? ""
                     : column.kind == ColumnKind::kText ? fmt::format(" ({} words)", values)
                                                        : fmt::format(" ({})", values));
}

bool has_words(ColumnKind kind) {
  return kind == ColumnKind::kCategory || kind == ColumnKind::kText || kind == ColumnKind::kNames;
}

std::string named_column(const LabelColumn& label) {
  return label.name.empty() ? fmt::format("column {}", label.place + 1)
                            : fmt::format("column {} {}", label.place + 1, in_quotes(label.name));
}

}  // namespace

std::string describe_columns(const Encoding& encoding) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kNamed, encoding.columns().size()); ++i) texts.push_back(describe(encoding, i));
  const std::size_t left = encoding.columns().size() - texts.size();
  return fmt::format("{}{}", fmt::join(texts, ", "), left == 0 ? "" : fmt::format(", and {} more", left));
}

nlohmann::ordered_json columns_json(const Encoding& encoding) {
  auto columns = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < encoding.columns().size(); ++i) {
    const Column& column = encoding.columns()[i];
    columns.push_back({{"name", encoding.column_name(i)},
                       {"kind", column_kind_name(column.kind)},
                       {"values", encoding.count_values(i)}});
    if (!column.reason.empty()) columns.back()["reason"] = column.reason;
  }
  return columns;
}

std::string describe_label(const LabelColumn& label) {
  const std::string column = named_column(label);
  return fmt::format("{}, {}", column,
                     label.how == "given"   ? "as given"
                     : label.how == "name"  ? "by its name"
                     : label.how == "model" ? "as in the model"
                                            : "the last, which is a guess");
}

std::string guessed_label_warning(const std::optional<LabelColumn>& label) {
  if (!label || label->how != "last") return "";
  return fmt::format(
      "labels are taken from {}, the last: no one column is named label, class, target or y. Give another with --label",
      named_column(*label));
}

std::vector<std::string> table_warnings(const Encoding& encoding) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < encoding.columns().size(); ++i) {
    const ColumnKind kind = encoding.columns()[i].kind;
    const std::size_t words = has_words(kind) ? 0 : encoding.count_values(i);
    if (words == 0) continue;
    const auto& values = encoding.values();
    const auto first = std::find_if(values.begin(), values.end(), [i](const Encoding::Value& value) {
      return value.column == i && !value.text.empty();
    });
    found.push_back(fmt::format(
        "{} has cells that are no {}: {}{}; each is a value of its own. --columns {}=category takes all cells so",
        encoding.column_name(i), column_kind_name(kind),
        words == 1 ? "" : fmt::format("{} different ones, such as ", words), in_quotes(first->text),
        encoding.columns()[i].name.empty() ? fmt::format("{}", encoding.place_of(i) + 1) : encoding.columns()[i].name));
  }
  return found;
}

void StrangeCells::add(const Encoding& encoding, std::span<const Row> rows) {
  rows_ += rows.size();
  for (const Row& row : rows) {
    for (std::size_t j = row.size(); j > 0 && row.feature(j - 1) >= encoding.features(); --j) {
      const std::size_t column = row.feature(j - 1) - encoding.features();
      if (column >= encoding.columns().size()) continue;  // a missing cell
      if (!has_words(encoding.columns()[column].kind)) ++counts_[column];
    }
  }
}

std::vector<std::string> StrangeCells::warnings(const Encoding& encoding) const {
  std::vector<std::string> found;
  for (const auto& [column, count] : counts_) {
    found.push_back(fmt::format("{}: {} of {} cells are no {}, and unknown to the model", encoding.column_name(column),
                                count, rows_, column_kind_name(encoding.columns()[column].kind)));
  }
  return found;
}

void match_model(InputOptions& options, const Model& model, bool is_fixed) {
  if (!options.columns.empty()) {
    throw Error(
        Error::Kind::kUnsupported,
        "--columns and --ignore are for a new model; this one knows what its columns are (`alder info` shows them)");
  }
  options.task = model.task();
  options.encoding = model.encoding();
  options.numbers_only = model.encoding() == nullptr;
  options.is_encoding_fixed = is_fixed;
  if (!options.zero_based) options.zero_based = model.is_zero_based();
}

InputOptions options_to_predict(InputOptions options, const Model& model) {
  options.classes = model.classes();
  options.labels_optional = true;
  options.features = model.features();
  options.precision = precision_of(model);
  match_model(options, model, true);
  return options;
}

}  // namespace alder::cli
