#include "session.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "alder/error.h"

#include "class_weights.h"
#include "message.h"
#include "naming.h"

namespace alder::cli {

Session::Session(const TrainingOptions& options, const Input& input, Model& model, std::uint64_t rows,
                 std::uint64_t seed, std::function<double()> done)
    : options_(options),
      input_(input),
      model_(model),
      yardsticks_(model.task()),
      checks_(model.task(),
              [this](const std::string& warning) {
                if (!progress_) return;
                progress_->clear_bar();
                say("warning: {}\n", warning);
              }),
      measure_(model.task()) {
  if (!options.batch.empty()) {
    batch_.emplace(model.learner(), BatchOptions{BatchOptions::choice_named(options.batch), seed, rows});
  }
  if (!options.trace.empty()) trace_.emplace(options.trace, model, !options.output.empty());
  if (options.progress && options.repeat == 1) progress_.emplace(model, input, yardsticks_, std::move(done));
  if (options.checkpoint_every > 0) checkpoint_.emplace(options.checkpoint_every, [this] { save(); });
}

Run Session::learn(Stream& rows, const std::function<double()>& waited) {
  std::vector<Hook*> hooks = {&yardsticks_, &checks_};
  if (batch_) hooks.push_back(&*batch_);
  if (trace_) hooks.push_back(&*trace_);
  if (progress_) hooks.push_back(&*progress_);
  if (checkpoint_) hooks.push_back(&*checkpoint_);
  hooks.push_back(&stop_);
  // What is counted of all rows is that of this pass unless there were others.
  const std::uint64_t earlier = model_.learner().rounds();
  const bool is_first = earlier == 0;
  if (!is_first) hooks.push_back(&measure_);

  Naming named(rows, input_, model_, !options_.input.labels.empty());
  if (batch_) named.expect_two();
  const double waited_before = waited();
  const auto start = std::chrono::steady_clock::now();
  drive(model_.task() == Task::kRegression ? rows : named, model_, hooks);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (progress_) progress_->clear_bar();
  if (trace_) trace_->close();

  Run run;
  run.report = model_.learner().report();
  run.metrics = is_first ? model_.metrics() : measure_.metrics();
  run.learned = model_.learner().rounds() - earlier;
  run.classes = class_names(model_);
  run.commoner_class_mistakes = yardsticks_.of_classes().majority_mistakes();
  run.last_label_mistakes = yardsticks_.of_classes().last_label_mistakes();
  run.number_yardsticks = yardsticks_.of_numbers();
  run.elapsed = elapsed.count();
  run.seconds = elapsed.count() - (waited() - waited_before);
  return run;
}

void Session::save() {
  model_.count_features(input_.features_seen());
  if (options_.output.empty()) return;
  if (!batch_) {
    model_.save(options_.output);
  } else {
    model_.with_learner(batch_->chosen().hypothesis).save(options_.output);
  }
}

void Session::judge(Run& run, Stream* heldout, const std::vector<std::string>& classes) const {
  run.warnings = checks_.warnings(input_, model_, !options_.start.empty());
  const std::string unmet = unmet_classes_warning(model_.class_weights(), model_.classes());
  if (!unmet.empty() && options_.start.empty()) run.warnings.push_back(unmet);
  if (!batch_) {
    if (heldout != nullptr) run.heldout = measure(model_, *heldout, classes);
    return;
  }
  Batch::Chosen chosen = batch_->chosen();
  run.kept = {options_.batch, chosen.first_round, chosen.last_round, chosen.hypothesis->report().support};
  if (heldout != nullptr) run.heldout = measure(model_.with_learner(std::move(chosen.hypothesis)), *heldout, classes);
}

// Throws an Error that tells what became of the model, if there is one to save.
void Session::save_after(const Error& error) {
  const std::uint64_t rounds = model_.learner().rounds();
  if (rounds == 0 || options_.output.empty()) return;
  const std::string text = fmt::format("{}; the model of the {} rows before", error.what(), rounds);
  try {
    save();
  } catch (const Error& another) {
    if (another.what() == std::string_view(error.what())) return;
    throw another.with_message(fmt::format("{} is lost: {}", text, another.what()));
  }
  throw error.with_message(fmt::format("{} is saved in {}", text, options_.output));
}

}  // namespace alder::cli
