#include "learners/alder/race.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/learner.h"

#include "archive/archive.h"
#include "learners/core/margin.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDiscount = 0.999;
constexpr std::uint64_t kFirstLook = 300;
constexpr std::uint64_t kBetweenLooks = 50;
constexpr double kDeviations = 3.0;   // behind by more: eliminated
constexpr double kPerDoubling = 0.1;  // what is charged for a doubled width, in deviations
// What can be charged in all, were every round as bad as it can be.
constexpr double kMostCharge = kMostWeight * 2.0 / (1.0 - kDiscount);

}  // namespace

double Race::handicapped(std::size_t runner) const {
  const WidthTrial& trial = runners_[runner];
  const double doublings = std::log2(trial.sigma / runners_.front().sigma);
  return trial.charge + std::sqrt(trial.charge + 1.0) * (kPerDoubling * doublings + (trial.forgets ? 1.0 : 0.0));
}

double Race::charge(const Margin& margin) {
  return (margin.is_mistake ? 1.0 : 0.0) + 0.5 * std::clamp(1.0 - margin.value, 0.0, 2.0);
}

double Race::say(std::size_t runner, double least) const {
  return std::exp(least - handicapped(runner));
}

void Race::vote(std::span<const double> scores, std::span<double> out) const {
  const double least = handicapped(leader_);
  const std::size_t width = out.size();
  std::fill(out.begin(), out.end(), 0.0);
  double weights = 0.0;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (!is_in(r)) continue;
    const double weight = say(r, least);
    weights += weight;
    if (width == 1) {
      out[0] += weight * std::clamp(scores[r], -1.0, 1.0);
      continue;
    }
    const std::span<const double> own = scores.subspan(r * width, width);
    const double most = *std::max_element(own.begin(), own.end());
    for (std::size_t c = 0; c < width; ++c) out[c] += weight * std::max(own[c] - most, -1.0);
  }
  for (double& score : out) score /= weights;
}

void Race::mean(std::span<const double> numbers, std::span<double> out) const {
  const double least = handicapped(leader_);
  const std::size_t width = out.size();
  std::fill(out.begin(), out.end(), 0.0);
  double weights = 0.0;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (!is_in(r)) continue;
    const double weight = say(r, least);
    weights += weight;
    for (std::size_t c = 0; c < width; ++c) out[c] += weight * numbers[r * width + c];
  }
  for (double& number : out) number /= weights;
}

void Race::after_round(std::span<const double> charges, double weight) {
  ++round_;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    WidthTrial& runner = runners_[r];
    if (runner.is_out) continue;
    runner.charge = runner.charge * kDiscount + weight * charges[r];
    runner.rounds = round_;
  }
  find_leader();
  if (round_ == rounds_ || (round_ >= kFirstLook && round_ % kBetweenLooks == 0)) leave();
}

void Race::find_leader() {
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (is_in(r) && handicapped(r) < handicapped(leader_)) leader_ = r;
  }
}

void Race::leave() {
  const double best = runners_[leader_].charge;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (r == leader_ || !is_in(r)) continue;
    const double behind = runners_[r].charge - best;
    if (round_ >= rounds_ || behind > kDeviations * std::sqrt(runners_[r].charge + best)) {
      runners_[r].is_out = true;
      --in_;
    }
  }
}

// Written directly, since a report after every round has it.
std::string race_json(const std::vector<WidthTrial>& race) {
  std::string text = "[";
  const auto number = [&text](const char* name, double value) {
    fmt::format_to(std::back_inserter(text), "\"{}\":", name);
    const std::size_t begin = text.size();
    fmt::format_to(std::back_inserter(text), "{}", value);
    if (text.find_first_of(".e", begin) == std::string::npos) text += ".0";  // or it would come back as an integer
  };
  for (const WidthTrial& runner : race) {
    text += text.size() > 1 ? ",{" : "{";
    number("sigma", runner.sigma);
    fmt::format_to(std::back_inserter(text), R"(,"forgets":{},)", runner.forgets);
    number("charge", runner.charge);
    fmt::format_to(std::back_inserter(text), R"(,"rounds":{},"is_out":{}}})", runner.rounds, runner.is_out);
  }
  return text + "]";
}

void Race::save(Archive& archive) const {
  const auto runners = Json::parse(race_json(runners_));
  archive.settings()["state"]["race"] = {{"round", round_}, {"leader", leader_}, {"runners", runners}};
}

void Race::load(const Archive& archive) {
  const auto race = Archive::read<Json>(archive.object("state"), "race");
  round_ = Archive::read<std::uint64_t>(race, "round");
  leader_ = Archive::read<std::size_t>(race, "leader");
  const Json saved = race.value("runners", Json());
  if (!saved.is_array() || saved.size() != runners_.size()) throw_bad_archive("its race has other runners");
  in_ = 0;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    WidthTrial& runner = runners_[r];
    if (runner.sigma != Archive::read<double>(saved[r], "sigma") ||
        runner.forgets != Archive::read<bool>(saved[r], "forgets")) {
      throw_bad_archive("its race has other runners");
    }
    runner.charge = Archive::read<double>(saved[r], "charge");
    runner.rounds = Archive::read<std::uint64_t>(saved[r], "rounds");
    runner.is_out = Archive::read<bool>(saved[r], "is_out");
    if (!(runner.charge >= 0.0 && runner.charge <= kMostCharge)) {
      throw_bad_archive("a number of its race is out of range");
    }
    if (!runner.is_out) ++in_;
  }
  if (leader_ >= runners_.size() || runners_[leader_].is_out || (round_ >= rounds_ && in_ > 1)) {
    throw_bad_archive("its race contradicts itself");
  }
  const std::size_t leader = leader_;
  find_leader();
  if (leader_ != leader) throw_bad_archive("the leader of its race is behind another runner");
}

}  // namespace alder
