#pragma once

#include <span>
#include <string>
#include <string_view>

#include "alder/task.h"

namespace alder {

/// A loss function ℓ(s, y) of a score s: a small value, kind and parameter. All are convex in s and never negative.
///
/// y is −1 or +1 for the losses of classification and the target for those of regression; see `accepts`. Where a loss
/// has a kink, the slope is the one of its subgradients that is 0, or nearest to 0, and the curvature that of the
/// flatter side. Results are finite wherever the exact ones fit into a double: squares overflow for scores beyond
/// 1e154, e^s for scores beyond 709.
class Loss {
 public:
  enum class Kind {
    kHinge,         ///< max(0, 1 − y·s)
    kSquaredHinge,  ///< max(0, 1 − y·s)²
    kLogistic,      ///< ln(1 + e^(−y·s))
    kSquared,       ///< (s − y)²/2
    kAbsolute,      ///< |s − y|
    kInsensitive,   ///< max(0, |s − y| − ε)
    kQuantile,      ///< τ·(y − s) below the target, (1 − τ)·(s − y) above it; least at the τ-quantile
    kHuber,         ///< (s − y)²/2 up to |s − y| = δ, then the straight line δ·(|s − y| − δ/2)
    kPoisson,       ///< e^s − y·s + y·ln y − y, half the deviance of counts with mean e^s; least, 0, at s = ln y
  };

  /// `parameter` is ε >= 0, τ between 0 and 1 or δ > 0, and must be 0 for losses without one. Throws Error otherwise.
  static Loss of(Kind kind, double parameter = 0.0);
  /// The same by name. Throws Error, listing the names, for another one.
  static Loss named(std::string_view name, double parameter = 0.0);
  /// The names of all losses, in the order of Kind.
  static std::span<const std::string_view> names();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] double parameter() const { return parameter_; }
  /// One of `names`.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] Task task() const;
  /// Whether y is a target of this loss: ±1 for classification, a count or rate >= 0 for kPoisson, else any finite
  /// number.
  [[nodiscard]] bool accepts(double y) const;

  /// ℓ(s, y). This and what follows require a finite score and a y that is accepted.
  [[nodiscard]] double value(double score, double y) const;
  /// ∂ℓ/∂s.
  [[nodiscard]] double slope(double score, double y) const;
  /// ∂²ℓ/∂s², >= 0.
  [[nodiscard]] double curvature(double score, double y) const;

  /// What a score predicts: the probability of +1, 1/(1 + e^(−s)), for kLogistic; e^s for kPoisson; else s itself.
  [[nodiscard]] double response(double score) const;

 private:
  Loss(Kind kind, double parameter) : kind_(kind), parameter_(parameter) {}

  Kind kind_;
  double parameter_;
};

}  // namespace alder
