#include <iterator>
#include <memory>
#include <vector>

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

// The name of each class as it is written; one that was never met has no name yet.
std::vector<std::string> shown_names(const Model& model) {
  std::vector<std::string> names = model.classes();
  names.resize(std::max<std::size_t>(names.size(), 2));
  if (names[0].empty()) names[0] = "-1";
  if (names[1].empty()) names[1] = "+1";
  for (std::string& name : names) name += '\n';
  return names;
}

int predict(const PredictOptions& options) {
  check_files(options);
  const Model model = Model::load(options.model);
  InputOptions input_options = options.input.input_options();
  input_options.classes = two_classes(model);
  input_options.labels_optional = true;
  input_options.features = model.features();
  input_options.precision = precision_of(model);
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());

  constexpr std::size_t kAtOnce = 256;
  const std::vector<std::string> names = shown_names(model);
  Output output(options.output);
  Predictions made;
  Metrics metrics(model.learner().task());
  std::uint64_t count = 0;
  std::string text;
  while (Signals::caught() == 0) {
    const Examples examples = input->read(kAtOnce);
    if (examples.empty()) break;
    model.predict(examples.rows, made);
    text.clear();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (options.scores) {
        fmt::format_to(std::back_inserter(text), "{}\n", made.scores[i]);
      } else {
        text += names[made.classes[i] == kNoClass ? 1 : made.classes[i]];
      }
    }
    output.write(text);
    metrics.add(made, examples.targets);
    count += examples.size();
  }
  output.close();
  report_bad_rows(*input);
  const std::uint64_t labelled = metrics.rows();
  if (!options.quiet && labelled > 0) {
    const std::uint64_t right = labelled - metrics.mistakes();
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
