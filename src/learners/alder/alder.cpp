#include "learners/alder/alder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "alder/error.h"

#include "learners/core/importances.h"
#include "learners/core/kind.h"
#include "learners/core/margin.h"
#include "rows/prepared_row.h"
#include "rows/width.h"

namespace alder {

void list(AlderOptions& options, OptionVisitor& visit) {
  visit.automatic_kernel(options.kernel);
  std::size_t loss = options.loss ? 1 : 0;
  visit.choice("loss", loss, {"margin", "squared"}, "margin: labels are classes; squared: they are numbers. One of");
  options.loss = loss == 1 ? std::optional(Loss::of(Loss::Kind::kSquared)) : std::nullopt;
  visit.automatic_count("budget", options.budget, 1,
                        "B: the most rows that are stored; auto: 200 to 400, 600 for very many features, for K "
                        "classes 100 K up to 800",
                        1U << 13U);
  visit.choice(
      "effort", options.effort, {"low", "normal", "high"},
      "how much is tried to find a metric, and to follow a stream. Low: transforms and widths, in 0.45 of the time\n"
      "of normal, which also has learned scales, a fine layer and an alarm. High: also more rows, which are\n"
      "replaced, in 1.1 of the time (1.3 if the stream changes). One of");
  visit.number("threshold", options.threshold, {1e-3, 1.0}, "how far a row must be from the span of those stored");
  visit.number("noise", options.noise, {1e-6, 1e6}, "r of AROW: the larger, the smaller the steps");
  visit.worth_trying({0.03, 0.1, 0.3});
  visit.number("forget", options.forget, {0.0, 1.0},
               "variance regained in an update; 0 without a kernel: several rates, mixed by their recent mistakes");
  visit.count("race", options.race, 1, "rows after which two candidates are left at the latest");
  visit.flag("recent_labels", options.recent_labels,
             "use the last labels too, where they are known before the next row");
  visit.flag("head", options.head, "learn log-odds for probabilities beside the scores");
  visit.choice("growth", options.growth, {"guide", "predictor"}, "whose margin makes the dictionary grow");
  visit.choice("covariance", options.covariance, {"full", "diagonal"}, "of the predictor's weights");
  visit.choice("leave_out", options.leave_out,
               {"nothing", "transforms", "scales", "laplacian", "linear", "fine", "duel", "budget", "forgetting",
                "alarm", "replacement"},
               "without");
  visit.precision(options.precision);
}

void check(const AlderOptions& options) {
  check_ranges(options);
  if (options.loss && options.loss->kind() != Loss::Kind::kSquared) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("the loss of alder is {}; expected squared, or none for classes", options.loss->name()));
  }
  const AlderOptions usual;
  if (options.loss && (options.forget != usual.forget || options.noise != usual.noise || options.head != usual.head ||
                       options.growth != usual.growth || options.covariance != usual.covariance)) {
    throw Error(Error::Kind::kUnsupported,
                "forget, noise, head, growth and covariance are for classes; for numbers predictors with several rates "
                "of forgetting and several noises are mixed, and no head is needed");
  }
}

template <class T>
Alder<T>::Alder(const AlderOptions& options) : options_(options), parts_(options), recent_(0) {
  if (is_for_numbers()) frame_ = std::make_unique<TargetFrame>();
  recent_.limit(rows_to_keep());
  if (options_.kernel && !is_for_numbers()) begin_given();
}

// With the kernel that was given.
template <class T>
void Alder<T>::begin_given() {
  geometries_.push_back(std::make_unique<Geometry<T>>(Transform(), LinearInputs(), *options_.kernel, kept_rows()));
  lanes_.emplace_back();
  lanes_.front().candidate = make_candidate(*geometries_.front(), 1.0);
  stage_ = Stage::kSettled;
}
template void Alder<float>::begin_given();
template void Alder<double>::begin_given();

template <class T>
std::size_t Alder<T>::check_range(const Row& row) const {
  static thread_local PreparedRow<T> prepared;
  prepared.borrow(row, options_.kernel.value_or(Kernel::gaussian(1.0)));
  return prepared.values().size();
}
template std::size_t Alder<float>::check_range(const Row& row) const;
template std::size_t Alder<double>::check_range(const Row& row) const;

// Before there is a kernel: the class of the nearest row, and nothing for the first of all.
template <class T>
void Alder<T>::score_nearest(const Row& row, Outputs out) const {
  std::fill(out.scores.begin(), out.scores.end(), 0.0);
  std::fill(out.extras.begin(), out.extras.end(), 0.0);
  const RecentRows::View known = recent_.view();
  if (known.rows.empty()) return;
  std::size_t nearest = 0;
  double least = squared_distance(row, known.rows[0]);
  for (std::size_t i = 1; i < known.rows.size(); ++i) {
    const double square = squared_distance(row, known.rows[i]);
    if (!(square < least)) continue;
    least = square;
    nearest = i;
  }
  if (is_for_numbers()) {
    value_nearest(known, nearest, out);
  } else if (out.scores.size() == 1) {
    out.scores[0] = sign_of(known.targets[nearest]);
  } else {
    out.scores[static_cast<std::size_t>(known.targets[nearest])] = 1.0;
  }
}

template <class T>
void Alder<T>::combine(std::span<const double> scores, std::span<const double> extras, Outputs out) const {
  if (is_for_numbers()) {
    combine_values(scores, extras, out);
  } else if (is_racing()) {
    race_->vote(scores, out.scores);
    if (!out.extras.empty()) race_->mean(extras, out.extras);
  } else {
    std::copy_n(scores.begin(), out.scores.size(), out.scores.begin());
    std::copy_n(extras.begin(), out.extras.size(), out.extras.begin());
  }
}

template <class T>
void Alder<T>::score_block(std::span<const Row> rows, Outputs out) const {
  const std::size_t width = outputs();
  if (keeps_rows()) {
    for (const Row& row : rows) (void)check_range(row);
  }
  if (is_collecting()) {
    for (std::size_t r = 0; r < rows.size(); ++r) score_nearest(rows[r], out.from(r, 1, width));
    return;
  }
  static thread_local ScoredRows<T> scored;
  static thread_local std::vector<T> inputs;
  // Of each lane the scores of all rows; then of each row those of all lanes.
  static thread_local std::vector<double> made;
  static thread_local std::vector<double> made_logits;
  static thread_local std::vector<double> scores;
  static thread_local std::vector<double> logits;
  const std::size_t of_lane = rows.size() * width;
  made.assign(lanes_.size() * of_lane, 0.0);
  made_logits.assign(out.extras.empty() ? 0 : made.size(), 0.0);
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    if (!geometries_[g]) continue;
    geometries_[g]->look(rows, scored, inputs);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!lanes_[i].candidate || lanes_[i].geometry != g) continue;
      const auto part = [&](std::vector<double>& numbers) {
        return numbers.empty() ? std::span<double>() : std::span(numbers).subspan(i * of_lane, of_lane);
      };
      lanes_[i].candidate->score(*geometries_[g], scored, inputs, rows.size(), part(made), part(made_logits));
    }
  }
  const auto of_row = [&](const std::vector<double>& numbers, std::size_t r, std::vector<double>& row) {
    row.resize(numbers.empty() ? 0 : lanes_.size() * width);
    for (std::size_t i = 0; i < lanes_.size() && !row.empty(); ++i) {
      std::copy_n(numbers.data() + i * of_lane + r * width, width, row.data() + i * width);
    }
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    of_row(made, r, scores);
    of_row(made_logits, r, logits);
    combine(scores, logits, out.from(r, 1, width));
  }
}

template <class T>
void Alder<T>::begin_block(std::span<const Row> rows) {
  block_ = rows;
  next_ = 0;
  for (auto& geometry : geometries_) {
    if (geometry) geometry->begin_block(rows);
  }
}

template <class T>
void Alder<T>::end_block() {
  for (auto& geometry : geometries_) {
    if (geometry) geometry->end_block();
  }
  for (Lane& lane : lanes_) {
    if (lane.candidate) lane.candidate->forget_ahead();
  }
  block_ = {};
}

template <class T>
void Alder<T>::round(const Row& row, double target, double weight, Outputs out) {
  const std::size_t values = keeps_rows() ? check_range(row) : 0;
  for (auto& geometry : geometries_) {
    if (geometry) geometry->begin();  // the last thing that can reject the row
  }
  const bool is_new = !is_for_numbers() && target >= static_cast<double>(classes_);  // a class that no score is of yet
  if (is_collecting()) {
    score_nearest(row, out);
    if (!is_for_numbers()) classes_ = std::max(classes_, static_cast<std::size_t>(target) + 1);
  } else {
    forecast(0, rows_ % kBlock == 0);
    combine(scores_, extras_, out);
    if (is_for_numbers()) {
      learn_value(0, frame_->inside(target), weight, frame_->inside(out.scores[0]));
    } else {
      learn(0, target, weight, false);
    }
  }
  for (auto& geometry : geometries_) {
    if (geometry) geometry->end(sign_of(target));
  }
  recent_.push(row, target, weight);
  ++rows_;
  values_ += values;
  ++next_;
  if (keeps_rows()) after_row(target, out, !is_for_numbers() && (is_new || margin_of(out.scores, target).is_mistake));
}

// What the lanes make of a row before its class is known.
template <class T>
void Alder<T>::forecast(std::size_t first, bool begins_block) {
  const std::size_t width = outputs();
  scores_.assign(lanes_.size() * width, 0.0);
  extras_.assign(extras() > 0 ? scores_.size() : 0, 0.0);
  for (std::size_t i = first; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!lane.candidate) continue;
    if (begins_block) lane.candidate->begin_block();
    lane.candidate->forecast(geometry_of(lane), lane.forecast);
    std::copy(lane.forecast.scores.begin(), lane.forecast.scores.end(), scores_.data() + i * width);
    if (!extras_.empty()) {
      std::copy(lane.forecast.extras.begin(), lane.forecast.extras.end(), extras_.data() + i * width);
    }
  }
}

template <class T>
void Alder<T>::add_class() {
  ++classes_;
  for (Lane& lane : lanes_) {
    if (lane.candidate) lane.candidate->add_class(lane.forecast);
  }
}

// Learns the row of the latest forecast.
template <class T>
void Alder<T>::learn(std::size_t first, double target, double weight, bool is_replay) {
  const bool is_new = target >= static_cast<double>(classes_);
  if (is_new) add_class();
  learn_lanes(first, target, weight);
  if (is_new) charges_.assign(lanes_.size(), 0.0);
  if (!is_replay && is_racing()) race_->after_round(charges_, weight);
}

// Candidates that share a geometry share the rows that they store.
template <class T>
void Alder<T>::learn_lanes(std::size_t first, double target, double weight) {
  charges_.assign(lanes_.size(), 0.0);
  joined_.assign(geometries_.size(), std::nullopt);
  for (std::size_t i = first; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (!lane.candidate) continue;
    charges_[i] = lane.candidate->charge(lane.forecast, target);
    if (may_replace(lane)) lane.candidate->replace(geometry_of(lane), lane.forecast, target);
    lane.candidate->learn(geometry_of(lane), lane.forecast, target, weight, joined_[lane.geometry]);
  }
}

template void Alder<float>::learn(std::size_t, double, double, bool);
template void Alder<double>::learn(std::size_t, double, double, bool);
template void Alder<float>::learn_lanes(std::size_t, double, double);
template void Alder<double>::learn_lanes(std::size_t, double, double);

// Stored rows may be replaced after a race, and only if no other candidate uses the rows of the same geometry.
template <class T>
bool Alder<T>::may_replace(const Lane& lane) const {
  if (!parts_.replaces || (stage_ != Stage::kSettled && stage_ != Stage::kDuel)) return false;
  return std::count_if(lanes_.begin(), lanes_.end(),
                       [&](const Lane& other) { return other.candidate && other.geometry == lane.geometry; }) == 1;
}

template <class T>
const Candidate<T>* Alder<T>::leading() const {
  return is_collecting() ? nullptr : lanes_[leader()].candidate.get();
}
template const Candidate<float>* Alder<float>::leading() const;
template const Candidate<double>* Alder<double>::leading() const;

// From the rows that are kept; with a given kernel from those that are stored, which are as they came.
template <class T>
std::vector<FeatureShare> Alder<T>::importances() const {
  if (recent_.size() > 0) return importances_by_swaps(*this, recent_.view().rows);
  if (is_collecting()) return {};
  RowBuffer stored;
  const Geometry<T>& geometry = geometry_of(lanes_[leader()]);
  const Dictionary<T>& dictionary = geometry.dictionary();
  for (std::size_t i = 0; i < dictionary.size() && geometry.transform().is_identity(); ++i) {
    const StoredRow<T> element = dictionary.element(i);
    const RowBuffer::Room room = stored.room(element.size());
    for (std::size_t j = 0; j < element.size(); ++j) {
      room.indices[j] = element[j].first;
      room.values[j] = static_cast<double>(element[j].second);
    }
    stored.append_written(Row::sparse(room.indices.data(), room.values.data(), element.size()).as_checked());
  }
  return importances_by_swaps(*this, stored.rows());
}

template <class T>
void Alder<T>::describe(Report& report) const {
  const Candidate<T>* const candidate = leading();
  report.support = candidate == nullptr ? recent_.size() : candidate->size();
  if (race_) {
    const Runner& runner = race_->runners()[race_->leader()];
    report.details.push_back({"sigma", runner.sigma});
    report.details.push_back({"race", race_json(race_->runners())});
    report.details.push_back({"metric", fmt::format(R"({{"transform":"{}","is_scaled":{},"kernel":"{}"}})",
                                                    runner.transform, runner.is_scaled, runner.kernel)});
    report.details.push_back({"tried", tried_});
    report.details.push_back({"reopened", reopened_});
  }
  if (candidate != nullptr) {
    report.details.push_back({"candidate", std::uint64_t{leader()}});
    report.details.push_back({"geometry", std::uint64_t{lanes_[leader()].geometry}});
    report.details.push_back({"budget", std::uint64_t{candidate->budget()}});
    if (candidate->fine_rows() > 0) report.details.push_back({"fine_rows", std::uint64_t{candidate->fine_rows()}});
    if (!options_.kernel) report.details.push_back({"forgets", candidate->rate()});
  }
  report.bytes = sizeof(*this) + recent_.bytes();
  for (const auto& geometry : geometries_) report.bytes += geometry ? geometry->bytes() : 0;
  for (const Lane& lane : lanes_) report.bytes += lane.candidate ? lane.candidate->bytes() : 0;
}

std::unique_ptr<Learner> make_alder(const AlderOptions& options) {
  return make_of<Alder>(options);
}

void upgrade_alder(Archive& archive);  // alder_file.cpp

extern constexpr LearnerKind kAlder =
    learner_kind<Alder>("alder", "second-order learning in the coordinates of a growing dictionary; finds its metric",
                        {.finds_width = true,
                         .learns_numbers = true,
                         .finds_units = true,
                         .coefficients = LearnerTraits::Coefficients::kOther,
                         .many_classes = LearnerTraits::ManyClasses::kNative},
                        upgrade_alder);

template Alder<float>::Alder(const AlderOptions& options);
template Alder<double>::Alder(const AlderOptions& options);

}  // namespace alder
