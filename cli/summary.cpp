#include "summary.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace alder::cli {
namespace {

std::string describe(const Kernel& kernel) {
  if (kernel.is_radial())
    return fmt::format("{}, sigma {:g} (gamma {:g})", kernel.name(), kernel.sigma(), kernel.gamma());
  if (kernel.kind() == Kernel::Kind::kPolynomial) {
    return fmt::format("polynomial, degree {}, gamma {:g}, coef0 {:g}", kernel.degree(), kernel.gamma(),
                       kernel.coef0());
  }
  return kernel.name();
}

std::string what_the_phases_mean(const PomdrOptions& options, const Report& report) {
  if (!report.switch_round) {
    return fmt::format("never, phase 1 only: {} rows span all that were met, so the kernel matrix decays fast",
                       report.support);
  }
  if (report.removals == 0) {
    return fmt::format(
        "at round t̄ = {}: too many rows were needed to span the others; the budget of {} was not reached",
        *report.switch_round, options.budget);
  }
  return fmt::format("at round t̄ = {}: the kernel matrix decays slowly; since then the budget of {} was full {} {}",
                     *report.switch_round, options.budget, report.removals, report.removals == 1 ? "time" : "times");
}

}  // namespace

void print_summary(const PomdrOptions& options, const Outcome& outcome) {
  const Report& report = outcome.report;
  const auto rounds = static_cast<double>(report.rounds);
  const auto line = [](const char* name, const std::string& text) { fmt::print(stderr, "{:<14}{}\n", name, text); };
  fmt::print(stderr, "\n");
  line("learner", fmt::format("pomdr, {}", options.precision == Precision::kFloat ? "float" : "double"));
  line("kernel", describe(options.kernel));
  line("rounds",
       fmt::format("{} in {:.2f} s ({:.0f} rows/s)", report.rounds, outcome.seconds, rounds / outcome.seconds));
  line("mistakes", fmt::format("{} ({:.2f}% of the rows, each predicted before it was learned)", report.mistakes,
                               100.0 * report.mistake_rate()));
  line("hinge loss", fmt::format("{:.4f} a round", report.hinge_loss / rounds));
  line("support set", fmt::format("{} rows of at most {}; {:.1f} KiB held in all", report.support, options.budget,
                                  static_cast<double>(report.bytes) / 1024.0));
  line("to phase 2", what_the_phases_mean(options, report));
  line("alignment",
       fmt::format("sum of delta {:.1f}, {:.1f}% of the rounds (the less, the better the kernel fits the labels)",
                   report.sum_delta, 100.0 * report.sum_delta / rounds));
}

void print_json(const PomdrOptions& options, const Outcome& outcome) {
  const Report& report = outcome.report;
  nlohmann::ordered_json json;
  json["learner"] = "pomdr";
  json["kernel"] = options.kernel.name();
  json["sigma"] = options.kernel.sigma();
  json["gamma"] = options.kernel.gamma();
  json["precision"] = options.precision == Precision::kFloat ? "float" : "double";
  json["examples"] = report.rounds;
  json["mistakes"] = report.mistakes;
  json["mistake_rate"] = report.mistake_rate();
  json["hinge_loss"] = report.hinge_loss;
  json["support_vectors"] = report.support;
  json["budget"] = options.budget;
  json["switch_round"] = nullptr;
  if (report.switch_round) json["switch_round"] = *report.switch_round;
  json["removals"] = report.removals;
  json["sum_delta"] = report.sum_delta;
  json["norm"] = report.norm;
  json["learning_rate"] = report.learning_rate;
  json["seconds"] = outcome.seconds;
  json["rows_per_second"] = static_cast<double>(report.rounds) / outcome.seconds;
  json["model_bytes"] = report.bytes;
  fmt::print("{}\n", json.dump(2));
}

}  // namespace alder::cli
