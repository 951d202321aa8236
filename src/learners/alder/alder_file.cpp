#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/state.h"
#include "learners/alder/alder.h"
#include "learners/alder/class_candidate.h"
#include "learners/core/kind.h"

// ALDER in model files, those of earlier versions included.
namespace alder {
namespace {

// What a file may say.
constexpr std::uint64_t kMostLanes = 100;
constexpr std::size_t kMostRates = 8;
constexpr double kLeastWidthRatio = 1e-30;
constexpr double kMostWidthRatio = 1.0;
constexpr double kLeastOldWidth = 1e-30;
constexpr double kMostOldWidth = 1e30;
constexpr std::uint64_t kNoGeometry = ~std::uint64_t{0};

// What predictors of the race of earlier versions forgot.
constexpr double kOldForget = 1e-4;
constexpr std::uint64_t kOldFirstRows = 32;

// Of the race of earlier versions: the predictors of each contender, one contender after the other.
struct OldRace {
  double narrowest = 0.0;
  double sigma = 0.0;  // of the leader
  bool forgets = false;
  std::size_t leader = 0;
  bool is_over = false;
};

OldRace load_old_race(const Archive& archive) {
  using Json = nlohmann::ordered_json;
  const auto race = Archive::read<Json>(archive.object("state"), "race");
  const Json runners = race.value("runners", Json());
  OldRace old;
  old.leader = Archive::read<std::size_t>(race, "leader");
  if (!runners.is_array() || old.leader >= runners.size()) throw_bad_archive("its race has no leader");
  std::size_t left = 0;
  for (const Json& runner : runners) {
    const auto sigma = Archive::read<double>(runner, "sigma");
    if (!(sigma > kLeastOldWidth && sigma < kMostOldWidth)) throw_bad_archive("a width of its race is out of range");
    left += Archive::read<bool>(runner, "is_out") ? 0 : 1;
  }
  old.narrowest = Archive::read<double>(runners.front(), "sigma");
  old.sigma = Archive::read<double>(runners[old.leader], "sigma");
  old.forgets = Archive::read<bool>(runners[old.leader], "forgets");
  old.is_over = left <= 1;
  if (Archive::read<bool>(runners[old.leader], "is_out") || old.sigma < old.narrowest) {
    throw_bad_archive("its race contradicts itself");
  }
  return old;
}

std::string geometry_name(std::size_t g) {
  return "geometry" + std::to_string(g);
}
std::string candidate_name(std::size_t i) {
  return "candidate" + std::to_string(i);
}

}  // namespace

template <class T>
void Alder<T>::save_state(Archive& archive) const {
  save_options(options_, archive);
  archive.set("state", "classes", std::uint64_t{classes_});
  archive.set("state", "stage", static_cast<std::uint64_t>(stage_));
  archive.put("counts", std::vector<std::uint64_t>{rows_, values_, tried_, reopened_, race_rows_});
  if (race_) race_->save(archive);
  if (keeps_rows()) {
    recent_.save(archive, "recent");
    alarm_.save(archive, "alarm");
  }
  if (frame_) {
    frame_->save(archive, "frame");
    error_alarm_.save(archive, "error_alarm");
  }
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    if (geometries_[g]) geometries_[g]->save(archive, geometry_name(g));
  }
  std::vector<std::uint64_t> lanes = {geometries_.size()};
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes.push_back(lanes_[i].candidate ? lanes_[i].geometry : kNoGeometry);
    lanes.push_back(lanes_[i].is_settled ? 1 : 0);
    if (lanes_[i].candidate) lanes_[i].candidate->save(archive, candidate_name(i));
  }
  archive.put("lanes", lanes);
  std::vector<Runner> runners;
  for (const Lane& lane : lanes_) runners.push_back(lane.runner);
  save_runners(runners, "runners", archive);
}

template <class T>
Alder<T>::Alder(const AlderOptions& options, const Archive& archive) : Alder(options) {
  restore_rounds(archive);
  const auto classes = archive.setting<std::uint64_t>("state", "classes");
  if (classes < 2 || classes > most_classes() || classes > 2 + rounds()) throw_bad_archive("its classes are too many");
  classes_ = classes;
  if (archive.has_setting("state", "stage")) {
    load_new(archive);
  } else {
    load_old(archive);
  }
}

template <class T>
void Alder<T>::load_new(const Archive& archive) {
  const auto stage = archive.setting<std::uint64_t>("state", "stage");
  if (stage > static_cast<std::uint64_t>(Stage::kSettled)) throw_bad_archive("its stage is unknown");
  stage_ = static_cast<Stage>(stage);
  const auto counts = archive.get<std::uint64_t>("counts", 5);
  if (std::any_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count > kMostCount; })) {
    throw_bad_archive("a number of its state is out of range");
  }
  rows_ = counts[0];
  values_ = counts[1];
  tried_ = counts[2];
  reopened_ = counts[3];
  race_rows_ = counts[4];
  if (rows_ != rounds()) throw_bad_archive("it has other rows than it has learned");
  if (archive.has_setting("state", "race")) race_.emplace(Race::load(archive));
  const bool needs_race = stage_ != Stage::kCollecting && stage_ != Stage::kSettled;
  if ((needs_race && !race_) || (options_.kernel && stage_ != Stage::kSettled && !keeps_rows())) {
    throw_bad_archive("its stage and its race contradict each other");
  }
  if (frame_) {
    frame_->load(archive, "frame");
    error_alarm_.load(archive, "error_alarm");
  }
  recent_.limit(rows_to_keep());
  if (keeps_rows()) {
    recent_.load(archive, "recent", is_for_numbers() ? 0 : classes_);
    for (const Row& row : recent_.view().rows) (void)check_range(row);
    alarm_.load(archive, "alarm");
    if (is_collecting() && recent_.size() != rows_) throw_bad_archive("it has other rows than it has learned");
  }
  load_lanes(archive);
}

template <class T>
void Alder<T>::load_lanes(const Archive& archive) {
  const auto saved = archive.get<std::uint64_t>("lanes");
  const auto runners = load_runners(archive, "runners");
  const std::size_t count = saved.size() / 2;
  if (saved.size() != 1 + 2 * count || count > kMostLanes || saved[0] > kMostLanes || runners.size() != count) {
    throw_bad_archive("its candidates do not add up");
  }
  if (is_collecting() ? count > 0 || saved[0] > 0 : count == 0)
    throw_bad_archive("its candidates and its stage contradict each other");
  if (is_racing() && race_->runners().size() != count) throw_bad_archive("its race has other runners");
  if (stage_ == Stage::kSettled && count != 1) throw_bad_archive("it has too many candidates");
  geometries_.clear();
  geometries_.resize(saved[0]);
  lanes_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Lane& lane = lanes_.emplace_back();
    lane.runner = runners[i];
    lane.is_settled = saved[2 + 2 * i] == 1;
    const std::uint64_t g = saved[1 + 2 * i];
    const bool is_out = g == kNoGeometry;
    if (saved[2 + 2 * i] > 1 || (!is_out && g >= geometries_.size()) || (is_racing() && is_out == race_->is_in(i)) ||
        (!is_racing() && is_out)) {
      throw_bad_archive("its candidates do not add up");
    }
    if (is_out) continue;
    lane.geometry = g;
    if (!geometries_[g]) {
      geometries_[g] =
          std::make_unique<Geometry<T>>(Geometry<T>::load(archive, geometry_name(g), kept_rows(), options_.kernel));
    }
    lane.candidate = load_candidate(archive, candidate_name(i), geometry_of(lane));
    if (lane.candidate->size() > lane.candidate->budget()) throw_bad_archive("it has more elements than its budget");
  }
  if (stage_ != Stage::kSettled) return;  // in a race, rows of those who left may be there
  std::vector<bool> used(geometry_of(lanes_.front()).dictionary().size());
  lanes_.front().candidate->list_elements(used);
  if (std::count(used.begin(), used.end(), false) > 0) throw_bad_archive("a geometry has rows that no candidate uses");
}

template <class T>
std::unique_ptr<Candidate<T>> Alder<T>::load_candidate(const Archive& archive, const std::string& name,
                                                       const Geometry<T>& geometry) const {
  const double ratio = archive.get<double>(name + ".kernel", 1)[0];
  if (!(ratio >= kLeastWidthRatio && ratio <= kMostWidthRatio) || (!geometry.kernel().is_radial() && ratio != 1.0)) {
    throw_bad_archive("the width of " + name + " is out of range");
  }
  std::unique_ptr<Candidate<T>> candidate;
  if (is_for_numbers()) {
    candidate = make_candidate(geometry, ratio);
  } else {
    const auto rates = archive.get<double>(name + ".rates");
    const auto is_rate = [](double rate) { return rate >= 0.0 && rate <= 1.0; };
    if (rates.empty() || rates.size() > kMostRates || !std::all_of(rates.begin(), rates.end(), is_rate)) {
      throw_bad_archive("the rates of " + name + " are out of range");
    }
    candidate = std::make_unique<ClassCandidate<T>>(options_, classes_, rates, geometry, ratio);
  }
  candidate->load(archive, name, geometry);
  return candidate;
}

// Version 1 of the format knew two classes and no head, and recent labels were always inputs.
void upgrade_alder(Archive& archive) {
  archive.set("options", "recent_labels", true);
  archive.set("options", "head", false);
  archive.set("state", "classes", std::uint64_t{2});
  const auto sizes = archive.sizes();
  if (sizes.count("first.labels") == 0) return;
  std::vector<double> targets;
  std::vector<double> weights;
  for (const double label : archive.get<double>("first.labels")) {  // −1 or +1 times the weight
    targets.push_back(class_of(label));
    weights.push_back(std::fabs(label));
  }
  archive.put("first.targets", targets);
  archive.put("first.weights", weights);
}

// Up to version 0.2 candidates had widths and nothing else, in one dictionary. What is left of a race that had not
// ended is its leader.
template <class T>
void Alder<T>::load_old(const Archive& archive) {
  rows_ = rounds();
  const bool has_found = options_.kernel || rounds() >= kOldFirstRows;
  if (!has_found) {
    load_old_rows(archive);
    return;
  }
  std::size_t contender = 0;
  std::size_t predictor = 0;
  double forget = options_.forget;
  Kernel kernel = options_.kernel.value_or(Kernel::gaussian(1.0));
  Kernel of_dictionary = kernel;
  if (!options_.kernel) {
    const OldRace race = load_old_race(archive);
    kernel = Kernel::gaussian(race.sigma);
    of_dictionary = race.is_over ? kernel : Kernel::gaussian(race.narrowest);
    const std::size_t predictors = options_.forget > 0.0 ? 1 : 2;  // of each contender
    contender = race.is_over ? 0 : race.leader / predictors;
    predictor = race.is_over ? 0 : race.leader % predictors;
    if (race.forgets) forget = kOldForget;
    lanes_.resize(1);
    lanes_.front().runner.sigma = race.sigma;
    geometries_.resize(1);
    race_.emplace(std::vector<Runner>{lanes_.front().runner}, RaceRules{});
  }
  geometries_.front() = std::make_unique<Geometry<T>>(Transform(), LinearInputs(), of_dictionary, kept_rows());
  Geometry<T>& geometry = *geometries_.front();
  geometry.restore(archive, rounds());
  Lane& lane = lanes_.front();
  lane.is_settled = true;
  auto candidate = std::make_unique<ClassCandidate<T>>(options_, classes_, std::vector{forget}, geometry,
                                                       kernel.gamma() / of_dictionary.gamma());
  candidate->load_old(archive, "contender" + std::to_string(contender), predictor, geometry);
  lane.candidate = std::move(candidate);
  if (lane.candidate->size() > lane.candidate->budget()) throw_bad_archive("it has more elements than its budget");
  stage_ = Stage::kSettled;
  recent_.limit(rows_to_keep());
  if (kernel.gamma() != of_dictionary.gamma()) {
    rebuild();
  } else if (lane.candidate->size() != geometry.dictionary().size()) {
    throw_bad_archive("the dictionary has rows that no candidate uses");
  }
}

template <class T>
void Alder<T>::load_old_rows(const Archive& archive) {
  const std::size_t n = rounds();
  Dictionary<T> rows(Kernel::gaussian(1.0));
  rows.load(archive, "support");
  if (rows.size() != n) throw_bad_archive("it has other rows than it has learned");
  const auto targets = archive.get<double>("first.targets", n);
  const auto weights = archive.get<double>("first.weights", n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_target =
        targets[i] >= 0.0 && targets[i] < static_cast<double>(classes_) && targets[i] == std::floor(targets[i]);
    if (!is_target || !(weights[i] > 0.0 && weights[i] <= kMostWeight)) {
      throw_bad_archive("a number of its first rows is out of range");
    }
    std::vector<FeatureIndex> features;
    std::vector<double> values;
    for (const auto& [feature, value] : rows.element(i)) {
      features.push_back(feature);
      values.push_back(static_cast<double>(value));
    }
    recent_.push(Row::sparse(features, values), targets[i], weights[i]);
    values_ += values.size();
  }
}

template Alder<float>::Alder(const AlderOptions& options, const Archive& archive);
template Alder<double>::Alder(const AlderOptions& options, const Archive& archive);
template void Alder<float>::save_state(Archive& archive) const;
template void Alder<double>::save_state(Archive& archive) const;

}  // namespace alder
