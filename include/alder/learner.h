#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alder/examples.h"
#include "alder/outputs.h"
#include "alder/report.h"
#include "alder/row.h"
#include "alder/task.h"

namespace alder {

class Archive;    // the content of a model file
class FirstRows;  // a learner that hands its rounds on to another one
struct ScoreParts;

/// An online learner: a function, and how it changes with every example. It knows no names, files or metrics.
///
/// Classes are numbers. With up to two of them a score is one number, and its sign is the predicted class (0 counts as
/// class 1); with K > 2 there is one number for each, and the largest is it. A learner whose task is regression learns
/// numbers, which are targets of any size: then there is one score, in units of the target, and `response` is what it
/// predicts.
///
/// Thread safety: const functions may run on several threads at once, the others need the object for themselves.
class Learner {
 public:
  Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// The name by which learners of this kind are found.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Task task() const { return Task::kClassification; }
  /// How many numbers a score has: 1 for a value and for up to two classes, else the number of classes met.
  [[nodiscard]] virtual std::size_t outputs() const { return 1; }
  /// How many numbers it can give beside the score of a row: 0, or as many as outputs(). Those of classes are their
  /// log-odds by a function that is learned for probabilities alone; that of a number is the standard deviation of the
  /// target given the row, which is not negative.
  [[nodiscard]] virtual std::size_t extras() const { return 0; }
  /// The number that a score predicts, for regression: the score itself, or, where that is its logarithm (the loss
  /// "poisson"), e to that power, cut where it would not be finite.
  [[nodiscard]] virtual double response(double score) const { return score; }
  /// How many classes it can tell apart. A Model lets a learner of two go on as one for each class when a third comes
  /// (LearnerTraits::many_classes).
  [[nodiscard]] virtual std::size_t most_classes() const { return 2; }
  /// If its options are why there cannot be more, not even so: which, for messages. Else empty.
  [[nodiscard]] virtual std::string why_two_classes() const { return {}; }
  /// Whether examples may have weights other than 0 and 1.
  [[nodiscard]] virtual bool takes_weights() const { return false; }
  /// The examples learned so far, but for those with the weight 0.
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

  /// Scores rows by what was learned: rows × outputs() numbers, and rows × extras() if there is room for them. A score
  /// depends on the row alone, not on the rows beside it or learned last; but see the learners that say otherwise.
  /// Throws Error, with the number of the row, for a bad one.
  void score(std::span<const Row> rows, Outputs out) const;
  /// That of one row, for a learner with one output.
  [[nodiscard]] double score(const Row& row) const;

  /// Learns examples one after the other, and gives the scores made just before each was learned, so that progressive
  /// validation costs nothing. Takes a prefix of the examples, at least one, and returns its length: it ends after an
  /// example that changed outputs(), and before a bad one. If the first is bad, throws Error and is unchanged. What is
  /// learned does not depend on how examples are cut into calls.
  ///
  /// A target is a class that was met before, or the next number; 0 and 1 need not be met. For regression it is any
  /// finite number that the loss has a place for. A row with the weight 0 is scored and changes nothing.
  std::size_t learn(const Examples& examples, Outputs out);

  /// How much each feature matters to its scores, as shares that add up to 1: of the features that matter, by feature;
  /// none if it cannot tell. Computed when it is asked for, from a few of the rows that it knows.
  [[nodiscard]] virtual std::vector<FeatureShare> importances() const { return {}; }

  /// Adds what Σ_c direction[c]·score_c of a row, which must be sound (Row::check), consists of (alder/score_parts.h);
  /// there are outputs() numbers in `direction`. The parts are those of `score`. False if this learner cannot tell, and
  /// then nothing was added.
  [[nodiscard]] virtual bool add_parts(const Row& /*row*/, std::span<const double> /*direction*/,
                                       ScoreParts& /*parts*/) const {
    return false;
  }

  /// How it stands.
  [[nodiscard]] Report report() const;
  /// The same into a report that is used again and again, as after every round.
  void report(Report& out) const;
  /// Its options, as JSON text.
  [[nodiscard]] std::string options() const;

  /// Writes all that is needed to go on exactly where this learner stands, its options included. Model files
  /// (alder/model.h) are made of this.
  void save(Archive& archive) const;

  /// Examples are handed to the functions below in blocks of at most this many.
  static constexpr std::size_t kBlock = 8;

 protected:
  /// Scores checked rows, at most kBlock of them.
  virtual void score_block(std::span<const Row> rows, Outputs out) const = 0;
  /// These rows, checked and at most kBlock of them, come in the next rounds, in this order: what they have in common
  /// can be computed now. They are there until `end_block`, which comes also if a round throws.
  virtual void begin_block(std::span<const Row> /*rows*/) {}
  virtual void end_block() {}
  /// One round: scores the row, then learns it. The target is valid, the weight positive. Must throw, if it does,
  /// before it changes anything.
  virtual void round(const Row& row, double target, double weight, Outputs out) = 0;
  /// For regression: throws Error for a finite number that cannot be a target.
  virtual void check_number(double /*target*/) const {}
  /// Fills in everything but the rounds; there are no details yet.
  virtual void describe(Report& report) const = 0;
  /// Writes options and state but for the rounds.
  virtual void save_state(Archive& archive) const = 0;

  /// Takes over the number of rounds that `save` wrote.
  void restore_rounds(const Archive& archive);
  void set_rounds(std::uint64_t rounds) { rounds_ = rounds; }

 private:
  friend class FirstRows;

  [[nodiscard]] std::size_t width_of(const Outputs& out) const;
  void score_singly(std::span<const Row> rows, std::size_t first, Outputs out) const;
  void check(const Examples& examples, std::size_t i) const;
  [[nodiscard]] std::size_t count_sound(const Examples& examples, std::size_t most) const;
  std::size_t learn_block(const Examples& examples, Outputs out);

  std::uint64_t rounds_ = 0;
};

/// A learner of two classes by one function, whose rounds know labels of −1 and +1.
class MarginLearner : public Learner {
 protected:
  /// One round with the label −1 or +1. Returns the score made before the update.
  virtual double round(const Row& row, double label, double weight) = 0;
  virtual void score_block(std::span<const Row> rows, std::span<double> scores) const = 0;

 private:
  void round(const Row& row, double target, double weight, Outputs out) final {
    out.scores[0] = round(row, sign_of(target), weight);
  }
  void score_block(std::span<const Row> rows, Outputs out) const final { score_block(rows, out.scores); }
};

}  // namespace alder
