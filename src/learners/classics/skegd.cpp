#include <algorithm>
#include <cmath>
#include <limits>

#include "alder/learners.h"

#include "archive/state.h"
#include "features/sketch.h"
#include "kernel/decompositions.h"
#include "learners/classics/linear_weights.h"
#include "learners/core/horizon.h"
#include "learners/core/kind.h"

namespace alder {

// A square matrix of this size takes 2 GiB.
constexpr std::uint64_t kMostSketch = std::uint64_t{1} << 14U;

void list(SkegdOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.count("budget", options.budget, 1, "B: rows stored when the sketches are made");
  visit.automatic_count("samples", options.samples, 1, "s_b: rows that a new row is compared with; auto: 0.15 B",
                        kMostSketch);
  visit.automatic_count("sketch", options.sketch, 1, "s_a: columns of the count sketch; auto: 0.75 B", kMostSketch);
  visit.count("nonzeros", options.nonzeros, 1, "d: entries of the count sketch per row", kMostEntries);
  visit.automatic_count("rank", options.rank, 1, "the most features of a rebuilt map; auto: 0.1 B");
  visit.number("cycle", options.cycle, {1e-6, 1e50}, "violations between two rebuilds, as a part of T");
  visit.step(options.step);
  visit.margin_loss(options.loss);
  visit.horizon(options.horizon);
  visit.seed(options.seed);
  visit.precision(options.precision);
}

namespace {

SketchSizes sizes_of(const SkegdOptions& options) {
  const SketchSizes sizes = SketchSizes::of(options.budget);
  return {options.samples.value_or(sizes.samples), options.sketch.value_or(sizes.columns), options.nonzeros};
}

/// SkeGD (Zhang and Liao 2019). Until B rows are stored, kernel gradient descent: a margin violation adds η y κ(x,·).
/// The first violation after that whose row is not too far from the sampled rows makes the features φ of the sketches,
/// and w = f(x)·φ(x)/‖φ(x)‖²; from then on a violation moves w by η y φ(x). After every cycle·T violations the row of
/// the last one joins the sketches, φ is made anew with fewer features, and w becomes the one whose function on the
/// sampled rows is nearest to the old: Q'w' ≈ Qw. O(d s_b + s_b r) a round once there is a map, with r features; O(dB)
/// before, and O(s_a³) when a map is made.
template <class T>
class Skegd final : public MarginLearner {
 public:
  using Options = SkegdOptions;

  explicit Skegd(const Options& options)
      : options_(options),
        step_(options.step, options.horizon),
        horizon_(options.horizon),
        f_(options.kernel),
        map_(options.kernel, sizes_of(options)),
        random_(options.seed) {}
  Skegd(const Options& options, const Archive& archive) : Skegd(options) {
    restore_rounds(archive);
    violations_ = archive.setting<std::uint64_t>("state", "violations");
    random_ = load_random(archive);
    horizon_.reach(rounds());
    f_.load(archive, std::numeric_limits<std::size_t>::max());
    map_.load(archive, f_.size());
    if (!map_.is_drawn() && f_.size() >= options.budget) throw_bad_archive("its sketches are missing");
    gram_.load(archive, "gram", map_.is_drawn() ? std::vector<double>() : f_.rows().selfs());
    w_.load(archive, "weights", map_.is_built() ? padded(map_.features()) : 0);
  }

  [[nodiscard]] std::string name() const override { return "skegd"; }
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
    horizon_.reach(rounds() + 1);
    const double slope = options_.loss.slope(seen.score, label);
    if (slope != 0.0) {
      const double move = -slope * weight * step_.at(rounds() + 1);
      if (map_.is_built()) {
        w_.add(move, seen.phi);
        if (++violations_ >= cycle()) renew_map();
      } else if (f_.size() < options_.budget) {
        store(move);
      } else {
        begin_map(move);
      }
    }
    return seen.score;
  }

  void describe(Report& report) const override {
    report.support = f_.size();
    if (map_.is_built()) report.norm = w_.norm();
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + f_.bytes() + gram_.bytes() + map_.bytes() + w_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    archive.set("state", "violations", violations_);
    save_random(random_, archive);
    f_.save(archive);
    gram_.save(archive, "gram");
    map_.save(archive);
    w_.save(archive, "weights");
  }

 private:
  // ‖k_b(x)‖ or ‖φ(x)‖ below this is numerically zero: no direction to begin in.
  static constexpr double kNearlyZero = 1e-12;
  // Directions of Q' below this part of the largest count as 0.
  static constexpr double kInverseTolerance = 1e-10;

  struct Seen {
    PreparedRow<T> x;
    KernelValues row;           // κ(s_i, x) of all stored rows, while there is no map
    KernelValues sampled_row;   // κ(s_i, x) of the sampled rows, once there is one
    AlignedVector<double> phi;  // φ(x)
    double score = 0.0;
  };

  void predict(const Row& row, Seen& seen) const {
    seen.x.assign(row, options_.kernel);
    if (map_.is_built()) {
      map_.kernel_row(seen.x, seen.sampled_row);
      map_.map(seen.sampled_row, seen.phi);
      seen.score = w_.dot(seen.phi);
    } else {
      seen.score = add(f_.value(seen.x, Accuracy::kExact, seen.row), {});
    }
  }

  void store(double coefficient) {
    gram_.append(seen_.row, seen_.x.self());
    f_.append(seen_.x, coefficient);
    if (f_.size() == options_.budget) {
      map_.draw(f_.rows(), gram_, random_);
      gram_.reset();
    }
  }

  void begin_map(double move) {
    Seen& seen = seen_;
    map_.kernel_row(seen.x, seen.sampled_row);
    double squared = 0.0;
    for (std::size_t j = 0; j < seen.sampled_row.size(); ++j) {
      squared += seen.sampled_row.kernel(j) * seen.sampled_row.kernel(j);
    }
    if (!(std::sqrt(squared) > kNearlyZero)) return;
    map_.build(std::numeric_limits<std::uint32_t>::max());
    map_.map(seen.sampled_row, seen.phi);
    const double norm = LinearWeights(seen.phi).norm();
    w_ = LinearWeights(padded(map_.features()));
    if (norm > kNearlyZero) w_.add(seen.score / (norm * norm), seen.phi);
    w_.add(move, seen.phi);
  }

  // How many violations there are between two rebuilds.
  [[nodiscard]] std::uint64_t cycle() const {
    return static_cast<std::uint64_t>(std::clamp(options_.cycle * static_cast<double>(horizon_.value()), 1.0, 9e15));
  }

  void renew_map() {
    violations_ = 0;
    f_.rows().kernel_row(seen_.x, Accuracy::kExact, seen_.row);
    map_.extend(seen_.row, seen_.x.self(), seen_.sampled_row, random_);
    f_.append(seen_.x, 0.0);
    const Eigen::Map<const Eigen::VectorXd> w(w_.values().data(), static_cast<Eigen::Index>(map_.features()));
    const Eigen::VectorXd function = map_.matrix() * w;  // f(x) = k_b(x)·(Qw)
    map_.build(options_.rank.value_or(SketchSizes::part(options_.budget, 0.1)));
    AlignedVector<double> renewed(padded(map_.features()));
    if (map_.features() > 0) {
      const Eigen::VectorXd nearest = least_squares(map_.matrix(), function, kInverseTolerance);
      std::copy(nearest.begin(), nearest.end(), renewed.begin());
    }
    w_ = LinearWeights(std::move(renewed));
  }

  Options options_;
  StepSize step_;
  Horizon horizon_;
  Expansion<T> f_;  // the function until there is a map; its rows stay, for later changes of the sketches
  Gram gram_;       // of those rows, until the sketches are drawn
  SketchMap<T> map_;
  LinearWeights w_;
  LearnerRandom random_;
  std::uint64_t violations_ = 0;  // since the map was made or renewed
  Seen seen_;
};

}  // namespace

std::unique_ptr<Learner> make_skegd(const SkegdOptions& options) {
  return make_of<Skegd>(options);
}

extern constexpr LearnerKind kSkegd =
    learner_kind<Skegd>("skegd", "gradient descent on sketches of the Gram matrix (Zhang and Liao 2019)",
                        {.coefficients = LearnerTraits::Coefficients::kOther});

}  // namespace alder
