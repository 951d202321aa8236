#include "experiments/trial.h"

#include <algorithm>
#include <ctime>
#include <string_view>

#include "alder/registry.h"

#include "experiments/digits.h"

namespace alder {
namespace {

constexpr std::uint64_t kRowsBetweenLooks = 64;
constexpr std::uint64_t kCurvePoints = 130;
constexpr std::size_t kMostRemovals = 1000;

double processor_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The powers of two, where a curve begins to fall, and rounds at equal distances, where it goes on.
std::vector<std::uint64_t> curve_rounds(std::uint64_t rows) {
  std::vector<std::uint64_t> rounds;
  for (std::uint64_t round = 1; round < rows; round *= 2) rounds.push_back(round);
  for (std::uint64_t i = 1; i <= kCurvePoints; ++i) {
    if (const std::uint64_t round = rows * i / kCurvePoints; round > 0) rounds.push_back(round);
  }
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  return rounds;
}

}  // namespace

Trial::Trial(const Dataset& data, std::vector<std::size_t> order, const std::string& learner, const Json& settings,
             std::uint64_t seed, bool probabilities)
    : model_(learner, learner_options(learner, settings, order.empty() ? data.size() : order.size(), seed)) {
  rows_ = stream(data, std::move(order));
  model_.learn_probabilities(probabilities);
}

bool Trial::advance(std::uint64_t rows, const Stop& stop) {
  const double begin = processor_seconds();
  bool stopped = false;
  while (learned_ < rows && !stopped) {
    const Examples examples = rows_->read(std::min(kRowsBetweenLooks, rows - learned_));
    if (examples.empty()) break;
    for (std::size_t done = 0; done < examples.size();) {
      done += model_.learn(examples.from(done, examples.size() - done));
    }
    learned_ += examples.size();
    stopped = stop();
  }
  seconds_ += processor_seconds() - begin;
  return !stopped;
}

TrialReport Trial::report() const {
  TrialReport report;
  model_.learner().report(report);
  report.mistakes = model_.counts().mistakes;
  report.hinge_loss = model_.counts().hinge_loss;
  return report;
}

Json outcome_of(const Trial& trial) {
  const TrialReport trial_report = trial.report();
  const Counts counts = {trial_report.rounds, trial_report.mistakes, trial_report.hinge_loss};
  const Json report = Json::parse(to_json(counts, trial_report));
  Json json;
  for (const char* name : {"rounds", "mistakes", "hinge_loss"}) json[name] = report.at(name);
  const auto values = trial.metrics().values();
  for (const std::string_view name : {"balanced_error", "kappa", "log_loss", "calibration_error"}) {
    const auto found =
        std::find_if(values.begin(), values.end(), [name](const auto& value) { return value.first == name; });
    json[std::string(name)] = found == values.end() ? Json() : Json(found->second);
  }
  for (const char* name : {"support", "bytes", "switch_round", "removals", "sum_delta"}) json[name] = report.at(name);
  json["seconds"] = trial.seconds();
  return json;
}

Json matrices_of(const Trial& trial) {
  Json confusion = Json::array();
  for (const Confusion::Entry& entry : trial.metrics().confusion().entries()) {
    confusion.push_back({entry.actual, entry.predicted == kNoClass ? Json() : Json(entry.predicted), entry.rows});
  }
  Json reliability;
  for (const Reliability::Bin& bin : trial.metrics().reliability()) {
    reliability["weight"].push_back(with_digits(bin.weight, 9));
    reliability["probability"].push_back(with_digits(bin.probability, 5));
    reliability["right"].push_back(with_digits(bin.right, 5));
  }
  Json json;
  json["confusion"] = std::move(confusion);
  json["reliability"] = std::move(reliability);
  return json;
}

Json curve_of(Trial& trial, std::uint64_t rows, const Stop& stop) {
  Json round = Json::array();
  Json mistakes = Json::array();
  Json support = Json::array();
  Json learning_rate = Json::array();
  Json sum_delta = Json::array();
  std::vector<std::uint64_t> removal_rounds;
  std::uint64_t removals = 0;
  std::uint64_t learned = 0;
  Report report;
  for (const std::uint64_t point : curve_rounds(rows)) {
    while (learned < point) {
      if (!trial.advance(++learned, stop)) return {};
      trial.learner().report(report);
      const std::uint64_t now = report.removals();
      if (now > removals && removal_rounds.size() <= kMostRemovals) removal_rounds.push_back(learned);
      removals = now;
    }
    trial.learner().report(report);
    round.push_back(point);
    mistakes.push_back(trial.report().mistakes);
    support.push_back(report.support);
    learning_rate.push_back(with_digits(report.learning_rate.value_or(0.0), 5));
    if (const auto delta = report.number("sum_delta")) sum_delta.push_back(with_digits(*delta, 5));
  }
  trial.learner().report(report);
  const auto switch_round = report.count("switch_round");
  Json json;
  json["switch_round"] = switch_round ? Json(*switch_round) : Json();
  // A learner of two classes that has become one for each has no Σδ any more.
  json["sum_delta"] = sum_delta.size() == round.size() ? std::move(sum_delta) : Json();
  json["round"] = std::move(round);
  json["mistakes"] = std::move(mistakes);
  json["support"] = std::move(support);
  json["learning_rate"] = std::move(learning_rate);
  json["removal_rounds"] = removal_rounds.size() > kMostRemovals ? Json() : Json(removal_rounds);
  return json;
}

}  // namespace alder
