#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alder/row.h"

namespace alder {

class Archive;  // the content of a model file

/// A width of the kernel that a learner has tried.
struct WidthTrial {
  double sigma = 0.0;
  bool forgets = false;      ///< whether with a predictor that forgets
  double charge = 0.0;       ///< what its mistakes and losses count for; the least leads
  std::uint64_t rounds = 0;  ///< how many rounds it was in the race
  bool is_out = false;
};

/// Them all, as JSON text: a list of objects with the names above.
std::string race_json(const std::vector<WidthTrial>& race);

/// What a learner can say of itself at any time. Counters run from the first round.
struct Report {
  std::uint64_t rounds = 0;
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;                    ///< Σ max(0, 1 − y_t·score_t)
  std::size_t support = 0;                    ///< |S|, the number of stored examples
  std::optional<std::uint64_t> switch_round;  ///< t̄, the round that ended phase 1; empty: never
  std::uint64_t removals = 0;                 ///< how often the budget was full
  std::optional<double> sum_delta;  ///< Σδ, the paper's proxy for the kernel alignment A_T; empty: not known
  std::optional<double> norm;       ///< ‖f'‖; empty: it is not known
  double learning_rate = 0.0;       ///< λ_t of the latest round
  std::optional<double> sigma;      ///< the width that predicts now, where the learner chooses it
  std::vector<WidthTrial> race;     ///< what it chooses from, or has chosen from
  std::size_t bytes = 0;            ///< memory held for the model and its working state

  [[nodiscard]] double mistake_rate() const {
    return rounds == 0 ? 0.0 : static_cast<double>(mistakes) / static_cast<double>(rounds);
  }
};

/// An online binary classifier. One `learn` is one whole round of the online protocol.
///
/// Thread safety: `score` and `report` may run on several threads at once, `learn` needs the object for itself.
class Learner {
 public:
  Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// The score of the row as things stand; its sign is the predicted class (0 counts as +1). Changes nothing, and is
  /// exactly what `learn` would return for this row now. Throws Error for a bad row.
  [[nodiscard]] double score(const Row& row) const;

  /// One round: scores the row, then learns its label, −1 or +1. Returns the score made before the update, so that
  /// progressive validation costs nothing. Throws Error for a bad row or label, and is then unchanged.
  double learn(const Row& row, double label);

  /// Says which rows `learn` will be given next, in this order, so that a learner can compute ahead what several rows
  /// have in common. Changes no result, and other rows may come; but what the rows are views of must not change
  /// until they are learned or other rows are expected or learned.
  void expect(std::span<const Row> rows);
  /// More rows than this are not looked at by `expect`.
  static constexpr std::size_t kAhead = 8;

  [[nodiscard]] Report report() const;

  /// The name by which learners of this kind are found.
  [[nodiscard]] virtual std::string name() const = 0;

  /// Its options, as JSON text.
  [[nodiscard]] std::string options() const;

  /// Writes all that is needed to go on exactly where this learner stands, its options included. Model files
  /// (alder/model.h) are made of this.
  void save(Archive& archive) const;

 protected:
  /// `row` is checked, `label` is −1 or +1. `round` must throw, if it does, before it changes anything.
  [[nodiscard]] virtual double compute_score(const Row& row) const = 0;
  virtual double round(const Row& row, double label) = 0;
  /// The rows that come next, checked; at most kAhead of them.
  virtual void prepare(std::span<const Row> /*rows*/) {}
  /// Fills in everything but rounds, mistakes and hinge loss.
  virtual void describe(Report& report) const = 0;
  /// Writes options and state but for the counters.
  virtual void save_state(Archive& archive) const = 0;

  /// Takes over the counters that `save` wrote.
  void restore_counters(const Archive& archive);
  /// Takes over those of another learner.
  void copy_counters(const Learner& learner);

  /// The rounds finished so far.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  std::uint64_t rounds_ = 0;
  std::uint64_t mistakes_ = 0;
  double hinge_loss_ = 0.0;
  std::vector<Row> expected_;  // borrowed, and checked
  std::size_t next_expected_ = 0;
};

/// The class that a score predicts.
inline double predicted_class(double score) {
  return score >= 0.0 ? 1.0 : -1.0;
}

}  // namespace alder
