#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "alder/learners.h"

#include "archive/state.h"
#include "learners/core/kind.h"
#include "rows/feature_table.h"
#include "rows/prepared_row.h"

namespace alder {

void list(LinearOptions& options, OptionVisitor& visit) {
  visit.number("step", options.step, {1e-50, 1e20}, "step size of a feature: step/sqrt(sum of its squared gradients)");
  visit.worth_trying({1e-3, 1e-2, 1e-1, 1.0});
  visit.margin_loss(options.loss);
  visit.precision(options.precision);
}

namespace {

/// A linear classifier w·x + b for the hinge loss by AdaGrad (Duchi, Hazan and Singer 2011): on a margin violation
///   G_j += x_j²,   w_j += step·y·x_j/sqrt(G_j)   for every feature j of the row, and for the bias, whose feature is 1.
/// O(d) a round, for d listed features; memory for the features met.
template <class T>
class Linear final : public MarginLearner {
 public:
  using Options = LinearOptions;

  explicit Linear(const Options& options) : options_(options) {}
  Linear(const Options& options, const Archive& archive) : Linear(options) {
    restore_rounds(archive);
    const auto features = archive.get<FeatureIndex>("features");
    const auto weights = archive.get<T>("weights", features.size() + 1);
    const auto squares = archive.get<T>("squares", features.size() + 1);
    bias_ = {weights.back(), squares.back()};
    check(bias_);
    for (std::size_t j = 0; j < features.size(); ++j) {
      if (table_.find(features[j]) != FeatureTable::kNone) throw_bad_archive("a feature is listed twice");
      Weight& weight = at(features[j]);
      weight = {weights[j], squares[j]};
      check(weight);
    }
  }

  [[nodiscard]] std::string name() const override { return "linear"; }
  [[nodiscard]] bool takes_weights() const override { return true; }

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override {
    static thread_local PreparedRow<T> x;
    for (std::size_t r = 0; r < rows.size(); ++r) scores[r] = score_of(rows[r], x);
  }

  double round(const Row& row, double label, double weight) override {
    const double score = score_of(row, x_);
    const double slope = options_.loss.slope(score, label);
    if (slope != 0.0) {
      for (std::size_t j = 0; j < x_.features().size(); ++j)
        learn(at(x_.features()[j]), -slope * weight * static_cast<double>(x_.values()[j]));
      learn(bias_, -slope * weight);
    }
    return score;
  }

  void describe(Report& report) const override {
    double squared_norm = static_cast<double>(bias_.value) * static_cast<double>(bias_.value);
    for (const Weight& weight : weights_) {
      squared_norm += static_cast<double>(weight.value) * static_cast<double>(weight.value);
    }
    report.norm = std::sqrt(squared_norm);
    report.learning_rate = options_.step;
    report.bytes = sizeof(*this) + table_.bytes() + weights_.capacity() * sizeof(Weight) +
                   features_.capacity() * sizeof(FeatureIndex);
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    std::vector<T> values;
    std::vector<T> squares;
    for (const Weight& weight : weights_) {
      values.push_back(weight.value);
      squares.push_back(weight.squares);
    }
    values.push_back(bias_.value);
    squares.push_back(bias_.squares);
    archive.put("features", features_);
    archive.put("weights", values);
    archive.put("squares", squares);
  }

 private:
  struct Weight {
    T value = 0;
    T squares = 0;  // G
  };

  // No weight is larger, so that products with values stay finite.
  static constexpr double kLargest = std::is_same_v<T, float> ? 1e30 : 1e100;

  static void check(const Weight& weight) {
    const auto value = std::fabs(static_cast<double>(weight.value));
    if (!(value <= kLargest && weight.squares >= 0 && std::isfinite(weight.squares))) {
      throw_bad_archive("a weight is out of range");
    }
  }

  [[nodiscard]] double score_of(const Row& row, PreparedRow<T>& x) const {
    x.assign(row, Kernel::linear());
    double score = static_cast<double>(bias_.value);
    for (std::size_t j = 0; j < x.features().size(); ++j) {
      const std::uint32_t number = table_.find(x.features()[j]);
      if (number != FeatureTable::kNone) {
        score += static_cast<double>(weights_[number].value) * static_cast<double>(x.values()[j]);
      }
    }
    return score;
  }

  // One step along the negative gradient.
  void learn(Weight& weight, double gradient) const {
    const double squares = static_cast<double>(weight.squares) + gradient * gradient;
    if (!(squares > 0.0)) return;  // the square of a tiny value is 0
    weight.squares = static_cast<T>(std::min(squares, static_cast<double>(std::numeric_limits<T>::max())));
    const double moved = static_cast<double>(weight.value) + options_.step * gradient / std::sqrt(squares);
    weight.value = static_cast<T>(std::clamp(moved, -kLargest, kLargest));
  }

  Weight& at(FeatureIndex feature) {
    const std::uint32_t number = table_.find(feature);
    if (number != FeatureTable::kNone) return weights_[number];
    features_.push_back(feature);
    weights_.emplace_back();
    table_.insert(feature, static_cast<std::uint32_t>(weights_.size() - 1));
    return weights_.back();
  }

  Options options_;
  FeatureTable table_;                  // feature -> its place in the next two
  std::vector<FeatureIndex> features_;  // in the order of their first violation
  std::vector<Weight> weights_;
  Weight bias_;
  PreparedRow<T> x_;
};

}  // namespace

std::unique_ptr<Learner> make_linear(const LinearOptions& options) {
  return make_of<Linear>(options);
}

extern constexpr LearnerKind kLinear =
    learner_kind<Linear>("linear", "a hyperplane by AdaGrad (Duchi et al. 2011); no kernel, O(d) a round",
                         {.coefficients = LearnerTraits::Coefficients::kOther});

}  // namespace alder
