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
class Perceptron final : public Learner {
 public:
  using Options = PerceptronOptions;

  explicit Perceptron(const Options& options) : options_(options), f_(options.kernel) {}
  Perceptron(const Options& options, const Archive& archive) : Perceptron(options) {
    restore_counters(archive);
    squared_norm_ = read_amount(archive, "squared_norm");
    f_.function().load(archive, std::numeric_limits<std::size_t>::max());
  }

  [[nodiscard]] std::string name() const override { return "perceptron"; }

 protected:
  [[nodiscard]] double compute_score(const Row& row) const override { return f_.value(row); }

  double round(const Row& row, double label) override {
    const double value = f_.begin(row);
    if (predicted_class(value) != label) {
      f_.append(label);
      squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * label * value + f_.x().self());
    }
    f_.end();
    return value;
  }

  void prepare(std::span<const Row> rows) override { f_.expect(rows); }

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

constexpr LearnerKind kPerceptron =
    learner_kind<Perceptron>("perceptron", "the kernel perceptron; stores without bound");

}  // namespace alder
