#pragma once

#include <cstdint>
#include <string>

#include "alder/model.h"
#include "alder/registry.h"

#include "input_flags.h"
#include "learner_flags.h"
#include "summary.h"

namespace alder::cli {

/// The options of `train`.
struct TrainingOptions {
  InputFlags input;
  LearnerFlags learner{default_learner()};
  std::string output;  // where the model goes; empty: nowhere
  std::string start;   // the model to go on from; empty: from nothing
  bool shuffle = false;
  std::uint64_t repeat = 1;
  std::uint64_t seed = 1;
  std::uint64_t limit = 0;  // 0: none
  std::string scale = "none";
  std::string class_weight;  // see parse_class_weights
  bool probabilities = true;
  std::string batch;    // which hypothesis is kept instead of the learner; empty: none
  std::string holdout;  // see Holdout
  std::string trace;
  std::uint64_t checkpoint_every = 0;  // 0: only at the end
  bool progress = true;
  bool json = false;
};

/// Whether options were given that are of classes alone.
bool is_of_classes(const TrainingOptions& options);

/// Trains as told and saves the model. If a signal asks for it, stops early, with all of that done; it has no runs if
/// nothing was learned by then.
Training train(const TrainingOptions& options);

}  // namespace alder::cli
