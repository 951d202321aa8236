#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/batch.h"
#include "alder/registry.h"

#include "message.h"
#include "signals.h"
#include "training.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// Names the option of classes alone that was given.
void check_task(const TrainingOptions& options) {
  const bool is_of_numbers =
      options.input.task == "numbers" ||
      (options.input.task == "auto" && options.start.empty() && options.learner.only_task() == Task::kRegression);
  if (!is_of_numbers || !is_of_classes(options)) return;
  throw UsageError(fmt::format("{} is of classes; expected none of it where numbers are learned",
                               !options.input.labels.empty()   ? "--labels"
                               : !options.class_weight.empty() ? "--class-weight"
                               : !options.probabilities        ? "--no-probabilities"
                                                               : "--batch"));
}

void check(const TrainingOptions& options) {
  check_task(options);
  if (!options.start.empty()) {
    const auto given = options.learner.given();
    if (!given.empty()) {
      throw UsageError(fmt::format("--{} cannot be changed when going on from a model; it is part of {}", given.front(),
                                   options.start));
    }
    if (options.scale != "none") throw UsageError("--scale cannot be changed when going on from a model");
    if (!options.class_weight.empty()) throw UsageError("--class-weight cannot be changed when going on from a model");
    if (!options.probabilities) throw UsageError("--no-probabilities cannot be changed when going on from a model");
    if (!options.input.labels.empty()) throw UsageError("--labels cannot be changed when going on from a model");
  }
  if (options.repeat == 0) throw UsageError("--repeat is 0; expected at least 1");
  if (options.repeat > 1 && !(options.output.empty() && options.start.empty() && options.trace.empty())) {
    throw UsageError("--repeat measures several runs; expected none of -o, -i and --trace with it");
  }
  if (!options.batch.empty()) {
    if (!learner_info(options.learner.learner()).traits.has_snapshots) {
      throw UsageError(fmt::format("--batch keeps a hypothesis of {}; {} has none to choose from",
                                   fmt::join(learners_with(&LearnerTraits::has_snapshots), " or "),
                                   options.learner.learner()));
    }
    if (!options.start.empty() || options.checkpoint_every > 0) {
      throw UsageError("--batch learns all rows at once; expected neither -i nor --checkpoint-every with it");
    }
  }
  if (options.checkpoint_every > 0 && options.output.empty()) {
    throw UsageError("--checkpoint-every saves the model; expected -o with it");
  }
}

}  // namespace

Action add_train(Flags& verb) {
  auto options = std::make_shared<TrainingOptions>();
  options->input.add_to(verb, true);
  options->input.add_task_to(verb);
  verb.text("-o,--output", options->output, "save the model here").of("MODEL");
  verb.text("-i,--input", options->start, "go on from this model").of("MODEL");
  options->learner.add_to(verb);
  verb.flag("--shuffle", options->shuffle, "read all rows, then learn them in a random order");
  verb.count("--seed", options->seed, "seed of the shuffle and of randomised learners");
  verb.count("--repeat", options->repeat, "N runs on different permutations; prints mean and standard deviation");
  verb.count("--limit", options->limit, "read at most N rows; 0: all");
  verb.text("--scale", options->scale, "none; minmax or standard, by all rows; online: by the first rows")
      .one_of({"none", "minmax", "standard", "online"})
      .shows_default();
  verb.text("--class-weight", options->class_weight, "how much rows of a class count: balanced, or NAME=W,NAME=W");
  verb.flag(
      "--no-probabilities", [options] { options->probabilities = false; }, "learn no probabilities beside the classes");
  verb.text("--batch", options->batch, "keep a fixed function: of a random round, the last, or average")
      .means("random")
      .one_of(BatchOptions::choice_names());
  verb.text("--holdout", options->holdout, "rows to measure on: a file, or a part of the rows, the last ones")
      .of("FILE|X");
  verb.text("--trace", options->trace, "CSV: round,label,score,lambda,size,norm").of("FILE");
  verb.count("--checkpoint-every", options->checkpoint_every, "save the model every N rows; 0: only at the end");
  const Flag progress = verb.flag("--progress", options->progress, "table and summary on standard error [yes]");
  verb.flag(
          "--quiet", [options] { options->progress = false; }, "only errors")
      .excludes(progress);
  verb.flag("--json", options->json, "print the result as one JSON object");
  return [options] {
    if (!options->batch.empty()) options->learner.set_default(learners_with(&LearnerTraits::has_snapshots).front());
    check(*options);
    const Training training = train(*options);
    if (training.runs.empty()) {
      say("alder: stopped before anything was learned{}\n", options->output.empty() ? "" : "; no model is saved");
      return Signals::exit_status();
    }
    if (Signals::caught() != 0) {
      say("alder: stopped after {} rows{}\n", training.runs.back().rows(),
          options->output.empty() ? "" : fmt::format("; the model is saved in {}", options->output));
    }
    if (options->progress) print_summary(training);
    if (options->json) print_json(training);
    return Signals::exit_status();
  };
}

}  // namespace alder::cli
