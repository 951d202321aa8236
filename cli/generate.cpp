#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/stream.h"

#include "verbs.h"

namespace alder::cli {
namespace {

struct Options {
  std::string name;
  std::uint64_t rows = 10000;
  std::uint64_t seed = 1;
};

void write_out(const fmt::memory_buffer& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(fmt::format("standard output: {}", std::strerror(errno)));
  }
}

void generate(const Options& options) {
  const auto stream = make_generated(options.name, options.rows, options.seed);
  Example example;
  fmt::memory_buffer text;
  while (stream->next(example)) {
    fmt::format_to(fmt::appender(text), "{:+}", static_cast<int>(example.label));
    for (std::size_t j = 0; j < example.row.size(); ++j) {
      fmt::format_to(fmt::appender(text), " {}:{}", std::uint64_t{example.row.feature(j)} + 1, example.row.value(j));
    }
    text.push_back('\n');
    if (text.size() > (1U << 16U)) {
      write_out(text);
      text.clear();
    }
  }
  write_out(text);
}

}  // namespace

Action add_generate(CLI::App& verb) {
  auto options = std::make_shared<Options>();
  std::string names = "one of:";
  for (const std::string& name : generator_names()) names += fmt::format("\n  {:<13}{}", name, generator_summary(name));
  verb.add_option("NAME", options->name, names)->required();
  verb.add_option("-n,--rows", options->rows, "how many rows")->capture_default_str();
  verb.add_option("--seed", options->seed, "the same seed makes the same rows")->capture_default_str();
  return [options] { generate(*options); };
}

}  // namespace alder::cli
