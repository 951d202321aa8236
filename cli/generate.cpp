#include <memory>

#include <fmt/format.h>

#include "alder/stream.h"

#include "files.h"
#include "libsvm_text.h"
#include "output.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct GenerateOptions {
  std::string name;
  std::uint64_t rows = 10000;
  std::uint64_t seed = 1;
  std::string output = "-";
};

int generate(const GenerateOptions& options) {
  const auto stream = make_generated(options.name, options.rows, options.seed);
  Files files;
  files.streams("-o", options.output);
  Output output(options.output);
  Example example;
  fmt::memory_buffer text;
  while (stream->next(example)) {
    text.clear();
    append_libsvm(text, example.target > 0.0 ? "+1" : "-1", example.row);
    output.write({text.data(), text.size()});
  }
  output.close();
  return 0;
}

}  // namespace

Action add_generate(Flags& verb) {
  auto options = std::make_shared<GenerateOptions>();
  std::string names = "one of:";
  for (const std::string& name : generator_names()) names += fmt::format("\n  {:<13}{}", name, generator_summary(name));
  verb.text("NAME", options->name, names).required().one_of(generator_names());
  verb.count("-n,--rows", options->rows, "how many rows");
  verb.count("--seed", options->seed, "the same seed makes the same rows");
  verb.text("-o,--output", options->output, "where they go; - for standard output").of("FILE").shows_default();
  return [options] { return generate(*options); };
}

}  // namespace alder::cli
