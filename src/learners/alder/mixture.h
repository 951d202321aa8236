#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace alder {

class Archive;

/// Adds scores to `out`, cut so that no class is more than `most` apart from the others by them: the one score of two
/// classes counts as ±most at most, and of one for each class none is more than that below the largest.
void add_cut(std::span<const double> scores, double most, double weight, std::span<double> out);

/// How a number made of scores depends on them, one entry for each: Σ shares·scores is its value, and `slopes` are its
/// derivatives. Where nothing is cut both are the same.
struct Directions {
  std::vector<double> shares;
  std::vector<double> slopes;

  explicit Directions(std::span<const double> direction) : shares(direction.begin(), direction.end()), slopes(shares) {}
};

/// The directions in scores of a number that has the directions `after` in what `add_cut` makes of them. A score that
/// was cut has no slope, and the share for which what is left of it is what it would be if all had been multiplied.
Directions before_cut(std::span<const double> scores, double most, double weight, const Directions& after);

/// What several predictors say together that forget at different rates, by the mistakes that each has made lately.
/// Which rate is right depends on how fast the stream moves, and that changes. With m_p the mistakes of predictor p,
/// each round's being worth 0.1 % less than the next one's,
///   cost_p = m_p + p·caution·sqrt(m_p + 1),   weight_p ∝ exp(−(cost_p − least cost)/2);
/// predictors come in the order of how much they forget, and one that forgets must be better beyond chance.
class Mixture {
 public:
  explicit Mixture(std::size_t predictors);

  /// One more predictor behind p, which has made the mistakes of p.
  void insert_behind(std::size_t p);
  /// How many deviations a predictor has to be better than the one before it, which forgets less.
  void set_caution(double caution);
  /// The predictor with the least cost.
  [[nodiscard]] std::size_t top() const { return top_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

  /// The weighted mean of the scores of all predictors, which come one after the other, each cut to `most`. Those of
  /// one alone stay as they are.
  void combine(std::span<const double> scores, double most, std::span<double> out) const;
  /// The directions in the scores of predictor p of a number that has the directions `after` in what `combine` gives.
  [[nodiscard]] Directions before(std::size_t p, std::span<const double> scores, double most,
                                  const Directions& after) const;
  /// After a round: who was wrong.
  void count(std::span<const double> scores, std::size_t width, double target, double weight);

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  void weigh();

  double caution_ = 1.0;
  std::vector<double> mistakes_;
  std::vector<double> weights_;
  std::size_t top_ = 0;
};

}  // namespace alder
