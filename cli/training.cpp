#include "training.h"

#include <optional>

#include <fmt/format.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/model.h"

#include "class_weights.h"
#include "figures.h"
#include "files.h"
#include "holdout.h"
#include "limited.h"
#include "message.h"
#include "session.h"
#include "signals.h"
#include "table_words.h"
#include "verbs.h"
#include "warnings.h"

namespace alder::cli {
namespace {

// What is said of the labels by what was given; empty: their first rows say it.
std::optional<Task> given_task(const TrainingOptions& options) {
  if (options.input.task == "numbers") return Task::kRegression;
  if (options.input.task == "classes" || is_of_classes(options)) return Task::kClassification;
  return options.learner.only_task();
}

// `classes` are names as the rows have them, as far as they are known.
Model make_model(const TrainingOptions& options, Task task, std::optional<std::uint64_t> rows, std::uint64_t seed,
                 const std::vector<std::string>& classes, std::optional<Scaling> scaling = std::nullopt) {
  Model model(options.learner.learner(), options.learner.options(options.scale == "online", rows, seed, task),
              std::move(scaling));
  if (model.task() != task) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("the options of {} are of {}, and the labels are {}; expected another --loss or --task",
                            options.learner.learner(), task == Task::kRegression ? "classes" : "numbers",
                            task == Task::kRegression ? "numbers" : "classes"));
  }
  if (task == Task::kRegression) return model;
  model.learn_probabilities(options.probabilities);
  if (!options.class_weight.empty()) {
    const ClassWeights weights = parse_class_weights(options.class_weight, options.input.label_names());
    model.set_class_weights(with_names(weights, classes));
  }
  return model;
}

Training describe(const TrainingOptions& options, const Model& model, std::vector<Run> runs, double read_seconds) {
  Training training;
  training.task = model.task();
  training.learner = model.learner().name();
  training.options = nlohmann::ordered_json::parse(model.learner().options());
  training.runs = std::move(runs);
  training.classes = class_names(model);
  training.class_weights = model.class_weights();
  training.features = model.features();
  training.seed = options.seed;
  training.read_seconds = read_seconds;
  training.model = options.output;
  return training;
}

// A model of rows without columns takes tables of numbers, and stays one.
void take_encoding(const Input& input, Model& model) {
  if (input.zero_based().value_or(false)) model.set_zero_based(true);
  if (input.encoding() == nullptr) return;
  if (model.learner().rounds() == 0 || model.encoding() != nullptr) model.set_encoding(input.encoding());
}

[[noreturn]] void throw_no_rows(const TrainingOptions& options) {
  throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", options.input.name()));
}

// Rows are learned as they are read.
Training train_on_stream(const TrainingOptions& options, Input& input, std::optional<Model> start) {
  if (input.peek(1).size() == 0) {
    if (Signals::caught() != 0) return {};
    Example none;
    input.next(none);  // throws what is wrong with the first row, if anything is
    throw_no_rows(options);
  }
  Model model =
      start ? std::move(*start) : make_model(options, input.task(), std::nullopt, options.seed, input.classes());
  take_encoding(input, model);
  Limited rows(input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  std::function<double()> done;
  if (const auto total = input.bytes_total(); total && *total > 0) {
    done = [&input, total] { return static_cast<double>(input.bytes_read()) / static_cast<double>(*total); };
  }
  Session session(options, input, model, 0, options.seed, done);
  std::vector<Run> runs;
  session.or_save([&] { runs.push_back(session.learn(rows, [&input] { return input.wait_seconds(); })); });
  session.save();
  session.or_save([&] {
    const Holdout holdout(options.holdout);
    const NamedRows heldout = holdout.is_file() ? holdout.read(options.input, model, model.classes()) : NamedRows();
    session.judge(runs.back(), heldout.rows.size() > 0 ? stream(heldout.rows).get() : nullptr, heldout.classes);
  });
  return describe(options, model, std::move(runs), input.read_seconds());
}

// All rows are read before the first is learned: to count, scale or permute them.
Training train_on_dataset(const TrainingOptions& options, Input& input, std::optional<Model> start) {
  Limited limited(input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  const Dataset data = Dataset::read(limited);
  if (Signals::caught() != 0) return {};
  if (data.size() == 0) throw_no_rows(options);
  std::optional<Scaling> scaling;
  if (options.scale == "minmax" || options.scale == "standard") {
    scaling = Scaling::fit(Scaling::kind_named(options.scale), data);
  }
  const Holdout holdout(options.holdout);
  const std::size_t learned = holdout.learned(data.size());
  std::optional<Model> model = std::move(start);
  const bool is_fresh = !model;
  NamedRows file;
  std::vector<Run> runs;
  for (std::uint64_t r = 0; r < options.repeat && Signals::caught() == 0; ++r) {
    const std::uint64_t seed = options.seed + r;
    // In the order in which they are learned, so that no row is waited for.
    const bool permuted = options.shuffle || options.repeat > 1;
    const Dataset arranged = permuted ? Dataset::read(*stream(data, permutation(data.size(), seed))) : Dataset();
    const auto all = stream(permuted ? arranged : data);
    Limited rows(*all, learned);
    if (is_fresh) model.emplace(make_model(options, input.task(), learned, seed, input.classes(), scaling));
    take_encoding(input, *model);
    if (holdout.is_file() && r == 0) file = holdout.read(options.input, *model, input.classes());
    const std::uint64_t earlier = model->learner().rounds();
    Session session(options, input, *model, learned, seed, [&model, learned, earlier] {
      return static_cast<double>(model->learner().rounds() - earlier) / static_cast<double>(learned);
    });
    session.or_save([&] { runs.push_back(session.learn(rows, [] { return 0.0; })); });
    runs.back().seed = seed;
    session.save();
    const auto heldout = holdout.is_file() ? stream(file.rows) : nullptr;
    session.judge(runs.back(), holdout.is_part() ? all.get() : heldout.get(),
                  holdout.is_part() ? input.classes() : file.classes);
    if (options.repeat > 1 && options.progress) {
      say("run {:>3} of {}: {}\n", r + 1, options.repeat,
          input.task() == Task::kRegression ? in_words("rmse", figure(runs.back().metrics, "rmse").value_or(0.0))
                                            : fmt::format("{:.2f}% mistakes", 100.0 * runs.back().mistake_rate()));
    }
  }
  return describe(options, *model, std::move(runs), input.read_seconds());
}

void check_files(const TrainingOptions& options) {
  Files files;
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.reads("the weights", options.input.options.weights_file);
  if (Holdout(options.holdout).is_file()) files.reads("the input", options.holdout);
  files.loads("the model", options.start);
  files.replaces("-o", options.output);
  files.streams("--trace", options.trace);
  if (options.json) files.streams("", "-");
  files.check();
}

}  // namespace

bool is_of_classes(const TrainingOptions& options) {
  return !options.input.labels.empty() || !options.class_weight.empty() || !options.probabilities ||
         !options.batch.empty();
}

Training train(const TrainingOptions& options) {
  check_files(options);
  const bool whole = options.shuffle || options.repeat > 1 || options.scale == "minmax" ||
                     options.scale == "standard" || options.batch == "average" || Holdout(options.holdout).is_part();
  std::optional<Model> start;
  InputOptions input_options = options.input.input_options();
  if (!options.start.empty()) {
    start = Model::load(options.start);
    if (start->learner().name() == "hypothesis") {
      throw Error(
          Error::Kind::kUnsupported,
          fmt::format("{}: a hypothesis, which learns no more; expected the model of a learner", options.start));
    }
    if (options.input.task != "auto" && (options.input.task == "numbers") != (start->task() == Task::kRegression)) {
      throw UsageError(fmt::format("--task is {}; {} learns {}, and goes on with these", options.input.task,
                                   options.start, start->task() == Task::kRegression ? "numbers" : "classes"));
    }
    input_options.classes = start->classes();
    input_options.precision = precision_of(*start);
    match_model(input_options, *start, false);
  } else {
    // Options that contradict each other show before anything is read; the horizon may not be known yet.
    input_options.task = given_task(options);
    const Model made = make_model(options, input_options.task.value_or(Task::kClassification),
                                  whole ? std::optional<std::uint64_t>(1) : std::nullopt, options.seed, {});
    if (options.scale == "none") input_options.precision = precision_of(made);
  }
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());
  input->peek(1);
  const std::string label_warning = guessed_label_warning(input->label_column());
  if (options.progress && !label_warning.empty()) say("warning: {}\n", label_warning);
  Training training =
      whole ? train_on_dataset(options, *input, std::move(start)) : train_on_stream(options, *input, std::move(start));
  report_reading(*input);
  training.task_in_words = task_in_words(input->task(), input->first_labels());
  training.label_column = input->label_column();
  training.encoding = input->encoding();
  return training;
}

}  // namespace alder::cli
