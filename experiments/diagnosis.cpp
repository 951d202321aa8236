#include "experiments/diagnosis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "archive/kernel_settings.h"
#include "experiments/trial.h"

namespace alder {
namespace {

constexpr std::uint64_t kStep = 250;  // rows between two looks at how far it is
// With less than this part of the trace unseen, the eigenvalues are as good as all known.
constexpr double kSeen = 1e-6;
// An eigenvalue below this part of the trace may be as large as that.
constexpr double kRoundingOfEigenvalues = 1e-14;

void check(const Dataset& data) {
  for (std::size_t i = 1; i < data.size(); ++i) {
    if (data[i].target != data[0].target) return;
  }
  throw Error(fmt::format("all rows ({}) are of one class; expected two to tell apart", data.size()));
}

Json options_of(const Json& settings, std::size_t rows, std::uint64_t seed) {
  return Json::parse(
      make_learner(diagnosed_learner(), learner_options(diagnosed_learner(), settings, rows, seed))->options());
}

std::string name_of(const Kernel& kernel) {
  return kernel.is_radial() ? fmt::format("sigma {:g}", kernel.sigma()) : kernel.name();
}

// Learns until `is_enough`, all rows at most. False: it was stopped.
template <class Watch, class Enough>
bool learn(Trial& trial, std::uint64_t rows, const Watch& watch, const Enough& is_enough) {
  bool goes_on = true;
  const auto stop = [&] { return !goes_on; };
  for (std::uint64_t next = 0; next < rows && !is_enough(trial.learner().report()); next += kStep) {
    goes_on = watch(static_cast<double>(next) / static_cast<double>(rows));
    if (!goes_on || !trial.advance(next + kStep, stop)) return false;
  }
  return true;
}

void promise(Diagnosis& diagnosis, std::size_t rows) {
  // Those of a sample of the rows stand for those of all: λ_i/T settles.
  const double scale = static_cast<double>(rows) / static_cast<double>(diagnosis.eigenvalues.rows);
  std::vector<double> values = diagnosis.eigenvalues.values;
  for (double& value : values) value *= scale;
  diagnosis.fit = fit_decay(values);
  const double alpha = diagnosis.ald_error;
  const double smallest =
      std::max(diagnosis.alignment.smallest_self, std::min(alpha, diagnosis.alignment.largest_self));
  if (alpha <= 0.0 || smallest <= 0.0) return;
  if (diagnosis.fit) diagnosis.promised = budget_bound(diagnosis.fit->better().decay, alpha, smallest);
  const LeadingEigenvalues& leading = diagnosis.eigenvalues;
  if (leading.rows == rows && (leading.exact || leading.unseen <= kSeen * leading.trace)) {
    for (double& value : values) value = std::max(value, kRoundingOfEigenvalues * leading.trace);
    diagnosis.promised_by_eigenvalues = budget_bound(values, leading.trace, rows, alpha, smallest);
  }
}

}  // namespace

std::string diagnosed_learner() {
  return learners_with(&LearnerTraits::has_bounds).front();
}

Json with_larger_budget(const Diagnosis& diagnosis) {
  Json settings = diagnosis.settings;
  settings["budget"] = 4 * diagnosis.budget;
  return settings;
}

// Nothing but phase 1 happens unless it stores `most` rows; the budget is the next even number.
Json phase_one_only(const Diagnosis& diagnosis, std::size_t most) {
  Json settings = diagnosis.settings;
  settings["budget"] = most + 2 - most % 2;
  settings["b0"] = most;
  return settings;
}

RegretTerms Diagnosis::terms() const {
  RegretTerms terms = {radius, alignment.largest_self, {}};
  if (run.removals() > 0) terms.removals = {run.rounds, budget};
  return terms;
}

double Diagnosis::delta_bound() const {
  return regret_bound_of_delta(run.number("sum_delta").value_or(0.0), terms());
}

double Diagnosis::alignment_bound() const {
  return regret_bound_of_alignment(alignment.alignment, terms());
}

std::vector<Diagnosis> diagnose(const Dataset& data, const std::vector<Json>& settings, const DiagnosisOptions& options,
                                const DiagnosisWatch& watch) {
  check(data);
  const std::uint64_t rows = data.size();
  std::vector<Diagnosis> diagnoses(settings.size());
  std::vector<Kernel> kernels;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    Diagnosis& diagnosis = diagnoses[k];
    const Json chosen = options_of(settings[k], rows, options.seed);
    diagnosis.settings = settings[k];
    diagnosis.kernel = load_kernel(chosen.at("kernel"));
    diagnosis.budget = chosen.at("budget").get<std::size_t>();
    diagnosis.radius = chosen.at("radius").get<double>();
    kernels.push_back(diagnosis.kernel);
  }

  const auto work = [&](const std::string& what) {
    return Work{options.threads, [&watch, what](double done) { return watch(what, done); }};
  };
  const auto alignments = options.sample > 0
                              ? sampled_alignment(data, kernels, options.sample, options.seed, work("alignment"))
                              : kernel_alignment(data, kernels, work("alignment"));
  if (alignments.empty()) return {};
  for (std::size_t k = 0; k < settings.size(); ++k) {
    Diagnosis& diagnosis = diagnoses[k];
    const std::string name = name_of(diagnosis.kernel);
    const Json chosen = options_of(settings[k], rows, options.seed);
    diagnosis.alignment = alignments[k];
    const auto horizon = chosen.contains("horizon") && !chosen["horizon"].is_null()
                             ? chosen["horizon"].get<std::uint64_t>()
                             : std::uint64_t{1} << 20U;
    const auto ald = chosen.at("ald").get<double>();
    const auto zeta = chosen.at("zeta").get<double>();
    diagnosis.ald_error = ald_error(ald, zeta, horizon, alignments[k].largest_self);
    diagnosis.as_proved = ald == 1.0 && zeta == 1.0 && chosen.at("factor").get<double>() == 1.0;

    auto leading =
        leading_eigenvalues(data, diagnosis.kernel, options.eigenvalues, options.seed, work(name + ": eigenvalues"));
    if (!leading) return {};
    diagnosis.eigenvalues = std::move(*leading);
    promise(diagnosis, rows);

    const auto run = [&](const Json& of_learner, const char* what,
                         const auto& is_enough) -> std::optional<TrialReport> {
      Trial trial(data, {}, diagnosed_learner(), of_learner, options.seed);
      const auto watch_trial = [&](double done) { return watch(fmt::format("{}: {}", name, what), done); };
      if (!learn(trial, rows, watch_trial, is_enough)) return {};
      return trial.report();
    };
    const auto never = [](const Report&) { return false; };
    const auto has_switched = [](const Report& report) { return report.find("switch_round") != nullptr; };
    const auto as_set = run(settings[k], "learning", never);
    if (!as_set) return {};
    diagnosis.run = *as_set;
    if (as_set->removals() > 0) {
      diagnosis.larger = run(with_larger_budget(diagnosis), "learning with a larger budget", never);
      if (!diagnosis.larger) return {};
    }
    diagnosis.phase_one_most = options.most;
    const auto phase_one = run(phase_one_only(diagnosis, options.most), "phase 1", has_switched);
    if (!phase_one) return {};
    diagnosis.phase_one = *phase_one;
    if (phase_one->find("switch_round") != nullptr)
      diagnosis.phase_one.support = options.most;  // since then it may have been halved
  }
  return diagnoses;
}

}  // namespace alder
