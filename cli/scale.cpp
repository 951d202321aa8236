#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "alder/input.h"
#include "alder/scaling.h"

#include "files.h"
#include "input_flags.h"
#include "libsvm_text.h"
#include "message.h"
#include "names.h"
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

// Names of classes as LIBSVM text can hold them, which is not every label that CSV can.
class LibsvmLabels {
 public:
  const std::string& of(std::uint32_t id, const std::vector<std::string>& classes) {
    while (texts_.size() <= id) add(classes[texts_.size()]);
    return texts_[id];
  }

 private:
  void add(const std::string& name) {
    std::string text = name;
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return std::strchr(" \t#:", letter) != nullptr; }, '_');
    const std::string plain = text;
    for (int i = 2; std::find(texts_.begin(), texts_.end(), text) != texts_.end(); ++i) {
      text = fmt::format("{}_{}", plain, i);
    }
    if (text != name) say("class {} is written as {}: LIBSVM text cannot hold its name\n", shown_name(name), text);
    texts_.push_back(text);
  }

  std::vector<std::string> texts_;  // by id
};

void check_files(const ScaleOptions& options) {
  Files files;
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.reads("the weights", options.input.options.weights_file);
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
  LibsvmLabels labels;
  while (Signals::caught() == 0 && input->next(example)) {
    text.clear();
    append_libsvm(text, labels.of(static_cast<std::uint32_t>(example.target), input->classes()),
                  scaling.apply(example.row, buffer), example.weight);
    output.write({text.data(), text.size()});
  }
  output.close();
  report_reading(*input);
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
