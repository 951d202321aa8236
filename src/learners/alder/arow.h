#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alder/examples.h"

#include "learners/alder/class_vectors.h"
#include "learners/alder/covariance.h"

namespace alder {

/// AROW (Crammer, Kulesza and Dredze 2009): linear functions of z with a full covariance Σ of their weights.
///
/// Two classes have one function, wᵀz. For a margin that is violated, y·wᵀz < 1, with v = zᵀΣz and β = 1/(v + r):
///   w += β (1 − y·wᵀz) y Σz,   Σ −= β Σz (Σz)ᵀ.
///
/// K > 2 classes have one each, s_c = w_cᵀz, and share Σ. For a margin that is violated, s_y − max s_c < 1, e is the
/// smallest change of the scores that gives y a margin of 1 over all others, and
///   w_c += e_c/(v + 2r/K) Σz,   Σ −= β Σz (Σz)ᵀ.
/// Every violation shrinks Σ, although it moves about two classes of K only; so for each of them Σ is too small by
/// about K/2, and the smaller noise makes up for that. For K = 2 it is the same as one function, w_1 − w_0.
template <class T>
class Arow {
 public:
  Arow(double noise, double forget, bool is_diagonal = false)
      : noise_(noise), covariance_(noise, forget, is_diagonal) {}

  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  /// From now on there are n coordinates; new ones have the variance 1.
  void resize(std::size_t n) {
    weights_.resize(n);
    covariance_.resize(n);
  }
  /// What every variance regains in an update from now on.
  void set_forget(double forget) { covariance_.set_forget(forget); }
  /// One more class than before: from two on, or of as many as there are functions.
  void add_class();

  /// The scores, one for each function, of a z of padded(size()) numbers, 0 beyond size().
  void score(const T* z, std::span<double> scores) const { weights_.times(z, scores); }
  /// That of two classes.
  [[nodiscard]] double score(const T* z) const {
    double score = 0.0;
    weights_.times(z, std::span(&score, 1));
    return score;
  }
  /// The same for rows in blocks, as ClassVectors has it.
  void score(const T* z, std::size_t room, std::size_t count, double* scores, std::size_t stride) const {
    weights_.times(z, room, count, scores, stride);
  }
  void look_ahead(const T* z, std::size_t room) { weights_.look_ahead(z, room); }
  /// A block of rows begins, and some of its rows are likely to be learned, as Covariance has it.
  void begin_block() { covariance_.begin_block(); }
  void expect(const T* z, std::size_t room, std::span<const bool> wanted) { covariance_.look_ahead(z, room, wanted); }
  void forget_expected() { covariance_.forget_ahead(); }
  void score_ahead(std::size_t r, const T* z, std::span<double> scores) const { weights_.times_ahead(r, z, scores); }
  /// Learns z, whose scores violate the margin. A weight divides r: 2 is as good as learning z twice. `place` is that
  /// of the row in its block, if it was among those given to `expect`. O(size²).
  void learn(double target, std::span<const double> scores, const T* z, double weight = 1.0,
             std::size_t place = ~std::size_t{0}) {
    scores.size() == 1 ? learn_two(sign_of(target), scores[0], z, weight, place)
                       : learn_many(static_cast<std::size_t>(target), scores, z, weight, place);
  }

  /// The coordinates from `before` on are turned, and then the last one is a new one. O(size²).
  void turn(const Turns& turns, std::size_t before) {
    weights_.turn(turns, before);
    covariance_.turn(turns, before);
  }

  /// Σ_ij.
  [[nodiscard]] double covariance(std::size_t i, std::size_t j) const { return covariance_(i, j); }
  [[nodiscard]] const ClassVectors<T>& weights() const { return weights_; }

  /// Writes weights and Σ as tensors name.*.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote for n coordinates and as many functions as there are. An Error if Σ is not positive
  /// definite. O(n³).
  void load(const Archive& archive, const std::string& name, std::size_t n);

  [[nodiscard]] std::size_t bytes() const { return weights_.bytes() + covariance_.bytes(); }

 private:
  void learn_two(double label, double score, const T* z, double weight, std::size_t place);
  void learn_many(std::size_t y, std::span<const double> scores, const T* z, double weight, std::size_t place);

  double noise_;  // r
  ClassVectors<T> weights_;
  Covariance<T> covariance_;
  std::vector<double> moves_;  // e, in a round
};

/// The smallest change of K scores after which that of y is larger by 1 than all others: every score above a level θ
/// falls to it, and that of y rises by as much as these fall together, to θ + 1. `moves` receives it; 0 where nothing
/// changes. Returns what y's score gains.
double smallest_move(std::span<const double> scores, std::size_t y, std::span<double> moves);

/// The noise of a step of K > 2 classes for a row with this weight: 2r/(K·weight).
double noise_of_step(double noise, double weight, std::size_t classes);

}  // namespace alder
