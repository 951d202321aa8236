// The program `alder`: a table of verbs.
#include <cstdio>
#include <exception>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "alder/error.h"
#include "alder/version.h"

#include "verbs.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Verb {
  const char* name;
  const char* summary;
  alder::cli::Action (*add)(CLI::App&);
};

constexpr Verb kVerbs[] = {
    {"train", "Learn from a stream in one pass, predicting each row before learning it", alder::cli::add_train},
    {"generate", "Write a made-up stream as LIBSVM text", alder::cli::add_generate},
};

int run(int argc, char** argv) {
  CLI::App app("alder: online kernel learning in one pass, with bounded memory");
  app.set_version_flag("--version", "alder " ALDER_VERSION);
  app.require_subcommand(1);
  alder::cli::Action chosen;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    command->callback([&chosen, action = verb.add(*command)] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  chosen();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "alder: {}\n", error.what());
    return kFailed;
  }
}
