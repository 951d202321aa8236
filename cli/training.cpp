#include "training.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "alder/batch.h"
#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/registry.h"

#include "files.h"
#include "holdout.h"
#include "limited.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "warnings.h"

namespace alder::cli {
namespace {

constexpr std::size_t kRowsForScaling = 500;

BatchOptions batch_options(const TrainingOptions& options, std::uint64_t rows, std::uint64_t seed) {
  return {BatchOptions::choice_named(options.batch), seed, rows};
}

// What happens after each round, and at the end.
class Session {
 public:
  // `rows` is how many will be learned, if that is known.
  Session(const TrainingOptions& options, const Input& input, Model& model, std::uint64_t rows, std::uint64_t seed,
          std::function<double()> done)
      : options_(options), input_(input), model_(model) {
    if (!options.batch.empty()) batch_.emplace(*model.learner, batch_options(options, rows, seed));
    if (!options.trace.empty()) {
      trace_.emplace(options.trace);
      trace_->write("round,label,score,lambda,size,norm\n");
    }
    if (options.progress && options.repeat == 1) progress_.emplace(*model.learner, std::move(done));
  }

  bool after_round(const Example& example, double score) {
    checks_.after_round(example);
    if (batch_) batch_->after_round();
    if (trace_) {
      model_.learner->report(report_);
      trace_->write(fmt::format("{},{},{},{},{},{}\n", report_.rounds, example.label, score,
                                report_.learning_rate.value_or(0.0), report_.support,
                                report_.norm ? fmt::format("{}", *report_.norm) : ""));
    }
    if (progress_) progress_->after_round(example, score);
    if (options_.checkpoint_every > 0 && ++since_checkpoint_ == options_.checkpoint_every) {
      since_checkpoint_ = 0;
      save();
    }
    return Signals::caught() == 0;
  }

  // Saves the model, if it was asked for, with what is known of its input by now.
  void save() {
    model_.classes = *input_.classes();
    model_.features = std::max(model_.features, input_.features_seen());
    if (options_.output.empty()) return;
    if (!batch_) {
      save_model(model_, options_.output);
    } else {
      save_model({batch_->chosen().hypothesis, model_.classes, model_.features, model_.scaling}, options_.output);
    }
  }

  // Does what may fail after rows were learned. The model is saved then, too, and the Error says where.
  template <class Action>
  void or_save(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      save_after(error);
      throw;
    } catch (...) {
      if (model_.learner->report().rounds > 0) save();
      throw;
    }
  }

  // Says which function is kept, and what it is worth on the rows held out, if there are any.
  void judge(Run& run, Stream* heldout) const {
    Batch::Chosen chosen;
    if (batch_) {
      chosen = batch_->chosen();
      run.kept = {options_.batch, chosen.first_round, chosen.last_round, chosen.hypothesis->report().support};
    }
    run.warnings = checks_.warnings(input_, model_, !options_.start.empty());
    if (heldout != nullptr) run.heldout = measure(batch_ ? *chosen.hypothesis : *model_.learner, *heldout);
  }

  void finish() {
    if (progress_) progress_->clear_bar();
    if (trace_) trace_->close();
  }

 private:
  // Throws an Error that tells what became of the model, if there is one to save.
  void save_after(const Error& error) {
    const std::uint64_t rounds = model_.learner->report().rounds;
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

  const TrainingOptions& options_;
  const Input& input_;
  Model& model_;
  std::optional<Output> trace_;
  std::optional<Progress> progress_;
  std::optional<Batch> batch_;
  Report report_;  // of the latest round that was traced
  StreamChecks checks_;
  std::uint64_t since_checkpoint_ = 0;
};

// One pass of the model's learner over the rows. `waited` gives the seconds spent waiting for rows, so far.
Run run_once(Stream& rows, Model& model, Session& session, const std::function<double()>& waited) {
  const Report before = model.learner->report();
  const double waited_before = waited();
  Run run;
  const Outcome outcome = evaluate(rows, *model.learner, [&session](const Example& example, double score) {
    return session.after_round(example, score);
  });
  session.finish();
  run.report = outcome.report;
  run.rounds = outcome.report.rounds - before.rounds;
  run.mistakes = outcome.report.mistakes - before.mistakes;
  run.hinge_loss = outcome.report.hinge_loss - before.hinge_loss;
  run.elapsed = outcome.seconds;
  run.seconds = outcome.seconds - (waited() - waited_before);
  return run;
}

void echo_choices(const TrainingOptions& options, const Learner& learner) {
  if (!options.progress || !options.learner.needs_width() || !options.start.empty()) return;
  const auto chosen = nlohmann::ordered_json::parse(learner.options());
  say("width chosen: {} (half the median distance of the first rows)\n", describe_kernel(chosen));
}

Training describe(const TrainingOptions& options, const Model& model, std::vector<Run> runs, double read_seconds) {
  Training training;
  training.learner = model.learner->name();
  training.options = nlohmann::ordered_json::parse(model.learner->options());
  training.runs = std::move(runs);
  training.classes = model.classes;
  training.features = model.features;
  training.seed = options.seed;
  training.read_seconds = read_seconds;
  training.model = options.output;
  return training;
}

// Rows are learned as they are read.
Training train_on_stream(const TrainingOptions& options, Input& input, Model model) {
  const bool fresh = model.learner == nullptr;
  const bool scales = fresh && options.scale == "online";
  const std::size_t wanted =
      std::max({fresh && options.learner.needs_width() ? kRowsForWidth : 1, scales ? kRowsForScaling : 1});
  const Dataset& first_rows = input.peek(wanted);
  std::vector<Row> first;
  first_rows.rows(0, wanted, first);
  if (first_rows.size() == 0) {
    if (Signals::caught() != 0) return {};
    Example none;
    input.next(none);  // throws what is wrong with the first row, if anything is
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", options.input.name()));
  }
  if (scales) model.scaling = Scaling::fit_first(first);
  if (fresh) {
    RowBuffer scaled_first;
    if (model.scaling) model.scaling->apply(first, scaled_first);
    const double width =
        options.learner.needs_width() ? automatic_width(model.scaling ? scaled_first.rows() : first) : 0.0;
    model.learner = make_learner(options.learner.learner(), options.learner.options(width, std::nullopt, options.seed));
    echo_choices(options, *model.learner);
  }

  std::unique_ptr<Stream> scaled_rows;
  if (model.scaling) scaled_rows = scaled(input, *model.scaling);
  Limited rows(scaled_rows ? *scaled_rows : input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  std::function<double()> done;
  if (const auto total = input.bytes_total(); total && *total > 0) {
    done = [&input, total] { return static_cast<double>(input.bytes_read()) / static_cast<double>(*total); };
  }
  Session session(options, input, model, 0, options.seed, done);
  std::vector<Run> runs;
  session.or_save([&] { runs.push_back(run_once(rows, model, session, [&input] { return input.wait_seconds(); })); });
  session.save();
  session.or_save([&] {
    const Holdout holdout(options.holdout);
    const Dataset heldout = holdout.is_file() ? holdout.read(options.input, model) : Dataset();
    session.judge(runs.back(), heldout.size() > 0 ? stream(heldout).get() : nullptr);
  });
  return describe(options, model, std::move(runs), input.read_seconds());
}

// All rows are read before the first is learned: to count, scale or permute them.
Training train_on_dataset(const TrainingOptions& options, Input& input, Model model) {
  Limited limited(input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  Dataset data = Dataset::read(limited);
  if (Signals::caught() != 0) return {};
  if (data.size() == 0)
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", options.input.name()));
  if (options.scale == "online") {
    const bool permuted = options.shuffle || options.repeat > 1;
    std::vector<std::size_t> order;
    if (permuted) order = permutation(data.size(), options.seed);
    std::vector<Row> first(std::min(data.size(), kRowsForScaling));
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = data[permuted ? order[i] : i].row;
    model.scaling = Scaling::fit_first(first);
  } else if (options.scale != "none") {
    model.scaling = Scaling::fit(Scaling::kind_named(options.scale), data);
  }
  if (model.scaling) data = Dataset::read(*scaled(*stream(data), *model.scaling));

  const Holdout holdout(options.holdout);
  const std::size_t learned = holdout.learned(data.size());
  if (holdout.is_file()) model.classes = *input.classes();
  const Dataset file = holdout.is_file() ? holdout.read(options.input, model) : Dataset();

  const bool fresh = model.learner == nullptr;
  std::optional<double> width;
  std::vector<Run> runs;
  for (std::uint64_t r = 0; r < options.repeat && Signals::caught() == 0; ++r) {
    const std::uint64_t seed = options.seed + r;
    // In the order in which they are learned, so that no row is waited for.
    const bool permuted = options.shuffle || options.repeat > 1;
    const Dataset arranged = permuted ? Dataset::read(*stream(data, permutation(data.size(), seed))) : Dataset();
    const Dataset& ordered = permuted ? arranged : data;
    const auto all = stream(ordered);
    Limited rows(*all, learned);
    if (fresh) {
      if (!width) {
        std::vector<Row> first;
        ordered.rows(0, kRowsForWidth, first);
        width = options.learner.needs_width() ? automatic_width(first) : 0.0;
      }
      model.learner = make_learner(options.learner.learner(), options.learner.options(*width, learned, seed));
      if (r == 0) echo_choices(options, *model.learner);
    }
    const std::uint64_t earlier = model.learner->report().rounds;
    Session session(options, input, model, learned, seed, [&model, learned, earlier] {
      return static_cast<double>(model.learner->report().rounds - earlier) / static_cast<double>(learned);
    });
    session.or_save([&] { runs.push_back(run_once(rows, model, session, [] { return 0.0; })); });
    runs.back().seed = seed;
    session.save();
    const auto heldout = holdout.is_file() ? stream(file) : nullptr;
    session.judge(runs.back(), holdout.is_part() ? all.get() : heldout.get());
    if (options.repeat > 1 && options.progress) {
      say("run {:>3} of {}: {:.2f}% mistakes\n", r + 1, options.repeat, 100.0 * runs.back().mistake_rate());
    }
  }
  return describe(options, model, std::move(runs), input.read_seconds());
}

void check_files(const TrainingOptions& options) {
  Files files;
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  if (Holdout(options.holdout).is_file()) files.reads("the input", options.holdout);
  files.loads("the model", options.start);
  files.replaces("-o", options.output);
  files.streams("--trace", options.trace);
  if (options.json) files.streams("", "-");
  files.check();
}

}  // namespace

Training train(const TrainingOptions& options) {
  check_files(options);
  const bool whole = options.shuffle || options.repeat > 1 || options.scale == "minmax" ||
                     options.scale == "standard" || options.batch == "average" || Holdout(options.holdout).is_part();
  Model model;
  InputOptions input_options = options.input.input_options();
  if (!options.start.empty()) {
    model = load_model(options.start);
    if (model.learner->name() == "hypothesis") {
      throw Error(
          Error::Kind::kUnsupported,
          fmt::format("{}: a hypothesis, which learns no more; expected the model of a learner", options.start));
    }
    input_options.classes = model.classes;
    if (!model.scaling) input_options.precision = precision_of(*model.learner);
  } else {
    // Options that contradict each other show before anything is read; the horizon may not be known yet.
    const auto horizon = whole ? std::optional<std::uint64_t>(1) : std::nullopt;
    const auto learner = make_learner(options.learner.learner(), options.learner.options(1.0, horizon, options.seed));
    if (options.scale == "none") input_options.precision = precision_of(*learner);
  }
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());
  const std::string label_column = guessed_label_warning(*input);
  if (options.progress && !label_column.empty()) say("warning: {}\n", label_column);
  Training training =
      whole ? train_on_dataset(options, *input, std::move(model)) : train_on_stream(options, *input, std::move(model));
  report_bad_rows(*input);
  training.label_column = label_column;
  return training;
}

}  // namespace alder::cli
