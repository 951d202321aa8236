#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alder/learner.h"
#include "alder/learners.h"

#include "kernel/dictionary.h"
#include "kernel/round_rows.h"
#include "learners/alder/contender.h"
#include "learners/alder/race.h"

namespace alder {

/// ALDER: a second-order learner in the orthonormal coordinates φ of a dictionary that only grows.
///
/// A round, with a dictionary of at most B elements, a guide g and a predictor p (learners/alder/contender.h):
///   k = κ(S, x), φ = M k, α = 1 − ‖φ‖²; both score, and p's score is the prediction;
///   if y·g(φ) < 1 and sqrt(α) > threshold and |S| < B: x joins S, and φ gains the coordinate sqrt(α);
///   if y·g(φ) < 1: g learns (AdaGrad);  if y·p(z) < 1: p learns (AROW);  a head for probabilities learns every row.
/// With more than two classes there is a function for each on the same coordinates, y·g becomes the score of the right
/// class less the largest other one, and B grows with the classes unless it was given. Classes may appear at any time.
///
/// Without a kernel it finds a width by itself. The first rows are kept, and predicted by their nearest neighbour; the
/// median of their distances is the middle of seven widths, each half the next, which then race
/// (learners/alder/race.h), each with a predictor that forgets and one that does not. All have their elements in one
/// dictionary, so that a distance is computed once for all widths; they predict together. The winner goes on with what
/// it has learned.
template <class T>
class Alder final : public Learner {
 public:
  using Options = AlderOptions;

  explicit Alder(const AlderOptions& options);
  /// Goes on where the learner that wrote the archive stood. `options` are those in the archive.
  Alder(const AlderOptions& options, const Archive& archive);

  [[nodiscard]] std::string name() const override { return "alder"; }
  [[nodiscard]] std::size_t outputs() const override { return classes_ > 2 ? classes_ : 1; }
  [[nodiscard]] std::size_t extras() const override { return options_.head ? outputs() : 0; }
  [[nodiscard]] std::size_t most_classes() const override { return options_.recent_labels ? 2 : kMostClasses; }
  [[nodiscard]] std::string why_two_classes() const override {
    return options_.recent_labels ? "recent_labels is for two classes" : "";
  }
  [[nodiscard]] bool takes_weights() const override { return true; }
  /// The predictor in use; none while the first rows are collected.
  [[nodiscard]] const Arow<T>* predictor() const;

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override;
  void begin_block(std::span<const Row> rows) override { rounds_.begin_block(rows, dictionary_, accuracy()); }
  void end_block() override {
    rounds_.end_block(dictionary_);
    for (Contender<T>& contender : contenders_) contender.forget_ahead();
  }
  void round(const Row& row, double target, double weight, Outputs out) override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

 private:
  using Forecast = typename Contender<T>::Forecast;

  [[nodiscard]] bool is_collecting() const { return contenders_.empty(); }
  [[nodiscard]] bool is_racing() const { return race_ && !race_->is_over(); }
  // Distances of the first rows may be small beside the rows themselves, which is not known yet.
  [[nodiscard]] Accuracy accuracy() const { return is_collecting() ? Accuracy::kExact : Accuracy::kFast; }
  // The runner that predicts; there is only one after the race.
  [[nodiscard]] std::size_t leader() const { return is_racing() ? race_->leader() : 0; }
  [[nodiscard]] bool is_in(std::size_t contender) const;
  void look_who_is_in();
  void score_nearest(const KernelValues& row, Outputs out) const;
  // What the scores and logits of all runners come to.
  void combine(std::span<const double> scores, std::span<const double> logits, Outputs out) const;
  void collect(double target, double weight, Outputs out);
  void learn_first_rows();
  void begin_race(double median);
  void forecast(const PreparedRow<T>& x, const KernelValues& row, bool is_replay);
  void learn_row(const PreparedRow<T>& x, double target, double weight, bool is_replay);
  void add_class();
  void finish_race();
  void go_on_alone(Contender<T> contender);
  void load_first_rows(const Archive& archive);

  AlderOptions options_;
  std::size_t classes_ = 2;  // met, or two
  RoundRows<T> rounds_;
  Dictionary<T> dictionary_;
  std::vector<Contender<T>> contenders_;  // none while the first rows are collected, one after the race
  std::size_t predictors_ = 1;            // that each of them has
  std::vector<std::vector<bool>> used_;   // which of them are in the race, for each contender
  std::optional<Race> race_;              // kept when it is over
  double median_ = 0.0;                   // of the distances of the first rows
  // While the first rows are collected, which are then all that the dictionary has:
  std::vector<double> first_targets_;
  std::vector<double> first_weights_;
  std::vector<double> first_squares_;  // squared distances of all pairs
  // Of the round that is on:
  std::vector<Forecast> forecasts_;  // one for each contender
  std::vector<double> scores_;       // of each runner, outputs() numbers
  std::vector<double> logits_;       // the same
  std::vector<double> charges_;      // one for each runner
};

}  // namespace alder
