#include "prediction_printer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace alder::cli {
namespace {

// Text that cannot be taken for two columns or lines.
std::string in_one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
  return text;
}

// As a field of CSV, in quotes where it needs them.
std::string as_field(const std::string& text, char separator) {
  if (separator == '\t') return in_one_field(text);
  if (text.find_first_of(std::string("\"\n\r") + separator) == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A number, or null where JSON has none.
std::string number_in_json(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

// The name of a class. One of two that was not met has none: it gets the one that it has in LIBSVM text.
std::string name_of(std::uint32_t id, const std::vector<std::string>& names) {
  if (id < names.size() && !names[id].empty()) return names[id];
  return id == 1 ? "+1" : "-1";
}

std::span<const double> probabilities_of(const Predictions& made, std::size_t row) {
  const std::size_t columns = made.probabilities.size() / made.classes.size();
  return std::span(made.probabilities).subspan(row * columns, columns);
}

class TextPrinter final : public Printer {
 public:
  TextPrinter(const PrinterOptions& options, const Model& model) : options_(options), model_(model) {
    for (const std::string& name : model.classes()) names_.push_back(in_one_field(name));
  }

  [[nodiscard]] std::string head(const Input& /*input*/) override {
    return options_.probabilities ? fmt::format("{}\n", fmt::join(names_, "\t")) : "";
  }

  void print(std::string& text, std::string_view /*line*/, const Predictions& made, std::size_t row,
             double /*target*/) override {
    if (options_.probabilities) {
      append_all(text, probabilities_of(made, row).first(names_.size()));
    } else if (options_.scores && made.outputs > 1) {
      scores_.resize(names_.size());
      model_.scores_by_class(made, row, scores_);
      append_all(text, scores_);
    } else if (options_.scores) {
      fmt::format_to(std::back_inserter(text), "{}\n", made.scores[row]);
    } else {
      text += name_of(made.classes[row], names_);
      text += '\n';
    }
  }

 private:
  static void append_all(std::string& text, std::span<const double> numbers) {
    fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(numbers, "\t"));
  }

  const PrinterOptions options_;
  const Model& model_;
  std::vector<std::string> names_;
  std::vector<double> scores_;
};

// One JSON object a line: class, its probability, the probabilities of all classes, the score, or the scores of all
// classes if there are more than two, and the label if the row has one of the model's. Probabilities are left out where
// the model has none.
class JsonPrinter final : public Printer {
 public:
  explicit JsonPrinter(const Model& model) : model_(model), scores_(model.classes().size()) {
    for (std::uint32_t id = 0; id < std::max<std::size_t>(2, model.classes().size()); ++id) {
      names_.push_back(in_json(name_of(id, model.classes())));
    }
  }

  void print(std::string& text, std::string_view /*line*/, const Predictions& made, std::size_t row,
             double target) override {
    const std::uint32_t id = made.classes[row];
    text += "{\"class\": ";
    text += id < names_.size() ? names_[id] : "null";
    const auto probabilities = probabilities_of(made, row);
    if (!probabilities.empty() && !std::isnan(probabilities[0])) {
      text += ", \"probability\": " + number_in_json(id < probabilities.size() ? probabilities[id] : 0.0);
      append_all(text, ", \"probabilities\": {", probabilities);
    }
    if (made.outputs > 1) {
      model_.scores_by_class(made, row, scores_);
      append_all(text, ", \"scores\": {", scores_);
    } else {
      text += ", \"score\": " + number_in_json(made.scores[row]);
    }
    if (!std::isnan(target)) text += ", \"label\": " + names_[static_cast<std::size_t>(target)];
    text += "}\n";
  }

 private:
  void append_all(std::string& text, std::string_view name, std::span<const double> numbers) const {
    text += name;
    for (std::size_t k = 0; k < std::min(numbers.size(), names_.size()); ++k) {
      if (k > 0) text += ", ";
      text += names_[k] + ": " + number_in_json(numbers[k]);
    }
    text += '}';
  }

  const Model& model_;
  std::vector<std::string> names_;  // in quotes, by id
  std::vector<double> scores_;
};

// The rows as they are in their files, each with the prediction behind it and what else is wanted: as fields, or of
// JSON lines as members of the object.
class AppendPrinter final : public Printer {
 public:
  AppendPrinter(const PrinterOptions& options, const Model& model) : model_(model), scores_(model.classes().size()) {
    for (std::uint32_t id = 0; id < std::max<std::size_t>(2, model.classes().size()); ++id) {
      names_.push_back(name_of(id, model.classes()));
    }
    columns_.emplace_back("prediction");
    if (options.scores) add_columns("score", names_.size() > 2);
    first_probability_ = columns_.size();
    if (options.probabilities) add_columns("probability", true);
  }

  [[nodiscard]] std::string head(const Input& input) override {
    separator_ = input.separator();
    if (input.header_text().empty()) return "";
    std::string text = input.header_text();
    while (text.find(columns_.front()) != std::string::npos) columns_.front() += "_";  // rows predicted before
    for (const std::string& column : columns_) text += separator_ + as_field(column, separator_);
    return text + '\n';
  }

  void print(std::string& text, std::string_view line, const Predictions& made, std::size_t row,
             double /*target*/) override {
    numbers_.clear();
    if (first_probability_ > 1) {
      if (made.outputs > 1) {
        model_.scores_by_class(made, row, scores_);
        numbers_ = scores_;
      } else {
        numbers_.push_back(made.scores[row]);
      }
    }
    if (columns_.size() > first_probability_) {
      const auto probabilities = probabilities_of(made, row);
      numbers_.insert(numbers_.end(), probabilities.begin(), probabilities.end());
    }
    numbers_.resize(columns_.size() - 1);
    const std::string& prediction = names_[made.classes[row]];
    const std::string_view object = trimmed(line);
    if (object.starts_with('{') && object.ends_with('}')) {
      append_members(text, object, prediction);
    } else {
      text += line;
      text += separator_ + as_field(prediction, separator_);
      for (const double number : numbers_) fmt::format_to(std::back_inserter(text), "{}{}", separator_, number);
    }
    text += '\n';
  }

 private:
  void add_columns(const char* what, bool for_each_class) {
    if (!for_each_class) columns_.emplace_back(what);
    for (std::size_t k = 0; for_each_class && k < names_.size(); ++k) {
      columns_.push_back(fmt::format("{} {}", what, names_[k]));
    }
  }

  void append_members(std::string& text, std::string_view object, const std::string& prediction) const {
    text += trimmed(object.substr(0, object.size() - 1));
    text += text.ends_with('{') ? "" : ", ";
    text += in_json(columns_[0]) + ": " + in_json(prediction);
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      text += ", " + in_json(columns_[k + 1]) + ": " + number_in_json(numbers_[k]);
    }
    text += '}';
  }

  const Model& model_;
  char separator_ = '\t';
  std::vector<std::string> names_;    // of classes, by id
  std::vector<std::string> columns_;  // that are appended
  std::size_t first_probability_;     // among these
  std::vector<double> scores_;
  std::vector<double> numbers_;  // of the columns behind the first
};

}  // namespace

std::unique_ptr<Printer> make_printer(const PrinterOptions& options, const Model& model) {
  if (options.append) return std::make_unique<AppendPrinter>(options, model);
  if (options.json) return std::make_unique<JsonPrinter>(model);
  return std::make_unique<TextPrinter>(options, model);
}

}  // namespace alder::cli
