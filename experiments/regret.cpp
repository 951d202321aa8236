#include "experiments/regret.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/registry.h"
#include "alder/theory.h"

#include "archive/kernel_settings.h"
#include "experiments/settings.h"

namespace alder {
namespace {

bool is_as_proved(const Json& options) {
  return options.at("zeta").get<double>() == 1.0 && options.at("ald").get<double>() <= 1.0 &&
         options.at("factor").get<double>() == 1.0;
}

// D, the largest κ(x,x) of the rows from `first` to `last`.
double largest_self(const Dataset& dataset, const Kernel& kernel, std::size_t first, std::size_t last) {
  if (kernel.is_radial()) return 1.0;
  double largest = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    double norm = 0.0;
    const Row row = dataset[i].row;
    for (std::size_t j = 0; j < row.size(); ++j) norm += row.value(j) * row.value(j);
    largest = std::max(largest, kernel.self(norm));
  }
  return largest;
}

// A_t of the first rows; empty if it was stopped.
std::optional<double> alignment_of(const Dataset& dataset, std::size_t rows, const RegretRun& run,
                                   const RegretOptions& options) {
  Dataset first;
  for (std::size_t i = 0; i < rows; ++i) first.append(dataset[i]);
  Work work;
  work.threads = options.threads;
  if (options.stop) work.watch = [&options](double) { return !options.stop(); };
  const std::vector<Alignment> found = kernel_alignment(first, std::span(&run.kernel, 1), work);
  return found.empty() ? std::nullopt : std::optional(found.front().alignment);
}

// 1, 2, 4, … and the last.
std::vector<std::size_t> ends(std::size_t rows) {
  std::vector<std::size_t> all;
  for (std::size_t t = 1; t < rows; t *= 2) all.push_back(t);
  all.push_back(rows);
  return all;
}

}  // namespace

RegretRun measure_regret(const Dataset& dataset, Model& model, const RegretOptions& options,
                         const std::function<void(const RegretRun&)>& watch) {
  const Learner& learner = model.learner();
  const Json settings = Json::parse(learner.options());
  if (!settings.contains("kernel")) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("{} has no kernel, whose functions it could be compared with; expected a learner that has",
                            learner.name()));
  }
  RegretRun run;
  run.kernel = load_kernel(settings.at("kernel"));
  run.radius = options.radius.value_or(settings.value("radius", HindsightOptions().radius));
  run.has_bounds = learner_info(learner.name()).traits.has_bounds;
  // The bounds are against functions of the learner's own ball.
  const bool is_own_ball = run.has_bounds && run.radius <= settings.at("radius").get<double>();
  run.as_proved = is_own_ball && is_as_proved(settings);

  HindsightOptions hindsight;
  hindsight.radius = run.radius;
  hindsight.tolerance = options.tolerance;
  hindsight.threads = options.threads;
  hindsight.stop = options.stop;
  HindsightSolver solver(run.kernel, hindsight);
  constexpr std::size_t kAtOnce = 256;
  std::vector<Row> rows;
  double self = 0.0;
  std::size_t t = 0;
  for (const std::size_t end : dataset.size() > 0 ? ends(dataset.size()) : std::vector<std::size_t>()) {
    const auto start = std::chrono::steady_clock::now();
    self = std::max(self, largest_self(dataset, run.kernel, t, end));
    while (t < end) {
      const Examples examples = dataset.examples(t, std::min<std::size_t>(end - t, kAtOnce), rows);
      const std::size_t count = model.learn(examples);
      for (std::size_t i = 0; i < count && end <= options.most; ++i) solver.append(examples[i]);
      t += count;
    }
    RegretPoint point;
    const Report report = learner.report();
    point.rounds = report.rounds;
    point.loss = model.counts().hinge_loss;
    point.removals = report.removals();
    point.support_set = report.support;
    if (run.has_bounds) {
      RegretTerms terms;
      terms.radius = settings.at("radius").get<double>();
      terms.largest_self = self;
      if (point.removals > 0) terms.removals = {report.rounds, settings.at("budget").get<std::size_t>()};
      point.sum_delta = report.number("sum_delta");
      point.delta_bound = regret_bound_of_delta(point.sum_delta.value(), terms);
      if (end <= options.most) point.alignment = alignment_of(dataset, end, run, options);
      if (point.alignment) point.alignment_bound = regret_bound_of_alignment(std::max(0.0, *point.alignment), terms);
    }
    if (end <= options.most) {
      const Hindsight best = solver.solve();
      if (options.stop && options.stop()) break;
      point.best = best.loss;
      point.certain = best.certain;
      point.norm = best.norm;
      point.support = best.support;
    }
    point.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.points.push_back(point);
    if (watch) watch(run);
  }
  return run;
}

}  // namespace alder
