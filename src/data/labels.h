#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "alder/input.h"

#include "data/row_reader.h"

namespace alder {

/// A label as it is written. Finite numbers are compared as numbers, everything else as text.
struct Label {
  Label() = default;
  explicit Label(std::string_view written);

  [[nodiscard]] bool is_same(const Label& other) const;
  [[nodiscard]] bool is_less(const Label& other) const;

  std::string text;  ///< empty: not met yet
  std::optional<double> number;
};

/// Finds out which labels are the two classes, and maps labels to the classes 0, negative, and 1, positive. The rule is
/// that of InputOptions::classes.
class Labels {
 public:
  /// Throws Error for two classes that are the same, and for optional labels without classes.
  Labels(const std::optional<Classes>& classes, bool optional);

  /// Whether labels can be told apart. Until then they are all the same, and `map` returns 1 for them.
  [[nodiscard]] bool decided() const { return decided_; }
  /// What the labels mapped before were, once that is decided.
  [[nodiscard]] double first() const { return positive_.is_same(first_) ? 1.0 : 0.0; }

  /// 0 or 1; kNoTarget for an optional label that is missing or neither class. Throws BadRow for a label that is
  /// missing or a third one, and Error for one that contradicts what was assumed. `reader` has just read the row.
  double map(std::string_view text, const RowReader& reader) {
    if (decided_ && !text.empty()) {
      if (text == positive_.text) return 1.0;
      if (text == negative_.text) return 0.0;
    }
    return map_other(text, reader);
  }

  /// Decides, if that is still to be done, by the one label there was in `rows` rows; without any label does nothing.
  void assume(std::uint64_t rows);

  /// The classes; empty before anything is decided.
  [[nodiscard]] std::optional<Classes> classes() const;

 private:
  double map_other(std::string_view text, const RowReader& reader);
  double map_to_unmet_class(const Label& label, const RowReader& reader);
  [[nodiscard]] std::string expected() const;

  bool optional_;
  bool decided_ = false;
  std::optional<std::uint64_t> assumed_rows_;  // how many rows decided by one label; empty: two did, or it was given
  Label first_;
  Label negative_;
  Label positive_;
};

}  // namespace alder
