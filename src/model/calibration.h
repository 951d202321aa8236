#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace alder {

class Archive;

/// Probabilities of classes from the scores of a learner, fitted as the stream goes: scores that were made before their
/// rows were learned are honest data.
///
/// The log-odds of class c are θ·x_c, and the probabilities their softmax. With s the scores, m_c = s_c − max_{j≠c} s_j
/// and l the logits of a learner that has a head for them:
///   x_c = (s_c − max s, b_c, ln(clamp((1 + m_c)/2, 0.02, 1)), l_c − max l),   or (s_c − max s)/scale and b_c without
/// logits. For two classes, whose score is s_1 − s_0, b_c is ∓1/2, and else 0. θ follows the logistic loss by online
/// Newton steps:
///   I = 0.9998 I + w Σ_c p_c (x_c − x̄)(x_c − x̄)ᵀ,   θ += w I⁻¹ (x_y − x̄),   x̄ = Σ_c p_c x_c.
/// `scale` is the root of the mean square of the first part: scores of such a learner may have any size.
class Calibration {
 public:
  /// The probabilities of the classes, by number, for the scores of one row: one score for two classes, else one for
  /// each. Logits are as many as scores, or none. The class that the scores predict has the largest; where another one
  /// would have, they share.
  void probabilities(std::span<const double> scores, std::span<const double> logits, std::span<double> out) const;
  /// The same, and then learns that the row has this class.
  void learn(std::span<const double> scores, std::span<const double> logits, double target, double weight,
             std::span<double> out);

  /// Writes the tensors calibration.*, and back, exactly. `load` throws Error for content that `save` cannot have
  /// written.
  void save(Archive& archive) const;
  static Calibration load(const Archive& archive);

 private:
  // What the odds of a class depend on: its score, a bias, the clipped margin and the logit; the first two without
  // logits.
  static constexpr std::size_t kParts = 4;
  static constexpr std::size_t kPartsOfScores = 2;
  using Parts = std::array<double, kParts>;

  [[nodiscard]] double scale() const;
  // x_1 − x_0 of two classes.
  [[nodiscard]] Parts difference(double score, std::span<const double> logits) const;
  // x_c of each of more classes.
  void parts_of(std::span<const double> scores, std::span<const double> logits, std::vector<Parts>& parts) const;
  [[nodiscard]] double odds(const Parts& parts) const;
  [[nodiscard]] double probability_of_one(const Parts& difference) const;
  void softmax(const std::vector<Parts>& parts, std::span<double> out) const;
  template <std::size_t kCount>
  void discount();
  template <std::size_t kCount>
  void add(const Parts& x, double factor);
  template <std::size_t kCount>
  void step(const Parts& gradient);
  template <std::size_t kCount>
  void learn_two(const Parts& x, double probability, double target, double weight);
  template <std::size_t kCount>
  void learn_many(std::vector<Parts>& parts, std::span<const double> probabilities, double target, double weight);
  void follow_scale(std::span<const double> scores, double weight);

  Parts theta_ = {1.5, 0.0, 0.3, 0.1};
  std::array<Parts, kParts> information_ = {Parts{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}};  // I; the lower half is used
  double square_ = 0.0;  // discounted sum of squared scores, and of their weights
  double weight_ = 0.0;
};

}  // namespace alder
