#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "alder/learner.h"
#include "alder/precision.h"
#include "alder/scaling.h"

#include "kernel/expansion.h"

namespace alder {

/// Whose hypothesis a function is: that of a round of a learner, or the mean of those of several.
struct HypothesisOrigin {
  std::string learner;
  std::uint64_t first_round = 0;
  std::uint64_t last_round = 0;
};

/// A function that a learner has left behind, as a learner that no longer learns: `learn` throws. Its counters are
/// those of that learner.
class AnyHypothesis : public MarginLearner {
 public:
  [[nodiscard]] std::string name() const override { return "hypothesis"; }
  [[nodiscard]] const HypothesisOrigin& origin() const { return origin_; }
  /// The learner that it comes from, at the end of its rounds.
  void left_by(const Learner& learner) { set_rounds(learner.rounds()); }
  /// It is a function of scaled rows: those that it scores are scaled first.
  void scale_rows(Scaling scaling) { scaling_ = std::move(scaling); }
  [[nodiscard]] const std::optional<Scaling>& scaling() const { return scaling_; }

 protected:
  explicit AnyHypothesis(HypothesisOrigin origin) : origin_(std::move(origin)) {}
  explicit AnyHypothesis(const Archive& archive);
  double round(const Row& row, double label, double weight) override;
  void save_state(Archive& archive) const override;

 private:
  HypothesisOrigin origin_;
  std::optional<Scaling> scaling_;
};

struct HypothesisOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  Precision precision = Precision::kFloat;
};

/// One that is a sum of kernel functions of rows stored as T. It always computes in double, since coefficients may
/// cancel.
template <class T>
class Hypothesis final : public AnyHypothesis {
 public:
  using Options = HypothesisOptions;

  /// `function` has no scratch rows.
  Hypothesis(Expansion<T> function, HypothesisOrigin origin)
      : AnyHypothesis(std::move(origin)), function_(std::move(function)) {}
  Hypothesis(const HypothesisOptions& options, const Archive& archive);

  [[nodiscard]] const Expansion<T>& function() const { return function_; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override;

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

 private:
  Expansion<T> function_;
};

/// A learner whose hypotheses can be kept.
class Hypotheses {
 public:
  virtual ~Hypotheses() = default;
  /// The function that the round that comes next predicts with.
  [[nodiscard]] virtual std::unique_ptr<AnyHypothesis> hypothesis() const = 0;
  /// From the next round on the mean of the hypotheses is formed. It is not saved with the learner.
  virtual void begin_mean() = 0;
  /// The mean so far; null if there was no round since it was begun.
  [[nodiscard]] virtual std::unique_ptr<AnyHypothesis> mean() const = 0;
};

}  // namespace alder
