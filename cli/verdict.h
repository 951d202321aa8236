#pragma once

#include <string>
#include <vector>

#include "experiments/diagnosis.h"

namespace alder::cli {

/// "sigma 4", "degree 3" or "linear".
std::string kernel_name(const Kernel& kernel);

/// What the numbers of a diagnosis mean, in a paragraph of plain words. `imbalance` is what a constant explains of the
/// labels.
std::string verdict(const Diagnosis& diagnosis, double imbalance);

/// The settings that did best, and why.
struct Recommendation {
  const Diagnosis* diagnosis;
  Json settings;  ///< of the learner
  std::uint64_t mistakes;
  std::string reason;
};
Recommendation recommend(const std::vector<Diagnosis>& diagnoses);

/// A table of all; one line each, two of head.
std::string table_of(const std::vector<Diagnosis>& diagnoses);

/// A paragraph in lines of at most 100 columns, those after the first being indented.
std::string wrapped(const std::string& paragraph, std::size_t indentation);

}  // namespace alder::cli
