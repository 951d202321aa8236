#include "summary.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include "alder/kernel.h"
#include "alder/registry.h"

#include "choices.h"
#include "class_weights.h"
#include "figures.h"
#include "message.h"
#include "model/report_json.h"
#include "output.h"
#include "spread.h"
#include "table_words.h"

namespace alder::cli {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

std::string what_the_phases_mean(const Report& report, std::uint64_t budget) {
  const auto switch_round = report.count("switch_round");
  if (!switch_round) {
    return fmt::format("never, phase 1 only: {} rows span all that were met, so the kernel matrix decays fast",
                       report.support);
  }
  const std::uint64_t removals = report.removals();
  if (removals == 0) {
    return fmt::format("at round t̄ = {}: too many rows were needed to span the others; the budget was never full",
                       *switch_round);
  }
  return fmt::format("at round t̄ = {}: the kernel matrix decays slowly; since then the budget of {} was full {} {}",
                     *switch_round, budget, removals, removals == 1 ? "time" : "times");
}

void line(const char* name, const std::string& text) {
  say("{:<14}{}\n", name, text);
}

std::string kept_in_words(const Kept& kept) {
  if (kept.choice == "average") {
    return fmt::format("the mean of rounds {} to {}; {} rows", kept.first_round, kept.last_round, kept.support);
  }
  return fmt::format("that of round {}, {}; {} rows", kept.first_round,
                     kept.choice == "random" ? "drawn at random" : "the next to come", kept.support);
}

// The most rows that are stored, given or chosen by the learner; 0: there is no such number.
std::uint64_t budget_of(const Training& training, const Run& run) {
  const Json given = training.options.value("budget", Json());
  return given.is_null() ? run.report.count("budget").value_or(0) : given.get<std::uint64_t>();
}

// The share of mistakes by weight, if rows have weights.
std::string error_by_weight(const Metrics& metrics) {
  const auto error = figure(metrics, "error");
  if (!error || metrics.sums().weight == static_cast<double>(metrics.rows())) return "";
  return fmt::format("; {:.2f}% by weight", 100.0 * *error);
}

std::string yardsticks_in_words(const Run& run) {
  const auto rounds = static_cast<double>(run.metrics.rows());
  const auto percent = [rounds](std::uint64_t count) { return 100.0 * static_cast<double>(count) / rounds; };
  return fmt::format("always the commoner class {:.2f}%, always the last label {:.2f}% mistakes",
                     percent(run.commoner_class_mistakes), percent(run.last_label_mistakes));
}

std::string yardsticks_in_words(const NumberYardsticks& yardsticks) {
  const auto words = [&](const NumberYardsticks::Errors& errors) {
    return fmt::format("{}, {}", in_words("rmse", yardsticks.rmse(errors)), in_words("mae", yardsticks.mae(errors)));
  };
  return fmt::format("always the mean so far {}; always the last value {}", words(yardsticks.of_mean()),
                     words(yardsticks.of_last()));
}

std::string heldout_in_words(const Heldout& heldout) {
  const Metrics& metrics = heldout.metrics;
  if (metrics.task() == Task::kRegression) {
    return fmt::format("{} on {} rows", in_words("rmse", figure(metrics, "rmse").value_or(0.0)), metrics.rows());
  }
  const auto risk = hinge_risk(metrics);
  return fmt::format("{:.2f}% mistakes on {} rows{}{}", 100.0 * heldout.error(), metrics.rows(),
                     error_by_weight(metrics), risk ? fmt::format("; risk {:.4f}, the mean hinge loss", *risk) : "");
}

void print_one(const Training& training, const Run& run) {
  const Report& report = run.report;
  const Counts counts = run.counts();
  const bool is_of_numbers = training.task == Task::kRegression;
  const auto rounds = static_cast<double>(run.rows());
  const std::uint64_t budget = budget_of(training, run);
  line("rounds", fmt::format("{} in {:.2f} s ({:.0f} rows/s){}", run.rows(), run.elapsed, rounds / run.elapsed,
                             report.rounds == run.rows() ? "" : fmt::format(", {} in all", report.rounds)));
  if (!is_of_numbers) {
    line("mistakes", fmt::format("{} ({:.2f}% of the rows, each predicted before it was learned{})", counts.mistakes,
                                 100.0 * counts.mistake_rate(), error_by_weight(run.metrics)));
  }
  for (const auto& [title, text] : figures_in_words(run.metrics, run.classes)) line(title, text);
  line("yardsticks", is_of_numbers ? yardsticks_in_words(run.number_yardsticks) : yardsticks_in_words(run));
  if (training.options.value("recent_labels", false)) line("recent labels", kRecentLabels);
  if (const auto risk = hinge_risk(run.metrics)) line("hinge loss", fmt::format("{:.4f} a round", *risk));
  const std::string bound = report.support <= budget ? fmt::format(" of at most {}", budget) : "";
  line("support set", fmt::format("{} rows{}; {:.1f} KiB held in all", report.support, bound,
                                  static_cast<double>(report.bytes) / 1024.0));
  if (learner_info(training.learner).traits.has_phases) {
    line("to phase 2", what_the_phases_mean(report, budget));
  } else if (report.removals() > 0) {
    line("removals", fmt::format("{}: so often the support set was full", report.removals()));
  }
  if (run.kept) line("hypothesis", kept_in_words(*run.kept));
  if (run.heldout) {
    line("held out", heldout_in_words(*run.heldout));
    if (const std::string figures = figures_in_short(run.heldout->metrics); !figures.empty()) line("", figures);
  }
  if (const auto sum_delta = report.number("sum_delta")) {
    line("alignment",
         fmt::format("sum of delta {:.1f}, {:.1f}% of the rounds (the less, the better the kernel fits the labels)",
                     *sum_delta, 100.0 * *sum_delta / static_cast<double>(report.rounds)));
  }
}

// The spread of what may not be defined for every run; empty unless it is.
template <class Value>
std::optional<Spread> spread_of(const std::vector<Run>& runs, const Value& value) {
  if (!std::all_of(runs.begin(), runs.end(), [&](const Run& run) { return value(run).has_value(); })) return {};
  return spread(runs, [&](const Run& run) { return *value(run); });
}

// The means over the runs of all figures that are defined.
template <class MetricsOf>
std::string means_in_short(const std::vector<Run>& runs, const MetricsOf& metrics_of) {
  std::vector<std::string> texts;
  for (const char* name : figure_names(runs.front().metrics.task())) {
    const auto mean = spread_of(runs, [&](const Run& run) { return figure(metrics_of(run), name); });
    if (mean) texts.push_back(in_words(name, mean->mean));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void print_many(const std::vector<Run>& runs) {
  const bool is_of_numbers = runs.front().metrics.task() == Task::kRegression;
  // The error that comes first: of numbers the RMSE, of classes the percentage of mistakes.
  const auto first_error = [&](const auto& error_of) {
    const Spread error = spread(runs, error_of);
    return is_of_numbers ? fmt::format("RMSE {} ± {}", shown_number(error.mean), shown_number(error.deviation))
                         : fmt::format("{:.2f}% ± {:.2f}", error.mean, error.deviation);
  };
  const Spread seconds = spread(runs, [](const Run& run) { return run.seconds; });
  const Spread support = spread(runs, [](const Run& run) { return static_cast<double>(run.report.support); });
  line("runs", fmt::format("{} permutations of {} rows", runs.size(), runs.front().rows()));
  line(is_of_numbers ? "errors" : "mistakes",
       fmt::format("{}{} (mean ± standard deviation)", first_error([&](const Run& run) {
                     return is_of_numbers ? figure(run.metrics, "rmse").value_or(0.0) : 100.0 * run.mistake_rate();
                   }),
                   is_of_numbers ? "" : " of the rows"));
  const auto metrics_of = [](const Run& run) -> const Metrics& { return run.metrics; };
  if (const std::string figures = means_in_short(runs, metrics_of); !figures.empty()) line("on average", figures);
  line("learning", fmt::format("{:.3f} s ± {:.3f} a run", seconds.mean, seconds.deviation));
  line("support set", fmt::format("{:.1f} rows on average", support.mean));
  if (runs.front().kept) {
    const Spread kept = spread(runs, [](const Run& run) { return static_cast<double>(run.kept->support); });
    line("hypothesis", fmt::format("{}: {:.1f} rows on average", runs.front().kept->choice, kept.mean));
  }
  if (runs.front().heldout) {
    std::string text = fmt::format("{}{} on {} rows", first_error([&](const Run& run) {
                                     return is_of_numbers ? figure(run.heldout->metrics, "rmse").value_or(0.0)
                                                          : 100.0 * run.heldout->error();
                                   }),
                                   is_of_numbers ? "" : " mistakes", runs.front().heldout->metrics.rows());
    if (const auto risk = spread_of(runs, [](const Run& run) { return hinge_risk(run.heldout->metrics); })) {
      text += fmt::format("; risk {:.4f} ± {:.4f}", risk->mean, risk->deviation);
    }
    line("held out", text);
    const auto heldout_of = [](const Run& run) -> const Metrics& { return run.heldout->metrics; };
    if (const std::string figures = means_in_short(runs, heldout_of); !figures.empty()) line("", figures);
  }
  if (runs.front().report.number("sum_delta")) {
    const Spread delta = spread(runs, [](const Run& run) { return run.report.number("sum_delta").value_or(0.0); });
    line("alignment", fmt::format("sum of delta {:.1f} on average", delta.mean));
  }
}

void add_batch(Json& json, const Run& run) {
  if (run.kept) {
    json["batch"] = {{"hypothesis", run.kept->choice},
                     {"first_round", run.kept->first_round},
                     {"last_round", run.kept->last_round},
                     {"support_vectors", run.kept->support}};
  }
  if (run.heldout) {
    const Metrics& metrics = run.heldout->metrics;
    Json& holdout = json["holdout"] = {{"rows", metrics.rows()}};
    if (metrics.task() == Task::kClassification) {
      holdout["mistakes"] = metrics.mistakes();
      holdout["error"] = run.heldout->error();
      holdout["risk"] = or_null(hinge_risk(metrics));
    }
    holdout["seconds"] = run.heldout->seconds;
    if (metrics.task() == Task::kClassification) holdout["mistake_rate"] = run.heldout->error();
    add_figures(holdout, metrics, run.heldout->classes);
  }
}

// Those of the names, of a run: what its learner reports, with the counters of the run itself.
void add_report(Json& json, const Run& run, std::initializer_list<const char*> names) {
  Json report = model_json(run.counts(), run.report);
  if (!hinge_risk(run.metrics)) report["hinge_loss"] = Json();
  const bool is_of_numbers = run.metrics.task() == Task::kRegression;
  for (const char* name : names) {
    const bool is_of_classes = name == std::string_view("mistakes") || name == std::string_view("mistake_rate") ||
                               name == std::string_view("hinge_loss");
    if (!is_of_numbers || !is_of_classes) json[name] = report.at(name);
  }
}

Json run_json(const Run& run) {
  Json json;
  json["seed"] = run.seed;
  json["examples"] = run.rows();
  add_report(json, run,
             {"mistakes", "mistake_rate", "hinge_loss", "support_vectors", "switch_round", "removals", "sum_delta",
              "chosen_sigma"});
  add_figures(json, run.metrics, run.classes);
  json["seconds"] = run.seconds;
  add_batch(json, run);
  return json;
}

// Means over the runs; the switch's is null unless every run has one.
void add_means(Json& json, const std::vector<Run>& runs) {
  const auto add = [&](const std::string& name, const auto& value) {
    const auto found = spread_of(runs, value);
    json[name + "_mean"] = found ? Json(found->mean) : Json();
    json[name + "_std"] = found ? Json(found->deviation) : Json();
  };
  const bool is_of_numbers = runs.front().metrics.task() == Task::kRegression;
  const auto names = figure_names(runs.front().metrics.task());
  if (!is_of_numbers) add("mistake_rate", [](const Run& run) { return std::optional(run.mistake_rate()); });
  for (const char* name : names) add(name, [name](const Run& run) { return figure(run.metrics, name); });
  json["seconds_mean"] = spread(runs, [](const Run& run) { return run.seconds; }).mean;
  const auto switched = [](const Run& run) { return run.report.count("switch_round").has_value(); };
  json["switch_round_mean"] = Json();
  if (std::all_of(runs.begin(), runs.end(), switched)) {
    const auto round = [](const Run& run) { return *run.report.number("switch_round"); };
    json["switch_round_mean"] = spread(runs, round).mean;
  }
  json["sum_delta_mean"] = Json();
  if (runs.front().report.number("sum_delta")) {
    json["sum_delta_mean"] =
        spread(runs, [](const Run& run) { return run.report.number("sum_delta").value_or(0.0); }).mean;
  }
  if (runs.front().heldout) {
    if (!is_of_numbers) {
      add("holdout_error", [](const Run& run) { return std::optional(run.heldout->error()); });
      add("holdout_risk", [](const Run& run) { return hinge_risk(run.heldout->metrics); });
    }
    for (const char* name : names) {
      add(std::string("holdout_") + name, [name](const Run& run) { return figure(run.heldout->metrics, name); });
    }
  }
  for (const Run& run : runs) json["runs"].push_back(run_json(run));
}

Json yardsticks_json(Task task, const Run& run) {
  if (task == Task::kClassification) {
    return {{"commoner_class_mistakes", run.commoner_class_mistakes}, {"last_label_mistakes", run.last_label_mistakes}};
  }
  const NumberYardsticks& yardsticks = run.number_yardsticks;
  return {{"mean_rmse", yardsticks.rmse(yardsticks.of_mean())},
          {"mean_mae", yardsticks.mae(yardsticks.of_mean())},
          {"last_value_rmse", yardsticks.rmse(yardsticks.of_last())},
          {"last_value_mae", yardsticks.mae(yardsticks.of_last())}};
}

std::uint64_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

void print_summary(const Training& training) {
  say("\n");
  const Report& last = training.runs.back().report;
  line("learner", fmt::format("{}, {}", training.learner, training.options.value("precision", "")));
  for (const auto& [name, text] : describe_choices(training.options, Json::parse(to_json(last)))) line(name, text);
  if (training.encoding != nullptr) line("columns", describe_columns(*training.encoding));
  if (training.label_column) line("label", describe_label(*training.label_column));
  const std::string features = fmt::format("{} {}", training.features, training.features == 1 ? "feature" : "features");
  if (training.task == Task::kRegression) {
    line("task", training.task_in_words);
    line("features", fmt::format("{}", training.features));
  } else {
    line("classes", fmt::format("{}; {}", in_words(training.classes), features));
  }
  if (training.class_weights.are_given()) line("class weights", in_words(training.class_weights));
  if (training.runs.size() == 1) {
    print_one(training, training.runs.front());
  } else {
    print_many(training.runs);
  }
  if (!training.model.empty()) line("model", fmt::format("saved in {}", training.model));
  for (const std::string& warning : training.runs.back().warnings) say("warning: {}\n", warning);
  if (training.encoding != nullptr) {
    for (const std::string& warning : table_warnings(*training.encoding)) say("warning: {}\n", warning);
  }
}

void print_json(const Training& training) {
  const Run& run = training.runs.back();
  const Json kernel = training.options.value("kernel", Json::object());
  const auto chosen = run.report.number("sigma");
  Json json;
  json["learner"] = training.learner;
  const Json metric = run.report.find("metric") == nullptr ? Json() : Json::parse(run.report.json("metric"));
  json["kernel"] = kernel.value("name", metric.is_null() ? Json() : metric.at("kernel"));
  json["sigma"] = kernel.value("sigma", or_null(chosen));
  json["gamma"] = kernel.value("gamma", Json());
  if (chosen) json["gamma"] = json["kernel"] == "gaussian" ? 0.5 / (*chosen * *chosen) : 1.0 / *chosen;
  json["precision"] = training.options.value("precision", "");
  json["options"] = training.options;
  json["task"] = training.task == Task::kRegression ? "numbers" : "classes";
  if (training.task == Task::kClassification) {
    json["classes"] = Json::array();
    for (const std::uint32_t id : training.classes.shown) json["classes"].push_back(training.classes.names[id]);
  }
  if (training.encoding != nullptr) json["columns"] = columns_json(*training.encoding);
  if (training.label_column) {
    const LabelColumn& label = *training.label_column;
    json["label_column"] = {
        {"name", label.name.empty() ? Json() : Json(label.name)}, {"number", label.place + 1}, {"found", label.how}};
  }
  json["seed"] = training.seed;
  json["examples"] = run.rows();
  add_report(json, run, {"rounds"});
  json["features"] = training.features;
  add_report(json, run, {"mistakes", "mistake_rate", "hinge_loss"});
  if (run.metrics.sums().weight != static_cast<double>(run.metrics.rows())) {
    json["weight"] = run.metrics.sums().weight;
    if (training.task == Task::kClassification) json["weighted_mistake_rate"] = or_null(figure(run.metrics, "error"));
  }
  add_figures(json, run.metrics, run.classes);
  json["yardsticks"] = yardsticks_json(training.task, run);
  add_report(json, run, {"support_vectors"});
  const std::uint64_t budget = budget_of(training, run);
  json["budget"] = budget == 0 ? Json() : Json(budget);
  add_report(json, run, {"switch_round", "removals", "sum_delta", "norm", "learning_rate", "race", "metric"});
  for (const char* name : {"tried", "reopened", "fine_rows"}) {
    if (const auto count = run.report.count(name)) json[name] = *count;
  }
  if (const auto rate = run.report.number("forgets")) json["forgets"] = *rate;
  json["seconds"] = run.seconds;
  json["read_seconds"] = training.read_seconds;
  json["rows_per_second"] = static_cast<double>(run.rows()) / run.elapsed;
  json["peak_rss_bytes"] = peak_memory();
  add_report(json, run, {"model_bytes"});
  json["model"] = training.model.empty() ? Json() : Json(training.model);
  json["warnings"] = run.warnings;
  if (const std::string warning = guessed_label_warning(training.label_column); !warning.empty()) {
    json["warnings"].push_back(warning);
  }
  if (training.encoding != nullptr) {
    for (const std::string& warning : table_warnings(*training.encoding)) json["warnings"].push_back(warning);
  }
  add_batch(json, run);
  if (training.runs.size() > 1) add_means(json, training.runs);
  Output output("-");
  output.write(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  output.close();
}

}  // namespace alder::cli
