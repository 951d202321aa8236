#include <memory>

#include <fmt/format.h>

#include "alder/model.h"

#include "files.h"
#include "input_flags.h"
#include "learner_flags.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct PredictOptions {
  std::string model;
  InputFlags input;
  std::string output = "-";
  bool scores = false;
  bool quiet = false;
};

void check_files(const PredictOptions& options) {
  Files files;
  files.loads("the model", options.model);
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.streams("-o", options.output);
  files.check();
}

int predict(const PredictOptions& options) {
  check_files(options);
  const Model model = load_model(options.model);
  InputOptions input_options = options.input.input_options();
  input_options.classes = model.classes;
  input_options.labels_optional = true;
  input_options.features = model.features;
  if (!model.scaling) input_options.precision = precision_of(*model.learner);
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());
  std::unique_ptr<Stream> scaled_rows;
  if (model.scaling) scaled_rows = scaled(*input, *model.scaling);
  Stream& rows = scaled_rows ? *scaled_rows : *input;

  // A class that was never met has no name yet.
  const std::string negative = model.classes.negative.empty() ? "-1" : model.classes.negative;
  const std::string positive = model.classes.positive.empty() ? "+1" : model.classes.positive;
  Output output(options.output);
  Example example;
  std::uint64_t count = 0;
  std::uint64_t labelled = 0;
  std::uint64_t right = 0;
  while (Signals::caught() == 0 && rows.next(example)) {
    const double score = model.learner->score(example.row);
    const double predicted = predicted_class(score);
    output.write(options.scores ? fmt::format("{}\n", score) : (predicted > 0.0 ? positive : negative) + "\n");
    ++count;
    if (example.label == 0.0) continue;
    ++labelled;
    if (example.label == predicted) ++right;
  }
  output.close();
  report_bad_rows(*input);
  if (!options.quiet && labelled > 0) {
    say("accuracy {:.2f}%: {} of {} labelled rows are right{}\n",
        100.0 * static_cast<double>(right) / static_cast<double>(labelled), right, labelled,
        labelled == count ? "" : fmt::format("; {} rows have no label of the model's", count - labelled));
  }
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
  verb.flag("--scores", options->scores, "print scores, positive for the positive class, instead of classes");
  verb.flag("--quiet", options->quiet, "do not report the accuracy");
  return [options] { return predict(*options); };
}

}  // namespace alder::cli
