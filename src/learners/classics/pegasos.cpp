#include <cmath>
#include <limits>

#include "alder/learners.h"

#include "archive/state.h"
#include "kernel/online_expansion.h"
#include "learners/core/kind.h"

namespace alder {

void list(PegasosOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.number("regularization", options.lambda, {}, "lambda of the penalty lambda/2 ||f||^2");
  visit.worth_trying({1e-6, 1e-5, 1e-4, 1e-3, 1e-2});
  visit.precision(options.precision);
}

namespace {

/// Pegasos (Shalev-Shwartz, Singer and Srebro 2007), its kernel form, in one pass over the stream. The step
///   f ← (1 − 1/t) f + [violation] y κ(x,·)/(λt)
/// makes f after t rounds equal to g/(λt) with g = Σ y κ(x,·) over all violations so far; g is what is stored. O(d|S|)
/// a round.
template <class T>
class Pegasos final : public MarginLearner {
 public:
  using Options = PegasosOptions;

  explicit Pegasos(const Options& options) : options_(options), g_(options.kernel) {}
  Pegasos(const Options& options, const Archive& archive) : Pegasos(options) {
    restore_rounds(archive);
    squared_norm_ = read_amount(archive, "squared_norm");
    g_.function().load(archive, std::numeric_limits<std::size_t>::max());
  }

  [[nodiscard]] std::string name() const override { return "pegasos"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    g_.add_parts(row, scale() * direction[0], parts);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override {
    g_.values(rows, scores);
    for (double& score : scores) score *= scale();
  }

  double round(const Row& /*row*/, double label, double weight) override {
    const double value = g_.begin();
    const double score = value * scale();
    if (label * score < 1.0) {
      g_.append(weight * label);
      squared_norm_ = std::max(0.0, squared_norm_ + 2.0 * weight * label * value + weight * weight * g_.x().self());
    }
    g_.end();
    return score;
  }

  void begin_block(std::span<const Row> rows) override { g_.begin_block(rows); }
  void end_block() override { g_.end_block(); }

  void describe(Report& report) const override {
    report.support = g_.size();
    report.norm = std::sqrt(squared_norm_) * scale();
    report.learning_rate = scale();
    report.bytes = sizeof(*this) + g_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "squared_norm", squared_norm_);
    g_.function().save(archive);
  }

 private:
  // 1/(λt) after t rounds.
  [[nodiscard]] double scale() const {
    return rounds() == 0 ? 0.0 : 1.0 / (options_.lambda * static_cast<double>(rounds()));
  }

  Options options_;
  OnlineExpansion<T> g_;
  double squared_norm_ = 0.0;  // ‖g‖²
};

}  // namespace

std::unique_ptr<Learner> make_pegasos(const PegasosOptions& options) {
  return make_of<Pegasos>(options);
}

extern constexpr LearnerKind kPegasos =
    learner_kind<Pegasos>("pegasos", "kernel Pegasos in one pass (Shalev-Shwartz et al. 2007); stores without bound",
                          {.coefficients = LearnerTraits::Coefficients::kBeforeScale});

}  // namespace alder
