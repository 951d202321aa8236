#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "alder/learner.h"
#include "alder/pomdr.h"

#include "kernel/ald.h"
#include "kernel/average.h"
#include "kernel/expansion.h"
#include "kernel/round_rows.h"
#include "learners/core/hypothesis.h"
#include "learners/pomdr/merge_plan.h"
#include "learners/pomdr/pomdr_options.h"

namespace alder {

/// POMDR (Algorithm 1): projected optimistic mirror descent for the hinge loss in a ball of radius U.
///
/// The hypothesis f' = Σ a_i κ(s_i,·) lives on the support set S. A round predicts with f_t = f' − λ_t ∇̄_t, where
/// −∇̄_t is the mean of y κ(x,·) over the last M examples, and on a margin violation moves f' by λ_t y_t κ(x_t,·):
///   phase 1 (POMD): x_t joins S only if κ(x_t,·) is not nearly in the span of S; otherwise its projection is used;
///   phase 2 (OMDR), once |S| = B0: x_t always joins S, and when |S| = B half of S is merged into the other half.
/// `learn` gives the scores of f_t; `score` gives those of f', without the hint ∇̄, which depends on the last labels.
/// An example of weight w has w times the gradient: y stands for w·y_t below, and κ(x_t,x_t) for w²κ(x_t,x_t) where it
/// is the gradient's squared length.
///
/// T is the type of the stored features. Phase 1 computes in double even on float features, since the ALD test needs
/// it; phase 2 computes kernel values in T. Coefficients, norms and sums are double.
template <class T>
class Pomdr final : public MarginLearner, public Hypotheses {
 public:
  using Options = PomdrOptions;

  explicit Pomdr(const PomdrOptions& options);
  /// Goes on where the learner that wrote the archive stood. `options` are those in the archive.
  Pomdr(const PomdrOptions& options, const Archive& archive);

  [[nodiscard]] std::string name() const override { return "pomdr"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    f_.add_parts(row, accuracy(), direction[0], parts);
    return true;
  }
  [[nodiscard]] const Dictionary<T>& support() const { return f_.rows(); }
  /// The coefficients a, padded with zeros.
  [[nodiscard]] const AlignedVector<double>& coefficients() const { return f_.coefficients(); }
  /// The Cholesky factor of the support set; empty once phase 2 has begun.
  [[nodiscard]] const AldBasis& basis() const { return basis_; }

  /// f_t = f' − λ_t ∇̄_t of the round t that comes next. (With a kernel that is not radial, λ_t also depends on its row
  /// if that has the largest κ(x,x) so far; here it does not.)
  [[nodiscard]] std::unique_ptr<AnyHypothesis> hypothesis() const override;
  /// The mean is that of f' alone: of the hints every row of the stream would be left.
  void begin_mean() override;
  [[nodiscard]] std::unique_ptr<AnyHypothesis> mean() const override;

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override;
  void begin_block(std::span<const Row> rows) override { rounds_.begin_block(rows, f_.rows(), accuracy()); }
  void end_block() override { rounds_.end_block(f_.rows()); }
  double round(const Row& row, double label, double weight) override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

 private:
  /// What is known of a row before its label.
  struct Forecast {
    double rate = 0.0;   // λ_t
    double f = 0.0;      // f'(x)
    double hint = 0.0;   // m_t
    double score = 0.0;  // f'(x) + λ_t m_t
  };

  [[nodiscard]] bool projecting() const { return !switch_round_; }
  [[nodiscard]] double learning_rate(double largest_self) const;
  [[nodiscard]] Accuracy accuracy() const { return projecting() ? Accuracy::kExact : Accuracy::kFast; }
  [[nodiscard]] Forecast forecast(const KernelValues& row, double squared_gradient) const;
  double project_or_append(const Forecast& r, double y);
  double project(const Forecast& r, double y);
  double append(const Forecast& r, double y);
  void move(double rate, double y, double f, double squared);
  void stay_in_ball();
  void scale_to_radius();
  void remove_half();

  PomdrOptions options_;
  PomdrSchedule schedule_;
  RoundRows<T> rounds_;
  Expansion<T> f_;
  AldBasis basis_;
  MergePlan merge_plan_;
  double squared_norm_ = 0.0;  // ‖f'‖²
  double largest_self_ = 0.0;  // D, the largest κ(x,x) of a gradient so far
  double sum_delta_ = 0.0;     // Σδ since the last removal: drives the learning rate
  double total_delta_ = 0.0;   // Σ of the unprojected δ over all rounds: the proxy for A_T
  double latest_rate_ = 0.0;
  std::optional<std::uint64_t> switch_round_;
  std::uint64_t removals_ = 0;
  std::unique_ptr<Average<T>> average_;  // of f', if it was asked for
  Projection projection_;                // of the round that is on
  Eigen::VectorXd beta_;                 // likewise
};

}  // namespace alder
