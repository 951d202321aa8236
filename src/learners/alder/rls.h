#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "learners/alder/class_vectors.h"
#include "learners/alder/covariance.h"

namespace alder {

/// Recursive least squares: a linear function wᵀz of a number, with a full covariance Σ of its weights, and how far its
/// predictions are off. The target of a row with the weight ω is taken as wᵀz and noise of the variance λ/ω, where 1 is
/// the variance of a weight before anything was learned. With u = Σz, v = zᵀΣz and the error e = y − wᵀz,
///   w += u e/(v + λ/ω),   Σ −= u uᵀ/(v + λ/ω).
/// A row whose error is far beyond its deviation gets a smaller ω (Huber): 1.345 deviations by |e|. Very large weights
/// count for less: λ/ω is not below what rounding makes of zᵀΣz.
///
/// How noisy a row is may depend on it. A second function hᵀz, the scale head, is learned likewise with the logarithms
/// of squared errors as targets; how much of it is believed, ρ from 0 to 1, follows from how well it has foretold them.
/// The variance of a prediction is s²(ℓ + v/λ), ℓ = exp(ρ hᵀz), s² being the mean of e²/(ℓ + v/λ) lately.
/// Where there was no error at all, as in a stream that begins with equal targets, the first one is not taken for far
/// off: what is known of errors begins anew with it.
template <class T>
class Rls {
 public:
  /// λ, and what every variance regains in an update.
  Rls(double noise, double forget) : noise_(noise), forget_(forget), covariance_(noise, forget, false) {
    functions_.append();
  }

  [[nodiscard]] double noise() const { return noise_; }
  [[nodiscard]] double forget() const { return forget_; }
  [[nodiscard]] std::size_t size() const { return functions_.size(); }
  /// From now on there are n coordinates.
  void resize(std::size_t n) {
    functions_.resize(n);
    covariance_.resize(n);
  }

  /// What it makes of a row.
  struct Look {
    double score = 0.0;   ///< wᵀz
    double head = 0.0;    ///< hᵀz
    double spread = 0.0;  ///< v
  };
  /// Of a z of padded(size()) numbers, 0 beyond size(); `place` is that of the row in its block, if it was among those
  /// given to `look_ahead`. O(size²).
  Look look(const T* z, std::size_t place);
  /// The same, to the bit, of any row.
  [[nodiscard]] Look look(const T* z) const;
  /// The variance of that prediction.
  [[nodiscard]] double variance(const Look& look) const;

  /// Rounds in blocks, as Covariance has it: all rows are learned.
  void begin_block() { covariance_.begin_block(); }
  void look_ahead(const T* z, std::size_t room);
  void forget_ahead() { covariance_.forget_ahead(); }

  /// Learns z with this target. `look` is what was found of it, and `predicted` what was made of its score. O(size²).
  void learn(const T* z, double target, double predicted, const Look& look, double weight, std::size_t place);

  [[nodiscard]] const T* weights() const { return functions_[0]; }

  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote for n coordinates.
  void load(const Archive& archive, const std::string& name, std::size_t n);
  [[nodiscard]] std::size_t bytes() const { return functions_.bytes() + covariance_.bytes(); }

 private:
  [[nodiscard]] double trust() const;
  // ℓ of a row.
  [[nodiscard]] double level(const Look& look) const;
  void forget_errors();

  double noise_;
  double forget_;
  ClassVectors<T> functions_;  // w and h
  Covariance<T> covariance_;
  double square_ = 1.0;       // s²
  double log_mean_ = 0.0;     // of the logarithms of squared errors
  double head_square_ = 0.0;  // means of (hᵀz)² and of hᵀz times what it should have been
  double head_hits_ = 0.0;
  std::uint64_t rows_ = 0;
};

}  // namespace alder
