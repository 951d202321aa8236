#include <algorithm>
#include <utility>

#include "learners/alder/alder.h"

// The stages of ALDER: which candidates race when, and what becomes of them.
namespace alder {
namespace {

// The rows after which a stage begins, and how many are kept for the candidates of the next one.
constexpr std::uint64_t kFirst = 32;
constexpr std::uint64_t kSecond = 256;
constexpr std::uint64_t kScaled = 1024;
constexpr std::size_t kStay = 3;  // of those that raced before

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
constexpr std::uint64_t kDuelRows = 8192;
constexpr std::uint64_t kDuelLooks = 64;
constexpr std::uint64_t kReopenedRows = 3072;
constexpr std::size_t kReopeningRows = 600;  // the last ones, on which challengers are fitted
// Numbers follow sooner: first on fewer rows, which are all of the stream as it is now, then on more.
constexpr std::size_t kReopeningRowsForNumbers = 300;
constexpr std::uint64_t kRowsBeforeRefit = 700;
constexpr std::size_t kRowsToTell = 128;  // which features matter
// The most rows that reopened races may take: this number, and this share of all rows.
constexpr double kFreeRaceRows = 10000.0;
constexpr double kMostRaceShare = 0.1;

constexpr double kDiscountForNumbers = 0.995;
constexpr std::uint64_t kFirstLookForNumbers = 100;
}  // namespace

// What follows when a row is learned.
template <class T>
void Alder<T>::after_row(double target, Outputs made, bool is_mistake) {
  if (is_racing()) clear_out();
  switch (stage_) {
    case Stage::kCollecting:
      if (rows_ == kFirst) begin_first();
      return;
    case Stage::kFirst:
    case Stage::kSecond:
    case Stage::kScaled:
      if (rows_ >= options_.race || (lanes_left() == 1 && is_last_part())) {
        finish_race();
      } else if (stage_ == Stage::kFirst && rows_ == kSecond) {
        begin_second();
      } else if (stage_ == Stage::kSecond && rows_ == kScaled && parts_.race.has_scales) {
        begin_scaled();
      }
      return;
    case Stage::kReopened:
      ++race_rows_;
      if (race_->is_over()) {
        finish_race();
      } else if (is_for_numbers() && race_->rules().rounds == kReopenedRows && race_->round() == kRowsBeforeRefit) {
        refit();
      }
      return;
    case Stage::kDuel:
    case Stage::kSettled:
      if (parts_.has_alarm && has_changed(target, made, is_mistake) && may_reopen()) {
        reopen();
      } else if (stage_ == Stage::kDuel && race_->is_over()) {
        finish_race();
      }
  }
}

template <class T>
bool Alder<T>::has_changed(double target, Outputs made, bool is_mistake) {
  if (!is_for_numbers()) return alarm_.after_row(is_mistake);
  return error_alarm_.after_row(frame_->inside(target) - frame_->inside(made.scores[0]), frame_->error());
}

template <class T>
void Alder<T>::begin_first() {
  if (is_for_numbers()) frame_->fit(recent_.view().targets);
  if (options_.kernel) {
    begin_given();
    replay(0, 0, 0);
    recent_.limit(rows_to_keep());
    geometries_.front()->begin_block(block_.subspan(next_));
    return;
  }
  enter(first_entrants(recent_.view().rows, parts_.race));
  open(Stage::kFirst, rules_of({.rounds = kNoEnd}));
}

template <class T>
void Alder<T>::begin_second() {
  keep({});
  enter(second_entrants(recent_.view().rows, parts_.race));
  open(Stage::kSecond, rules_of({.rounds = kNoEnd, .is_narrowing = true}));
  recent_.limit(rows_to_keep());
}

template <class T>
void Alder<T>::begin_scaled() {
  keep(race_->best(kStay));
  rebuild();
  const RecentRows::View known = recent_.view();
  enter(scaled_entrants(known.rows, known.targets, classes_, parts_.race));
  wake();
  open(Stage::kScaled, rules_of({.rounds = kNoEnd, .is_narrowing = true}));
  recent_.limit(rows_to_keep());
}

// Whether no more candidates enter before the race ends.
template <class T>
bool Alder<T>::is_last_part() const {
  return stage_ == Stage::kScaled || (stage_ == Stage::kSecond && !parts_.race.has_scales);
}

template <class T>
bool Alder<T>::may_reopen() const {
  return static_cast<double>(race_rows_ + kReopenedRows) <= kFreeRaceRows + kMostRaceShare * static_cast<double>(rows_);
}

template <class T>
void Alder<T>::reopen() {
  ++reopened_;
  if (is_racing()) keep(race_->best(lanes_.size()));  // a duel may have been decided by the same row
  const RecentRows::View known = recent_.view();
  const std::size_t first =
      is_for_numbers() ? known.rows.size() - std::min(known.rows.size(), kReopeningRowsForNumbers) : 0;
  enter(challengers(std::span(known.rows).subspan(first), std::span(known.targets).subspan(first), classes_,
                    parts_.race, parts_.is_thrifty),
        first);
  wake();
  open(Stage::kReopened, rules_of({.rounds = kReopenedRows, .finalists = finalists(), .is_narrowing = true}));
}

// In a race that was opened again: candidates with scales that are learned from more rows.
template <class T>
void Alder<T>::refit() {
  keep(race_->best(kStay));
  rebuild();
  const RecentRows::View known = recent_.view();
  enter(scaled_entrants(known.rows, known.targets, 0, parts_.race));
  open(Stage::kReopened,
       rules_of({.rounds = kReopenedRows - kRowsBeforeRefit, .finalists = finalists(), .is_narrowing = true}));
}

// For the candidates of the next stage.
template <class T>
std::size_t Alder<T>::rows_to_keep() const {
  if (options_.kernel) return keeps_rows() ? kFirst : 0;
  if (stage_ == Stage::kCollecting || stage_ == Stage::kFirst) return kSecond;
  if (stage_ == Stage::kSecond && parts_.race.has_scales) return kScaled;
  if (is_for_numbers() && parts_.has_alarm) return kScaled;
  return parts_.has_alarm ? kReopeningRows : kRowsToTell;
}

template <class T>
std::size_t Alder<T>::finalists() const {
  return parts_.has_duel ? 2 : 1;
}

// A race of all candidates that are there.
template <class T>
void Alder<T>::open(Stage stage, const RaceRules& rules) {
  std::vector<Runner> runners;
  for (Lane& lane : lanes_) {
    lane.candidate->begin_race();
    runners.push_back(lane.runner);
    if (lane.is_settled) runners.back().handicap = 0.0;
  }
  race_.emplace(std::move(runners), rules);
  stage_ = stage;
}

// Numbers are compared in pairs, and what was charged before is forgotten sooner.
template <class T>
RaceRules Alder<T>::rules_of(RaceRules rules) const {
  if (!is_for_numbers()) return rules;
  rules.discount = kDiscountForNumbers;
  rules.first_look = kFirstLookForNumbers;
  rules.is_paired = true;
  return rules;
}

template <class T>
void Alder<T>::finish_race() {
  const bool was_duel = stage_ == Stage::kDuel;
  race_->keep(was_duel ? 1 : finalists());
  keep(race_->best(finalists()));
  wake();
  for (Lane& lane : lanes_) settle(lane);
  rebuild();
  if (!was_duel) {
    alarm_.reset();
    error_alarm_.reset();
  }
  stage_ = Stage::kSettled;
  recent_.limit(rows_to_keep());
  if (lanes_.size() == 1) return;
  open(Stage::kDuel, {.rounds = kDuelRows,
                      .discount = 1.0,
                      .first_look = kDuelLooks,
                      .between_looks = kDuelLooks,
                      .has_equal_votes = true,
                      .is_paired = is_for_numbers()});
}

template void Alder<float>::after_row(double target, Outputs made, bool is_mistake);
template void Alder<double>::after_row(double target, Outputs made, bool is_mistake);
template std::size_t Alder<float>::rows_to_keep() const;
template std::size_t Alder<double>::rows_to_keep() const;

}  // namespace alder
