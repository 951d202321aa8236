#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alder/input.h"

#include "data/row_reader.h"

namespace alder {

/// A label as it is written. Finite numbers are compared as numbers, everything else as text.
struct Label {
  explicit Label(std::string_view written);

  [[nodiscard]] bool is_same(const Label& other) const;

  std::string text;
  std::optional<double> number;
};

/// Gives labels the ids of their classes, as InputOptions says.
class Labels {
 public:
  /// Of these options `classes`, `only_classes` and `labels_optional`. Throws Error for two classes that are the same,
  /// for too many, and for `only_classes` without any.
  explicit Labels(const InputOptions& options);

  /// The id of the class, or kNoTarget for an optional label that is missing or unknown. Throws BadRow for a label that
  /// is missing or not wanted, and Error for one class too many. `reader` has just read the row.
  double map(std::string_view text, const RowReader& reader) {
    if (text == last_.text && !text.empty()) return last_.target;
    if (text == before_.text && !text.empty()) {
      std::swap(last_, before_);
      return last_.target;
    }
    return map_other(text, reader);
  }

  /// By id.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The classes that were met for the first time since the last call.
  [[nodiscard]] std::vector<std::uint32_t> take_new() { return std::exchange(new_, {}); }

 private:
  struct Met {
    std::string text;
    double target = 0.0;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that the standard library looks for
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  double map_other(std::string_view text, const RowReader& reader);
  std::optional<std::uint32_t> find(const Label& label) const;
  std::uint32_t add(const Label& label, const RowReader& reader);
  void enter(const Label& label, std::uint32_t id);
  [[nodiscard]] std::string expected() const;

  bool only_;
  bool optional_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> open_;  // places without a name, the first one last
  std::vector<std::uint32_t> new_;
  Met last_;    // the label of the row before
  Met before_;  // another one before that: two classes need no search
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;  // by text; numbers as they were written
  std::unordered_map<double, std::uint32_t> ids_of_numbers_;
};

}  // namespace alder
