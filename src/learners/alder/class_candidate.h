#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alder/learners.h"
#include "alder/score_parts.h"

#include "learners/alder/arow.h"
#include "learners/alder/candidate.h"
#include "learners/alder/fine_layer.h"
#include "learners/alder/geometry.h"
#include "learners/alder/guide.h"
#include "learners/alder/head.h"
#include "learners/alder/mixture.h"

namespace alder {

/// ALDER for classes with one geometry and one width of the kernel: a guide, which decides when the coordinates become
/// more, predictors that forget at different rates and are mixed, a head for probabilities, and later a fine layer.
///
/// If recent labels are asked for, z begins with what these say:
///   the last label, the mean label over the window W, and (1/|W|) Σ_{(x',y')∈W} y' κ(x', x).
/// In a stream without order these are noise that it learns to ignore; in one whose labels come in runs they are what
/// tells most. But then a prediction depends on the labels that came last. The guide does not see them: what they
/// explain today needs a place in the dictionary all the same.
template <class T>
class ClassCandidate final : public Candidate<T> {
 public:
  using typename Candidate<T>::Forecast;
  using Candidate<T>::size;

  /// Predictors are given by how much they forget, in ascending order. `ratio` is γ of its kernel by γ of the
  /// geometry's.
  ClassCandidate(const AlderOptions& options, std::size_t classes, const std::vector<double>& rates,
                 const Geometry<T>& geometry, double ratio = 1.0);

  [[nodiscard]] std::size_t fine_rows() const override { return fine_ ? fine_->size() : 0; }
  [[nodiscard]] double rate() const override { return rates_[mixture_.top()]; }
  [[nodiscard]] std::size_t predictors() const override { return predictors_.size(); }
  [[nodiscard]] double largest_ratio() const override { return fine_ ? fine_->ratio() : basis_.ratio(); }

  void add_class(Forecast& forecast) override;
  void begin_block() override;
  void forecast(const Geometry<T>& geometry, Forecast& out) override;
  void score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs, std::size_t count,
             std::span<double> scores, std::span<double> logits) const override;
  void add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                 const Directions& directions, std::span<ScoreParts::Stored> stored, ScoreParts& parts) const override;
  void forget_ahead() override;
  [[nodiscard]] double charge(const Forecast& forecast, double target) const override;
  void learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
             std::optional<std::size_t>& joined) override;

  /// A row takes the place of a stored one while the predictor that forgets much is the best, if it is new and violates
  /// its margin; and the stored row is the one, of those that came more than 500 rows ago, without which this predictor
  /// loses the least.
  void replace(Geometry<T>& geometry, Forecast& forecast, double target) override;

  /// One more predictor: a copy of the first one, which from now on forgets so much, less than the next one.
  void add_slow_predictor(double rate) override;
  void set_caution(double caution) override { mixture_.set_caution(caution); }
  /// Begins to count the rows that violate the margin. `fit_budget` then sets the budget by their share, up to `most`:
  /// in an easy stream few rows violate it, and a larger budget costs little.
  void begin_race() override { rows_ = violations_ = 0; }
  void fit_budget(std::size_t most) override;
  void add_fine_layer(std::size_t most, double ratio) override { fine_.emplace(width_, most, basis_.ratio() * ratio); }

  void list_elements(std::vector<bool>& used) const override;
  void move(std::span<const std::uint32_t> places, double ratio) override;

  [[nodiscard]] const Arow<T>& predictor(std::size_t p) const { return predictors_[p]; }
  [[nodiscard]] const Mixture& mixture() const { return mixture_; }

  void save(Archive& archive, const std::string& name) const override;
  void load(const Archive& archive, const std::string& name, const Geometry<T>& geometry) override;
  /// Takes over predictor p of what versions before 0.3 wrote, and its elements alone.
  void load_old(const Archive& archive, const std::string& name, std::size_t p, const Geometry<T>& geometry);

  [[nodiscard]] std::size_t bytes() const override;

 private:
  using typename Candidate<T>::InputWeights;
  using typename Candidate<T>::Looked;
  using Candidate<T>::kNoPlace;
  using Candidate<T>::before;
  using Candidate<T>::input;
  using Candidate<T>::given_budget_;
  using Candidate<T>::budget_;
  using Candidate<T>::threshold_;
  using Candidate<T>::recent_;
  using Candidate<T>::basis_;
  using Candidate<T>::coordinates_;

  // To what the score of a predictor is cut before they are mixed: for the prediction, and as the fine layer takes it.
  static constexpr double kMostScore = 1.0;
  static constexpr double kMostBase = 3.0;

  [[nodiscard]] bool follows_fast() const;
  [[nodiscard]] bool is_full() const;
  // Whether a block's scores are made together. The one function of two classes changes too often for that.
  [[nodiscard]] bool scores_ahead() const { return width_ > 1 && recent_ == 0; }
  void look_ahead(const T* z, std::size_t room) override;
  void expect_violations(const T* z, std::size_t room);
  void write_recent(const KernelValues& row, double self, const RoundRows<T>& rounds, const Dictionary<T>& dictionary,
                    T* z) const override;
  [[nodiscard]] double recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                     const Dictionary<T>& dictionary) const;
  void predict(Forecast& forecast) const;
  // The weights of all inputs in a number that has these directions in the scores of the candidate.
  [[nodiscard]] InputWeights input_weights(const Forecast& forecast, const Directions& directions) const;
  [[nodiscard]] bool wants(const Forecast& forecast, double target) const;
  [[nodiscard]] std::size_t least_needed() const;
  void resize();
  void load_shared(const Archive& archive, const std::string& name, const Geometry<T>& geometry);
  [[nodiscard]] std::size_t inputs_of(std::size_t p) const;  // of predictor p

  std::size_t width_ = 1;  // numbers in a score: 1 for two classes, else one for each
  bool is_guided_;
  bool is_thrifty_;
  std::vector<double> rates_;
  Guide<T> guide_;
  std::optional<Head<T>> head_;
  std::vector<Arow<T>> predictors_;
  Mixture mixture_;
  std::optional<FineLayer<T>> fine_;
  std::uint64_t rows_ = 0;  // since violations are counted
  std::uint64_t violations_ = 0;
  std::uint64_t age_ = 0;            // rows that it has learned
  std::uint64_t replaced_ = 0;       // its age when a row was replaced
  std::vector<std::uint64_t> born_;  // its age when each row came that is stored
};

}  // namespace alder
