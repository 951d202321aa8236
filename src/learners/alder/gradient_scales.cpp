#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "learners/alder/feature_scales.h"
#include "learners/alder/scale_table.h"
#include "simd/aligned.h"
#include "simd/spd.h"

namespace alder {
namespace {

/// The ridge, for labels ±1 and a kernel that is 1 at most.
constexpr double kRidge = 0.3;
/// The kernel's width, in median distances: in the first round, and later, when distances mean more.
constexpr double kFirstWidth = 0.5;
constexpr double kLaterWidth = 0.7;
/// How often more than two classes take sides: the squared derivatives' expectation is the sum of those of the classes.
constexpr std::size_t kSides = 4;
constexpr std::size_t kPairs = 2000;
/// Conjugate gradients stop when the residual is this part of the labels.
constexpr double kResidual = 1e-3;
constexpr std::size_t kMostIterations = 60;
constexpr std::uint64_t kGradientSeed = 0x96ad;

double dot_in_double(const AlignedVector<float>& a, const AlignedVector<float>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Rows with a kernel ridge regression.
class Regression {
 public:
  Regression(const ScaleTable& table, std::span<const std::uint32_t> chosen)
      : rows_(chosen.size()),
        features_(table.features.size()),
        room_(padded(rows_)),
        values_(padded(features_) * room_),
        scaled_(values_.size()),
        weighted_(values_.size()),
        kernel_(room_ * room_),
        solution_(room_),
        product_(room_),
        scratch_(kLanes * room_) {
    const std::size_t all = table.values.size() / features_;
    for (std::size_t j = 0; j < features_; ++j) {
      for (std::size_t a = 0; a < rows_; ++a) values_[j * room_ + a] = table.values[j * all + chosen[a]];
    }
  }

  [[nodiscard]] std::size_t room() const { return room_; }

  /// Distances are those of rows times `scales`, and `width` that of the kernel.
  void set_scales(std::span<const double> scales, double width) {
    const double root = std::sqrt(0.5 * std::numbers::log2e) / width;  // exp(−½ q) = 2^(−½ log2(e) q)
    for (std::size_t j = 0; j < features_; ++j) {
      const auto factor = static_cast<float>(root * scales[j]);
      for (std::size_t i = j * room_; i < (j + 1) * room_; ++i) scaled_[i] = factor * values_[i];
    }
    simd::gaussian_blocks(scaled_.data(), features_, room_, rows_, kernel_.data());
  }

  /// Adds, for the function that fits y, its squared derivatives by the scaled features, up to a common factor.
  void add_gradients(const AlignedVector<float>& y, std::span<double> squares) {
    solve(y);
    simd::blocks_times(kernel_.data(), room_, solution_.data(), product_.data());
    for (std::size_t j = 0; j < features_; ++j) {
      for (std::size_t a = 0; a < room_; ++a) weighted_[j * room_ + a] = scaled_[j * room_ + a] * solution_[a];
    }
    std::vector<double> out(features_);
    simd::squared_gradients(kernel_.data(), product_.data(), weighted_.data(), scaled_.data(), features_, room_,
                            scratch_.data(), out.data());
    std::transform(squares.begin(), squares.end(), out.begin(), squares.begin(), std::plus<>());
  }

  /// The median distance of rows times `scales`, of random pairs.
  [[nodiscard]] double median(std::span<const double> scales, LearnerRandom& random) const {
    std::vector<double> distances;
    for (std::size_t k = 0; k < kPairs; ++k) {
      const std::size_t a = random.below(rows_);
      const std::size_t b = random.below(rows_);
      if (a == b) continue;
      double square = 0.0;
      for (std::size_t j = 0; j < features_; ++j) {
        const float* value = values_.data() + j * room_;
        const double difference = scales[j] * (static_cast<double>(value[a]) - static_cast<double>(value[b]));
        square += difference * difference;
      }
      distances.push_back(std::sqrt(square));
    }
    if (distances.empty()) return 0.0;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }

 private:
  /// (kernel + ridge) solution = y, by conjugate gradients.
  void solve(const AlignedVector<float>& y) {
    std::fill(solution_.begin(), solution_.end(), 0.0F);
    AlignedVector<float> residual = y;
    AlignedVector<float> direction = y;
    double square = dot_in_double(residual, residual);
    const double enough = kResidual * kResidual * square;
    for (std::size_t t = 0; t < kMostIterations && square > enough; ++t) {
      simd::blocks_times(kernel_.data(), room_, direction.data(), product_.data());
      for (std::size_t i = 0; i < room_; ++i) product_[i] += static_cast<float>(kRidge) * direction[i];
      const auto step = static_cast<float>(square / dot_in_double(direction, product_));
      for (std::size_t i = 0; i < room_; ++i) {
        solution_[i] += step * direction[i];
        residual[i] -= step * product_[i];
      }
      const double next = dot_in_double(residual, residual);
      const auto part = static_cast<float>(next / square);
      for (std::size_t i = 0; i < room_; ++i) direction[i] = residual[i] + part * direction[i];
      square = next;
    }
  }

  std::size_t rows_;
  std::size_t features_;
  std::size_t room_;  // rows, padded: of every vector
  AlignedVector<float> values_;
  AlignedVector<float> scaled_;
  AlignedVector<float> weighted_;
  AlignedVector<float> kernel_;
  AlignedVector<float> solution_;
  AlignedVector<float> product_;
  AlignedVector<float> scratch_;
};

/// Labels ±1, centred: those of two classes, or of classes that take sides at random. Whether they vary.
bool take_sides(std::span<const double> targets, std::span<const std::uint32_t> chosen, std::size_t classes,
                LearnerRandom& random, AlignedVector<float>& y) {
  std::vector<double> sides(classes, 1.0);
  sides[0] = -1.0;
  for (std::size_t c = 0; classes > 2 && c < classes; ++c) sides[c] = random.chance(0.5) ? 1.0 : -1.0;
  double mean = 0.0;
  const auto side = [&](std::size_t a) { return sides[static_cast<std::size_t>(targets[chosen[a]])]; };
  for (std::size_t a = 0; a < chosen.size(); ++a) mean += side(a) / static_cast<double>(chosen.size());
  for (std::size_t a = 0; a < chosen.size(); ++a) y[a] = static_cast<float>(side(a) - mean);
  return std::abs(mean) < 1.0 - 1e-9;
}

}  // namespace

std::optional<FeatureScales> gradient_scales(std::span<const Row> rows, std::span<const double> targets,
                                             std::size_t classes, double median, const GradientSearch& search) {
  assert(rows.size() == targets.size());
  if (classes < 2) return std::nullopt;
  if (std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) == targets.end()) return std::nullopt;
  const std::optional<ScaleTable> table = scale_table(rows, median);
  if (!table) return std::nullopt;
  const std::size_t d = table->features.size();

  LearnerRandom random(kGradientSeed);
  std::vector<std::uint32_t> chosen(rows.size());
  std::iota(chosen.begin(), chosen.end(), 0U);
  const std::size_t n = std::min(search.rows, rows.size());
  for (std::size_t i = 0; i < n; ++i) std::swap(chosen[i], chosen[i + random.below(chosen.size() - i)]);
  chosen.resize(n);
  Regression regression(*table, chosen);
  AlignedVector<float> y(regression.room());
  std::vector<double> scales(d, 1.0);
  std::vector<double> squares(d);
  for (std::size_t t = 0; t < search.rounds; ++t) {
    regression.set_scales(scales, t == 0 ? kFirstWidth : kLaterWidth);
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::size_t k = 0; k < (classes == 2 ? 1 : kSides); ++k) {
      if (take_sides(targets, chosen, classes, random, y)) regression.add_gradients(y, squares);
    }
    // By the features themselves.
    for (std::size_t j = 0; j < d; ++j) squares[j] *= scales[j] * scales[j];
    const double mean = std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(d);
    if (!std::isfinite(mean) || mean <= 0.0) return std::nullopt;
    for (std::size_t j = 0; j < d; ++j) {
      scales[j] = std::sqrt(search.least + (1.0 - search.least) * squares[j] / mean);
    }
    const double unit = regression.median(scales, random);
    if (!std::isfinite(unit) || unit <= 0.0) return std::nullopt;
    for (double& scale : scales) scale /= unit;
  }
  for (double& scale : scales) scale = std::log(scale);
  return scales_of(*table, scales, median);
}

}  // namespace alder
