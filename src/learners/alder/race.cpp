#include "learners/alder/race.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/examples.h"

#include "archive/archive.h"
#include "learners/alder/mixture.h"
#include "learners/core/margin.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDeviationsBehind = 3.0;  // behind by more: eliminated
constexpr double kLeastBehind = 5.0;       // in pairs: behind by no more is nothing
constexpr double kMostVote = 1.0;
struct Limit {
  std::uint64_t round;
  double charged;
  std::size_t most;
};
constexpr Limit kLimits[] = {{300, 60.0, 6}, {600, 120.0, 5}, {1200, 240.0, 4}};
// What a file may say.
constexpr double kMostHandicap = 100.0;
constexpr double kMostWidth = 1e150;
constexpr double kMostRunnerSpread = 1e300;
constexpr std::size_t kMostRunners = 100;
constexpr std::string_view kTransforms[] = {"raw", "range", "deviation", "normal"};
constexpr std::string_view kKernels[] = {"gaussian", "laplacian-l1"};

template <std::size_t kCount>
bool is_one_of(const std::string_view (&names)[kCount], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

Race::Race(std::vector<Runner> runners, const RaceRules& rules)
    : runners_(std::move(runners)), rules_(rules), left_(runners_.size()) {
  find_leader();
}

double Race::handicapped(std::size_t runner) const {
  const Runner& one = runners_[runner];
  return one.charge + std::sqrt(one.charge + 1.0) * one.handicap;
}

double Race::charge(const Margin& margin) {
  return (margin.is_mistake ? 1.0 : 0.0) + 0.5 * std::clamp(1.0 - margin.value, 0.0, 2.0);
}

double Race::say(std::size_t runner, double least) const {
  return rules_.has_equal_votes ? 1.0 : std::exp(least - handicapped(runner));
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
    add_cut(scores.subspan(r * width, width), kMostVote, weight, out);
  }
  for (double& score : out) score /= weights;
}

std::vector<double> Race::shares() const {
  const double least = handicapped(leader_);
  std::vector<double> shares(runners_.size());
  double sum = 0.0;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    shares[r] = is_in(r) ? say(r, least) : 0.0;
    sum += shares[r];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

Directions Race::before_vote(std::size_t runner, std::span<const double> scores, const Directions& after) const {
  const double least = handicapped(leader_);
  double weights = 0.0;
  for (std::size_t r = 0; r < runners_.size(); ++r) weights += is_in(r) ? say(r, least) : 0.0;
  return before_cut(scores, kMostVote, is_in(runner) ? say(runner, least) / weights : 0.0, after);
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

void Race::after_round(std::span<const double> charges, double weight, double common) {
  ++round_;
  charged_ += weight * charges[leader_];
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    Runner& runner = runners_[r];
    if (runner.is_out) continue;
    runner.charge = runner.charge * rules_.discount + weight * charges[r];
    if (rules_.is_paired) {
      const double difference = weight * (charges[r] - common);
      runner.spread = runner.spread * rules_.discount + difference * difference;
    }
    runner.rounds = round_;
  }
  find_leader();
  if (round_ >= rules_.first_look && round_ % rules_.between_looks == 0) eliminate();
  for (const Limit& limit : kLimits) {
    const bool is_due = rules_.is_narrowing && round_ >= limit.round && charged_ >= limit.charged;
    if (is_due && left_ > limit.most) keep(limit.most);
  }
  if (round_ >= rules_.rounds) keep(rules_.finalists);
}

void Race::find_leader() {
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (is_in(r) && (!is_in(leader_) || handicapped(r) < handicapped(leader_))) leader_ = r;
  }
}

bool Race::is_behind(const Runner& runner, const Runner& best) const {
  const double behind = runner.charge - best.charge;
  if (!rules_.is_paired) return behind > kDeviationsBehind * std::sqrt(runner.charge + best.charge);
  return behind > kLeastBehind + kDeviationsBehind * std::sqrt(runner.spread + best.spread);
}

void Race::eliminate() {
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (r == leader_ || !is_in(r)) continue;
    if (!is_behind(runners_[r], runners_[leader_])) continue;
    runners_[r].is_out = true;
    --left_;
  }
}

std::vector<std::size_t> Race::best(std::size_t most) const {
  std::vector<std::size_t> found;
  for (std::size_t r = 0; r < runners_.size(); ++r) {
    if (is_in(r)) found.push_back(r);
  }
  std::stable_sort(found.begin(), found.end(),
                   [this](std::size_t a, std::size_t b) { return handicapped(a) < handicapped(b); });
  if (found.size() > most) found.resize(most);
  std::sort(found.begin(), found.end());
  return found;
}

void Race::keep(std::size_t most) {
  const std::vector<std::size_t> kept = best(most);
  for (Runner& runner : runners_) runner.is_out = true;
  for (const std::size_t r : kept) runners_[r].is_out = false;
  left_ = kept.size();
}

// Written directly, since a report after every round has it.
std::string race_json(const std::vector<Runner>& race) {
  std::string text = "[";
  const auto number = [&text](const char* name, double value) {
    fmt::format_to(std::back_inserter(text), ",\"{}\":", name);
    const std::size_t begin = text.size();
    fmt::format_to(std::back_inserter(text), "{}", value);
    if (text.find_first_of(".e", begin) == std::string::npos) text += ".0";  // or it would come back as an integer
  };
  for (const Runner& runner : race) {
    if (text.size() > 1) text += ',';
    fmt::format_to(std::back_inserter(text), R"({{"transform":"{}","is_scaled":{},"kernel":"{}")", runner.transform,
                   runner.is_scaled, runner.kernel);
    number("sigma", runner.sigma);
    number("handicap", runner.handicap);
    number("charge", runner.charge);
    if (runner.spread > 0.0) number("spread", runner.spread);
    fmt::format_to(std::back_inserter(text), R"(,"rounds":{},"is_out":{}}})", runner.rounds, runner.is_out);
  }
  return text + "]";
}

static std::vector<Runner> read_runners(const Json& saved) {
  if (!saved.is_array() || saved.size() > kMostRunners) throw_bad_archive("its runners are none");
  std::vector<Runner> runners;
  for (const Json& one : saved) {
    Runner& runner = runners.emplace_back();
    runner.transform = Archive::read<std::string>(one, "transform");
    runner.is_scaled = Archive::read<bool>(one, "is_scaled");
    runner.kernel = Archive::read<std::string>(one, "kernel");
    runner.sigma = Archive::read<double>(one, "sigma");
    runner.handicap = Archive::read<double>(one, "handicap");
    runner.charge = Archive::read<double>(one, "charge");
    if (one.contains("spread")) runner.spread = Archive::read<double>(one, "spread");
    runner.rounds = Archive::read<std::uint64_t>(one, "rounds");
    runner.is_out = Archive::read<bool>(one, "is_out");
    if (!(runner.charge >= 0.0) || !(runner.spread >= 0.0 && runner.spread <= kMostRunnerSpread) ||
        !(runner.sigma >= 0.0 && runner.sigma <= kMostWidth) || !(std::fabs(runner.handicap) <= kMostHandicap) ||
        !is_one_of(kTransforms, runner.transform) || !is_one_of(kKernels, runner.kernel)) {
      throw_bad_archive("a runner of its race is out of range");
    }
  }
  return runners;
}

void save_runners(const std::vector<Runner>& runners, const char* key, Archive& archive) {
  archive.settings()["state"][key] = Json::parse(race_json(runners));
}

std::vector<Runner> load_runners(const Archive& archive, const char* key) {
  return read_runners(archive.object("state").value(key, Json()));
}

void Race::save(Archive& archive) const {
  archive.settings()["state"]["race"] = {{"round", round_},
                                         {"charged", charged_},
                                         {"leader", leader_},
                                         {"rounds", rules_.rounds},
                                         {"finalists", rules_.finalists},
                                         {"discount", rules_.discount},
                                         {"first_look", rules_.first_look},
                                         {"between_looks", rules_.between_looks},
                                         {"is_narrowing", rules_.is_narrowing},
                                         {"has_equal_votes", rules_.has_equal_votes},
                                         {"runners", Json::parse(race_json(runners_))}};
  if (rules_.is_paired) archive.settings()["state"]["race"]["is_paired"] = true;
}

Race Race::load(const Archive& archive) {
  const auto race = Archive::read<Json>(archive.object("state"), "race");
  RaceRules rules;
  rules.rounds = Archive::read<std::uint64_t>(race, "rounds");
  rules.finalists = Archive::read<std::size_t>(race, "finalists");
  rules.discount = Archive::read<double>(race, "discount");
  rules.first_look = Archive::read<std::uint64_t>(race, "first_look");
  rules.between_looks = Archive::read<std::uint64_t>(race, "between_looks");
  rules.is_narrowing = Archive::read<bool>(race, "is_narrowing");
  rules.has_equal_votes = Archive::read<bool>(race, "has_equal_votes");
  if (race.contains("is_paired")) rules.is_paired = Archive::read<bool>(race, "is_paired");
  if (rules.finalists == 0 || rules.between_looks == 0 || !(rules.discount > 0.0 && rules.discount <= 1.0)) {
    throw_bad_archive("the rules of its race are none");
  }
  const auto round = Archive::read<std::uint64_t>(race, "round");
  std::vector<Runner> runners = read_runners(race.value("runners", Json()));
  if (runners.empty()) throw_bad_archive("its race has no runners");
  // Were every round as bad as it can be.
  const double most_charge = kMostWeight * 4.0 * (static_cast<double>(round) + 1.0);
  std::size_t left = 0;
  for (const Runner& runner : runners) {
    if (!(runner.charge <= most_charge)) throw_bad_archive("a number of its race is out of range");
    left += runner.is_out ? 0 : 1;
  }
  Race loaded(std::move(runners), rules);
  loaded.round_ = round;
  loaded.charged_ = Archive::read<double>(race, "charged");
  if (!(loaded.charged_ >= 0.0 && loaded.charged_ <= most_charge)) throw_bad_archive("its race was charged too much");
  loaded.left_ = left;
  loaded.leader_ = Archive::read<std::size_t>(race, "leader");
  if (loaded.leader_ >= loaded.runners_.size() || loaded.runners_[loaded.leader_].is_out ||
      (round >= rules.rounds && left > rules.finalists)) {
    throw_bad_archive("its race contradicts itself");
  }
  const std::size_t leader = loaded.leader_;
  loaded.find_leader();
  if (loaded.leader_ != leader) throw_bad_archive("the leader of its race is behind another runner");
  return loaded;
}

}  // namespace alder
