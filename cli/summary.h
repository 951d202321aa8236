#pragma once

#include "alder/evaluate.h"
#include "alder/pomdr.h"

namespace alder::cli {

/// What a run came to and what its numbers mean, on standard error.
void print_summary(const PomdrOptions& options, const Outcome& outcome);

/// The same for machines: one JSON object on standard output.
void print_json(const PomdrOptions& options, const Outcome& outcome);

}  // namespace alder::cli
