#include "learners/alder/feature_scales.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/random.h"
#include "learners/alder/likelihood.h"
#include "learners/alder/scale_table.h"

namespace alder {
namespace {

/// Of more classes than this, a step looks at the most frequent ones among its rows.
constexpr std::size_t kMostOutputs = 16;
/// The logarithms of the scales are as if known beforehand to be normal around the start; this times the rows of a step
/// is the inverse of their variance. The likelihoods of several outputs are averaged, not added, so that it weighs the
/// same for any number of classes. It matters for one-hot data, whose features are many and each tells little.
constexpr double kPull = 4.0 / 256.0;
constexpr double kFirstNoise = 0.3;
constexpr double kLeastNoise = 1e-3;
/// Below this part of the amplitude, floats do not suffice.
constexpr double kLeastNoisePart = 1e-4;
constexpr double kLeastLog = -5.0;
constexpr double kMostLog = 4.0;
constexpr double kMostOutput = 3.0;
constexpr std::uint64_t kLikelySeed = 0x5ca1e5;
/// Of the steps, at the end.
constexpr double kAveraged = 0.3;
constexpr double kLastSteps = 0.4;

/// Writes the outputs of the rows that were drawn and returns how many vary.
class StepOutputs {
 public:
  StepOutputs(std::span<const double> targets, std::size_t classes) : targets_(targets), counts_(classes) {}

  std::size_t write(std::span<const std::uint32_t> drawn, Likelihood& likelihood) {
    if (counts_.empty()) return write_numbers(drawn, likelihood.output(0));
    std::fill(counts_.begin(), counts_.end(), 0);
    for (const std::uint32_t a : drawn) ++counts_[class_of(a)];
    const auto n = static_cast<double>(drawn.size());
    if (counts_.size() == 2) {
      if (counts_[0] == 0 || counts_[1] == 0) return 0;
      const double mean = (static_cast<double>(counts_[1]) - static_cast<double>(counts_[0])) / n;
      fill(drawn, 1, 1.0 - mean, -1.0 - mean, likelihood.output(0));
      return 1;
    }
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      if (counts_[c] > 0 && counts_[c] < drawn.size()) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts_[a] > counts_[b]; });
    if (order.size() > kMostOutputs) order.resize(kMostOutputs);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const double mean = static_cast<double>(counts_[order[k]]) / n;
      const double deviation = std::sqrt(mean * (1.0 - mean));
      fill(drawn, order[k], (1.0 - mean) / deviation, -mean / deviation, likelihood.output(k));
    }
    return order.size();
  }

 private:
  // In deviations from their mean; 3 at most, so that a few do not decide.
  [[nodiscard]] std::size_t write_numbers(std::span<const std::uint32_t> drawn, std::span<float> out) const {
    const auto n = static_cast<double>(drawn.size());
    double mean = 0.0;
    for (const std::uint32_t a : drawn) mean += targets_[a] / n;
    double squares = 0.0;
    for (const std::uint32_t a : drawn) squares += (targets_[a] - mean) * (targets_[a] - mean) / n;
    const double deviation = std::sqrt(squares);
    if (!(deviation > 0.0) || !std::isfinite(deviation)) return 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      out[i] = static_cast<float>(std::clamp((targets_[drawn[i]] - mean) / deviation, -kMostOutput, kMostOutput));
    }
    return 1;
  }

  [[nodiscard]] std::size_t class_of(std::size_t a) const { return static_cast<std::size_t>(targets_[a]); }
  void fill(std::span<const std::uint32_t> drawn, std::size_t one, double inside, double outside,
            std::span<float> out) const {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      out[i] = static_cast<float>(class_of(drawn[i]) == one ? inside : outside);
    }
  }

  std::span<const double> targets_;
  std::vector<std::size_t> counts_;
};

/// Adam (Kingma and Ba 2015), whose steps are small where slopes are far below 1e-3 for each row.
class Adam {
 public:
  Adam(std::size_t parameters, std::size_t rows)
      : mean_(parameters), square_(parameters), least_(1e-3 * static_cast<double>(rows)) {}

  void step(double size, std::span<const double> slopes, std::span<double> parameters) {
    mean_part_ *= kMeanDecay;
    square_part_ *= kSquareDecay;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      mean_[j] += (1.0 - kMeanDecay) * (slopes[j] - mean_[j]);
      square_[j] += (1.0 - kSquareDecay) * (slopes[j] * slopes[j] - square_[j]);
      const double mean = mean_[j] / (1.0 - mean_part_);
      const double root = std::sqrt(square_[j] / (1.0 - square_part_));
      parameters[j] -= size * mean / (root + least_);
    }
  }

 private:
  static constexpr double kMeanDecay = 0.8;
  static constexpr double kSquareDecay = 0.95;
  std::vector<double> mean_;
  std::vector<double> square_;
  double least_;
  double mean_part_ = 1.0;
  double square_part_ = 1.0;
};

}  // namespace

std::optional<FeatureScales> likely_scales(std::span<const Row> rows, std::span<const double> targets,
                                           std::size_t classes, double median, const ScaleSearch& search) {
  assert(rows.size() == targets.size());
  if (classes == 1) return std::nullopt;
  if (std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) == targets.end()) return std::nullopt;
  const std::optional<ScaleTable> table = scale_table(rows, median);
  if (!table) return std::nullopt;
  const std::size_t d = table->features.size();
  if (d > ScaleTable::kMostFeatures) return std::nullopt;  // which is never so, but g++ warns of such a d otherwise

  const std::size_t n = std::min(search.rows, rows.size());
  Likelihood likelihood(n, d, std::clamp<std::size_t>(classes, 1, kMostOutputs));
  StepOutputs outputs(targets, classes);
  Adam adam(d + 2, n);
  LearnerRandom random(kLikelySeed);
  std::vector<std::uint32_t> drawn(rows.size());
  std::iota(drawn.begin(), drawn.end(), 0U);
  std::vector<double> parameters(d + 2);
  parameters[d + 1] = std::log(kFirstNoise);
  std::vector<double> slopes(d + 2);
  std::vector<double> sums(d);
  const auto plain = static_cast<std::size_t>(std::lround((1.0 - kAveraged) * static_cast<double>(search.steps)));
  for (std::size_t t = 0; t < search.steps; ++t) {
    for (std::size_t i = 0; i < n; ++i) std::swap(drawn[i], drawn[i + random.below(drawn.size() - i)]);
    likelihood.set_rows(table->values, {drawn.data(), n});
    const std::size_t varying = outputs.write({drawn.data(), n}, likelihood);
    if (varying > 0) {
      if (!likelihood.slopes(parameters, varying, slopes)) return std::nullopt;
      for (std::size_t j = 0; j < d; ++j) slopes[j] += kPull * static_cast<double>(search.rows) * parameters[j];
      adam.step(t < plain ? search.step : kLastSteps * search.step, slopes, parameters);
      for (std::size_t j = 0; j < d; ++j) parameters[j] = std::clamp(parameters[j], kLeastLog, kMostLog);
      parameters[d + 1] =
          std::max({parameters[d + 1], std::log(kLeastNoise), parameters[d] + std::log(kLeastNoisePart)});
    }
    if (t >= plain) std::transform(sums.begin(), sums.end(), parameters.begin(), sums.begin(), std::plus<>());
  }

  for (double& sum : sums) sum /= static_cast<double>(search.steps - plain);
  return scales_of(*table, sums, median);
}

}  // namespace alder
