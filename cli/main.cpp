// The program `alder`: a table of verbs.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "alder/version.h"

#include "message.h"
#include "output.h"
#include "verbs.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Verb {
  const char* name;
  const char* summary;
  alder::cli::Action (*add)(alder::cli::Flags&);
};

constexpr Verb kVerbs[] = {
    {"train", "Learn from a stream in one pass, predicting each row before learning it", alder::cli::add_train},
    {"predict", "Predict the rows of a file with a saved model", alder::cli::add_predict},
    {"info", "Say what is inside a saved model", alder::cli::add_info},
    {"learners", "List the learners that train can use", alder::cli::add_learners},
    {"generate", "Write a made-up stream as LIBSVM text", alder::cli::add_generate},
    {"scale", "Scale the features of a file", alder::cli::add_scale},
    {"tune", "Find a learner's best settings for a file", alder::cli::add_tune},
    {"diagnose", "Say how hard the rows are for a kernel, and what the theory promises", alder::cli::add_diagnose},
    {"regret", "Compare what a learner lost with the best function in hindsight", alder::cli::add_regret},
    {"bench", "Compare learners on data sets: the paper's, or your own", alder::cli::add_bench},
};

// One line for each option, with its default, so that the help of a verb fits a screen.
class OneLineFormatter final : public CLI::Formatter {
 public:
  OneLineFormatter() { column_width(27); }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string type = option->get_type_name();
    const std::string own_type = type.substr(0, type.find(':'));  // the rest is what validators have to say
    return (own_type.empty() ? "" : " " + own_type) +
           (option->get_default_str().empty() ? "" : " [" + option->get_default_str() + "]");
  }
};

int run(int argc, char** argv) {
  CLI::App app("alder: online kernel learning in one pass, with bounded memory", "alder");
  app.set_version_flag("--version", "alder " ALDER_VERSION);
  app.set_help_flag("-h,--help", "This text");
  app.formatter(std::make_shared<OneLineFormatter>());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  alder::cli::Action chosen;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    alder::cli::Flags flags(*command);
    command->callback([&chosen, action = verb.add(flags)] { chosen = action; });
  }
  const auto is_chosen = [argv](const Verb& verb) { return std::string_view(verb.name) == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::none_of(std::begin(kVerbs), std::end(kVerbs), is_chosen)) {
    std::string names;
    for (const Verb& verb : kVerbs) names += fmt::format("{}{}", names.empty() ? "" : ", ", verb.name);
    throw alder::cli::UsageError(fmt::format("unknown verb {}; expected one of {}", argv[1], names));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    std::ostringstream complaint;
    const bool is_help = app.exit(error, text, complaint) == 0;
    alder::cli::say_text(complaint.str());
    alder::cli::Output output("-");
    output.write(text.str());
    output.close();
    return is_help ? 0 : kWrongUsage;
  }
  return chosen();
}

// A descriptor 0, 1 or 2 that is closed would become that of the next file that is opened, and messages would go into
// it. The device that takes the place fails on reading or writing like what is closed.
void occupy_standard_descriptors() {
  constexpr int kContraryModes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    if (::open("/dev/null", kContraryModes[descriptor]) != descriptor) std::exit(kFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  // A reader of the output that goes away and a limit on the size of files are errors like a full disk, not a silent
  // death.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    alder::instruction_set();  // throws if the environment asks for one that is not there
    return run(argc, argv);
  } catch (const alder::cli::UsageError& error) {
    alder::cli::say("alder: {}\n", error.what());
    return kWrongUsage;
  } catch (const std::bad_alloc&) {
    alder::cli::say("alder: out of memory\n");
    return kFailed;
  } catch (const std::exception& error) {
    alder::cli::say("alder: {}\n", error.what());
    return kFailed;
  }
}
