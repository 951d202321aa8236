#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "alder/dataset.h"
#include "alder/learner.h"
#include "alder/model.h"

#include "input_flags.h"

namespace alder::cli {

/// What a model is worth on rows that it has not learned.
struct Heldout {
  std::uint64_t rows = 0;
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;
  double seconds = 0.0;  // of scoring

  [[nodiscard]] double error() const { return static_cast<double>(mistakes) / static_cast<double>(rows); }
  /// The mean hinge loss.
  [[nodiscard]] double risk() const { return hinge_loss / static_cast<double>(rows); }
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
  /// The rows of the file, read as those of the model were.
  [[nodiscard]] Dataset read(const InputFlags& flags, const Model& model, const Classes& classes) const;

 private:
  double part_ = 0.0;
  std::string path_;
};

/// Predicts the rows of a stream.
Heldout measure(const Model& model, Stream& rows);

}  // namespace alder::cli
