#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alder/learner.h"
#include "alder/learners.h"

#include "learners/alder/alarm.h"
#include "learners/alder/candidate.h"
#include "learners/alder/geometry.h"
#include "learners/alder/parts.h"
#include "learners/alder/race.h"
#include "learners/alder/recent_rows.h"
#include "learners/alder/target_frame.h"

namespace alder {

class OptionVisitor;
void list(AlderOptions& options, OptionVisitor& visit);

/// ALDER: a second-order learner in the orthonormal coordinates φ of a dictionary that only grows.
///
/// A round of a candidate (learners/alder/class_candidate.h), with at most B stored rows S, a guide g and a predictor
/// p:
///   k = κ(S, x), φ = M k, α = 1 − ‖φ‖²; both score, and p's score is the prediction;
///   if y·g(φ) < 1 and sqrt(α) > threshold and |S| < B: x joins S, and φ gains the coordinate sqrt(α);
///   if y·g(φ) < 1: g learns (AdaGrad);  if y·p(z) < 1: p learns (AROW);  a head for probabilities learns every row.
/// With more than two classes there is a function for each on the same coordinates, y·g becomes the score of the right
/// class less the largest other one, and B grows with the classes unless it was given. Classes may appear at any time.
///
/// Numbers are learned by the same machinery with another kind of candidates (learners/alder/value_candidate.h), which
/// race by their squared errors; a prediction comes with its standard deviation.
///
/// With a kernel that is given there is one candidate. Without one it finds out what distance means: candidates with
/// different transforms and scales of the features, kernels and widths race (learners/alder/race.h), and predict
/// together. Its stages, by the rows that it has learned:
///   up to 32      rows are kept, and predicted by their nearest neighbour
///   from 32 on    the first candidates, fitted on these rows (learners/alder/entrants.h)
///   from 256 on   more of them, fitted on 256 rows, in the place of the first ones
///   from 1,024 on the best three, and candidates whose scales of the features are learned
///   from 4,096 on the best two, with more rows to store and a fine layer; at 12,288 at the latest the best one is left
/// New candidates learn the rows that are kept before they race. After the race an alarm (learners/alder/alarm.h) may
/// open it again: with the winner, and candidates that are fitted on the last 600 rows.
template <class T>
class Alder final : public Learner {
 public:
  using Options = AlderOptions;

  explicit Alder(const AlderOptions& options);
  /// Goes on where the learner that wrote the archive stood. `options` are those in the archive.
  Alder(const AlderOptions& options, const Archive& archive);

  [[nodiscard]] std::string name() const override { return "alder"; }
  [[nodiscard]] std::size_t outputs() const override { return classes_ > 2 ? classes_ : 1; }
  [[nodiscard]] Task task() const override { return is_for_numbers() ? Task::kRegression : Task::kClassification; }
  [[nodiscard]] std::size_t extras() const override { return is_for_numbers() || options_.head ? outputs() : 0; }
  [[nodiscard]] std::size_t most_classes() const override { return options_.recent_labels ? 2 : kMostClasses; }
  [[nodiscard]] std::string why_two_classes() const override {
    return options_.recent_labels ? "recent_labels is for two classes" : "";
  }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] std::vector<FeatureShare> importances() const override;
  /// The stored rows are those of all geometries, one geometry after the other. Cannot tell while rows are collected.
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override;
  /// The candidate that leads; none while the first rows are collected.
  [[nodiscard]] const Candidate<T>* leading() const;

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override;
  void begin_block(std::span<const Row> rows) override;
  void end_block() override;
  void round(const Row& row, double target, double weight, Outputs out) override;
  void check_number(double target) const override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

 private:
  static constexpr std::size_t kWindow = 15;

  enum class Stage : std::uint8_t { kCollecting, kFirst, kSecond, kScaled, kReopened, kDuel, kSettled };

  // A candidate and the geometry that it is in. One that is eliminated is gone, but its lane stays until the race ends,
  // since lanes and runners of the race are counted alike.
  struct Lane {
    std::unique_ptr<Candidate<T>> candidate;
    std::size_t geometry = 0;
    Runner runner;            // what it is, as it enters a race
    bool is_settled = false;  // whether it has won a race before
    typename Candidate<T>::Forecast forecast;
  };

  [[nodiscard]] bool is_collecting() const { return stage_ == Stage::kCollecting; }
  [[nodiscard]] bool is_racing() const { return race_ && stage_ != Stage::kSettled; }
  [[nodiscard]] std::size_t leader() const { return is_racing() ? race_->leader() : 0; }
  [[nodiscard]] bool is_for_numbers() const { return options_.loss.has_value(); }
  // How many rounds the labels of which are inputs.
  [[nodiscard]] std::size_t kept_rows() const { return options_.recent_labels && !is_for_numbers() ? kWindow : 0; }
  // Whether rows are kept: of a given kernel nothing is to be found, but for the unit of numbers.
  [[nodiscard]] bool keeps_rows() const { return !options_.kernel || (is_for_numbers() && is_collecting()); }
  [[nodiscard]] Geometry<T>& geometry_of(const Lane& lane) { return *geometries_[lane.geometry]; }
  [[nodiscard]] const Geometry<T>& geometry_of(const Lane& lane) const { return *geometries_[lane.geometry]; }

  // Whatever is done to the features now, later candidates may take rows as they are, or those that are kept with the
  // kernel that was given. Throws Error for one that these could not take. Returns how many values are not 0.
  [[nodiscard]] std::size_t check_range(const Row& row) const;
  void score_nearest(const Row& row, Outputs out) const;
  void value_nearest(const RecentRows::View& known, std::size_t nearest, Outputs out) const;
  // What the scores and extras of all lanes come to.
  void combine(std::span<const double> scores, std::span<const double> extras, Outputs out) const;
  void combine_values(std::span<const double> values, std::span<const double> deviations, Outputs out) const;
  // A round of the lanes from `first` on, whose geometries have begun one. Blocks begin at multiples of kBlock rounds.
  void forecast(std::size_t first, bool begins_block);
  void learn(std::size_t first, double target, double weight, bool is_replay);
  void learn_value(std::size_t first, double target, double weight, double predicted);
  void learn_lanes(std::size_t first, double target, double weight);
  void add_class();
  [[nodiscard]] bool may_replace(const Lane& lane) const;

  // Stages: which candidates race when, and what becomes of them.
  void after_row(double target, Outputs made, bool is_mistake);
  [[nodiscard]] bool has_changed(double target, Outputs made, bool is_mistake);
  void begin_first();
  void begin_given();
  void begin_second();
  void begin_scaled();
  [[nodiscard]] bool is_last_part() const;
  [[nodiscard]] bool may_reopen() const;
  void reopen();
  void refit();
  [[nodiscard]] std::size_t rows_to_keep() const;
  [[nodiscard]] std::size_t finalists() const;
  void open(Stage stage, const RaceRules& rules);
  void enter(std::vector<Entrant> entrants, std::size_t first_row = 0);
  [[nodiscard]] std::unique_ptr<Candidate<T>> make_candidate(const Geometry<T>& geometry, double ratio) const;
  [[nodiscard]] RaceRules rules_of(RaceRules rules) const;
  void replay(std::size_t first_lane, std::size_t first_geometry, std::size_t first_row);
  [[nodiscard]] std::size_t lanes_left() const;
  void clear_out();
  void clear_geometries();
  void keep(const std::vector<std::size_t>& kept);
  void finish_race();
  void wake();
  void settle(Lane& lane);
  void rebuild();

  // Model files.
  void load_new(const Archive& archive);
  void load_lanes(const Archive& archive);
  [[nodiscard]] std::unique_ptr<Candidate<T>> load_candidate(const Archive& archive, const std::string& name,
                                                             const Geometry<T>& geometry) const;
  void load_old(const Archive& archive);
  void load_old_rows(const Archive& archive);

  AlderOptions options_;
  AlderParts parts_;
  std::size_t classes_ = 2;  // met, or two
  Stage stage_ = Stage::kCollecting;
  std::uint64_t rows_ = 0;                                // learned
  std::uint64_t values_ = 0;                              // of them that are not 0, if they are counted
  std::vector<std::unique_ptr<Geometry<T>>> geometries_;  // null: no lane is in it any more
  std::vector<Lane> lanes_;
  std::optional<Race> race_;  // the latest, kept when it is over
  RecentRows recent_;         // of which new candidates are made
  Alarm alarm_;
  ErrorAlarm error_alarm_;
  std::unique_ptr<TargetFrame> frame_;  // of numbers
  std::uint64_t tried_ = 0;             // candidates in all races
  std::uint64_t reopened_ = 0;          // how often
  std::uint64_t race_rows_ = 0;         // in races that were opened again
  // Of the block and the round that are on:
  std::span<const Row> block_;
  std::size_t next_ = 0;
  std::vector<double> scores_;                      // of each lane, outputs() numbers
  std::vector<double> extras_;                      // the same
  std::vector<double> charges_;                     // one for each lane
  std::vector<std::optional<std::size_t>> joined_;  // for each geometry the element that the row has become
};

}  // namespace alder
