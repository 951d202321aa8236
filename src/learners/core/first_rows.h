#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "alder/learner.h"
#include "alder/row_buffer.h"
#include "alder/scaling.h"

#include "learners/core/hypothesis.h"
#include "learners/core/kind.h"
#include "learners/core/left_open.h"

namespace alder {

/// Makes a learner whose options may leave something open: "kernel" that is missing, null or radial without a width,
/// and "scale", "target_center" and "target_scale", which only this knows. A learner that leaves nothing open is made
/// as it is, unless it learns numbers in units. Throws Error for options that make no sense.
std::unique_ptr<Learner> make_learner(const LearnerKind& kind, const nlohmann::ordered_json& options);

/// A learner that leaves something open. It keeps its first rows and predicts each by the class of the nearest one
/// before it, 0 for the first of all. When they are complete, it chooses what was left open, makes the learner and lets
/// it learn them: from then on it is, to the bit, that learner with these options from the beginning, and hands
/// everything on to it. If that is a learner of two classes, it becomes one for each (learners/core/one_vs_rest.h) when
/// a third comes; the width and the scaling are those of all.
///
/// Numbers are predicted by the mean target of the nearest rows, 0 for the first of all. Their learner sees them in
/// units of its own (learners/core/target_units.h), and scores are brought back; what the learner's report says is in
/// its units. If nothing but given units is to be done, no rows are kept.
///
/// Its name is that learner's; its options are that learner's and "scale", "target_center" and "target_scale", and the
/// kernel has no width before there is one. Then the report has it as "sigma".
class FirstRows : public Learner {
 public:
  /// How many rows are kept to choose a width, and to choose a scaling, with or without a width. Measured on seven data
  /// sets: with fewer some are learned worse than when 500 rows are looked at in advance (w8a by a width of 32 rows,
  /// mnist12 and ijcnn1 by a scaling of 64); with more, the nearest neighbour predicts for longer than it should.
  static constexpr std::size_t kForWidth = 64;
  static constexpr std::size_t kForScaling = 128;

  /// `options` as for make_learner(kind, options). `rows`, if given, is a multiple of kBlock, so that the learner
  /// begins with a whole block.
  FirstRows(const LearnerKind& kind, const nlohmann::ordered_json& options, std::optional<std::size_t> rows = {});
  /// As it was saved.
  FirstRows(const LearnerKind& kind, const Archive& archive);
  ~FirstRows() override;

  [[nodiscard]] std::string name() const override { return learner_->name(); }
  [[nodiscard]] Task task() const override { return learner_->task(); }
  [[nodiscard]] std::size_t outputs() const override;
  [[nodiscard]] std::size_t extras() const override { return learner_->extras() > 0 ? outputs() : 0; }
  [[nodiscard]] std::size_t most_classes() const override;
  [[nodiscard]] std::string why_two_classes() const override { return learner_->why_two_classes(); }
  [[nodiscard]] bool takes_weights() const override { return learner_->takes_weights(); }
  [[nodiscard]] double response(double score) const override { return learner_->response(score); }
  [[nodiscard]] std::vector<FeatureShare> importances() const override { return learner_->importances(); }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override;

  /// Whether the first rows are not complete yet.
  [[nodiscard]] bool is_collecting() const { return rounds() < rows_; }
  /// The learner made of them; before, one that has learned nothing and knows no width.
  [[nodiscard]] const Learner& learner() const { return *learner_; }
  /// How it scales rows; empty if it does not, or not yet.
  [[nodiscard]] const std::optional<Scaling>& scaling() const { return scaling_; }
  /// The units of numbers; empty if its learner has none, or not yet.
  [[nodiscard]] const std::optional<TargetUnits>& units() const { return units_; }

 protected:
  void check_number(double target) const override { learner_->check_number(target); }
  void score_block(std::span<const Row> rows, Outputs out) const override;
  void begin_block(std::span<const Row> rows) override;
  void end_block() override;
  void round(const Row& row, double target, double weight, Outputs out) override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

  /// What the first rows, or those of them that are there, make.
  struct Made {
    std::optional<Kernel> kernel;  // if its width was left open
    std::optional<Scaling> scaling;
    std::optional<TargetUnits> units;
    std::unique_ptr<Learner> learner;
  };
  [[nodiscard]] Made make_of_rows() const;
  [[nodiscard]] Learner& changing_learner() { return *learner_; }
  /// Called before the first rows are learned, for each when it is its turn.
  virtual void before_replayed(Learner& /*learner*/, std::size_t /*row*/) const {}

 private:
  [[nodiscard]] std::unique_ptr<Learner> make_with(std::optional<Kernel> kernel) const;
  [[nodiscard]] std::optional<Kernel> kernel_of(double width) const;
  void nearest(const Row& row, Outputs out) const;
  void bring_back(std::span<double> scores) const;
  void check_first(const Row& row) const;
  void keep(const Row& row, double target, double weight);
  void drop_last();
  void load_rows(const Archive& archive);

  const LearnerKind& kind_;
  std::unique_ptr<nlohmann::ordered_json> options_;  // of the learner; its kernel without a width, if that is open
  std::optional<AskedUnits> asked_;                  // of numbers, if the learner does not find them by itself
  LeftOpen open_;
  std::size_t rows_;
  bool is_double_ = false;  // the learner's precision; only while rows are collected

  // Those of the first rows that there are, with all values that were listed.
  RowBuffer first_;
  std::vector<double> targets_;
  std::vector<double> weights_;
  std::size_t classes_ = 0;  // among them: the highest number and 1

  std::unique_ptr<Learner> learner_;
  double sigma_ = 0.0;  // the width that was chosen
  std::optional<Scaling> scaling_;
  std::optional<TargetUnits> units_;
  RowBuffer scaled_;            // of the block in hand
  std::span<const Row> block_;  // what of the block in hand is still to come, scaled
  bool is_in_block_ = false;
};

/// The same for a learner whose hypotheses can be kept. Within the first rows the hypothesis of a round is what the
/// learner would have if the rows so far were all, and so is a mean that ends there. From the third class on there are
/// none, and asking for one is an Error.
class FirstRowsWithHypotheses final : public FirstRows, public Hypotheses {
 public:
  using FirstRows::FirstRows;

  [[nodiscard]] std::unique_ptr<AnyHypothesis> hypothesis() const override;
  void begin_mean() override;
  [[nodiscard]] std::unique_ptr<AnyHypothesis> mean() const override;

 protected:
  void before_replayed(Learner& learner, std::size_t row) const override;

 private:
  // What `get` takes from the learner, which scales rows as that does.
  template <class Get>
  [[nodiscard]] std::unique_ptr<AnyHypothesis> taken(const Get& get) const;

  std::optional<std::uint64_t> mean_from_;  // so many rounds were before it
};

/// A learner that was saved with a part "first_rows".
std::unique_ptr<Learner> restore_first_rows(const LearnerKind& kind, const Archive& archive);

}  // namespace alder
