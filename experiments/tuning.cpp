#include "experiments/tuning.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "alder/error.h"
#include "alder/registry.h"

#include "base/random.h"
#include "base/share.h"
#include "experiments/digits.h"

namespace alder {
namespace {

constexpr std::size_t kReduction = 3;
constexpr std::uint64_t kLeastRows = 500;
constexpr std::size_t kFinalists = 4;
constexpr std::size_t kMostFailures = 100;
constexpr int kDigits = 3;  // of settings: a width is no matter of the tenth digit

Json draw(const Json& values, Random& random) {
  const auto is_number = [](const Json& value) { return value.is_number(); };
  if (!values.is_array()) return values;
  if (values.size() == 1) return values.front();
  if (!std::all_of(values.begin(), values.end(), is_number)) return values[random.below(values.size())];
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const auto low = least->get<double>();
  const auto high = greatest->get<double>();
  const double part = random.uniform();
  const double drawn = low > 0.0 ? low * std::pow(high / low, part) : low + (high - low) * part;
  const auto is_whole = [](const Json& value) { return value.is_number_integer(); };
  if (std::all_of(values.begin(), values.end(), is_whole)) return static_cast<std::int64_t>(std::llround(drawn));
  return std::clamp(with_digits(drawn, kDigits), low, high);
}

struct Contestant {
  std::size_t index = 0;  // among the candidates
  std::unique_ptr<Trial> trial;
  Candidate candidate;
};

bool is_better(const Contestant& a, const Contestant& b) {
  return std::tuple(a.candidate.mistakes, a.candidate.hinge_loss, a.index) <
         std::tuple(b.candidate.mistakes, b.candidate.hinge_loss, b.index);
}

// The best first; but settings that have done exactly as others did so far come after all of these: few places are
// left for the next stage, and one of them would be wasted.
void rank(std::span<Contestant> contestants) {
  std::sort(contestants.begin(), contestants.end(), is_better);
  std::set<std::pair<std::uint64_t, double>> seen;
  std::stable_partition(contestants.begin(), contestants.end(), [&seen](const Contestant& contestant) {
    return seen.insert({contestant.candidate.mistakes, contestant.candidate.hinge_loss}).second;
  });
}

}  // namespace

Json search_grid(const std::string& learner, const Json& given, const Dataset& data) {
  Json grid = given;
  for (const OptionInfo& option : learner_info(learner).options) {
    if (!option.trials.empty() && !grid.contains(option.name)) grid[option.name] = option.trials;
  }
  const Json given_kernels = given.value("kernel", Json(default_kernel()));
  const Json kernels = given_kernels.is_array() ? given_kernels : Json::array({given_kernels});
  const auto is_open = [&learner](const Json& kernel) { return has_width(kernel) && !finds_width(learner, kernel); };
  const bool takes_width = has_setting(learner, "sigma") && std::all_of(kernels.begin(), kernels.end(), is_open);
  if (takes_width && !given.contains("sigma") && !given.contains("gamma")) {
    const double median = median_distance(data, kRowsForWidth);
    grid["sigma"] = Json::array();
    for (int power = -4; power <= 2; ++power) grid["sigma"].push_back(with_digits(std::ldexp(median, power), kDigits));
  }
  return grid;
}

std::vector<Json> draw_settings(const std::string& learner, const Json& grid, std::size_t count, std::uint64_t seed) {
  check_grid(learner, grid);
  Random random(seed);
  std::vector<Json> drawn;
  for (std::size_t failures = 0; drawn.size() < count;) {
    Json values = Json::object();
    for (const auto& [name, value] : grid.items()) values[name] = draw(value, random);
    const Json settings = combinations(learner, values).front();
    try {
      (void)make_learner(learner, learner_options(learner, settings, 1, 1));
      drawn.push_back(settings);
    } catch (const Error&) {
      if (++failures > kMostFailures * count) throw;
    }
  }
  return drawn;
}

std::vector<Rung> rungs(std::size_t candidates, std::uint64_t rows) {
  std::vector<Rung> stages = {{candidates, rows}};
  while (stages.back().candidates > kFinalists && stages.front().rows / kReduction >= kLeastRows) {
    for (Rung& rung : stages) rung.rows /= kReduction;
    const std::size_t third = (stages.back().candidates + kReduction - 1) / kReduction;
    stages.push_back({std::max(kFinalists, third), rows});
  }
  return stages;
}

std::vector<Candidate> search(const Dataset& data, const std::string& learner, const std::vector<Json>& candidates,
                              std::uint64_t seed, unsigned threads, const Stop& stop,
                              const std::function<void(const SearchStatus&)>& watch) {
  std::vector<Contestant> contestants;
  for (const Json& settings : candidates) {
    contestants.push_back({contestants.size(),
                           std::make_unique<Trial>(data, std::vector<std::size_t>(), learner, settings, seed),
                           {.settings = settings}});
  }
  const std::vector<Rung> stages = rungs(candidates.size(), data.size());
  for (std::size_t r = 0; r < stages.size(); ++r) {
    const auto learn = [&contestants, &stages, &stop, r](std::size_t i) {
      Contestant& contestant = contestants[i];
      contestant.trial->advance(stages[r].rows, stop);
      const TrialReport report = contestant.trial->report();
      contestant.candidate = {std::move(contestant.candidate.settings),
                              report.rounds,
                              report.mistakes,
                              report.hinge_loss,
                              report.support,
                              contestant.trial->seconds()};
    };
    share(stages[r].candidates, threads, learn, [&watch, r](std::size_t done) {
      watch({r, done});
      return true;
    });
    if (stop()) return {};
    rank(std::span(contestants).first(stages[r].candidates));
    // Those that are out free their memory.
    const std::size_t left = r + 1 < stages.size() ? stages[r + 1].candidates : 0;
    for (std::size_t i = left; i < stages[r].candidates; ++i) contestants[i].trial.reset();
  }
  std::vector<Candidate> ranking;
  for (Contestant& contestant : contestants) ranking.push_back(std::move(contestant.candidate));
  return ranking;
}

}  // namespace alder
