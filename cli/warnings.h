#pragma once

#include <string>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"
#include "alder/stream_checks.h"

namespace alder::cli {

/// Watches the rows that are learned for what makes the figures of the run mislead.
class StreamChecks final : public Hook {
 public:
  bool after(const Examples& learned, std::span<const double> /*scores*/) override {
    for (std::size_t i = 0; i < learned.size(); ++i) {
      labels_.add(learned.targets[i]);
      spans_.add(learned.rows[i]);
    }
    return true;
  }

  /// What was found, with what to do about it. `goes_on`: the model was loaded, so that its scaling cannot be changed.
  [[nodiscard]] std::vector<std::string> warnings(const Input& input, const Model& model, bool goes_on) const;

 private:
  LabelRuns labels_;
  FeatureSpans spans_;
};

/// That the column of the label was guessed, and which it is; empty if it was not. Waits for the first row.
std::string guessed_label_warning(Input& input);

}  // namespace alder::cli
