#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learners/alder/basis.h"
#include "learners/alder/class_vectors.h"
#include "learners/alder/geometry.h"

namespace alder {

/// Details that the few rows of a candidate cannot express: many rows V with a narrow kernel, each with a weight and a
/// variance of its own, learned by AROW with a diagonal covariance. It adds h = Σ_e a_e κ(x, V_e) to the candidate's
/// score f, which learns as if there were no fine layer. How much of h is used, none, half or all, is what has made the
/// fewest mistakes lately, and something only if it is better than none beyond chance: so it cannot do harm.
///   x joins V if f + h predicts another class, no row of V is near (κ < 1/2), and there is room;
///   a margin of f + h below 1: v = Σ q κ², β = 1/(v + 0.3), a += β (1 − y(f + h)) y q κ, q −= β (q κ)².
/// More classes have weights each and share variances, as in Arow.
///
/// In a stream that moves, variances regain what the candidate's best predictor forgets, and if that is much, a row
/// that comes when V is full takes the place of one with a small weight.
template <class T>
class FineLayer {
 public:
  struct Look {
    AlignedVector<T> k;
    std::vector<double> scores;  // h
  };

  /// At most `most` rows; its kernel has the γ of the geometry's times `ratio`.
  FineLayer(std::size_t width, std::size_t most, double ratio);

  [[nodiscard]] std::size_t size() const { return basis_.size(); }
  [[nodiscard]] double ratio() const { return basis_.ratio(); }
  [[nodiscard]] const std::vector<std::uint32_t>& elements() const { return basis_.elements(); }
  /// How much of h is used now; 0: none, and then `predict` gives the prediction without it.
  [[nodiscard]] double used() const { return share(pick()); }
  /// Σ_c direction[c] a_e of class c, for the row of V at a place.
  [[nodiscard]] double coefficient(std::size_t place, std::span<const double> direction) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < weights_.count(); ++c) sum += direction[c] * static_cast<double>(weights_[c][place]);
    return sum;
  }
  void add_class();

  /// h of a row.
  void look(const KernelValues& row, Look& out) const;
  /// Adds what is used of it: `mixed` is the prediction without it, to which nothing is added, and `base` the score
  /// that it adds to.
  void predict(const Look& look, std::span<const double> base, std::span<const double> mixed,
               std::span<double> out) const;

  /// Learns the row of the geometry's round, which may join V. `rate` is what the candidate's best predictor forgets;
  /// `replaces` tells whether that is so much that rows of a full V are replaced.
  void learn(Geometry<T>& geometry, Look& look, std::span<const double> base, std::span<const double> mixed,
             double target, double weight, double rate, bool replaces);

  /// Its elements of the geometry.
  void list_elements(std::vector<bool>& used) const;
  /// As Candidate::move.
  void move(std::span<const std::uint32_t> places, double ratio) { basis_.move(places, basis_.ratio() / ratio); }

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name, std::size_t elements);
  [[nodiscard]] std::size_t bytes() const;

 private:
  static constexpr std::size_t kShares = 3;  // of h: none, half, all

  void add(Geometry<T>& geometry, Look& look, bool replaces);
  [[nodiscard]] std::size_t least_important() const;
  void step(const Look& look, double target, double weight, double rate);
  [[nodiscard]] static double share(std::size_t i) { return 0.5 * static_cast<double>(i); }
  [[nodiscard]] std::size_t pick() const;

  std::size_t most_;
  Basis<T> basis_;
  ClassVectors<T> weights_;
  AlignedVector<T> variances_;
  std::vector<std::uint64_t> born_;  // the round in which a row of V came
  std::uint64_t round_ = 0;
  std::array<double, kShares> mistakes_{};  // of f + share·h, recent ones counting more
  // In a round:
  std::vector<double> sums_;  // f + h
  AlignedVector<T> step_;     // variances times κ
  std::vector<double> moves_;
};

}  // namespace alder
