#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/learners.h"
#include "alder/score_parts.h"

#include "features/fourier.h"
#include "learners/classics/linear_weights.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"

namespace alder {

void list(FogdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.count("frequencies", options.frequencies, 1, "D: random frequencies, two features each", kMostEntries);
  visit.step(options.step);
  visit.loss(options.loss);
  visit.horizon(options.horizon);
  visit.seed(options.seed);
  visit.precision(options.precision);
}

void check(const FogdOptions& options) {
  check_ranges(options);
  check_fourier_kernel(options.kernel);
}

namespace {

/// Fourier online gradient descent (Lu, Hoi, Wang, Zhao and Liu 2016): with random Fourier features z(x), the score is
/// wᵀz(x), and a margin violation moves w by η y z(x). O(dD) a round for d listed features, O(KD) more for K > 2
/// classes.
template <class T>
class Fogd final : public ManyClassLearner {
 public:
  using Options = FogdOptions;

  explicit Fogd(const Options& options)
      : ManyClassLearner(options.loss),
        options_(with_step(options, usual_step(options.loss))),
        step_(*options_.step, options.horizon),
        map_(options.kernel, options.frequencies, options.seed),
        w_(map_.length()) {}
  Fogd(const Options& options, const Archive& archive) : Fogd(options) {
    restore_rounds(archive);
    restore_classes(archive);
    w_.load(archive, "weights", outputs(), map_.length());
    map_.load(archive);
  }

  [[nodiscard]] std::string name() const override { return "fogd"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    Mapped mapped;
    mapped.x.assign(row, options_.kernel);
    map_.map(mapped.x, mapped.z);
    const AlignedVector<double> w = w_.combined(direction);
    parts.rest += simd::dot(w.data(), mapped.z.data(), w.size());
    map_.add_gradient(w, mapped.z, parts.features, parts.gradient);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    static thread_local Mapped mapped;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      mapped.x.assign(rows[r], options_.kernel);
      predict(mapped, out.from(r, 1, outputs()).scores);
    }
  }

  void round(const Row& row, double target, double weight, Outputs out) override {
    mapped_.x.assign(row, options_.kernel);
    map_.meet(mapped_.x);
    predict(mapped_, out.scores);
    const ClassStep step = step_for(out.scores, target);
    if (step.slope != 0.0) w_.move(step, step_along(step.slope, weight, step_.at(rounds() + 1), 1.0), mapped_.z);
  }

  void add_class() override { w_.add_class(); }

  void describe(Report& report) const override {
    report.norm = w_.norm();
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + map_.bytes() + w_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    save_classes(archive);
    w_.save(archive, "weights");
    map_.save(archive);
  }

 private:
  struct Mapped {
    PreparedRow<T> x;
    AlignedVector<double> z;
  };

  void predict(Mapped& mapped, std::span<double> scores) const {
    map_.map(mapped.x, mapped.z);
    w_.times(mapped.z, scores);
  }

  Options options_;
  StepSize step_;
  FourierMap<T> map_;
  LinearWeights w_;  // one, or one for each class
  Mapped mapped_;
};

}  // namespace

std::unique_ptr<Learner> make_fogd(const FogdOptions& options) {
  return make_of<Fogd>(options);
}

extern constexpr LearnerKind kFogd =
    learner_kind<Fogd>("fogd", "gradient descent on random Fourier features (Lu et al. 2016)",
                       {.numbers_matter = true,
                        .learns_numbers = true,
                        .coefficients = LearnerTraits::Coefficients::kOther,
                        .many_classes = LearnerTraits::ManyClasses::kNative});

}  // namespace alder
