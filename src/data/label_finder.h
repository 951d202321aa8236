#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "alder/input.h"

namespace alder {

/// Finds out whether labels are classes or numbers, as InputOptions::task says.
class LabelFinder {
 public:
  /// The label of a row, and the number that it is, if it is one. Missing labels do not count.
  void add(std::string_view text, std::optional<double> number);
  [[nodiscard]] FirstLabels found() const;

 private:
  // More need not be told apart, whatever they are.
  static constexpr std::size_t kMostDifferent = 100000;

  std::size_t rows_ = 0;
  bool are_numbers_ = true;
  bool are_whole_ = true;
  std::unordered_set<double> numbers_;
  std::unordered_set<std::string> texts_;  // of labels that are none
};

/// What the labels of the rows of this text look like, LIBSVM or Vowpal Wabbit's, which may end within a row.
FirstLabels look_at_labels(std::string_view text, Format format);

}  // namespace alder
