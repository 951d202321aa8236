#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "learners/alder/alder.h"
#include "learners/alder/class_candidate.h"
#include "learners/alder/value_candidate.h"

// The lanes of ALDER: how candidates enter, learn what is kept, and leave.
namespace alder {
namespace {

constexpr std::size_t kManyClasses = 100;  // beyond that the slow predictor is left out
constexpr double kPerDoubling = 0.1;       // handicap of a doubled width
// How careful predictors that forget are believed in a race, and after it.
constexpr double kRaceCaution = 1.0;
constexpr double kCaution = 0.5;

// The fine layer: the candidate's width divided by this, and its most rows; fewer if rows have many values, or there
// are many classes, each with its weights.
constexpr double kFineWidth = 5.0;
constexpr std::size_t kFineRows = 1000;
constexpr std::size_t kFineNumbers = 1U << 18U;

// Texts and their like need more rows, since each has features that few others have: a row for every three of the
// features that the last 256 rows have, up to 600.
constexpr std::size_t kRowsForFeatures = 256;
constexpr std::size_t kFeaturesPerRow = 3;
constexpr std::size_t kMostWideRows = 600;

std::size_t budget_of_wide(std::span<const Row> rows) {
  std::unordered_set<FeatureIndex> features;
  for (const Row& row : rows.last(std::min<std::size_t>(rows.size(), kRowsForFeatures))) {
    for (std::size_t j = 0; j < row.size(); ++j) features.insert(row.feature(j));
  }
  return std::min(features.size() / kFeaturesPerRow, kMostWideRows);
}

double gamma_ratio(const Kernel& kernel, double narrower) {
  return kernel.kind() == Kernel::Kind::kGaussian ? narrower * narrower : narrower;
}

Kernel with_gamma(const Kernel& kernel, double gamma) {
  return kernel.kind() == Kernel::Kind::kGaussian ? Kernel::gaussian_gamma(gamma) : Kernel::laplacian_l1_gamma(gamma);
}

}  // namespace

template <class T>
std::unique_ptr<Candidate<T>> Alder<T>::make_candidate(const Geometry<T>& geometry, double ratio) const {
  if (is_for_numbers()) return std::make_unique<ValueCandidate<T>>(options_, *frame_, geometry, ratio);
  const std::vector<double> given = {options_.forget};
  return std::make_unique<ClassCandidate<T>>(options_, classes_, options_.kernel ? given : parts_.rates, geometry,
                                             ratio);
}

// New candidates, which learn the rows that are kept.
template <class T>
void Alder<T>::enter(std::vector<Entrant> entrants, std::size_t first_row) {
  const std::size_t first_lane = lanes_.size();
  const std::size_t first_geometry = geometries_.size();
  const RecentRows::View known = recent_.view();
  const auto rows = std::span(known.rows).subspan(first_row);
  const std::size_t budget_of_features = budget_of_wide(rows);
  const LinearInputs linear = parts_.has_linear_inputs ? LinearInputs::fit(rows, is_for_numbers()) : LinearInputs();
  for (Entrant& entrant : entrants) {
    // The narrowest kernel is the one to which rounding errors of distances matter most.
    const int narrowest = std::min(entrant.powers.front(), entrant.also_by_novelty ? 0 : entrant.powers.front());
    const Runner runner = {.transform = std::string(entrant.transform.name()),
                           .is_scaled = entrant.is_scaled,
                           .kernel = std::string(entrant.kernel(narrowest).name())};
    geometries_.push_back(
        std::make_unique<Geometry<T>>(entrant.transform, linear, entrant.kernel(narrowest), kept_rows()));
    const auto add_lane = [&](int power) -> Lane& {
      Lane& lane = lanes_.emplace_back();
      lane.geometry = geometries_.size() - 1;
      lane.runner = runner;
      lane.runner.sigma = entrant.kernel(power).sigma();
      lane.runner.handicap = is_for_numbers() ? 0.0 : entrant.handicap + kPerDoubling * power;
      const double ratio = gamma_ratio(entrant.kernel(narrowest), std::ldexp(1.0, narrowest - power));
      lane.candidate = make_candidate(geometry_of(lane), ratio);
      lane.candidate->set_caution(kRaceCaution);
      lane.candidate->widen_budget(budget_of_features);
      return lane;
    };
    for (const int power : entrant.powers) add_lane(power);
    if (entrant.also_by_novelty) add_lane(0).candidate->grow_by_novelty();
  }
  tried_ += lanes_.size() - first_lane;
  replay(first_lane, first_geometry, first_row);
  // They take part in what is left of the block.
  for (std::size_t g = first_geometry; g < geometries_.size(); ++g) geometries_[g]->begin_block(block_.subspan(next_));
}

template <class T>
void Alder<T>::replay(std::size_t first_lane, std::size_t first_geometry, std::size_t first_row) {
  const RecentRows::View known = recent_.view();
  if (frame_) frame_->restart_recent();
  const auto geometries = std::span(geometries_).subspan(first_geometry);
  for (std::size_t begin = first_row; begin < known.rows.size(); begin += kBlock) {
    const auto block = std::span(known.rows).subspan(begin, std::min(kBlock, known.rows.size() - begin));
    for (auto& geometry : geometries) geometry->begin_block(block);
    for (std::size_t r = begin; r < begin + block.size(); ++r) {
      for (auto& geometry : geometries) geometry->begin();
      forecast(first_lane, r == begin);
      if (is_for_numbers()) {
        learn_lanes(first_lane, frame_->inside(known.targets[r]), known.weights[r]);
        frame_->push_recent(frame_->inside(known.targets[r]));
      } else {
        learn(first_lane, known.targets[r], known.weights[r], true);
      }
      for (auto& geometry : geometries) geometry->end(sign_of(known.targets[r]));
    }
    for (auto& geometry : geometries) geometry->end_block();
    for (Lane& lane : std::span(lanes_).subspan(first_lane)) lane.candidate->forget_ahead();
  }
}

template <class T>
std::size_t Alder<T>::lanes_left() const {
  return static_cast<std::size_t>(
      std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.candidate != nullptr; }));
}

// Candidates that were eliminated go, and geometries that none is in any more.
template <class T>
void Alder<T>::clear_out() {
  if (race_->left() == lanes_left()) return;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!race_->is_in(i)) lanes_[i].candidate.reset();
  }
  clear_geometries();
}

template <class T>
void Alder<T>::clear_geometries() {
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    const auto is_in = [g](const Lane& lane) { return lane.candidate && lane.geometry == g; };
    if (std::none_of(lanes_.begin(), lanes_.end(), is_in)) geometries_[g].reset();
  }
}

// Only these lanes stay, in this order, and the geometries that they are in.
template <class T>
void Alder<T>::keep(const std::vector<std::size_t>& kept) {
  std::vector<Lane> lanes;
  lanes.reserve(kept.size());
  for (const std::size_t i : kept) lanes.push_back(std::move(lanes_[i]));
  lanes_ = std::move(lanes);
  clear_geometries();
  std::vector<std::unique_ptr<Geometry<T>>> geometries;
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    if (!geometries_[g]) continue;
    for (Lane& lane : lanes_) {
      if (lane.geometry == g) lane.geometry = geometries.size();
    }
    geometries.push_back(std::move(geometries_[g]));
  }
  geometries_ = std::move(geometries);
}

// Predictors that forget slowly begin now, where they have not yet begun. With very many classes they cost too much.
template <class T>
void Alder<T>::wake() {
  if (!(parts_.slow_rate > 0.0) || classes_ > kManyClasses) return;
  for (Lane& lane : lanes_) {
    if (lane.candidate->predictors() == parts_.rates.size()) lane.candidate->add_slow_predictor(parts_.slow_rate);
  }
}

// A candidate that is left at the end of a race gets what would have cost too much for all.
template <class T>
void Alder<T>::settle(Lane& lane) {
  if (std::exchange(lane.is_settled, true)) return;
  lane.candidate->set_caution(kCaution);
  lane.candidate->settle();
  if (parts_.most_budget > 0) {
    lane.candidate->fit_budget(parts_.most_budget);
    lane.candidate->widen_budget(budget_of_wide(recent_.view().rows));
  }
  if (!parts_.has_fine_layer) return;
  const std::uint64_t numbers = values_ / rows_ + outputs();  // of a row: its values and its weights
  lane.candidate->add_fine_layer(std::min<std::uint64_t>(kFineRows, kFineNumbers / numbers),
                                 gamma_ratio(geometry_of(lane).kernel(), kFineWidth));
}

// Geometries have no other rows than those that are in use, and a kernel that is as narrow as the narrowest in use.
template <class T>
void Alder<T>::rebuild() {
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    Geometry<T>& geometry = *geometries_[g];
    std::vector<bool> used(geometry.dictionary().size());
    double narrowest = 0.0;
    for (const Lane& lane : lanes_) {
      if (lane.geometry != g) continue;
      lane.candidate->list_elements(used);
      narrowest = std::max(narrowest, lane.candidate->largest_ratio());
    }
    std::vector<std::size_t> elements;
    std::vector<std::uint32_t> places(used.size());
    for (std::size_t e = 0; e < used.size(); ++e) {
      places[e] = static_cast<std::uint32_t>(elements.size());
      if (used[e]) elements.push_back(e);
    }
    geometry.rebuild(with_gamma(geometry.kernel(), geometry.kernel().gamma() * narrowest), elements);
    for (Lane& lane : lanes_) {
      if (lane.geometry == g) lane.candidate->move(places, narrowest);
    }
  }
}

template std::unique_ptr<Candidate<float>> Alder<float>::make_candidate(const Geometry<float>&, double) const;
template std::unique_ptr<Candidate<double>> Alder<double>::make_candidate(const Geometry<double>&, double) const;
template void Alder<float>::enter(std::vector<Entrant>, std::size_t);
template void Alder<double>::enter(std::vector<Entrant>, std::size_t);
template void Alder<float>::replay(std::size_t, std::size_t, std::size_t);
template void Alder<double>::replay(std::size_t, std::size_t, std::size_t);
template std::size_t Alder<float>::lanes_left() const;
template std::size_t Alder<double>::lanes_left() const;
template void Alder<float>::clear_out();
template void Alder<double>::clear_out();
template void Alder<float>::keep(const std::vector<std::size_t>&);
template void Alder<double>::keep(const std::vector<std::size_t>&);
template void Alder<float>::wake();
template void Alder<double>::wake();
template void Alder<float>::settle(Lane&);
template void Alder<double>::settle(Lane&);
template void Alder<float>::rebuild();
template void Alder<double>::rebuild();

}  // namespace alder
