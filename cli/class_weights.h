#pragma once

#include <string>
#include <vector>

#include "alder/model.h"

namespace alder::cli {

/// The value of --class-weight: `balanced`, or NAME=W,NAME=W. Throws UsageError for another, and for a name that is
/// none of `labels`, if there are any.
ClassWeights parse_class_weights(const std::string& text, const std::vector<std::string>& labels);

/// The same with names as the rows have them: one that is the number 1 may be written +1 there.
ClassWeights with_names(ClassWeights weights, const std::vector<std::string>& classes);

/// That weights are given for classes that do not occur, and which these are; empty if they all do.
std::string unmet_classes_warning(const ClassWeights& weights, const std::vector<std::string>& classes);

/// In words, for a line of a summary.
std::string in_words(const ClassWeights& weights);

}  // namespace alder::cli
