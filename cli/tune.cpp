#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/registry.h"
#include "alder/scaling.h"

#include "bar.h"
#include "experiments/tuning.h"
#include "files.h"
#include "input_flags.h"
#include "learner_flags.h"
#include "limited.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct TuneOptions {
  InputFlags input;
  LearnerFlags learner{default_learner()};
  std::string search = "grid";
  std::uint64_t draws = 50;
  bool shuffle = false;
  std::uint64_t seed = 1;
  std::uint64_t limit = 0;
  std::string scale = "none";
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t top = 10;
  bool quiet = false;
  bool json = false;
};

// The rows in the order in which they will be learned; none if a signal came.
Dataset read_rows(const TuneOptions& options, Input& input) {
  Limited limited(input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  Dataset data = Dataset::read(limited);
  if (Signals::caught() != 0) return {};
  if (data.size() == 0)
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", options.input.name()));
  options.input.order_classes(data, input);
  if (options.scale != "none") data.scale(Scaling::fit(Scaling::kind_named(options.scale), data));
  if (options.shuffle) data = Dataset::read(*stream(data, permutation(data.size(), options.seed)));
  return data;
}

// Whether a candidate of the grid stores rows as floats, which is what learners do unless told.
bool tries_floats(const Json& grid) {
  const Json precision = grid.value("precision", Json("float"));
  return precision == "float" ||
         (precision.is_array() && std::find(precision.begin(), precision.end(), "float") != precision.end());
}

// A search over the first rows says nothing if they are all of one class, as in files that are sorted by it.
void warn_of_order(const Dataset& data, std::uint64_t rows) {
  for (std::size_t i = 1; i < rows; ++i) {
    if (data[i].target != data[0].target) return;
  }
  say("alder: the first {} rows are all of one class, so the first choice is blind; try --shuffle\n", rows);
}

// Why this learner is tuned.
std::string tuning_reason(const LearnerFlags& learner) {
  return fmt::format("{}{}", learner.is_named() ? "named by --learner" : "`alder train` uses it unless told otherwise",
                     learner.chooses_width() ? "; it finds its kernel by itself" : "");
}

std::string command_for(const TuneOptions& options, Json settings, std::size_t rows) {
  // Left to the program, the horizon is the number of rows.
  if (settings.contains("horizon") && settings["horizon"].is_null()) settings.erase("horizon");
  std::string command = fmt::format("alder train {} --learner {} {}", options.input.as_arguments(),
                                    options.learner.learner(), as_flags(settings));
  if (options.scale != "none") command += " --scale " + options.scale;
  if (options.shuffle) command += " --shuffle";
  if (options.seed != 1) command += fmt::format(" --seed {}", options.seed);
  if (options.limit > 0) command += fmt::format(" --limit {}", options.limit);
  if (has_setting(options.learner.learner(), "horizon") && !settings.contains("horizon")) {
    command += fmt::format(" --horizon {}", rows);
  }
  return command;
}

void print_ranking(const std::vector<Candidate>& ranking, std::size_t top) {
  say("\n{:>5} {:>10} {:>10} {:>9} {:>9} {:>8}  {}\n", "rank", "rows", "mistakes", "hinge", "support", "seconds",
      "settings");
  for (std::size_t i = 0; i < std::min(top, ranking.size()); ++i) {
    const Candidate& candidate = ranking[i];
    say("{:>5} {:>10} {:>9.2f}% {:>9.4f} {:>9} {:>8.3f}  {}\n", i + 1, candidate.rows, 100.0 * candidate.mistake_rate(),
        candidate.hinge_loss / static_cast<double>(candidate.rows), candidate.support, candidate.seconds,
        as_flags(candidate.settings));
  }
  if (ranking.size() > top) say("{:>5} and {} more\n", "", ranking.size() - top);
}

void print_json(const TuneOptions& options, const std::vector<Candidate>& ranking, const std::string& command) {
  Json json;
  json["learner"] = options.learner.learner();
  json["learner_reason"] = tuning_reason(options.learner);
  json["command"] = command;
  for (const Candidate& candidate : ranking) {
    json["candidates"].push_back({{"settings", candidate.settings},
                                  {"rows", candidate.rows},
                                  {"mistakes", candidate.mistakes},
                                  {"mistake_rate", candidate.mistake_rate()},
                                  {"hinge_loss", candidate.hinge_loss},
                                  {"support_vectors", candidate.support},
                                  {"seconds", candidate.seconds}});
  }
  Output output("-");
  output.write(json.dump(2) + "\n");
  output.close();
}

std::vector<Json> candidates_of(const TuneOptions& options, const Dataset& data) {
  const std::string& learner = options.learner.learner();
  const Json grid = search_grid(learner, options.learner.grid(), data);
  return options.search == "grid" ? combinations(learner, grid)
                                  : draw_settings(learner, grid, options.draws, options.seed);
}

int tune(const TuneOptions& options) {
  options.input.expect_classes("tune chooses settings");
  if (options.jobs == 0) throw UsageError("--jobs is 0; expected at least 1");
  if (options.draws == 0) throw UsageError("--draws is 0; expected at least 1");
  const Json grid = options.learner.grid();  // wrong options show before anything is read
  if (options.json) check_standard_output(options.input.paths);
  InputOptions input_options = options.input.input_options();
  options.input.find_task(input_options);
  if (options.scale == "none" && tries_floats(grid)) input_options.precision = Precision::kFloat;
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());
  input->peek(1);
  options.input.expect_classes(*input, "tune chooses settings");
  const Dataset data = read_rows(options, *input);
  report_reading(*input);
  std::vector<Candidate> ranking;
  if (data.size() > 0) {
    const std::vector<Json> candidates = candidates_of(options, data);
    const std::vector<Rung> stages = rungs(candidates.size(), data.size());
    if (!options.quiet) say("tuning {}: {}\n", options.learner.learner(), tuning_reason(options.learner));
    if (stages.size() > 1 && !options.quiet) warn_of_order(data, stages.front().rows);
    Bar bar;
    std::optional<std::size_t> told;
    const auto watch = [&](const SearchStatus& status) {
      if (options.quiet) return;
      const Rung& rung = stages[status.rung];
      if (told != status.rung) {
        bar.clear();
        say("{} settings on {} rows\n", rung.candidates, rung.rows);
        told = status.rung;
      }
      bar.draw(static_cast<double>(status.done) / static_cast<double>(rung.candidates),
               fmt::format("{} of {} settings", status.done, rung.candidates));
    };
    ranking = search(
        data, options.learner.learner(), candidates, options.seed, options.jobs, [] { return Signals::caught() != 0; },
        watch);
  }
  if (ranking.empty()) {
    say("alder: stopped before the search was over\n");
    return Signals::exit_status();
  }
  const std::string command = command_for(options, ranking.front().settings, data.size());
  if (!options.quiet) {
    print_ranking(ranking, options.top);
    say("\nThe best again, with -o MODEL to keep it:\n  {}\n", command);
  }
  if (options.json) print_json(options, ranking, command);
  return 0;
}

}  // namespace

Action add_tune(Flags& verb) {
  auto options = std::make_shared<TuneOptions>();
  options->input.add_to(verb, true);
  options->input.add_task_to(verb);
  options->learner.add_to(verb);
  verb.find("--sigma").describe(
      fmt::format("kernel width; auto: found by {}, for others 1/16 to 4 times the median distance of 500 rows",
                  fmt::join(learners_with(&LearnerTraits::finds_width), ", ")));
  verb.text("--search", options->search, "grid: all values; random: draws between them")
      .one_of({"grid", "random"})
      .shows_default();
  verb.count("--draws", options->draws, "how many settings a random search tries");
  verb.flag("--shuffle", options->shuffle, "learn the rows in a random order");
  verb.count("--seed", options->seed, "seed of the shuffle, the draws and randomised learners");
  verb.count("--limit", options->limit, "read at most N rows; 0: all");
  verb.text("--scale", options->scale, "none, minmax or standard: scale the features")
      .one_of({"none", "minmax", "standard"})
      .shows_default();
  verb.count("--jobs", options->jobs, "settings tried at a time");
  verb.count("--top", options->top, "how many of the settings to show");
  verb.flag("--quiet", options->quiet, "only errors");
  verb.flag("--json", options->json, "print all settings and their mistakes as one JSON object");
  verb.footer(
      "Options of the learner take several values with commas between them, all of which are tried:\n"
      "--sigma 0.5,1,2. What is not given is tried at the values that the learner finds worth it.");
  return [options] { return tune(*options); };
}

}  // namespace alder::cli
