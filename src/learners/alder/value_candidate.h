#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learners/alder/candidate.h"
#include "learners/alder/rls.h"
#include "learners/alder/target_frame.h"

namespace alder {

/// ALDER for numbers with one geometry and one width of the kernel: predictors by recursive least squares with
/// different noise and rates of forgetting, which are mixed by their recent errors.
///
/// With a prediction f_p and its variance V_p of each predictor, weighted by w_p ∝ exp(−c_p) with what it was charged
/// lately (TargetFrame::charge, half a percent less for each row that followed),
///   f = Σ w_p f_p,   V = Σ w_p (V_p + (f_p − f)²).
/// A row may be stored if its distance α to the span is large enough; once half of the budget is used, only if e²α is
/// above its running mean too, e being the least error of the predictors: where rows are new and badly predicted is
/// where more are needed. Where the function is rough in few places that is the wrong choice, so others store what is
/// new.
///
/// If recent labels are asked for, z begins with the last target and a mean of the latest ones, cut to ±30.
///
/// All targets and scores are those inside the frame.
template <class T>
class ValueCandidate final : public Candidate<T> {
 public:
  using typename Candidate<T>::Forecast;
  using Candidate<T>::size;

  /// The frame is that of the learner, and must outlive it.
  ValueCandidate(const AlderOptions& options, const TargetFrame& frame, const Geometry<T>& geometry,
                 double ratio = 1.0);

  [[nodiscard]] std::size_t predictors() const override { return predictors_.size(); }
  [[nodiscard]] double rate() const override { return predictors_[top()].forget(); }

  void begin_block() override;
  void forecast(const Geometry<T>& geometry, Forecast& out) override;
  void score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs, std::size_t count,
             std::span<double> scores, std::span<double> deviations) const override;
  [[nodiscard]] double charge(const Forecast& forecast, double target) const override;
  void learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
             std::optional<std::size_t>& joined) override;
  void forget_ahead() override;

  void add_class(Forecast& /*forecast*/) override {}
  /// From now on rows need only be new to be stored.
  void grow_by_novelty() override { is_by_novelty_ = true; }
  /// The best predictor stays, and the best of those that forget if it does not, or the other way round.
  void settle() override;

  void add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                 const Directions& directions, std::span<ScoreParts::Stored> stored, ScoreParts& parts) const override;

  void save(Archive& archive, const std::string& name) const override;
  void load(const Archive& archive, const std::string& name, const Geometry<T>& geometry) override;
  [[nodiscard]] std::size_t bytes() const override;

 private:
  using typename Candidate<T>::InputWeights;
  using typename Candidate<T>::Looked;
  using Candidate<T>::before;
  using Candidate<T>::input;
  using Candidate<T>::budget_;
  using Candidate<T>::threshold_;
  using Candidate<T>::basis_;
  using Candidate<T>::coordinates_;

  // The predictor that was charged least.
  [[nodiscard]] std::size_t top() const;
  void weigh();
  // What the predictors say together.
  void combine(Forecast& forecast) const;
  [[nodiscard]] typename Rls<T>::Look look_of(const Forecast& forecast, std::size_t p) const;
  [[nodiscard]] bool wants(const Forecast& forecast, double target);
  void resize();
  void look_ahead(const T* z, std::size_t room) override;
  void write_recent(const KernelValues& row, double self, const RoundRows<T>& rounds, const Dictionary<T>& dictionary,
                    T* z) const override;

  const TargetFrame* frame_;
  std::vector<Rls<T>> predictors_;
  std::vector<double> charges_;
  std::vector<double> weights_;
  bool is_by_novelty_ = false;
  double usual_need_ = 0.0;  // the running mean of e²α
  std::uint64_t needs_ = 0;  // how many are in it
};

}  // namespace alder
