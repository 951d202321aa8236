#include <algorithm>
#include <cmath>

#include "alder/learners.h"

#include "features/nystrom.h"
#include "kernel/kernel_parts.h"
#include "learners/classics/linear_weights.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"

namespace alder {

void list(NogdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.budget(options.budget);
  visit.automatic_count("rank", options.rank, 1, "the most features of the map; auto: 0.2 B");
  visit.step(options.step);
  visit.loss(options.loss);
  visit.horizon(options.horizon);
  visit.precision(options.precision);
}

namespace {

std::size_t rank_of(const NogdOptions& options) {
  return options.rank.value_or(std::max<std::size_t>(1, (options.budget + 2) / 5));
}

/// Nyström online gradient descent (Lu, Hoi, Wang, Zhao and Liu 2016). Until B rows are stored, kernel gradient
/// descent: a margin violation adds η y κ(x,·). Then their Nyström features φ take over, w beginning where f was, and a
/// violation moves w by η y φ(x). O(dB + rB) a round, with r features, and once O(B³); K > 2 classes have K functions
/// on the same rows and features.
template <class T>
class Nogd final : public ManyClassLearner {
 public:
  using Options = NogdOptions;

  explicit Nogd(const Options& options)
      : ManyClassLearner(options.loss),
        options_(with_step(options, usual_step(options.loss))),
        step_(*options_.step, options.horizon),
        map_(options.kernel, rank_of(options)) {}
  Nogd(const Options& options, const Archive& archive) : Nogd(options) {
    restore_rounds(archive);
    restore_classes(archive);
    map_.load(archive, options.budget);
    if (!map_.is_built() && map_.rows().size() == options.budget) throw_bad_archive("its map is missing");
    w_.load(archive, "weights", outputs(), padded(map_.is_built() ? map_.features() : map_.rows().size()));
  }

  [[nodiscard]] std::string name() const override { return "nogd"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    Seen seen;
    look(row, seen);
    const AlignedVector<double> w = w_.combined(direction);
    add_kernel_parts(map_.rows(), seen.x, seen.row, map_.is_built() ? map_.coefficients(w) : w, parts);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    static thread_local Seen seen;
    for (std::size_t r = 0; r < rows.size(); ++r) predict(rows[r], seen, out.from(r, 1, outputs()).scores);
  }

  void round(const Row& row, double target, double weight, Outputs out) override {
    predict(row, seen_, out.scores);
    const ClassStep step = step_for(out.scores, target);
    if (step.slope == 0.0) return;
    const double size = step_along(step.slope, weight, step_.at(rounds() + 1), seen_.x.self());
    if (map_.is_built()) {
      w_.move(step, size, seen_.phi);
    } else {
      store(step, size);
    }
  }

  void add_class() override { w_.add_class(); }

  void describe(Report& report) const override {
    report.support = map_.rows().size();
    if (map_.is_built()) report.norm = w_.norm();
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + map_.bytes() + w_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    save_classes(archive);
    map_.save(archive);
    w_.save(archive, "weights");
  }

 private:
  struct Seen {
    PreparedRow<T> x;
    KernelValues row;           // κ(s_i, x)
    AlignedVector<double> phi;  // φ(x), once there is a map
  };

  // The Gram matrix is made of the rows met before there is a map, so these are exact.
  void look(const Row& row, Seen& seen) const {
    seen.x.assign(row, options_.kernel);
    map_.rows().kernel_row(seen.x, map_.is_built() ? Accuracy::kFast : Accuracy::kExact, seen.row);
  }

  void predict(const Row& row, Seen& seen, std::span<double> scores) const {
    look(row, seen);
    if (map_.is_built()) {
      map_.map(seen.row, seen.phi);
      w_.times(seen.phi, scores);
    } else {
      w_.times(seen.row, scores);
    }
  }

  void store(const ClassStep& step, double size) {
    const std::size_t stored = map_.rows().size();
    w_.resize(padded(stored + 1));
    w_.move(step, size, stored);
    map_.append(seen_.x, seen_.row);
    if (stored + 1 == options_.budget) {
      map_.build();
      for (std::size_t c = 0; c < w_.count(); ++c) w_.set(c, map_.weights(w_[c]));
    }
  }

  Options options_;
  StepSize step_;
  NystromMap<T> map_;
  LinearWeights w_;  // of the stored rows until there is a map, then of its features; one, or one for each class
  Seen seen_;
};

}  // namespace

std::unique_ptr<Learner> make_nogd(const NogdOptions& options) {
  return make_of<Nogd>(options);
}

extern constexpr LearnerKind kNogd =
    learner_kind<Nogd>("nogd", "gradient descent on Nystroem features (Lu et al. 2016)",
                       {.learns_numbers = true,
                        .coefficients = LearnerTraits::Coefficients::kOther,
                        .many_classes = LearnerTraits::ManyClasses::kNative});

}  // namespace alder
