#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alder/learners.h"

#include "archive/state.h"
#include "features/sketch.h"
#include "kernel/decompositions.h"
#include "kernel/kernel_parts.h"
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
  visit.loss(options.loss);
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
/// before, and O(s_a³) when a map is made. K > 2 classes have K functions on the same rows and features, all of which
/// a new map takes over.
template <class T>
class Skegd final : public ManyClassLearner {
 public:
  using Options = SkegdOptions;

  explicit Skegd(const Options& options)
      : ManyClassLearner(options.loss),
        options_(with_step(options, usual_step(options.loss))),
        step_(*options_.step, options.horizon),
        horizon_(options.horizon),
        rows_(options.kernel),
        map_(options.kernel, sizes_of(options)),
        random_(options.seed) {}
  Skegd(const Options& options, const Archive& archive) : Skegd(options) {
    restore_rounds(archive);
    restore_classes(archive);
    violations_ = archive.setting<std::uint64_t>("state", "violations");
    random_ = load_random(archive);
    horizon_.reach(rounds());
    rows_.load(archive, "support");
    a_.load(archive, "coefficients", outputs(), rows_.size());
    map_.load(archive, rows_.size());
    if (!map_.is_drawn() && rows_.size() >= options.budget) throw_bad_archive("its sketches are missing");
    gram_.load(archive, "gram", map_.is_drawn() ? std::vector<double>() : rows_.selfs());
    w_.load(archive, "weights", outputs(), map_.is_built() ? padded(map_.features()) : 0);
  }

  [[nodiscard]] std::string name() const override { return "skegd"; }
  [[nodiscard]] bool takes_weights() const override { return true; }
  /// Once there is a map, its function is one of the sampled rows: k_b(x)·(Qw).
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override {
    Seen seen;
    std::vector<double> scores(outputs());
    predict(row, seen, scores);
    if (!map_.is_built()) {
      add_kernel_parts(rows_, seen.x, seen.row, a_.combined(direction), parts);
      return true;
    }
    const AlignedVector<double> w = w_.combined(direction);
    const Eigen::MatrixXd q = map_.matrix();
    const Eigen::VectorXd a = q * Eigen::Map<const Eigen::VectorXd>(w.data(), q.cols());
    add_kernel_parts(map_.sampled(), seen.x, seen.sampled_row, std::span(a.data(), static_cast<std::size_t>(a.size())),
                     parts);
    return true;
  }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    static thread_local Seen seen;
    for (std::size_t r = 0; r < rows.size(); ++r) predict(rows[r], seen, out.from(r, 1, outputs()).scores);
  }

  void round(const Row& row, double target, double weight, Outputs out) override {
    predict(row, seen_, out.scores);
    horizon_.reach(rounds() + 1);
    const ClassStep step = step_for(out.scores, target);
    if (step.slope == 0.0) return;
    const double size = step_along(step.slope, weight, step_.at(rounds() + 1), seen_.x.self());
    if (map_.is_built()) {
      w_.move(step, size, seen_.phi);
      if (++violations_ >= cycle()) renew_map();
    } else if (rows_.size() < options_.budget) {
      store(step, size);
    } else {
      begin_map(step, size);
    }
  }

  void add_class() override {
    a_.add_class();
    w_.add_class();
  }

  void describe(Report& report) const override {
    report.support = rows_.size();
    if (map_.is_built()) report.norm = w_.norm();
    report.learning_rate = step_.at(std::max<std::uint64_t>(rounds(), 1));
    report.bytes = sizeof(*this) + rows_.bytes() + a_.bytes() + gram_.bytes() + map_.bytes() + w_.bytes();
  }

  void save_state(Archive& archive) const override {
    save_options(options_, archive);
    save_classes(archive);
    archive.set("state", "violations", violations_);
    save_random(random_, archive);
    rows_.save(archive, "support");
    a_.save(archive, "coefficients", rows_.size());
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
  };

  void predict(const Row& row, Seen& seen, std::span<double> scores) const {
    seen.x.assign(row, options_.kernel);
    if (map_.is_built()) {
      map_.kernel_row(seen.x, seen.sampled_row);
      map_.map(seen.sampled_row, seen.phi);
      w_.times(seen.phi, scores);
    } else {
      rows_.kernel_row(seen.x, Accuracy::kExact, seen.row);
      a_.times(seen.row, scores);
    }
  }

  void store(const ClassStep& step, double size) {
    gram_.append(seen_.row, seen_.x.self());
    a_.resize(padded(rows_.size() + 1));
    a_.move(step, size, rows_.size());
    rows_.append(seen_.x);
    if (rows_.size() == options_.budget) {
      map_.draw(rows_, gram_, random_);
      gram_.reset();
    }
  }

  void begin_map(const ClassStep& step, double size) {
    Seen& seen = seen_;
    map_.kernel_row(seen.x, seen.sampled_row);
    double squared = 0.0;
    for (std::size_t j = 0; j < seen.sampled_row.size(); ++j) {
      squared += seen.sampled_row.kernel(j) * seen.sampled_row.kernel(j);
    }
    if (!(std::sqrt(squared) > kNearlyZero)) return;
    map_.build(std::numeric_limits<std::uint32_t>::max());
    map_.map(seen.sampled_row, seen.phi);
    const double norm = std::sqrt(simd::dot(seen.phi.data(), seen.phi.data(), seen.phi.size()));
    w_.resize(padded(map_.features()));
    for (std::size_t c = 0; c < w_.count() && norm > kNearlyZero; ++c) {
      w_.add(c, step.scores[c] / (norm * norm), seen.phi);
    }
    w_.move(step, size, seen.phi);
  }

  // How many violations there are between two rebuilds.
  [[nodiscard]] std::uint64_t cycle() const {
    return static_cast<std::uint64_t>(std::clamp(options_.cycle * static_cast<double>(horizon_.value()), 1.0, 9e15));
  }

  void renew_map() {
    violations_ = 0;
    rows_.kernel_row(seen_.x, Accuracy::kExact, seen_.row);
    map_.extend(seen_.row, seen_.x.self(), seen_.sampled_row, random_);
    rows_.append(seen_.x);
    a_.resize(padded(rows_.size()));
    const Eigen::MatrixXd q = map_.matrix();
    Eigen::MatrixXd functions(q.rows(), static_cast<Eigen::Index>(w_.count()));  // f(x) = k_b(x)·(Qw)
    for (std::size_t c = 0; c < w_.count(); ++c) {
      const Eigen::Map<const Eigen::VectorXd> w(w_[c].data(), q.cols());
      functions.col(static_cast<Eigen::Index>(c)) = q * w;
    }
    map_.build(options_.rank.value_or(SketchSizes::part(options_.budget, 0.1)));
    Eigen::MatrixXd nearest(static_cast<Eigen::Index>(map_.features()), functions.cols());
    if (map_.features() > 0 && w_.count() == 1) {
      nearest = least_squares(map_.matrix(), Eigen::VectorXd(functions.col(0)), kInverseTolerance);
    } else if (map_.features() > 0) {
      nearest = least_squares(map_.matrix(), functions, kInverseTolerance);
    }
    for (std::size_t c = 0; c < w_.count(); ++c) {
      AlignedVector<double> renewed(padded(map_.features()));
      const auto column = nearest.col(static_cast<Eigen::Index>(c));
      std::copy(column.begin(), column.end(), renewed.begin());
      w_.set(c, std::move(renewed));
    }
  }

  Options options_;
  StepSize step_;
  Horizon horizon_;
  Dictionary<T> rows_;  // they stay when there is a map, for later changes of the sketches
  LinearWeights a_;     // their coefficients, which are the function until there is a map; one, or one for each class
  Gram gram_;           // of those rows, until the sketches are drawn
  SketchMap<T> map_;
  LinearWeights w_;  // of the map's features, likewise
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
                        {.learns_numbers = true,
                         .coefficients = LearnerTraits::Coefficients::kOther,
                         .many_classes = LearnerTraits::ManyClasses::kNative});

}  // namespace alder
