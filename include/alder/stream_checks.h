#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alder/row.h"

namespace alder {

/// Watches the labels of a stream and tells whether they come in runs. A learner that is measured on each row before it
/// learns it makes few mistakes inside a run, whatever it knows: its mistakes then say little about new rows. Constant
/// time and no memory for a row; memory for each label.
class LabelRuns {
 public:
  LabelRuns() = default;
  LabelRuns(const LabelRuns&) = delete;
  LabelRuns& operator=(const LabelRuns&) = delete;

  /// Any number stands for a class.
  void add(double label);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// How often a label differed from the one before it.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// How often it would, on average, if the same labels came in random order.
  [[nodiscard]] double expected_changes() const;

  /// What is wrong, in a sentence without a full stop; empty: nothing. Labels come in runs if there are less than half
  /// of the changes expected, at least 5 standard deviations fewer, and at least 20 were expected. At least 100 rows
  /// that all have the same label are also told. Says nothing of more than 4,096 different labels, which are no
  /// classes.
  [[nodiscard]] std::optional<std::string> warning() const;

 private:
  [[nodiscard]] double variance_of_changes() const;

  struct Entry {
    double label = 0.0;
    std::uint64_t* count = nullptr;  // in counts_, which never moves what it holds
  };

  std::unordered_map<double, std::uint64_t> counts_;
  Entry last_;
  Entry other_;  // the label before, so that two classes need no search
  std::uint64_t rows_ = 0;
  std::uint64_t changes_ = 0;
  bool are_classes_ = true;  // false: there were too many labels, and nothing is counted any more
};

/// Watches the values of a stream's first rows and tells whether the features differ so much in scale that the distance
/// between two rows, and so a Gaussian or Laplacian kernel, hardly depends on many of them.
class FeatureSpans {
 public:
  static constexpr std::size_t kRows = 500;       ///< later rows are not looked at
  static constexpr std::size_t kFeatures = 4096;  ///< features from this one on are not looked at

  void add(const Row& row) {
    if (rows_ < kRows) look_at(row);
  }

  /// What is wrong, in a sentence without a full stop; empty: nothing. A feature's span is its largest value minus its
  /// smallest, a value that is not listed being 0. Of the features that vary, at least a quarter must have less than a
  /// hundredth of the widest span, in at least 50 rows. Indicators all have the span 1, however rare they are.
  /// `name` says what a feature is called; without it they are counted from 1 as in LIBSVM files.
  [[nodiscard]] std::optional<std::string> warning(const std::function<std::string(FeatureIndex)>& name = {}) const;

 private:
  struct Range {
    double smallest = 0.0;
    double largest = 0.0;
    std::size_t rows = 0;  // in which it is listed
  };

  void look_at(const Row& row);

  std::vector<Range> ranges_;  // by feature
  std::size_t rows_ = 0;
};

}  // namespace alder
