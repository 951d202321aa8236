#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"
#include "alder/stream_checks.h"

namespace alder::cli {

/// What labels are, for a line of a summary: that they are numbers, and why. Empty: they are classes.
std::string task_in_words(Task task, const std::optional<FirstLabels>& first);

/// That labels look like numbers but are taken for classes, if that was found out in the first rows; else empty.
std::string many_classes_warning(const std::optional<FirstLabels>& first);

/// Watches the rows that are learned for what makes the figures of the run mislead.
class StreamChecks final : public Hook {
 public:
  /// `tell` is called with a warning that cannot wait: learning may take long.
  StreamChecks(Task task, std::function<void(const std::string& warning)> tell) : task_(task), tell_(std::move(tell)) {}

  bool after(const Examples& learned, const Predictions& /*made*/) override {
    for (std::size_t i = 0; i < learned.size(); ++i) {
      spans_.add(learned.rows[i]);
      if (task_ == Task::kRegression) continue;
      labels_.add(learned.targets[i]);
      if (rows_ < kRowsOfLabels) count_class(learned.targets[i]);
    }
    return true;
  }

  /// What was found, with what to do about it. `goes_on`: the model was loaded, so that its scaling cannot be changed.
  [[nodiscard]] std::vector<std::string> warnings(const Input& input, const Model& model, bool goes_on) const;

 private:
  static constexpr std::size_t kRowsOfLabels = 1000;

  void count_class(double target);
  [[nodiscard]] bool has_numbers() const;
  [[nodiscard]] std::string numbers_warning() const;

  Task task_;
  std::function<void(const std::string& warning)> tell_;
  LabelRuns labels_;
  FeatureSpans spans_;
  std::size_t rows_ = 0;      // counted up to kRowsOfLabels
  std::set<double> classes_;  // of these
};

}  // namespace alder::cli
