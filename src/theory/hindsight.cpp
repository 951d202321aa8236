#include "alder/hindsight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/random.h"
#include "theory/kernel_row_cache.h"

namespace alder {
namespace {

// How many coefficients are looked at together.
constexpr std::size_t kWorkingSet = 256;
// The sweeps over them end when one gains less than this part of all, or after this number of sweeps.
constexpr double kWorthwhile = 1e-2;
constexpr int kMostSweeps = 50;
// C changes when it is to blame for this part of the gap, and by at most this factor.
constexpr double kBlame = 0.5;
constexpr double kLargestChange = 4.0;
// What gains less than this part of all losses is rounding.
constexpr double kNoGain = 1e-18;
// With a C beyond this nothing converges any more, and the ball is so large that nothing depends on it.
constexpr double kLargestPenalty = 1e8;

}  // namespace

/// The problem   min Σ max(0, 1 − y_i f(x_i))   over ‖f‖ <= U   and its dual
///   max Σ α_i − U ‖g‖,   g = Σ α_i y_i κ(x_i,·),   0 <= α_i <= 1:
/// every α is a bound from below, every f in the ball one from above. The solution is that of the SVM without a bias,
///   max Σ α_i − C/2 ‖g‖²,   f = C g,
/// for the C with C ‖g‖ = U. That is smooth, and its coordinates can be maximised one by one, a working set at a time.
/// ‖g‖ falls as C rises and C ‖g‖ rises, so C ← U/‖g‖ approaches that C from where it is; where f stays inside the
/// ball, C rises until U ‖g‖, what the dual problem is off by, is as small as wanted.
class HindsightSolver::Problem {
 public:
  Problem(const Kernel& kernel, const HindsightOptions& options)
      : options_(options),
        threads_(options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency())),
        rows_(kernel, options.cache, threads_),
        penalty_(options.radius) {}

  void append(const Example& example) {
    if (example.target != 0.0 && example.target != 1.0) {
      throw Error(Error::Kind::kTarget, fmt::format("the target is {}; expected class 0 or 1", example.target));
    }
    rows_.append(example.row);
    labels_.push_back(sign_of(example.target));
  }
  [[nodiscard]] std::size_t size() const { return labels_.size(); }

  Hindsight solve() {
    take_new_rows();
    best_ = {};
    best_.loss = static_cast<double>(size());  // of f = 0
    best_.coefficients.assign(size(), 0.0);
    while (size() > 0) {
      look_around();
      if (best_.gap() <= options_.tolerance * std::max(1.0, best_.loss) || (options_.stop && options_.stop())) break;
      if (penalty_gap_ <= kBlame * best_.gap() && change_penalty()) continue;
      if (!improve()) break;
    }
    best_.steps = steps_;
    for (const double a : best_.coefficients) best_.support += a != 0.0 ? 1 : 0;
    return best_;
  }

 private:
  // New rows have α = 0.
  void take_new_rows() {
    const std::size_t old = alpha_.size();
    if (old == size()) return;
    AlignedVector<double> weights(padded(size()));
    for (std::size_t i = 0; i < old; ++i) weights[i] = alpha_[i] * labels_[i];
    alpha_.resize(size());
    margins_.resize(size());
    queue_.clear();
    if (old == 0) return;
    penalty_ *= static_cast<double>(old) / static_cast<double>(size());  // as if ‖g‖ grew with the rows
    const std::vector<double> sums = rows_.sums(old, weights);
    for (std::size_t i = old; i < size(); ++i) margins_[i] = labels_[i] * sums[i - old];
  }

  // Σ max(0, 1 − y f(x)) of f = scale·g.
  [[nodiscard]] double loss(double scale) const {
    double sum = 0.0;
    for (const double margin : margins_) sum += std::max(0.0, 1.0 - scale * margin);
    return sum;
  }

  // What f and α are worth, as they are.
  void look_around() {
    const double sum = std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
    const double squared_norm = std::max(0.0, std::inner_product(alpha_.begin(), alpha_.end(), margins_.begin(), 0.0));
    norm_ = std::sqrt(squared_norm);
    best_.certain = std::max(best_.certain, sum - options_.radius * norm_);
    const double penalty_loss = loss(penalty_);
    penalty_gap_ = penalty_ * squared_norm + penalty_loss - sum;
    if (norm_ == 0.0) return;
    const double largest = options_.radius / norm_;
    if (penalty_ <= largest) offer(penalty_, penalty_loss);
    offer(largest, loss(largest));
  }

  void offer(double scale, double its_loss) {
    if (its_loss >= best_.loss) return;
    best_.loss = its_loss;
    best_.norm = scale * norm_;
    for (std::size_t i = 0; i < size(); ++i) best_.coefficients[i] = scale * alpha_[i] * labels_[i];
  }

  // C ← U/‖g‖. False if that is what it is.
  bool change_penalty() {
    const double wanted = norm_ > 0.0 ? options_.radius / norm_ : std::numeric_limits<double>::infinity();
    const double next =
        std::min(kLargestPenalty, std::clamp(wanted, penalty_ / kLargestChange, penalty_ * kLargestChange));
    const bool changes = std::fabs(next - penalty_) > 1e-12 * penalty_;
    penalty_ = next;
    return changes;
  }

  // The α_i that is best if only it may change, and what is gained by that.
  struct Step {
    double change;
    double gain;
  };
  [[nodiscard]] Step step(std::size_t i, double alpha, double margin) const {
    const double slope = 1.0 - penalty_ * margin;
    const double curvature = penalty_ * rows_.self(i);
    const double free = curvature > 0.0 ? alpha + slope / curvature : (slope > 0.0 ? 1.0 : 0.0);
    const double change = std::clamp(free, 0.0, 1.0) - alpha;
    return {change, change * (slope - 0.5 * curvature * change)};
  }

  // Maximises over a working set. False if nothing can be gained any more.
  bool improve() {
    choose();
    if (chosen_.empty()) return false;
    rows_.want(chosen_);
    const double gained = maximise();
    constexpr std::size_t kPart = 4096;
    share_out((size() + kPart - 1) / kPart, threads_, [this](std::size_t part) {
      for (std::size_t c = 0; c < chosen_.size(); ++c) {
        if (changes_[c] == 0.0) continue;
        const double* row = rows_[chosen_[c]];
        const double factor = changes_[c] * labels_[chosen_[c]];
        for (std::size_t i = part * kPart; i < std::min(size(), (part + 1) * kPart); ++i) {
          margins_[i] += factor * labels_[i] * row[i];
        }
      }
    });
    return gained > kNoGain * static_cast<double>(size());
  }

  // The next of those α_i that gain something by themselves: all in turn, in random order. (The ones that gain most
  // are like each other, and would only be exchanged for one another: ten times as many steps.)
  void choose() {
    chosen_.clear();
    const std::size_t most = std::min(kWorkingSet, rows_.room());
    const auto gains = [this](std::size_t i) {
      return step(i, alpha_[i], margins_[i]).gain > std::numeric_limits<double>::min();
    };
    for (int turn = 0; turn < 2 && chosen_.empty(); ++turn) {
      if (queue_.empty()) {
        for (std::size_t i = 0; i < size(); ++i) {
          if (gains(i)) queue_.push_back(i);
        }
        for (std::size_t i = queue_.size(); i > 1; --i) std::swap(queue_[i - 1], queue_[random_.below(i)]);
      }
      while (!queue_.empty() && chosen_.size() < most) {
        if (gains(queue_.back())) chosen_.push_back(queue_.back());
        queue_.pop_back();
      }
    }
  }

  // Sweeps over the working set, on its part of the kernel matrix. Returns what that gained.
  double maximise() {
    const std::size_t n = chosen_.size();
    matrix_.resize(n * n);
    local_.resize(n);
    changes_.assign(n, 0.0);
    for (std::size_t r = 0; r < n; ++r) {
      const double* row = rows_[chosen_[r]];
      for (std::size_t c = 0; c < n; ++c) {
        matrix_[r * n + c] = labels_[chosen_[r]] * labels_[chosen_[c]] * row[chosen_[c]];
      }
      local_[r] = margins_[chosen_[r]];
    }
    double gained = 0.0;
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double gain = 0.0;
      for (std::size_t r = 0; r < n; ++r) {
        const std::size_t i = chosen_[r];
        const Step best = step(i, alpha_[i], local_[r]);
        if (best.change == 0.0) continue;
        alpha_[i] += best.change;
        changes_[r] += best.change;
        gain += best.gain;
        ++steps_;
        const double* row = matrix_.data() + r * n;
        for (std::size_t c = 0; c < n; ++c) local_[c] += best.change * row[c];
      }
      gained += gain;
      if (gain <= kWorthwhile * gained) break;
    }
    return gained;
  }

  HindsightOptions options_;
  unsigned threads_;
  KernelRowCache rows_;
  double penalty_;  // C
  std::vector<double> labels_;
  std::vector<double> alpha_;
  std::vector<double> margins_;  // y_i g(x_i)
  double norm_ = 0.0;            // ‖g‖
  double penalty_gap_ = 0.0;     // how far α is from the best for this C
  Hindsight best_;
  std::uint64_t steps_ = 0;
  std::vector<std::size_t> queue_;  // whose turn comes
  Random random_{1};
  // Of the working set, in its order:
  std::vector<std::size_t> chosen_;
  std::vector<double> matrix_, local_, changes_;
};

HindsightSolver::HindsightSolver(const Kernel& kernel, const HindsightOptions& options) {
  const auto check = [](const char* name, double value) {
    if (value > 0.0 && value <= 1e50) return;
    throw Error(fmt::format("{} is {}; expected a number above 0", name, value));
  };
  check("radius", options.radius);
  check("tolerance", options.tolerance);
  problem_ = std::make_unique<Problem>(kernel, options);
}

HindsightSolver::~HindsightSolver() = default;

void HindsightSolver::append(const Example& example) {
  problem_->append(example);
}

std::size_t HindsightSolver::size() const {
  return problem_->size();
}

Hindsight HindsightSolver::solve() {
  return problem_->solve();
}

Hindsight best_in_hindsight(const Dataset& dataset, const Kernel& kernel, const HindsightOptions& options) {
  HindsightSolver solver(kernel, options);
  for (std::size_t i = 0; i < dataset.size(); ++i) solver.append(dataset[i]);
  return solver.solve();
}

}  // namespace alder
