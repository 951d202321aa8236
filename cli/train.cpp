#include <memory>

#include <fmt/format.h>

#include "alder/batch.h"

#include "message.h"
#include "signals.h"
#include "training.h"
#include "verbs.h"

namespace alder::cli {
namespace {

void check(const TrainingOptions& options) {
  if (!options.start.empty()) {
    const auto given = options.learner.given();
    if (!given.empty()) {
      throw UsageError(fmt::format("--{} cannot be changed when going on from a model; it is part of {}", given.front(),
                                   options.start));
    }
    if (options.scale != "none") throw UsageError("--scale cannot be changed when going on from a model");
    if (!options.input.labels.empty()) throw UsageError("--labels cannot be changed when going on from a model");
  }
  if (options.repeat == 0) throw UsageError("--repeat is 0; expected at least 1");
  if (options.repeat > 1 && !(options.output.empty() && options.start.empty() && options.trace.empty())) {
    throw UsageError("--repeat measures several runs; expected none of -o, -i and --trace with it");
  }
  if (!options.batch.empty()) {
    if (options.learner.learner() != "pomdr") {
      throw UsageError(
          fmt::format("--batch keeps a hypothesis of pomdr; {} has none to choose from", options.learner.learner()));
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

Action add_train(CLI::App& verb) {
  auto options = std::make_shared<TrainingOptions>();
  options->input.add_to(verb, true);
  verb.add_option("-o,--output", options->output, "save the model here")->type_name("MODEL");
  verb.add_option("-i,--input", options->start, "go on from this model")->type_name("MODEL");
  options->learner.add_to(verb);
  verb.add_flag("--shuffle", options->shuffle, "read all rows, then learn them in a random order");
  add_count(verb, "--seed", options->seed, "of the random order, and of learners that draw");
  add_count(verb, "--repeat", options->repeat, "so many runs on permutations; mean and deviation");
  add_count(verb, "--limit", options->limit, "at most so many rows; 0: all");
  verb.add_option("--scale", options->scale, "none; minmax or standard, by all rows; online: by the first 500")
      ->check(CLI::IsMember({"none", "minmax", "standard", "online"}))
      ->type_name("")
      ->capture_default_str();
  verb.add_option("--batch", options->batch, "keep a fixed function: of a random round, the last, or average")
      ->expected(0, 1)
      ->default_str("random")
      ->check(CLI::IsMember(BatchOptions::choice_names()))
      ->type_name("");
  verb.add_option("--holdout", options->holdout, "rows to measure on: a file, or a part of the rows, the last ones")
      ->type_name("FILE|X");
  verb.add_option("--trace", options->trace, "CSV: round,label,score,lambda,size,norm")->type_name("FILE");
  add_count(verb, "--checkpoint-every", options->checkpoint_every, "save the model after so many rows; 0: at the end");
  auto* progress = verb.add_flag("--progress", options->progress, "table and summary on standard error [yes]");
  verb.add_flag_callback(
          "--quiet", [options] { options->progress = false; }, "only errors")
      ->excludes(progress);
  verb.add_flag("--json", options->json, "print the result as one JSON object");
  return [options] {
    if (!options->batch.empty()) options->learner.mean("pomdr");
    check(*options);
    const Training training = train(*options);
    if (training.runs.empty()) {
      say("alder: stopped before anything was learned{}\n", options->output.empty() ? "" : "; no model is saved");
      return Signals::exit_status();
    }
    if (Signals::caught() != 0) {
      say("alder: stopped after {} rows{}\n", training.runs.back().rounds,
          options->output.empty() ? "" : fmt::format("; the model is saved in {}", options->output));
    }
    if (options->progress) print_summary(training);
    if (options->json) print_json(training);
    return Signals::exit_status();
  };
}

}  // namespace alder::cli
