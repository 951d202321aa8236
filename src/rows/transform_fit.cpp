#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "rows/transform.h"
#include "rows/transform_limits.h"

namespace alder {
namespace {

constexpr double kHeight = 0.3;  // what a standard deviation of `normal` becomes
// Features are collected in a table if that is at most this many times as long as there are values, but for a few.
constexpr std::size_t kMostTableLonger = 4;
constexpr std::size_t kFewTableMore = 64;

// The features that the rows list, ascending.
std::vector<FeatureIndex> features_of(std::span<const Row> rows) {
  std::size_t listed = 0;
  std::size_t size = 0;
  for (const Row& row : rows) {
    listed += row.size();
    if (row.size() > 0) size = std::max(size, std::size_t{row.feature(row.size() - 1)} + 1);
  }
  std::vector<FeatureIndex> features;
  if (size <= kMostTableLonger * listed + kFewTableMore) {
    std::vector<std::uint8_t> is_met(size, 0);
    for (const Row& row : rows) {
      for (std::size_t j = 0; j < row.size(); ++j) is_met[row.feature(j)] = 1;
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (is_met[i] != 0) features.push_back(static_cast<FeatureIndex>(i));
    }
    return features;
  }
  features.reserve(listed);
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) features.push_back(row.feature(j));
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  features.shrink_to_fit();
  return features;
}

struct Extremes {
  double least;
  double largest;
};

Extremes extremes(std::span<const double> values, std::size_t zeros) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Extremes found = zeros > 0 ? Extremes{0.0, 0.0} : Extremes{kInfinity, -kInfinity};
  for (const double value : values) found = {std::min(found.least, value), std::max(found.largest, value)};
  return found;
}

// Of the values and `zeros` zeros. Computed from values below 1 in magnitude, which can be squared.
double standard_deviation(std::span<const double> values, std::size_t zeros, Extremes found) {
  int exponent = 0;
  std::frexp(std::max(-found.least, found.largest), &exponent);
  const auto n = static_cast<double>(values.size() + zeros);
  double mean = 0.0;
  for (const double value : values) mean += std::ldexp(value, -exponent) / n;
  double rest = -mean * static_cast<double>(zeros);
  double squares = mean * mean * static_cast<double>(zeros);
  for (const double value : values) {
    const double difference = std::ldexp(value, -exponent) - mean;
    rest += difference;
    squares += difference * difference;
  }
  // Without the second part the rounding of the mean would count as deviation.
  const double variance = std::max((squares - rest * rest / n) / n, 0.0);
  return std::ldexp(std::sqrt(variance), exponent);
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 1.0;
  std::sort(numbers.begin(), numbers.end());
  return 0.5 * numbers[(numbers.size() - 1) / 2] + 0.5 * numbers[numbers.size() / 2];
}

// Φ⁻¹(share/whole) for 0 < share ≤ whole/2. Φ is convex there: Newton's steps go down from 0 and never below the root.
double lower_normal_quantile(std::size_t share, std::size_t whole) {
  const double probability = static_cast<double>(share) / static_cast<double>(whole);
  double z = 0.0;
  for (;;) {
    const double excess = 0.5 * std::erfc(-z / std::numbers::sqrt2) - probability;
    const double density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double next = z - excess / density;
    if (!(next < z - 1e-14)) return std::min(next, 0.0);
    z = next;
  }
}

// Φ⁻¹ of k/(2n), 0 < k < 2n; computed once for every k.
class NormalQuantiles {
 public:
  explicit NormalQuantiles(std::size_t rows) : whole_(2 * rows), known_(rows + 1, kNotYet) {}

  double operator()(std::size_t twice_rank) {
    const std::size_t lower = std::min(twice_rank, whole_ - twice_rank);
    if (known_[lower] == kNotYet) known_[lower] = lower_normal_quantile(lower, whole_);
    return lower == twice_rank ? known_[lower] : -known_[lower];
  }

 private:
  static constexpr double kNotYet = 1.0;  // no quantile below one half

  std::size_t whole_;
  std::vector<double> known_;
};

// A distinct value of a feature.
struct Level {
  double value;
  std::size_t count;
  std::size_t below;  // rows with less
};

// The distinct ones among the values, which it sorts, and `zeros` zeros.
void find_levels(std::span<double> values, std::size_t zeros, std::vector<Level>& levels) {
  for (double& value : values) value = std::clamp(value, -kLargestKnot, kLargestKnot);
  std::sort(values.begin(), values.end());
  levels.clear();
  std::size_t below = 0;
  const auto add = [&](double value, std::size_t count) {
    if (levels.empty() || levels.back().value != value) levels.push_back({value, 0, below});
    levels.back().count += count;
    below += count;
  };
  const auto zero = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), 0.0) - values.begin());
  for (const double value : values.first(zero)) add(value, 1);
  if (zeros > 0) add(0.0, zeros);
  for (const double value : values.subspan(zero)) add(value, 1);
}

// The levels at `most` ranks from the first to the last, evenly spaced.
std::vector<Level> chosen_levels(const std::vector<Level>& levels, std::size_t most) {
  if (levels.size() <= most) return levels;
  const std::size_t highest = levels.back().below + levels.back().count - 1;
  std::vector<Level> chosen;
  std::size_t at = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t rank = (i * highest + (most - 1) / 2) / (most - 1);
    while (levels[at].below + levels[at].count <= rank) ++at;
    if (chosen.empty() || chosen.back().value != levels[at].value) chosen.push_back(levels[at]);
  }
  return chosen;
}

bool lacks_zero(const std::vector<Level>& levels) {
  const auto above = std::find_if(levels.begin(), levels.end(), [](const Level& level) { return level.value >= 0.0; });
  return above != levels.begin() && above != levels.end() && above->value != 0.0;
}

}  // namespace

Transform Transform::fit(Kind kind, std::span<const Row> rows) {
  Transform fitted(kind, features_of(rows));
  if (kind == Kind::kRaw) return fitted;
  // The values of a feature side by side, without zeros: listed or not, they are the same to the bit.
  std::vector<std::size_t> starts(fitted.features_.size() + 2, 0);
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row.value(j) != 0.0) ++starts[fitted.find(row.feature(j)) + 2];
    }
  }
  for (std::size_t i = 2; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<double> values(starts.back());
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row.value(j) != 0.0) values[starts[fitted.find(row.feature(j)) + 1]++] = row.value(j);
    }
  }
  starts.pop_back();
  if (kind == Kind::kNormal) {
    fitted.fit_normal(starts, values, rows.size());
  } else {
    fitted.fit_linear(starts, values, rows.size());
  }
  return fitted;
}

// starts[i] … starts[i + 1] − 1 are the values of the feature at place i that are not 0.
void Transform::fit_linear(std::span<const std::size_t> starts, std::span<double> values, std::size_t rows) {
  is_identity_ = false;
  constexpr double kNotFitted = 0.0;
  std::vector<double> found;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const auto nonzero = values.subspan(starts[i], starts[i + 1] - starts[i]);
    const std::size_t zeros = rows - nonzero.size();
    const Extremes ends = extremes(nonzero, zeros);
    multipliers_[i] = kNotFitted;
    if (ends.least == ends.largest) continue;
    const double spread = kind_ == Kind::kRange ? ends.largest - ends.least : standard_deviation(nonzero, zeros, ends);
    multipliers_[i] = std::clamp(1.0 / spread, kLeastMultiplier, kLargestMultiplier);
    found.push_back(multipliers_[i]);
  }
  other_ = median(std::move(found));
  std::replace(multipliers_.begin(), multipliers_.end(), kNotFitted, other_);
}

void Transform::fit_normal(std::span<const std::size_t> starts, std::span<double> values, std::size_t rows) {
  NormalQuantiles quantiles(rows);
  std::vector<Level> levels;
  std::vector<double> knots;
  std::vector<double> heights;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const auto nonzero = values.subspan(starts[i], starts[i + 1] - starts[i]);
    find_levels(nonzero, rows - nonzero.size(), levels);
    knots.clear();
    heights.clear();
    if (levels.size() == 1) {
      add_curve(knots, heights);
      continue;
    }
    std::vector<Level> chosen = chosen_levels(levels, kMostKnots);
    if (lacks_zero(chosen)) chosen = chosen_levels(levels, kMostKnots - 1);
    for (const Level& level : chosen) {
      knots.push_back(level.value);
      heights.push_back(quantiles(2 * level.below + level.count));
    }
    const std::size_t above =
        static_cast<std::size_t>(std::lower_bound(knots.begin(), knots.end(), 0.0) - knots.begin());
    if (lacks_zero(chosen)) {
      const double share = -knots[above - 1] / (knots[above] - knots[above - 1]);
      const double height = heights[above - 1] + share * (heights[above] - heights[above - 1]);
      knots.insert(knots.begin() + static_cast<std::ptrdiff_t>(above), 0.0);
      heights.insert(heights.begin() + static_cast<std::ptrdiff_t>(above),
                     std::clamp(height, heights[above - 1], heights[above]));
    }
    const double at_zero = heights[std::min(above, heights.size() - 1)];
    for (double& height : heights) height = kHeight * (height - at_zero);
    add_curve(knots, heights);
  }
}

}  // namespace alder
