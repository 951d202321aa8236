#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/model.h"

#include "base/text.h"
#include "figures.h"
#include "files.h"
#include "input_flags.h"
#include "message.h"
#include "number_printer.h"
#include "output.h"
#include "prediction_printer.h"
#include "signals.h"
#include "table_words.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// The most rows that are predicted at once, shared among the threads.
constexpr std::size_t kAtOnce = 4096;

struct PredictOptions {
  std::string model;
  InputFlags input;
  std::string output = "-";
  PrinterOptions printed;
  std::optional<double> threshold;
  unsigned threads = 0;
  bool quiet = false;
};

double parse_threshold(const std::string& text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0.0 && number <= 1.0)) {
    throw UsageError(fmt::format("--threshold is {}; expected a probability, 0 to 1", text));
  }
  return number;
}

void check_files(const PredictOptions& options) {
  Files files;
  files.loads("the model", options.model);
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.reads("the weights", options.input.options.weights_file);
  files.streams("-o", options.output);
  files.check();
}

// Numbers between commas, each above 0 and below 1.
std::vector<double> parse_shares(const char* flag, const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(',', begin));
    double number = 0.0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    if (error != std::errc() || stop != text.data() + end || !(number > 0.0 && number < 1.0)) {
      throw UsageError(fmt::format("{} has {}; expected numbers above 0 and below 1", flag,
                                   in_quotes(std::string_view(text).substr(begin, end - begin))));
    }
    numbers.push_back(number);
    begin = end + 1;
  }
  return numbers;
}

// What predicted numbers are worth on the rows that have labels.
void print_errors(const Metrics& metrics, const IntervalCount& intervals, std::uint64_t rows) {
  const std::uint64_t labelled = metrics.rows();
  std::string covered;
  if (const auto share = intervals.coverage()) {
    covered = fmt::format("; intervals of {:g}% hold {:.1f}%", 100.0 * intervals.share(), 100.0 * *share);
  }
  say("{}, {} on {} labelled rows{}{}\n", in_words("rmse", figure(metrics, "rmse").value_or(0.0)),
      in_words("mae", figure(metrics, "mae").value_or(0.0)), labelled, covered,
      labelled == rows ? "" : fmt::format("; {} rows have no number as their label", rows - labelled));
}

void print_accuracy(const Metrics& metrics, std::uint64_t rows) {
  const std::uint64_t labelled = metrics.rows();
  const std::uint64_t right = labelled - metrics.mistakes();
  const auto log_loss = figure(metrics, "log_loss");
  say("accuracy {:.2f}%: {} of {} labelled rows are right{}{}\n",
      100.0 * static_cast<double>(right) / static_cast<double>(labelled), right, labelled,
      labelled == rows ? "" : fmt::format("; {} rows have no label of the model's", rows - labelled),
      log_loss ? fmt::format("; log loss {:.4f}", *log_loss) : "");
}

// Names the option that is not for what the model predicts.
void check_task(const PredictOptions& options, const Model& model) {
  const PrinterOptions& printed = options.printed;
  const bool is_of_numbers = model.task() == Task::kRegression;
  const char* const wrong = is_of_numbers                ? printed.scores          ? "--scores"
                                                           : printed.probabilities ? "--probabilities"
                                                           : options.threshold     ? "--threshold"
                                                                                   : nullptr
                            : printed.interval           ? "--interval"
                            : !printed.quantiles.empty() ? "--quantiles"
                                                         : nullptr;
  if (wrong == nullptr) return;
  throw Error(Error::Kind::kUnsupported,
              fmt::format("{} is of {}; {} predicts {}", wrong, is_of_numbers ? "classes" : "numbers", options.model,
                          is_of_numbers ? "numbers" : "classes"));
}

Model load_model(const PredictOptions& options) {
  Model model = Model::load(options.model);
  check_task(options, model);
  if (options.threshold) {
    if (model.classes().size() > 2) {
      throw Error(Error::Kind::kUnsupported,
                  fmt::format("--threshold is of two classes; {} has {}", options.model, model.classes().size()));
    }
    model.set_threshold(*options.threshold);
  }
  if (options.printed.probabilities && !model.has_probabilities()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("{}: a model that has learned no probabilities; expected one that has", options.model));
  }
  return model;
}

int predict(const PredictOptions& options) {
  check_files(options);
  const Model model = load_model(options);
  InputOptions input_options = options_to_predict(options.input.input_options(), model);
  input_options.rows_at_once = kAtOnce;
  input_options.keep_texts = options.printed.append;
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());

  const auto printer = make_printer(options.printed, model);
  Output output(options.output);
  Predictions made;
  Metrics metrics(model.task());
  IntervalCount intervals(options.printed.interval.value_or(kUsualInterval));
  Wanted wanted;
  wanted.threads = options.threads;
  StrangeCells strange;
  std::uint64_t count = 0;
  std::string text;
  bool has_head = false;
  while (Signals::caught() == 0) {
    const Examples examples = input->read(kAtOnce);
    if (!has_head) output.write(printer->head(*input));
    has_head = true;
    if (examples.empty()) break;
    const bool is_labelled = !std::all_of(examples.targets.begin(), examples.targets.end(),
                                          [](double target) { return std::isnan(target); });
    const bool needs_probabilities =
        model.has_probabilities() && (options.printed.json || (is_labelled && !options.quiet));
    wanted.probabilities = options.printed.probabilities || needs_probabilities;
    if (model.task() == Task::kRegression) wanted.quantiles = levels_of(options.printed);
    model.predict(examples.rows, made, wanted);
    text.clear();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      printer->print(text, options.printed.append ? input->texts()[i] : "", made, i, examples.targets[i]);
    }
    output.write(text);
    output.flush();  // the next rows may come much later
    metrics.add(made, examples.targets, examples.weights);
    if (model.task() == Task::kRegression) intervals.add(made, examples);
    if (model.encoding() != nullptr) strange.add(*model.encoding(), examples.rows);
    count += examples.size();
  }
  output.close();
  report_reading(*input);
  if (model.encoding() != nullptr && !options.quiet) {
    for (const std::string& warning : strange.warnings(*model.encoding())) say("warning: {}\n", warning);
  }
  if (!options.quiet && metrics.rows() > 0) {
    if (model.task() == Task::kRegression) {
      print_errors(metrics, intervals, count);
    } else {
      print_accuracy(metrics, count);
    }
  }
  return Signals::exit_status();
}

}  // namespace

Action add_predict(Flags& verb) {
  auto options = std::make_shared<PredictOptions>();
  verb.text("MODEL", options->model, "what `alder train -o` saved").required();
  options->input.add_to(verb, true);
  verb.text("-o,--output", options->output, "where the predictions go, one a line; - for standard output")
      .of("FILE")
      .shows_default();
  const Flag scores = verb.flag("--scores", options->printed.scores,
                                "print scores instead of classes: positive for the positive one, or one a class");
  verb.flag("--probabilities", options->printed.probabilities,
            "print a line of class names, then a probability for each")
      .excludes(scores);
  verb.text(
          "--threshold", [options](const std::string& text) { options->threshold = parse_threshold(text); },
          "two classes: predict the positive one where its probability is at least this")
      .of("P");
  verb.text(
          "--interval",
          [options](const std::string& text) {
            const std::vector<double> shares = parse_shares("--interval", text);
            if (shares.size() > 1) throw UsageError(fmt::format("--interval is {}; expected one number", text));
            options->printed.interval = shares.front();
          },
          "numbers: print value, low and high; this share of the targets should lie between, such as 0.9")
      .of("P");
  verb.text(
          "--quantiles",
          [options](const std::string& text) { options->printed.quantiles = parse_shares("--quantiles", text); },
          "numbers: print the value and these quantiles, such as 0.1,0.5,0.9")
      .of("P,P,...");
  const Flag json =
      verb.flag("--json", options->printed.json,
                "print a JSON object a row: class, probabilities, scores and label; or value, interval, label");
  verb.flag("--append", options->printed.append,
            "print the rows themselves, with a column 'prediction' behind, and what else is wanted")
      .excludes(json);
  verb.count("--threads", options->threads, "threads that predict; 0: one for each core");
  verb.flag("--quiet", options->quiet, "do not report the accuracy, or the errors of numbers");
  return [options] { return predict(*options); };
}

}  // namespace alder::cli
