#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/model.h"

#include "figures.h"
#include "files.h"
#include "input_flags.h"
#include "learner_flags.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// The most rows that are predicted at once, on all cores.
constexpr std::size_t kAtOnce = 4096;

struct PredictOptions {
  std::string model;
  InputFlags input;
  std::string output = "-";
  bool scores = false;
  bool probabilities = false;
  std::optional<double> threshold;
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

void print_accuracy(const Metrics& metrics, std::uint64_t rows) {
  const std::uint64_t labelled = metrics.rows();
  const std::uint64_t right = labelled - metrics.mistakes();
  const auto log_loss = figure(metrics, "log_loss");
  say("accuracy {:.2f}%: {} of {} labelled rows are right{}{}\n",
      100.0 * static_cast<double>(right) / static_cast<double>(labelled), right, labelled,
      labelled == rows ? "" : fmt::format("; {} rows have no label of the model's", rows - labelled),
      log_loss ? fmt::format("; log loss {:.4f}", *log_loss) : "");
}

// Text that cannot be taken for two columns or lines.
std::string in_one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
  return text;
}

// What is printed of each row.
class Printer {
 public:
  Printer(const PredictOptions& options, const Model& model) : options_(options), model_(model) {
    for (const std::string& name : model.classes()) names_.push_back(in_one_field(name));
  }

  // The line before the first.
  [[nodiscard]] std::string head() const {
    return options_.probabilities ? fmt::format("{}\n", fmt::join(names_, "\t")) : "";
  }

  void append(std::string& text, const Predictions& made, std::size_t row) {
    if (options_.probabilities) {
      const std::size_t columns = made.probabilities.size() / made.classes.size();
      append_all(text, std::span(made.probabilities).subspan(row * columns, names_.size()));
    } else if (options_.scores && made.outputs > 1) {
      scores_.resize(names_.size());
      model_.scores_by_class(made, row, scores_);
      append_all(text, scores_);
    } else if (options_.scores) {
      fmt::format_to(std::back_inserter(text), "{}\n", made.scores[row]);
    } else {
      const std::uint32_t id = made.classes[row];
      text += id < names_.size() && !names_[id].empty() ? names_[id] : id == 1 ? "+1" : "-1";
      text += '\n';
    }
  }

 private:
  static void append_all(std::string& text, std::span<const double> numbers) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      fmt::format_to(std::back_inserter(text), "{}{}", k == 0 ? "" : "\t", numbers[k]);
    }
    text += '\n';
  }

  const PredictOptions& options_;
  const Model& model_;
  std::vector<std::string> names_;
  std::vector<double> scores_;
};

Model load_model(const PredictOptions& options) {
  Model model = Model::load(options.model);
  if (options.threshold) {
    if (model.classes().size() > 2) {
      throw Error(Error::Kind::kUnsupported,
                  fmt::format("--threshold is of two classes; {} has {}", options.model, model.classes().size()));
    }
    model.set_threshold(*options.threshold);
  }
  if (options.probabilities && !model.has_probabilities()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("{}: a model that has learned no probabilities; expected one that has", options.model));
  }
  return model;
}

int predict(const PredictOptions& options) {
  check_files(options);
  const Model model = load_model(options);
  InputOptions input_options = options.input.input_options();
  input_options.classes = model.classes();
  input_options.labels_optional = true;
  input_options.features = model.features();
  input_options.precision = precision_of(model);
  input_options.rows_at_once = kAtOnce;
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());

  Printer printer(options, model);
  Output output(options.output);
  output.write(printer.head());
  Predictions made;
  Metrics metrics(model.learner().task());
  std::uint64_t count = 0;
  std::string text;
  while (Signals::caught() == 0) {
    const Examples examples = input->read(kAtOnce);
    if (examples.empty()) break;
    const bool is_labelled = !std::all_of(examples.targets.begin(), examples.targets.end(),
                                          [](double target) { return std::isnan(target); });
    const bool is_measured = is_labelled && !options.quiet && model.has_probabilities();
    model.predict(examples.rows, made, {.threads = 0, .probabilities = options.probabilities || is_measured});
    text.clear();
    for (std::size_t i = 0; i < examples.size(); ++i) printer.append(text, made, i);
    output.write(text);
    output.flush();  // the next rows may come much later
    metrics.add(made, examples.targets, examples.weights);
    count += examples.size();
  }
  output.close();
  report_bad_rows(*input);
  if (!options.quiet && metrics.rows() > 0) print_accuracy(metrics, count);
  return Signals::exit_status();
}

}  // namespace

Action add_predict(Flags& verb) {
  auto options = std::make_shared<PredictOptions>();
  verb.text("MODEL", options->model, "what `alder train -o` saved").required();
  options->input.add_to(verb, false);
  verb.text("-o,--output", options->output, "where the predictions go, one a line; - for standard output")
      .of("FILE")
      .shows_default();
  const Flag scores = verb.flag("--scores", options->scores,
                                "print scores instead of classes: positive for the positive one, or one a class");
  verb.flag("--probabilities", options->probabilities, "print a line of class names, then a probability for each")
      .excludes(scores);
  verb.text(
          "--threshold", [options](const std::string& text) { options->threshold = parse_threshold(text); },
          "two classes: predict the positive one where its probability is at least this")
      .of("P");
  verb.flag("--quiet", options->quiet, "do not report the accuracy");
  return [options] { return predict(*options); };
}

}  // namespace alder::cli
