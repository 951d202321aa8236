#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"
#include "alder/stream_checks.h"

namespace alder::cli {

/// Watches the rows that are learned for what makes the figures of the run mislead.
class StreamChecks final : public Hook {
 public:
  /// `tell` is called with a warning that cannot wait: learning may take long.
  explicit StreamChecks(std::function<void(const std::string& warning)> tell) : tell_(std::move(tell)) {}

  bool after(const Examples& learned, const Predictions& /*made*/) override {
    for (std::size_t i = 0; i < learned.size(); ++i) {
      labels_.add(learned.targets[i]);
      spans_.add(learned.rows[i]);
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

  std::function<void(const std::string& warning)> tell_;
  LabelRuns labels_;
  FeatureSpans spans_;
  std::size_t rows_ = 0;      // counted up to kRowsOfLabels
  std::set<double> classes_;  // of these
};

}  // namespace alder::cli
