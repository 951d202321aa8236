#include <algorithm>
#include <cmath>

#include "alder/learners.h"

#include "features/nystrom.h"
#include "learners/classics/linear_weights.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"

namespace alder {

void list(NogdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.budget(options.budget);
  visit.automatic_count("rank", options.rank, 1, "the most features of the map; auto: 0.2 B");
  visit.step(options.step);
  visit.margin_loss(options.loss);
  visit.horizon(options.horizon);
  visit.precision(options.precision);
}

namespace {

std::size_t rank_of(const NogdOptions& options) {
  return options.rank.value_or(std::max<std::size_t>(1, (options.budget + 2) / 5));
}

/// Nyström online gradient descent (Lu, Hoi, Wang, Zhao and Liu 2016). Until B rows are stored, kernel gradient
/// descent: a margin violation adds η y κ(x,·). Then their Nyström features φ take over, w beginning where f was, and a
/// violation moves w by η y φ(x). O(dB + rB) a round, with r features, and once O(B³).
template <class T>
class Nogd final : public MarginLearner {
 public:
  using Options = NogdOptions;

  explicit Nogd(const Options& options)
      : options_(options), step_(options.step, options.horizon), map_(options.kernel, rank_of(options)) {}
  Nogd(const Options& options, const Archive& archive) : Nogd(options) {
    restore_rounds(archive);
    map_.load(archive, options.budget);
    if (!map_.is_built() && map_.rows().size() == options.budget) throw_bad_archive("its map is missing");
    w_.load(archive, "weights", map_.is_built() ? padded(map_.features()) : padded(map_.rows().size()));
  }

  [[nodiscard]] std::string name() const override { return "nogd"; }
  [[nodiscard]] bool takes_weights() const override { return true; }

 protected:
  void score_block(std::span<const Row> rows, std::span<double> scores) const override {
    static thread_local Seen seen;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      predict(rows[r], seen);
      scores[r] = seen.score;
    }
  }

  double round(const Row& row, double label, double weight) override {
    Seen& seen = seen_;
    predict(row, seen);
    const double slope = options_.loss.slope(seen.score, label);
    if (slope != 0.0) {
      const double move = -slope * weight * step_.at(rounds() + 1);
      if (map_.is_built()) {
        w_.add(move, seen.phi);
      } else {
        store(move);
      }
    }
    return seen.score;
  }

  void describe(Report& report) const override {
    report.support = map_.rows().size();
    if (map_.is_built()) report.norm = w_.norm();
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + map_.bytes() + w_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    map_.save(archive);
    w_.save(archive, "weights");
  }

 private:
  struct Seen {
    PreparedRow<T> x;
    KernelValues row;           // κ(s_i, x)
    AlignedVector<double> phi;  // φ(x), once there is a map
    double score = 0.0;
  };

  // The Gram matrix is made of the rows met before there is a map, so these are exact.
  void predict(const Row& row, Seen& seen) const {
    seen.x.assign(row, options_.kernel);
    map_.rows().kernel_row(seen.x, map_.is_built() ? Accuracy::kFast : Accuracy::kExact, seen.row);
    if (map_.is_built()) {
      map_.map(seen.row, seen.phi);
      seen.score = w_.dot(seen.phi);
    } else {
      seen.score = add(seen.row.weighted_sum(w_.values()), {});
    }
  }

  void store(double coefficient) {
    AlignedVector<double> a = w_.values();
    const std::size_t size = map_.rows().size();
    a.resize(padded(size + 1));
    a[size] = coefficient;
    map_.append(seen_.x, seen_.row);
    w_ = LinearWeights(std::move(a));
    if (size + 1 == options_.budget) {
      map_.build();
      w_ = LinearWeights(map_.weights(w_.values()));
    }
  }

  Options options_;
  StepSize step_;
  NystromMap<T> map_;
  LinearWeights w_;  // of the stored rows until there is a map, then of its features
  Seen seen_;
};

}  // namespace

std::unique_ptr<Learner> make_nogd(const NogdOptions& options) {
  return make_of<Nogd>(options);
}

extern constexpr LearnerKind kNogd =
    learner_kind<Nogd>("nogd", "gradient descent on Nystroem features (Lu et al. 2016)",
                       {.coefficients = LearnerTraits::Coefficients::kOther});

}  // namespace alder
