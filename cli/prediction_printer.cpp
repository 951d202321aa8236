#include "prediction_printer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "appender.h"
#include "number_printer.h"

namespace alder::cli {
namespace {

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

// The rows as they are in their files, each with the prediction behind it and what else is wanted.
class AppendPrinter final : public Printer {
 public:
  AppendPrinter(const PrinterOptions& options, const Model& model) : model_(model), scores_(model.classes().size()) {
    for (std::uint32_t id = 0; id < std::max<std::size_t>(2, model.classes().size()); ++id) {
      names_.push_back(name_of(id, model.classes()));
    }
    if (options.scores) add_columns("score", names_.size() > 2);
    first_probability_ = appender_.columns();
    if (options.probabilities) add_columns("probability", true);
  }

  [[nodiscard]] std::string head(const Input& input) override { return appender_.head(input); }

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
    if (appender_.columns() > first_probability_) {
      const auto probabilities = probabilities_of(made, row);
      numbers_.insert(numbers_.end(), probabilities.begin(), probabilities.end());
    }
    numbers_.resize(appender_.columns() - 1);
    const std::string& prediction = names_[made.classes[row]];
    appender_.append(text, line, prediction, in_json(prediction), numbers_);
  }

 private:
  void add_columns(const char* what, bool for_each_class) {
    if (!for_each_class) appender_.add_column(what);
    for (std::size_t k = 0; for_each_class && k < names_.size(); ++k) {
      appender_.add_column(fmt::format("{} {}", what, names_[k]));
    }
  }

  const Model& model_;
  Appender appender_;
  std::vector<std::string> names_;  // of classes, by id
  std::size_t first_probability_;   // among the columns
  std::vector<double> scores_;
  std::vector<double> numbers_;  // of the columns behind the first
};

}  // namespace

std::unique_ptr<Printer> make_printer(const PrinterOptions& options, const Model& model) {
  if (model.task() == Task::kRegression) return make_number_printer(options);
  if (options.append) return std::make_unique<AppendPrinter>(options, model);
  if (options.json) return std::make_unique<JsonPrinter>(model);
  return std::make_unique<TextPrinter>(options, model);
}

}  // namespace alder::cli
