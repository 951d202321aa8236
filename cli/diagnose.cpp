#include <cmath>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/scaling.h"

#include "bar.h"
#include "experiments/diagnosis.h"
#include "files.h"
#include "input_flags.h"
#include "learner_flags.h"
#include "limited.h"
#include "message.h"
#include "model/report_json.h"
#include "output.h"
#include "signals.h"
#include "verbs.h"
#include "verdict.h"

namespace alder::cli {
namespace {

constexpr std::size_t kMostKernels = 64;
constexpr std::size_t kMostEigenvalues = 1000;

// Why this learner is diagnosed.
std::string reason() {
  return fmt::format("the theory is about it{}",
                     default_learner() == diagnosed_learner()
                         ? ""
                         : fmt::format("; `alder train` uses {} unless told otherwise", default_learner()));
}

struct DiagnoseOptions {
  InputFlags input;
  LearnerFlags learner{diagnosed_learner()};
  DiagnosisOptions diagnosis;
  bool shuffle = false;
  std::uint64_t limit = 0;
  std::string scale = "none";
  bool quiet = false;
  bool json = false;
};

// The rows in the order in which they are learned; none if a signal came.
Dataset read_rows(const DiagnoseOptions& options, Input& input) {
  Limited limited(input, options.limit > 0 ? options.limit : ~std::uint64_t{0});
  Dataset data = Dataset::read(limited);
  if (Signals::caught() != 0) return {};
  if (data.size() == 0)
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", options.input.name()));
  options.input.expect_theory(data, options.input.order_classes(data, input));
  if (options.scale != "none") data.scale(Scaling::fit(Scaling::kind_named(options.scale), data));
  if (options.shuffle) data = Dataset::read(*stream(data, permutation(data.size(), options.diagnosis.seed)));
  return data;
}

// The widths that were given, or five around the one that `train` takes.
std::vector<Json> settings_of(const DiagnoseOptions& options, const Dataset& data) {
  Json grid = options.learner.grid();
  if (options.learner.needs_width()) {
    const double median = median_distance(data, 500);
    grid["sigma"] = Json::array();
    for (int power = -3; power <= 1; ++power) {
      grid["sigma"].push_back(std::stod(fmt::format("{:.3g}", std::ldexp(median, power))));
    }
  }
  return combinations(options.learner.learner(), grid);
}

void check(const DiagnoseOptions& options) {
  if (options.learner.learner() != diagnosed_learner()) {
    throw UsageError(fmt::format("--learner is {}; expected {}: the theory is of that", options.learner.learner(),
                                 diagnosed_learner()));
  }
  const Json grid = options.learner.grid();
  for (const auto& [name, values] : grid.items()) {
    const bool is_of_kernel = name != "kernel" && is_kernel_setting(name);
    if (values.is_array() && values.size() > 1 && !is_of_kernel) {
      throw UsageError(fmt::format("--{} has {} values; expected one: only kernels are compared", name, values.size()));
    }
  }
  if (options.diagnosis.eigenvalues == 0 || options.diagnosis.eigenvalues > kMostEigenvalues) {
    throw UsageError(
        fmt::format("--eigenvalues is {}; expected 1 to {}", options.diagnosis.eigenvalues, kMostEigenvalues));
  }
  if (options.diagnosis.most < 2)
    throw UsageError(fmt::format("--most is {}; expected at least 2", options.diagnosis.most));
  if (options.diagnosis.sample > 0 && options.diagnosis.sample < 10) {
    throw UsageError(fmt::format("--sample is {}; expected 0, for all rows, or at least 10", options.diagnosis.sample));
  }
}

std::string command_for(const DiagnoseOptions& options, const Json& settings, std::size_t rows) {
  std::string command = fmt::format("alder train {} --learner {} {}", options.input.as_arguments(), diagnosed_learner(),
                                    as_flags(settings));
  if (options.scale != "none") command += " --scale " + options.scale;
  if (options.shuffle) command += fmt::format(" --shuffle --seed {}", options.diagnosis.seed);
  if (options.limit > 0) command += fmt::format(" --limit {}", options.limit);
  if (!settings.contains("horizon")) command += fmt::format(" --horizon {}", rows);
  return command;
}

Json json_of(const TrialReport& report) {
  const Json all = model_json({report.rounds, report.mistakes, report.hinge_loss}, report);
  Json json;
  for (const char* name : {"rounds", "mistakes", "mistake_rate", "hinge_loss", "support_vectors", "switch_round",
                           "removals", "sum_delta"}) {
    json[name] = all.at(name);
  }
  return json;
}

Json json_of(const FittedDecay& fit) {
  return {{"law", fit.decay.kind == Decay::Kind::kExponential ? "exponential" : "polynomial"},
          {fit.decay.kind == Decay::Kind::kExponential ? "r" : "p", fit.decay.rate},
          {"r0", fit.decay.constant},
          {"r_squared", fit.explained}};
}

Json json_of(const Diagnosis& diagnosis, double imbalance) {
  const Kernel& kernel = diagnosis.kernel;
  const Alignment& alignment = diagnosis.alignment;
  const LeadingEigenvalues& leading = diagnosis.eigenvalues;
  Json json;
  json["kernel"] = kernel.name();
  json["sigma"] = kernel.is_radial() ? Json(kernel.sigma()) : Json();
  json["gamma"] = find_kernel(kernel.name())->find("gamma") == nullptr ? Json() : Json(kernel.gamma());
  json["settings"] = diagnosis.settings;
  json["alignment"] = alignment.alignment;
  json["alignment_error"] = alignment.error ? Json(*alignment.error) : Json();
  json["alignment_rows"] = alignment.rows;
  json["alignment_per_round"] = alignment.alignment / static_cast<double>(diagnosis.run.rounds);
  json["trace"] = alignment.trace;
  json["largest_self"] = alignment.largest_self;
  json["explained"] = alignment.explained();
  json["eigenvalues"] = {{"values", leading.values}, {"rows", leading.rows},       {"trace", leading.trace},
                         {"exact", leading.exact},   {"columns", leading.columns}, {"unseen", leading.unseen}};
  json["decay"] = Json();
  if (diagnosis.fit) {
    json["decay"] = json_of(diagnosis.fit->better());
    json["decay"]["fitted"] = diagnosis.fit->used;
    json["decay"]["exponential"] = json_of(diagnosis.fit->exponential);
    json["decay"]["polynomial"] = json_of(diagnosis.fit->polynomial);
  }
  json["ald_error"] = diagnosis.ald_error;
  json["budget_promised"] = diagnosis.promised ? Json(*diagnosis.promised) : Json();
  json["budget_by_eigenvalues"] = diagnosis.promised_by_eigenvalues ? Json(*diagnosis.promised_by_eigenvalues) : Json();
  json["phase_one"] = json_of(diagnosis.phase_one);
  json["run"] = json_of(diagnosis.run);
  json["larger_budget"] = diagnosis.larger ? json_of(*diagnosis.larger) : Json();
  json["regret_bound"] = {{"by_delta", diagnosis.delta_bound()},
                          {"by_alignment", diagnosis.alignment_bound()},
                          {"radius", diagnosis.radius},
                          {"with_removals", diagnosis.run.removals() > 0},
                          {"as_proved", diagnosis.as_proved}};
  json["verdict"] = verdict(diagnosis, imbalance);
  return json;
}

void print_json(const std::vector<Diagnosis>& diagnoses, const Recommendation& best, const Dataset& data,
                double imbalance, const std::string& command) {
  Json json;
  json["learner"] = diagnosed_learner();
  json["learner_reason"] = reason();
  json["rows"] = data.size();
  json["features"] = data.features();
  json["explained_by_a_constant"] = imbalance;
  for (const Diagnosis& diagnosis : diagnoses) json["kernels"].push_back(json_of(diagnosis, imbalance));
  json["recommendation"] = {
      {"settings", best.settings}, {"mistakes", best.mistakes}, {"reason", best.reason}, {"command", command}};
  Output output("-");
  output.write(json.dump(2) + "\n");
  output.close();
}

void print_all(const std::vector<Diagnosis>& diagnoses, const Recommendation& best, double imbalance,
               const std::string& command) {
  say("diagnosing {}: {}\n", diagnosed_learner(), reason());
  say("{}\n", table_of(diagnoses));
  const Diagnosis& first = diagnoses.front();
  std::string notes = fmt::format("T = {} rows, ALD threshold {:.3g}, radius {:g}, budget {}.", first.run.rounds,
                                  std::sqrt(first.ald_error), first.radius, first.budget);
  if (first.alignment.error) {
    notes += fmt::format(" A_T/T is estimated from {} rows, with a standard error of", first.alignment.rows);
    for (const Diagnosis& diagnosis : diagnoses) {
      notes += fmt::format(" {:.4f}", *diagnosis.alignment.error / static_cast<double>(diagnosis.run.rounds));
    }
    notes += ".";
  }
  if (!first.eigenvalues.exact) {
    const bool all = first.eigenvalues.rows == first.run.rounds;
    notes += fmt::format(" Eigenvalues are from {} random columns of the kernel matrix{}, which leave unseen",
                         first.eigenvalues.columns, all ? "" : fmt::format(" of {} rows", first.eigenvalues.rows));
    for (const Diagnosis& diagnosis : diagnoses) {
      notes += fmt::format(" {:.2g}%", 100.0 * diagnosis.eigenvalues.unseen / diagnosis.eigenvalues.trace);
    }
    notes += " of it.";
  }
  if (!first.as_proved) notes += " The bounds are proved for --zeta 1 --ald 1 --factor 1.";
  say("{}\n", wrapped(notes, 0));
  for (const Diagnosis& diagnosis : diagnoses) {
    say("\n{:<14}{}\n", kernel_name(diagnosis.kernel), wrapped(verdict(diagnosis, imbalance), 14));
  }
  say("\n{:<14}{}\n  {}\n", "recommended", wrapped(best.reason, 14), command);
}

int diagnose(const DiagnoseOptions& options) {
  options.input.expect_classes("the diagnosis is");
  check(options);
  if (options.json) check_standard_output(options.input.paths);
  InputOptions input_options = options.input.input_options();
  options.input.find_task(input_options);
  const auto input = open_input(options.input.paths, input_options);
  const Signals signals(input.get());
  input->peek(1);
  options.input.expect_classes(*input, "the diagnosis is");
  const Dataset data = read_rows(options, *input);
  report_reading(*input);
  std::vector<Diagnosis> diagnoses;
  if (data.size() > 0) {
    const std::vector<Json> settings = settings_of(options, data);
    if (settings.size() > kMostKernels) {
      throw UsageError(fmt::format("{} kernels are asked for; expected at most {}", settings.size(), kMostKernels));
    }
    Bar bar;
    diagnoses = alder::diagnose(data, settings, options.diagnosis, [&](const std::string& what, double done) {
      if (!options.quiet) bar.draw(done, what);
      return Signals::caught() == 0;
    });
  }
  if (diagnoses.empty()) {
    say("alder: stopped before the diagnosis was over\n");
    return Signals::exit_status();
  }
  double balance = 0.0;
  for (std::size_t i = 0; i < data.size(); ++i) balance += sign_of(data[i].target) / static_cast<double>(data.size());
  const Recommendation best = recommend(diagnoses);
  const std::string command = command_for(options, best.settings, data.size());
  if (!options.quiet) print_all(diagnoses, best, balance * balance, command);
  if (options.json) print_json(diagnoses, best, data, balance * balance, command);
  return 0;
}

}  // namespace

Action add_diagnose(Flags& verb) {
  auto options = std::make_shared<DiagnoseOptions>();
  options->input.add_to(verb, true);
  options->input.add_task_to(verb);
  options->learner.add_to(verb);
  verb.find("--sigma").describe("kernel widths; auto: 1/8 to 2 times the median distance of 500 rows");
  verb.find("--learner").shown(false);
  verb.count("--sample", options->diagnosis.sample, "estimate the alignment from N rows; 0: exactly");
  verb.count("--eigenvalues", options->diagnosis.eigenvalues, "how many of the largest eigenvalues");
  verb.count("--most", options->diagnosis.most, "give phase 1 up when it stores N rows");
  verb.flag("--shuffle", options->shuffle, "learn the rows in a random order");
  verb.count("--seed", options->diagnosis.seed, "seed of the shuffle, the sample and the columns for eigenvalues");
  verb.count("--limit", options->limit, "read at most N rows; 0: all");
  verb.text("--scale", options->scale, "none, minmax or standard: scale the features")
      .one_of({"none", "minmax", "standard"})
      .shows_default();
  verb.count("--jobs", options->diagnosis.threads, "number of threads; 0: one for each core");
  verb.flag("--quiet", options->quiet, "only errors");
  verb.flag("--json", options->json, "print everything, with the eigenvalues, as one JSON object");
  verb.footer(
      "--sigma takes several widths with commas between them: --sigma 0.5,1,2. The bounds are proved for\n"
      "--zeta 1 --ald 1 --factor 1. python -m alder.report makes a page of what --json prints.");
  return [options] { return diagnose(*options); };
}

}  // namespace alder::cli
