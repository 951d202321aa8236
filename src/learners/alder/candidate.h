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
#include "learners/alder/basis.h"
#include "learners/alder/fine_layer.h"
#include "learners/alder/geometry.h"
#include "learners/alder/mixture.h"

namespace alder {

/// ALDER with one geometry and one width of the kernel: the coordinates φ that its rows give, and functions of them. In
/// a race several candidates share a geometry, each having some of its elements.
///
/// This is what candidates for classes and for numbers have in common: which rows are stored, and the inputs z of their
/// predictors. z is φ, behind what recent labels say, if they are asked for, and the linear inputs of the geometry.
template <class T>
class Candidate {
 public:
  /// What is known of a row before its target.
  struct Forecast {
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;  // if there are inputs beside φ; otherwise it is φ
    double alpha = 0.0;
    std::size_t place = 0;       // of the row in its block
    std::vector<double> each;    // scores of all predictors, one after the other
    std::vector<double> scores;  // what is predicted
    std::vector<double> extras;  // what comes beside it: log-odds, or a standard deviation
    // Of classes:
    std::vector<double> guide;
    std::vector<double> mixed;  // what the predictors say together
    std::vector<double> base;   // the same as the fine layer takes it
    typename FineLayer<T>::Look fine;
    // Of numbers, one for each predictor:
    std::vector<double> heads;
    std::vector<double> spreads;
  };

  /// `recent` and `linear` are how many numbers of z come before φ; `ratio` is γ of its kernel by γ of the geometry's.
  Candidate(const AlderOptions& options, std::size_t budget, std::size_t recent, const Geometry<T>& geometry,
            double ratio);
  virtual ~Candidate() = default;

  [[nodiscard]] std::size_t size() const { return coordinates_.size(); }
  /// The most rows that it may store.
  [[nodiscard]] std::size_t budget() const { return budget_; }
  [[nodiscard]] double ratio() const { return basis_.ratio(); }
  [[nodiscard]] virtual std::size_t predictors() const = 0;
  /// How much the predictor forgets that has the most to say.
  [[nodiscard]] virtual double rate() const = 0;
  /// How many rows its fine layer has.
  [[nodiscard]] virtual std::size_t fine_rows() const { return 0; }
  /// γ of its narrowest kernel, by γ of the geometry's.
  [[nodiscard]] virtual double largest_ratio() const { return basis_.ratio(); }

  /// A block of rows begins: that must not depend on how rows are cut into batches.
  virtual void begin_block() = 0;
  /// Looks at the row of the geometry's round.
  virtual void forecast(const Geometry<T>& geometry, Forecast& out) = 0;
  /// The scores that `forecast` would find for `count` rows, and the extras, unless there is no room for them.
  virtual void score(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                     std::size_t count, std::span<double> scores, std::span<double> extras) const = 0;
  /// What a forecast counts for in a race when the target is known.
  [[nodiscard]] virtual double charge(const Forecast& forecast, double target) const = 0;
  /// Learns the row of the latest forecast. `joined` is the element that the row already is in the geometry, if it is.
  virtual void learn(Geometry<T>& geometry, Forecast& forecast, double target, double weight,
                     std::optional<std::size_t>& joined) = 0;
  /// What was computed of the rows to come is forgotten: the block in hand ends.
  virtual void forget_ahead() { ahead_.size = 0; }

  /// One more class, the third or a later one. A forecast made before gets scores of 0 for it.
  virtual void add_class(Forecast& forecast) = 0;
  /// For a stream that moves fast, before such a row is learned: it may take the place of a stored row, if there is no
  /// room. No other candidate may be in the geometry.
  virtual void replace(Geometry<T>& /*geometry*/, Forecast& /*forecast*/, double /*target*/) {}
  /// From now on rows are stored because they are new, whatever was predicted of them.
  virtual void grow_by_novelty() {}
  /// How careful predictors that forget are believed, as Mixture has it.
  virtual void set_caution(double /*caution*/) {}
  /// A race begins: what `fit_budget` goes by is counted from now on.
  virtual void begin_race() {}
  /// One more predictor, which from now on forgets so much: slow forgetting makes no difference to the first rows.
  virtual void add_slow_predictor(double /*rate*/) {}
  /// The race is over: predictors that are not needed any more go.
  virtual void settle() {}
  /// Sets the budget by what was counted, up to `most`.
  virtual void fit_budget(std::size_t /*most*/) {}
  /// It may store as many rows, unless a budget was given: for rows of very many features.
  void widen_budget(std::size_t rows) {
    if (!given_budget_) budget_ = std::max(budget_, rows);
  }
  /// Adds a fine layer of at most `most` rows, whose kernel has γ times `ratio`; it learns once the candidate is full.
  virtual void add_fine_layer(std::size_t /*most*/, double /*ratio*/) {}

  /// All elements of the geometry that it has.
  virtual void list_elements(std::vector<bool>& used) const;
  /// The geometry is built anew: element e is now places[e], and γ of its kernel is `ratio` times as large.
  virtual void move(std::span<const std::uint32_t> places, double ratio);

  /// Whether `add_parts` can tell: a part of recent labels is none of the row alone.
  [[nodiscard]] bool has_parts() const { return recent_ == 0; }
  /// Adds the parts of a number that has these directions in the scores of `row`, which is the first of `rows` and
  /// `inputs`, as Geometry::look finds them. `stored` are the parts of the elements of the geometry.
  virtual void add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                         const std::vector<T>& inputs, const Directions& directions,
                         std::span<ScoreParts::Stored> stored, ScoreParts& parts) const = 0;

  virtual void save(Archive& archive, const std::string& name) const = 0;
  virtual void load(const Archive& archive, const std::string& name, const Geometry<T>& geometry) = 0;
  [[nodiscard]] virtual std::size_t bytes() const;

 protected:
  Candidate(const Candidate&) = default;
  Candidate& operator=(const Candidate&) = default;
  Candidate(Candidate&&) noexcept = default;
  Candidate& operator=(Candidate&&) noexcept = default;

  static constexpr std::size_t kNoPlace = ~std::size_t{0};

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
  // φ and z. Returns the row's place in its block, if that was computed together.
  std::optional<std::size_t> project(const Geometry<T>& geometry, Forecast& out);
  // The z of a whole block are known, those of row r at z + r·room. Only without recent labels.
  virtual void look_ahead(const T* z, std::size_t room) = 0;
  // What recent labels say of a row.
  virtual void write_recent(const KernelValues& row, double self, const RoundRows<T>& rounds,
                            const Dictionary<T>& dictionary, T* z) const = 0;
  void write_input(const KernelValues& row, double self, const Geometry<T>& geometry, const T* linear, const T* phi,
                   T* z) const;
  // φ and z of rows that are only scored, those of row r at r·phi_room and r·z_room.
  struct Looked {
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;
    std::vector<double> alphas;
    std::size_t phi_room = 0;
    std::size_t z_room = 0;
  };
  void look_at(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs, std::size_t count,
               Looked& out) const;
  // k, φ and z of the first of them.
  void look_at_first(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                     Forecast& out) const;
  // The row of a forecast is stored. False if rounding may be all that made it look new; then it is not.
  bool append(Geometry<T>& geometry, Forecast& forecast, std::optional<std::size_t>& joined);
  // The weights of all inputs in a number that has some directions in the scores of predictors: Σ shares·z is its
  // value, Σ slopes·∂z its gradient.
  struct InputWeights {
    std::vector<double> shares;
    std::vector<double> slopes;
  };
  // Adds the parts of that; `gradient` receives the one by the features as the transform leaves them.
  void add_input_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                       const std::vector<T>& inputs, const Forecast& forecast, const InputWeights& weights,
                       std::span<ScoreParts::Stored> stored, std::span<double> gradient, ScoreParts& parts) const;
  void finish_gradient(const Geometry<T>& geometry, const Row& row, const InputWeights& weights,
                       std::span<const double> gradient, ScoreParts& parts) const;
  static void add_stored_part(ScoreParts::Stored& part, double contribution, double similarity);
  void save_elements(Archive& archive, const std::string& name) const;
  void load_elements(const Archive& archive, const std::string& name, const Geometry<T>& geometry);

  std::optional<std::size_t> given_budget_;
  std::size_t budget_;
  double threshold_;
  std::size_t recent_;  // how many numbers of z recent labels are
  std::size_t linear_;  // and linear inputs
  Basis<T> basis_;
  Coordinates<T> coordinates_;
  Ahead ahead_;

 private:
  void project_ahead(const Geometry<T>& geometry);
};

}  // namespace alder
