#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "alder/learners.h"
#include "alder/score_parts.h"

#include "archive/state.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"
#include "learners/core/many_class_learner.h"
#include "rows/feature_table.h"
#include "rows/prepared_row.h"

namespace alder {

void list(LinearOptions& options, OptionVisitor& visit) {
  visit.automatic_number("step", options.step, {1e-50, 1e20},
                         "step size of a feature: step/sqrt(sum of its squared gradients); auto: 0.1");
  visit.worth_trying({1e-3, 1e-2, 1e-1, 1.0});
  visit.loss(options.loss);
  visit.precision(options.precision);
}

namespace {

/// A linear function w·x + b by AdaGrad (Duchi, Hazan and Singer 2011): where the slope g of the loss is not 0,
///   G_j += (g x_j)²,   w_j −= step·g·x_j/sqrt(G_j)   for every feature j of the row, and for the bias, whose feature
///   is
/// 1. For the hinge loss that is a step on a margin violation, g being −y.
/// With more than two classes each has its w, b and G; the third takes over the G of the two before it. O(d) a round,
/// for d listed features, O(Kd) for K > 2 classes; memory for the features met, times the classes.
template <class T>
class Linear final : public ManyClassLearner {
 public:
  using Options = LinearOptions;

  explicit Linear(const Options& options)
      : ManyClassLearner(options.loss),
        options_(with_step(options, kUsualStep)),
        step_(*options_.step),
        values_(1),
        squares_(1) {}
  Linear(const Options& options, const Archive& archive) : Linear(options) {
    restore_rounds(archive);
    restore_classes(archive);
    features_ = archive.get<FeatureIndex>("features");
    const std::size_t entries = features_.size() + 1;
    const auto values = archive.get<T>("weights", outputs() * entries);
    const auto squares = archive.get<T>("squares", outputs() * entries);
    for (std::size_t i = 0; i < values.size(); ++i) check(values[i], squares[i]);
    for (std::size_t j = 0; j < features_.size(); ++j) {
      if (table_.find(features_[j]) != FeatureTable::kNone) throw_bad_archive("a feature is listed twice");
      table_.insert(features_[j], static_cast<std::uint32_t>(j + 1));
    }
    count_ = outputs();
    stride_ = stride_for(count_);
    values_.assign(entries * stride_, T{0});
    squares_.assign(entries * stride_, T{0});
    for_each_saved([&](std::size_t from, std::size_t to) {
      values_[to] = values[from];
      squares_[to] = squares[from];
    });
  }

  [[nodiscard]] std::string name() const override { return "linear"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    const auto weight = [&](std::size_t entry) {
      double sum = 0.0;
      for (std::size_t c = 0; c < count_; ++c) sum += direction[c] * static_cast<double>(values_[entry * stride_ + c]);
      return sum;
    };
    for (std::size_t j = 0; j < parts.features.size(); ++j) {
      const std::uint32_t entry = table_.find(parts.features[j]);
      if (entry != FeatureTable::kNone) parts.gradient[j] += weight(entry);
    }
    std::vector<double> scores(count_);
    PreparedRow<T> x;
    predict(row, x, scores);
    for (std::size_t c = 0; c < count_; ++c) parts.rest += direction[c] * scores[c];
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    static thread_local PreparedRow<T> x;
    for (std::size_t r = 0; r < rows.size(); ++r) predict(rows[r], x, out.from(r, 1, count_).scores);
  }

  void round(const Row& row, double target, double weight, Outputs out) override {
    predict(row, x_, out.scores);
    const ClassStep step = step_for(out.scores, target);
    if (step.slope == 0.0) return;
    for (std::size_t j = 0; j < x_.features().size(); ++j)
      learn(step, entry_of(x_.features()[j]), -step.slope * weight * static_cast<double>(x_.values()[j]));
    learn(step, 0, -step.slope * weight);
  }

  void add_class() override {
    const bool is_third = count_ == 1;
    const std::size_t stride = stride_for(count_ + (is_third ? 2 : 1));
    if (stride != stride_) lay_out(stride);
    for (std::size_t at = 0; at < values_.size() && is_third; at += stride_) {
      values_[at + 1] = values_[at] / 2;
      values_[at] = T{0} - values_[at + 1];
      squares_[at + 1] = squares_[at];
    }
    count_ += is_third ? 2 : 1;
  }

  void describe(Report& report) const override {
    double squared_norm = 0.0;
    for (std::size_t at = 0; at < values_.size(); at += stride_) {
      for (std::size_t c = 0; c < count_; ++c) {
        squared_norm += static_cast<double>(values_[at + c]) * static_cast<double>(values_[at + c]);
      }
    }
    report.norm = std::sqrt(squared_norm);
    report.learning_rate = step_;
    report.bytes = sizeof(*this) + table_.bytes() + (values_.capacity() + squares_.capacity()) * sizeof(T) +
                   features_.capacity() * sizeof(FeatureIndex);
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    save_classes(archive);
    std::vector<T> values(count_ * (features_.size() + 1));
    std::vector<T> squares(values.size());
    for_each_saved([&](std::size_t to, std::size_t from) {
      values[to] = values_[from];
      squares[to] = squares_[from];
    });
    archive.put("features", features_);
    archive.put("weights", values);
    archive.put("squares", squares);
  }

 private:
  static constexpr double kUsualStep = 0.1;
  // No weight is larger, so that products with values stay finite.
  static constexpr double kLargest = std::is_same_v<T, float> ? 1e30 : 1e100;

  static void check(T value, T squares) {
    if (!(std::fabs(static_cast<double>(value)) <= kLargest && squares >= 0 && std::isfinite(squares))) {
      throw_bad_archive("a weight is out of range");
    }
  }

  // How many numbers an entry has room for. It doubles, so that thousands of classes are laid out anew a few times.
  static std::size_t stride_for(std::size_t count) { return std::bit_ceil(count); }

  void lay_out(std::size_t stride) {
    const std::size_t entries = values_.size() / stride_;
    std::vector<T> values(entries * stride);
    std::vector<T> squares(entries * stride);
    for (std::size_t e = 0; e < entries; ++e) {
      std::copy_n(values_.data() + e * stride_, count_, values.data() + e * stride);
      std::copy_n(squares_.data() + e * stride_, count_, squares.data() + e * stride);
    }
    values_ = std::move(values);
    squares_ = std::move(squares);
    stride_ = stride;
  }

  // Where every number is saved, and where it is: class by class those of the features, and that of the bias behind
  // them.
  template <class Visit>
  void for_each_saved(const Visit& visit) const {
    const std::size_t entries = features_.size() + 1;
    for (std::size_t c = 0; c < count_; ++c) {
      for (std::size_t e = 1; e < entries; ++e) visit(c * entries + e - 1, e * stride_ + c);
      visit(c * entries + entries - 1, c);
    }
  }

  void predict(const Row& row, PreparedRow<T>& x, std::span<double> scores) const {
    x.assign(row, Kernel::linear());
    for (std::size_t c = 0; c < count_; ++c) scores[c] = static_cast<double>(values_[c]);
    for (std::size_t j = 0; j < x.features().size(); ++j) {
      const std::uint32_t entry = table_.find(x.features()[j]);
      if (entry == FeatureTable::kNone) continue;
      const T* values = values_.data() + entry * stride_;
      const auto value = static_cast<double>(x.values()[j]);
      for (std::size_t c = 0; c < count_; ++c) scores[c] += static_cast<double>(values[c]) * value;
    }
  }

  // One step along the negative gradient of a feature, for the functions that learn.
  void learn(const ClassStep& step, std::size_t entry, double gradient) {
    if (count_ == 1) {
      learn(entry * stride_, step_, gradient);
    } else {
      learn(entry * stride_ + step.up, step_ / 2, gradient);
      learn(entry * stride_ + step.down, step_ / 2, -gradient);
    }
  }
  void learn(std::size_t at, double size, double gradient) {
    const double squares = static_cast<double>(squares_[at]) + gradient * gradient;
    if (!(squares > 0.0)) return;  // the square of a tiny value is 0
    squares_[at] = static_cast<T>(std::min(squares, static_cast<double>(std::numeric_limits<T>::max())));
    const double moved = static_cast<double>(values_[at]) + size * gradient / std::sqrt(squares);
    values_[at] = static_cast<T>(std::clamp(moved, -kLargest, kLargest));
  }

  std::size_t entry_of(FeatureIndex feature) {
    const std::uint32_t entry = table_.find(feature);
    if (entry != FeatureTable::kNone) return entry;
    features_.push_back(feature);
    values_.resize(values_.size() + stride_);
    squares_.resize(values_.size());
    table_.insert(feature, static_cast<std::uint32_t>(features_.size()));
    return features_.size();
  }

  Options options_;
  double step_;
  FeatureTable table_;                  // feature -> its entry, which is its place in the next one and 1
  std::vector<FeatureIndex> features_;  // in the order of their first violation
  // Entry by entry, that of the bias first, stride_ numbers of which the first count_ are in use: one, or one for each
  // class.
  std::vector<T> values_;
  std::vector<T> squares_;  // G
  std::size_t count_ = 1;
  std::size_t stride_ = 1;
  PreparedRow<T> x_;
};

}  // namespace

std::unique_ptr<Learner> make_linear(const LinearOptions& options) {
  return make_of<Linear>(options);
}

extern constexpr LearnerKind kLinear =
    learner_kind<Linear>("linear", "a hyperplane by AdaGrad (Duchi et al. 2011); no kernel, O(d) a round",
                         {.learns_numbers = true,
                          .coefficients = LearnerTraits::Coefficients::kOther,
                          .many_classes = LearnerTraits::ManyClasses::kNative});

}  // namespace alder
