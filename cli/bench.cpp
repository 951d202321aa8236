#include "experiments/bench.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"

#include "bar.h"
#include "experiments/results.h"
#include "experiments/suite.h"
#include "files.h"
#include "message.h"
#include "output.h"
#include "signals.h"
#include "spread.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct BenchOptions {
  std::string suite;
  std::string output;
  std::string folder;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool quiet = false;
  bool show = false;
};

Suite read_suite(const BenchOptions& options) {
  const std::string text = suite_text(options.suite);
  try {
    return parse_suite(text);
  } catch (const Error& error) {
    throw error.with_message(fmt::format("{}: {}", options.suite, error.what()));
  }
}

std::string folder_of(const BenchOptions& options) {
  if (!options.folder.empty()) return options.folder;
  if (builtin_suite(options.suite)) return "";
  return std::filesystem::path(options.suite).parent_path().string();
}

void report_missing(const Suite& suite, const std::string& folder) {
  const std::vector<DataSpec> missing = missing_data(suite, folder);
  const std::string shown = folder.empty() ? "." : folder;
  for (const DataSpec& data : missing) {
    say("{} is not in {} and is left out{}\n", data.file, shown,
        data.source.empty() ? "" : fmt::format("; it is at {}", data.source));
  }
  if (missing.size() == suite.data.size()) {
    throw Error(Error::Kind::kFile,
                fmt::format("none of the data sets is in {}; name their folder: --data DIR", shown));
  }
}

// Where the bench is: a bar, or a line now and then where no bar can be drawn.
class Watch {
 public:
  explicit Watch(bool quiet) : quiet_(quiet) {}

  void operator()(const BenchStatus& status) {
    if (quiet_ || status.total == 0) return;
    const double done = static_cast<double>(status.done) / static_cast<double>(status.total);
    const std::string text =
        fmt::format("{} of {} runs, about {} left{}", status.done, status.total, in_words(status.seconds_left),
                    status.best.empty() ? "" : fmt::format("; best on {}", status.best));
    bar_.draw(done, text);
    const auto now = std::chrono::steady_clock::now();
    if (!Bar::can_draw() && now - told_ > std::chrono::seconds(15)) {
      told_ = now;
      say("{:>4.0f}% {}\n", 100.0 * done, text);
    }
  }

  void clear() { bar_.clear(); }

 private:
  bool quiet_;
  Bar bar_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

void print_table(const std::vector<BenchBest>& best) {
  say("\n{:<14} {:<13} {:>16} {:>9} {:>8}  {}\n", "data", "learner", "mistakes in %", "seconds", "support", "settings");
  for (const BenchBest& entry : best) {
    const auto of = [](const char* name) { return [name](const Json& run) { return run.at(name).get<double>(); }; };
    const Spread rate = spread(entry.runs, [](const Json& run) {
      return 100.0 * run.at("mistakes").get<double>() / run.at("rounds").get<double>();
    });
    say("{:<14} {:<13} {:>7.2f} ± {:>6.2f} {:>9.3f} {:>8.0f}  {}\n", entry.data, entry.learner, rate.mean,
        rate.deviation, spread(entry.runs, of("seconds")).mean, spread(entry.runs, of("support")).mean,
        as_flags(entry.settings));
  }
}

void check_files(const BenchOptions& options, const Suite& suite, const std::string& folder, const std::string& path) {
  Files files;
  if (!builtin_suite(options.suite)) files.reads("the suite", options.suite);
  for (const DataSpec& data : suite.data) {
    if (!data.file.empty()) files.reads("the data set", find_file(data, folder).value_or(""));
  }
  files.streams("-o", path);
  files.check();
}

int bench(const BenchOptions& options) {
  if (options.show) {
    Output output("-");
    output.write(suite_text(options.suite));
    output.close();
    return 0;
  }
  if (options.jobs == 0) throw UsageError("--jobs is 0; expected at least 1");
  const Suite suite = read_suite(options);
  const std::string folder = folder_of(options);
  const std::string path = options.output.empty() ? suite.name + "-results.jsonl" : options.output;
  check_files(options, suite, folder, path);
  report_missing(suite, folder);
  const Signals signals(nullptr);
  Results results(path, head_of(suite));
  Bench bench(suite, folder, results);
  Watch watch(options.quiet);
  const bool done = bench.run(
      options.jobs, [] { return Signals::caught() != 0; }, std::ref(watch));
  watch.clear();
  const bool is_file = path != "-";
  if (!done) {
    say("alder: stopped{}\n",
        is_file ? fmt::format("; what was finished is in {}, and the same command goes on from there", path) : "");
    return Signals::exit_status();
  }
  if (!options.quiet) {
    print_table(bench.best());
    if (is_file) say("\nEvery run is in {}; python -m alder.report {} makes a page of it.\n", path, path);
  }
  return 0;
}

}  // namespace

Action add_bench(Flags& verb) {
  auto options = std::make_shared<BenchOptions>();
  verb.text("SUITE", options->suite,
            fmt::format("a JSON file, or one that is built in: {}", fmt::join(builtin_suite_names(), ", ")))
      .required();
  verb.text("-o,--output", options->output,
            "results [SUITE-results.jsonl], - for standard output; goes on if it is there")
      .of("FILE");
  verb.text("--data", options->folder, "where the data sets are [the suite's folder]").of("DIR");
  verb.count("--jobs", options->jobs, "runs at a time");
  verb.flag("--show", options->show, "only print the suite: a beginning for your own");
  verb.flag("--quiet", options->quiet, "only errors");
  return [options] {
    try {
      return bench(*options);
    } catch (const Error&) {
      // The results are written by the library of experiments, which knows no ReaderGone.
      if (options->output == "-" && reader_is_gone()) throw ReaderGone();
      throw;
    }
  };
}

}  // namespace alder::cli
