#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "alder/input.h"
#include "alder/scaling.h"

#include "files.h"
#include "input_flags.h"
#include "libsvm_text.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct ScaleOptions {
  InputFlags input;
  std::string output = "-";
  std::string method = "minmax";
  std::string save;
  std::string load;
};

// The first pass, or the scaling of another file.
Scaling find_scaling(const ScaleOptions& options) {
  if (!options.load.empty()) return Scaling::load(options.load);
  if (options.input.paths.front() == "-") {
    throw UsageError(
        "scale reads its input twice; expected a file, or --params from an earlier run for standard input");
  }
  const auto input = open_input(options.input.paths, options.input.input_options());
  return Scaling::fit(Scaling::kind_named(options.method), *input);
}

// LIBSVM text cannot hold every label that CSV can.
std::string label_for_libsvm(const std::string& name, const char* otherwise) {
  const bool holds = !name.empty() && name.find_first_of(" \t#:") == std::string::npos;
  return holds ? name : otherwise;
}

void check_files(const ScaleOptions& options) {
  Files files;
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.loads("--params", options.load);
  files.replaces("--save-params", options.save);
  files.streams("-o", options.output);
  files.check();
}

int scale(const ScaleOptions& options) {
  check_files(options);
  const Scaling scaling = find_scaling(options);
  if (!options.save.empty()) scaling.save(options.save);
  const auto input = open_input(options.input.paths, options.input.input_options());
  const Signals signals(input.get());
  Output output(options.output);
  Scaling::Buffer buffer;
  Example example;
  fmt::memory_buffer text;
  std::string negative;
  std::string positive;
  while (Signals::caught() == 0 && input->next(example)) {
    if (negative.empty()) {
      negative = label_for_libsvm(input->classes()->negative, "-1");
      positive = label_for_libsvm(input->classes()->positive, "+1");
    }
    text.clear();
    append_libsvm(text, example.target > 0.0 ? positive : negative, scaling.apply(example.row, buffer));
    output.write({text.data(), text.size()});
  }
  output.close();
  report_bad_rows(*input);
  return Signals::exit_status();
}

}  // namespace

Action add_scale(Flags& verb) {
  auto options = std::make_shared<ScaleOptions>();
  options->input.add_to(verb, false);
  verb.text("-o,--output", options->output, "where the LIBSVM text goes; - for standard output")
      .of("FILE")
      .shows_default();
  const Flag method = verb.text("--method", options->method, "minmax: to [0,1]; standard: mean 0, variance 1");
  method.one_of({"minmax", "standard"}).shows_default();
  verb.text("--save-params", options->save, "keep the scaling in this file, for --params").of("FILE");
  verb.text("--params", options->load, "scale as an earlier run did, in one pass").of("FILE").excludes(method);
  return [options] { return scale(*options); };
}

}  // namespace alder::cli
