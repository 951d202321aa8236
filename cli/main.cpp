// The program `alder`: a table of verbs.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "alder/version.h"

#include "message.h"
#include "output.h"
#include "suggest.h"
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
    {"predict", "Predict the rows of files with a saved model", alder::cli::add_predict},
    {"explain", "Say which features and which stored rows moved the predictions", alder::cli::add_explain},
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

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) names.emplace_back(verb.name);
  return names;
}

// The options that have names with dashes; those that the help has come first, so that they are suggested first.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const bool is_shown : {true, false}) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group().empty() == is_shown) continue;
      for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
  }
  return names;
}

// What is wrong with the words of the command line. A word that nothing takes explains what else may be missing.
std::string complaint_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> chosen = app.get_subcommands([](const CLI::App*) { return true; });
  const auto is_chosen =
      std::find_if(chosen.begin(), chosen.end(), [](const CLI::App* verb) { return verb->parsed(); });
  const CLI::App& verb = is_chosen == chosen.end() ? app : **is_chosen;
  const std::string help = &verb == &app ? "`alder help`" : fmt::format("`alder help {}`", verb.get_name());
  const std::vector<std::string> left = verb.remaining();
  for (const std::string& word : left) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string option = word.substr(0, word.find('='));
    const std::string found = alder::cli::closest(option.substr(option.find_first_not_of('-')), option_names(verb));
    return fmt::format(
        "{} has no option {}; {}", verb.get_name(), option,
        found.empty() ? fmt::format("{} lists those there are", help) : fmt::format("did you mean '--{}'?", found));
  }
  if (!left.empty()) return fmt::format("'{}' is one argument too many; {} says what is expected", left.front(), help);
  if (&verb == &app) return fmt::format("expected a verb; {} lists them", help);
  std::string text = error.what();
  // "--sigma: 1 required X missing"
  if (text.ends_with(" missing") && text.starts_with("-")) text = text.substr(0, text.find(':')) + " needs a value";
  return fmt::format("{}; {} says what is expected", text, help);
}

// `alder help` is `alder --help`, and `alder help VERB` is `alder VERB --help`.
std::vector<const char*> with_help_as_option(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  if (argc > 2 && std::string_view(argv[2]) == "help") words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

int run(int argc, char** argv) {
  CLI::App app("alder: online kernel learning in one pass, with bounded memory", "alder");
  app.set_version_flag("--version", "alder " ALDER_VERSION);
  app.set_help_flag("-h,--help", "This text");
  app.formatter(std::make_shared<OneLineFormatter>());
  app.require_subcommand(1);
  alder::cli::Action chosen;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.summary);
    alder::cli::Flags flags(*command);
    command->callback([&chosen, action = verb.add(flags)] { chosen = action; });
  }
  // Verbs that are added later would take it over.
  app.footer("`alder help VERB` or `alder VERB --help` lists the options of a verb.");
  const std::vector<const char*> words = with_help_as_option(argc, argv);
  const std::vector<std::string> names = verb_names();
  if (words.size() > 1 && words[1][0] != '-' && std::find(names.begin(), names.end(), words[1]) == names.end()) {
    throw alder::cli::UsageError(fmt::format("unknown verb {}; expected {}{}", words[1],
                                             alder::cli::alternatives(names),
                                             alder::cli::did_you_mean(words[1], names)));
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw alder::cli::UsageError(complaint_of(app, error));
    std::ostringstream text;
    app.exit(error, text, text);
    alder::cli::Output output("-");
    output.write(text.str());
    output.close();
    return 0;
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
  // A reader of the output that goes away and a limit on the size of files must not end a run whose model is still to
  // be saved: they become Errors.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    alder::instruction_set();  // throws if the environment asks for one that is not there
    return run(argc, argv);
  } catch (const alder::cli::UsageError& error) {
    alder::cli::say("alder: {}\n", error.what());
    return kWrongUsage;
  } catch (const alder::cli::ReaderGone&) {
    return alder::cli::kReaderGoneStatus;
  } catch (const std::bad_alloc&) {
    alder::cli::say("alder: out of memory\n");
    return kFailed;
  } catch (const std::exception& error) {
    alder::cli::say("alder: {}\n", error.what());
    return kFailed;
  }
}
