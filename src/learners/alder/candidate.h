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

#include "kernel/coordinates.h"
#include "learners/alder/arow.h"
#include "learners/alder/basis.h"
#include "learners/alder/fine_layer.h"
#include "learners/alder/geometry.h"
#include "learners/alder/guide.h"
#include "learners/alder/head.h"
#include "learners/alder/mixture.h"

namespace alder {

/// ALDER with one geometry and one width of the kernel: the coordinates φ that its rows give, a guide, which decides
/// when these become more, predictors that forget at different rates and are mixed, a head for probabilities, and later
/// a fine layer. In a race several of them share a geometry, each having some of its elements.
///
/// The input z of a predictor is φ, behind the linear inputs of the geometry and, if recent labels are asked for, what
/// these say:
///   the last label, the mean label over the window W, and (1/|W|) Σ_{(x',y')∈W} y' κ(x', x).
/// In a stream without order these are noise that it learns to ignore; in one whose labels come in runs they are what
/// tells most. But then a prediction depends on the labels that came last. The guide does not see them: what they
/// explain today needs a place in the dictionary all the same.
template <class T>
class Candidate {
 public:
  /// What is known of a row before its class.
  struct Forecast {
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;  // if there are inputs beside φ; otherwise it is φ
    double alpha = 0.0;
    std::size_t place = 0;  // of the row in its block
    // One number for two classes, else one for each:
    std::vector<double> guide;
    std::vector<double> logits;  // the head's, if there is one
    std::vector<double> each;    // scores of all predictors, one after the other
    std::vector<double> mixed;   // what they say together
    std::vector<double> base;    // the same as the fine layer takes it
    std::vector<double> scores;  // what is predicted
    typename FineLayer<T>::Look fine;
  };

  /// Predictors are given by how much they forget, in ascending order. `ratio` is γ of its kernel by γ of the
  /// geometry's.
  Candidate(const AlderOptions& options, std::size_t classes, const std::vector<double>& rates,
            const Geometry<T>& geometry, double ratio = 1.0);

  [[nodiscard]] std::size_t size() const { return coordinates_.size(); }
  /// The most rows that it may store.
  [[nodiscard]] std::size_t budget() const { return budget_; }
  [[nodiscard]] std::size_t fine_rows() const { return fine_ ? fine_->size() : 0; }
  [[nodiscard]] double ratio() const { return basis_.ratio(); }
  /// How much the predictor forgets that has the most to say.
  [[nodiscard]] double rate() const { return rates_[mixture_.top()]; }
  /// One more class, the third or a later one. A forecast made before gets scores of 0 for it.
  void add_class(Forecast& forecast);

  /// A block of rows begins: that must not depend on how rows are cut into batches.
  void begin_block();
  /// Looks at the row of the geometry's round.
  void forecast(const Geometry<T>& geometry, Forecast& out);
  /// The scores that `forecast` would find for `count` rows, and the logits, unless there is no room for them.
  void score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs, std::size_t count,
             std::span<double> scores, std::span<double> logits) const;
  /// Whether `add_parts` can tell: a part of recent labels is none of the row alone.
  [[nodiscard]] bool has_parts() const { return recent_ == 0; }
  /// Adds the parts of a number that has these directions in the scores of `row`, which is the first of `rows` and
  /// `inputs`, as Geometry::look finds them. `stored` are the parts of the elements of the geometry.
  void add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                 const Directions& directions, std::span<ScoreParts::Stored> stored, ScoreParts& parts) const;
  /// What was computed of the rows to come is forgotten: the block in hand ends.
  void forget_ahead();

  /// Learns the row of the latest forecast. `joined` is the element that the row already is in the geometry, if it is.
  void learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
             std::optional<std::size_t>& joined);

  /// For a stream that moves fast, before such a row is learned: it may take the place of a stored row, if there is no
  /// room. That is so while the predictor that forgets much is the best, for a row that is new and violates its margin;
  /// and the stored row is the one, of those that came more than 500 rows ago, without which this predictor loses the
  /// least. No other candidate may be in the geometry.
  void replace(Geometry<T>& geometry, Forecast& forecast, double target);

  /// One more predictor: a copy of the first one, which from now on forgets so much, less than the next one. Slow
  /// forgetting makes no difference to the first rows, so it need not cost time there.
  void add_slow_predictor(double rate);
  [[nodiscard]] std::size_t predictors() const { return predictors_.size(); }
  /// How careful predictors that forget are believed, as Mixture has it.
  void set_caution(double caution) { mixture_.set_caution(caution); }
  /// Begins to count the rows that violate the margin. `fit_budget` then sets the budget by their share, up to `most`:
  /// in an easy stream few rows violate it, and a larger budget costs little.
  void count_violations() { rows_ = violations_ = 0; }
  void fit_budget(std::size_t most);
  /// It may store as many rows, unless a budget was given: for rows of very many features.
  void widen_budget(std::size_t rows) {
    if (!given_budget_) budget_ = std::max(budget_, rows);
  }
  /// Adds a fine layer of at most `most` rows, whose kernel has γ times `ratio`; it learns once the candidate is full.
  void add_fine_layer(std::size_t most, double ratio) { fine_.emplace(width_, most, basis_.ratio() * ratio); }
  /// γ of its narrowest kernel, by γ of the geometry's.
  [[nodiscard]] double largest_ratio() const { return fine_ ? fine_->ratio() : basis_.ratio(); }

  /// All elements of the geometry that it has.
  void list_elements(std::vector<bool>& used) const;
  /// The geometry is built anew: element e is now places[e], and γ of its kernel is `ratio` times as large.
  void move(std::span<const std::uint32_t> places, double ratio);

  [[nodiscard]] const Arow<T>& predictor(std::size_t p) const { return predictors_[p]; }
  [[nodiscard]] const Mixture& mixture() const { return mixture_; }

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name, const Geometry<T>& geometry);
  /// Takes over predictor p of what versions before 0.3 wrote, and its elements alone.
  void load_old(const Archive& archive, const std::string& name, std::size_t p, const Geometry<T>& geometry);

  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::size_t kNoPlace = ~std::size_t{0};
  // To what the score of a predictor is cut before they are mixed: for the prediction, and as the fine layer takes it.
  static constexpr double kMostScore = 1.0;
  static constexpr double kMostBase = 3.0;

  // Coordinates of the rows of a block, computed together while `size` rows were stored.
  struct Ahead {
    std::size_t size = 0;  // 0: there are none
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;
    std::vector<double> alphas;
  };

  [[nodiscard]] std::size_t before() const { return recent_ + linear_; }  // numbers of z before φ
  [[nodiscard]] const T* input(const Forecast& forecast) const {
    return before() > 0 ? forecast.z.data() : forecast.phi.data();
  }
  [[nodiscard]] bool follows_fast() const;
  [[nodiscard]] bool is_full() const;
  // Whether a block's scores are made together. The one function of two classes changes too often for that.
  [[nodiscard]] bool scores_ahead() const { return width_ > 1 && recent_ == 0; }
  std::optional<std::size_t> project(const Geometry<T>& geometry, Forecast& out);
  void project_ahead(const Geometry<T>& geometry);
  void expect_violations(const T* z, std::size_t room);
  void write_input(const KernelValues& row, double self, const RoundRows<T>& rounds, const Dictionary<T>& dictionary,
                   const T* linear, const T* phi, T* z) const;
  [[nodiscard]] double recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                     const Dictionary<T>& dictionary) const;
  void predict(Forecast& forecast) const;
  // The weights of all inputs in a number that has these directions in the scores of predictors.
  struct InputWeights {
    std::vector<double> shares;
    std::vector<double> slopes;
  };
  [[nodiscard]] InputWeights input_weights(const Forecast& forecast, const Directions& directions) const;
  [[nodiscard]] bool wants(const Forecast& forecast, double target) const;
  [[nodiscard]] std::size_t least_needed() const;
  void join(Geometry<T>& geometry, Forecast& forecast, std::optional<std::size_t>& joined);
  void resize();
  [[nodiscard]] std::size_t inputs_of(std::size_t p) const;  // of predictor p
  void load_elements(const Archive& archive, const std::string& name, const Geometry<T>& geometry);

  std::size_t width_ = 1;  // numbers in a score: 1 for two classes, else one for each
  std::optional<std::size_t> given_budget_;
  std::size_t budget_;
  double threshold_;
  bool is_guided_;
  bool is_thrifty_;
  std::size_t recent_;  // how many numbers of z recent labels are
  std::size_t linear_;  // and linear inputs
  std::vector<double> rates_;
  Basis<T> basis_;
  Coordinates<T> coordinates_;
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
  Ahead ahead_;
};

}  // namespace alder
