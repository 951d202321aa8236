#include "number_printer.h"

#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "appender.h"

namespace alder::cli {
namespace {

// What is printed behind the value: low and high, if they are asked for, then the quantiles.
std::span<const double> shown_quantiles(const PrinterOptions& options, const Predictions& made, std::size_t row) {
  const auto all = std::span(made.quantiles).subspan(row * made.levels.size(), made.levels.size());
  return options.interval ? all.first(2 + options.quantiles.size()) : all.subspan(2, options.quantiles.size());
}

class NumberPrinter final : public Printer {
 public:
  explicit NumberPrinter(const PrinterOptions& options) : options_(options) {}

  [[nodiscard]] std::string head(const Input& /*input*/) override {
    if (!options_.interval && options_.quantiles.empty()) return "";
    std::string text = "value";
    if (options_.interval) text += "\tlow\thigh";
    for (const double level : options_.quantiles) text += fmt::format("\t{}", level);
    return text + '\n';
  }

  void print(std::string& text, std::string_view /*line*/, const Predictions& made, std::size_t row,
             double /*target*/) override {
    fmt::format_to(std::back_inserter(text), "{}", made.values[row]);
    for (const double number : shown_quantiles(options_, made, row)) {
      fmt::format_to(std::back_inserter(text), "\t{}", number);
    }
    text += '\n';
  }

 private:
  const PrinterOptions options_;
};

// One JSON object a line: the value, low and high, the quantiles by their levels, and the label if the row has one.
class JsonNumberPrinter final : public Printer {
 public:
  explicit JsonNumberPrinter(const PrinterOptions& options) : options_(options) {}

  void print(std::string& text, std::string_view /*line*/, const Predictions& made, std::size_t row,
             double target) override {
    text += "{\"value\": " + number_in_json(made.values[row]);
    std::span<const double> numbers = shown_quantiles(options_, made, row);
    if (options_.interval) {
      text += ", \"low\": " + number_in_json(numbers[0]) + ", \"high\": " + number_in_json(numbers[1]);
      numbers = numbers.subspan(2);
    }
    if (!numbers.empty()) {
      text += ", \"quantiles\": {";
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        text += fmt::format("{}\"{}\": {}", k == 0 ? "" : ", ", options_.quantiles[k], number_in_json(numbers[k]));
      }
      text += '}';
    }
    if (!std::isnan(target)) text += ", \"label\": " + number_in_json(target);
    text += "}\n";
  }

 private:
  const PrinterOptions options_;
};

// The rows as they are in their files, each with the value behind it and what else is wanted.
class AppendNumberPrinter final : public Printer {
 public:
  explicit AppendNumberPrinter(const PrinterOptions& options) : options_(options) {
    if (options.interval) {
      appender_.add_column("low");
      appender_.add_column("high");
    }
    for (const double level : options.quantiles) appender_.add_column(fmt::format("quantile {}", level));
  }

  [[nodiscard]] std::string head(const Input& input) override { return appender_.head(input); }

  void print(std::string& text, std::string_view line, const Predictions& made, std::size_t row,
             double /*target*/) override {
    appender_.append(text, line, fmt::format("{}", made.values[row]), number_in_json(made.values[row]),
                     shown_quantiles(options_, made, row));
  }

 private:
  const PrinterOptions options_;
  Appender appender_;
};

}  // namespace

std::vector<double> levels_of(const PrinterOptions& options) {
  const double share = options.interval.value_or(kUsualInterval);
  std::vector<double> levels = {0.5 - 0.5 * share, 0.5 + 0.5 * share};
  levels.insert(levels.end(), options.quantiles.begin(), options.quantiles.end());
  levels.insert(levels.end(), kLevels.begin(), kLevels.end());
  return levels;
}

std::unique_ptr<Printer> make_number_printer(const PrinterOptions& options) {
  if (options.append) return std::make_unique<AppendNumberPrinter>(options);
  if (options.json) return std::make_unique<JsonNumberPrinter>(options);
  return std::make_unique<NumberPrinter>(options);
}

void IntervalCount::add(const Predictions& made, const Examples& rows) {
  const std::size_t levels = made.levels.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double low = made.quantiles[i * levels];
    const double high = made.quantiles[i * levels + 1];
    const double target = rows.targets[i];
    if (std::isnan(target) || !std::isfinite(low) || !std::isfinite(high)) continue;
    weight_ += rows.weight(i);
    covered_ += low <= target && target <= high ? rows.weight(i) : 0.0;
  }
}

std::optional<double> IntervalCount::coverage() const {
  return weight_ > 0.0 ? std::optional(covered_ / weight_) : std::nullopt;
}

}  // namespace alder::cli
