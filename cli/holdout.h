#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alder/dataset.h"
#include "alder/learner.h"
#include "alder/model.h"

#include "input_flags.h"
#include "names.h"

namespace alder::cli {

/// Rows with the names of their classes.
struct NamedRows {
  Dataset rows;
  std::vector<std::string> classes;  // by id: those of the model and, behind them, others
};

/// What a model is worth on rows that it has not learned.
struct Heldout {
  explicit Heldout(Task task) : metrics(task) {}

  Metrics metrics;
  ClassNames classes;
  double seconds = 0.0;  // of scoring

  [[nodiscard]] double error() const {
    return static_cast<double>(metrics.mistakes()) / static_cast<double>(metrics.rows());
  }
};

/// Rows that are not learned: a file of them, or a part of those to learn.
class Holdout {
 public:
  /// A number between 0 and 1, or else a path. Empty: there are none. Throws UsageError for another number, and Error
  /// for a file that cannot be read.
  explicit Holdout(const std::string& text);

  [[nodiscard]] bool is_part() const { return part_ > 0.0; }
  [[nodiscard]] bool is_file() const { return !path_.empty(); }
  /// How many of `rows` rows are learned, the first ones; the others are held out. Throws Error if one of both is
  /// empty.
  [[nodiscard]] std::size_t learned(std::size_t rows) const;
  /// The rows of the file, read as those of the model were, whose classes are called so.
  [[nodiscard]] NamedRows read(const InputFlags& flags, const Model& model,
                               const std::vector<std::string>& classes) const;

 private:
  double part_ = 0.0;
  std::string path_;
};

/// Predicts the rows of a stream, whose classes are called so. Rows without weight do not count; at least one must.
Heldout measure(const Model& model, Stream& rows, const std::vector<std::string>& classes);

}  // namespace alder::cli
