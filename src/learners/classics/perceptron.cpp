#include <cmath>
#include <limits>

#include "alder/learners.h"

#include "archive/state.h"
#include "kernel/online_expansion.h"
#include "learners/core/kind.h"

namespace alder {

void list(PerceptronOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.precision(options.precision);
}

namespace {

/// The kernel perceptron (Aizerman, Braverman and Rozonoer 1964): on a mistake f ← f + y κ(x,·). O(d|S|) a round, |S|
/// being the number of mistakes so far.
template <class T>
class Perceptron final : public MarginLearner {
 public:
  using Options = PerceptronOptions;

  explicit Perceptron(const Options& options) : options_(options), f_(options.kernel) {}
  Perceptron(const Options& options, const Archive& archive) : Perceptron(options) {
    restore_rounds(archive);
    squared_norm_ = read_amount(archive, "squared_norm");
    f_.function().load(archive, std::numeric_limits<std::size_t>::max());
  }

  [[nodiscard]] std::string name() const override { return "perceptron"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    f_.add_parts(row, direction[0], parts);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override { f_.values(rows, scores); }

  double round(const Row& /*row*/, double label, double weight) override {
    const double value = f_.begin();
    if (is_mistake(value, label)) {
      f_.append(weight * label);
      squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * weight * label * value + weight * weight * f_.x().self());
    }
    f_.end();
    return value;
  }

  void begin_block(std::span<const Row> rows) override { f_.begin_block(rows); }
  void end_block() override { f_.end_block(); }

  void describe(Report& report) const override {
    report.support = f_.size();
    report.norm = std::sqrt(squared_norm_);
    report.learning_rate = 1.0;
    report.bytes = sizeof(*this) + f_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "squared_norm", squared_norm_);
    f_.function().save(archive);
  }

 private:
  Options options_;
  OnlineExpansion<T> f_;
  double squared_norm_ = 0.0;  // ‖f‖²
};

}  // namespace

std::unique_ptr<Learner> make_perceptron(const PerceptronOptions& options) {
  return make_of<Perceptron>(options);
}

extern constexpr LearnerKind kPerceptron =
    learner_kind<Perceptron>("perceptron", "the kernel perceptron; stores without bound");

}  // namespace alder
