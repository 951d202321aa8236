#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"

namespace alder::cli {

/// What is printed of rows: their classes, if nothing else is wanted.
struct PrinterOptions {
  bool scores = false;
  bool probabilities = false;
  bool json = false;                 ///< an object for each row
  bool append = false;               ///< the rows themselves, with what is printed of them behind
  std::optional<double> interval{};  ///< of numbers: the share of the targets that should lie in it
  std::vector<double> quantiles{};   ///< of numbers
};

/// Prints predictions, a line for each row.
class Printer {
 public:
  Printer() = default;
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;
  virtual ~Printer() = default;

  /// The line before the first, once the first rows were read; empty: there is none.
  [[nodiscard]] virtual std::string head(const Input& /*input*/) { return ""; }
  /// `line` is the row as it stands in its file, if rows are to be appended to. The target is a class id or a number,
  /// or NaN if the row has no label of the model's.
  virtual void print(std::string& text, std::string_view line, const Predictions& made, std::size_t row,
                     double target) = 0;
};

std::unique_ptr<Printer> make_printer(const PrinterOptions& options, const Model& model);

}  // namespace alder::cli
