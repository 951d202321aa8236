#include "learners/alder/entrants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "alder/row_buffer.h"

#include "learners/alder/feature_scales.h"
#include "rows/width.h"

namespace alder {
namespace {

using Kind = Transform::Kind;

// Handicap of every transform but raw, in deviations.
constexpr double kHandicap = 0.7;
// Ranges of features are taken as equal, and as so different that rows as they are make no sense.
constexpr double kEven = 1.5;
constexpr double kUneven = 30.0;
// The median distance is taken over the pairs of at most this many rows.
constexpr std::size_t kRowsForMedian = 128;

// The range of features that is exceeded by one in ten, by that exceeded by nine in ten.
double unevenness(std::span<const Row> rows) {
  struct Span {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::size_t count = 0;
  };
  std::map<FeatureIndex, Span> spans;
  for (const Row& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      Span& span = spans[row.feature(j)];
      span.low = std::min(span.low, row.value(j));
      span.high = std::max(span.high, row.value(j));
      ++span.count;
    }
  }
  std::vector<double> ranges;
  for (auto& [feature, span] : spans) {
    if (span.count < rows.size()) {
      span.low = std::min(span.low, 0.0);
      span.high = std::max(span.high, 0.0);
    }
    if (span.high > span.low) ranges.push_back(span.high / 2 - span.low / 2);
  }
  if (ranges.size() < 2) return 1.0;
  std::sort(ranges.begin(), ranges.end());
  const std::size_t last = ranges.size() - 1;
  return ranges[(9 * last + 5) / 10] / ranges[(last + 5) / 10];
}

double median_of(std::span<const Row> rows, bool is_laplacian) {
  std::vector<Row> some;
  const std::size_t step = (rows.size() + kRowsForMedian - 1) / kRowsForMedian;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  std::vector<double> numbers;
  for (std::size_t i = 1; i < some.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = is_laplacian ? absolute_distance(some[i], some[j]) : squared_distance(some[i], some[j]);
      numbers.push_back(is_laplacian ? distance * distance : distance);
    }
  }
  return std::clamp(median_root(numbers), 1e-20, 1e20);
}

// A geometry without learned scales, whose unit is the median distance.
Entrant plain(Kind kind, std::span<const Row> rows, bool is_laplacian, std::vector<int> powers, double handicap) {
  Entrant entrant;
  entrant.transform = Transform::fit(kind, rows);
  RowBuffer mapped;
  entrant.transform.apply(rows, mapped);
  entrant.is_laplacian = is_laplacian;
  entrant.unit = median_of(mapped.rows(), is_laplacian);
  entrant.powers = std::move(powers);
  entrant.handicap = handicap;
  return entrant;
}

// Adds Gaussian kernels with learned scales on a transform, and Laplacian ones, unless there are no scales to learn.
void add_scaled(Kind kind, std::span<const Row> rows, std::span<const double> targets, std::size_t classes,
                const std::vector<int>& gaussian, const std::vector<int>& laplacian, std::vector<Entrant>& out) {
  Entrant entrant = plain(kind, rows, false, gaussian, kHandicap);
  RowBuffer mapped;
  entrant.transform.apply(rows, mapped);
  const auto scales = likely_scales(mapped.rows(), targets, classes, entrant.unit);
  if (!scales) return;
  entrant.transform.scale(scales->features, scales->factors, scales->other);
  entrant.is_scaled = true;
  entrant.unit = 1.0;
  if (!laplacian.empty()) {
    Entrant other = entrant;
    other.transform.apply(rows, mapped);
    other.is_laplacian = true;
    other.unit = median_of(mapped.rows(), true);
    other.powers = laplacian;
    out.push_back(std::move(entrant));
    out.push_back(std::move(other));
  } else {
    out.push_back(std::move(entrant));
  }
}

}  // namespace

Kernel Entrant::kernel(int power) const {
  const double sigma = std::ldexp(unit, power);
  return is_laplacian ? Kernel::laplacian_l1(sigma) : Kernel::gaussian(sigma);
}

std::vector<Entrant> first_entrants(std::span<const Row> rows, const RaceParts& parts) {
  if (parts.is_for_numbers) {
    std::vector<Entrant> entrants;
    entrants.push_back(plain(parts.has_transforms ? Kind::kDeviation : Kind::kRaw, rows, false, {-1, 0, 1, 2}, 0.0));
    if (parts.has_transforms) entrants.push_back(plain(Kind::kNormal, rows, false, {0, 1}, 0.0));
    return entrants;
  }
  if (!parts.has_transforms) return {plain(Kind::kRaw, rows, false, {-2, -1, 0}, 0.0)};
  const bool is_even = unevenness(rows) < kEven;
  std::vector<Entrant> entrants;
  entrants.push_back(plain(is_even ? Kind::kRaw : Kind::kRange, rows, false, {-2, -1, 0}, 0.0));
  entrants.push_back(plain(Kind::kNormal, rows, false, {-2, -1, 0}, kHandicap));
  return entrants;
}

// Numbers are smoother functions than classes: kernels are wider.
static std::vector<Entrant> second_for_numbers(std::span<const Row> rows, const RaceParts& parts) {
  std::vector<Entrant> entrants;
  if (!parts.has_transforms || unevenness(rows) < kEven) {
    entrants.push_back(plain(Kind::kRaw, rows, false, {-2, -1, 0, 1, 2, 3}, 0.0));
  }
  if (!parts.has_transforms) return entrants;
  if (entrants.empty()) entrants.push_back(plain(Kind::kDeviation, rows, false, {-2, -1, 0, 1, 2, 3}, 0.0));
  for (Entrant& entrant : entrants) entrant.also_by_novelty = true;
  entrants.push_back(plain(Kind::kNormal, rows, false, {-1, 0, 1, 2}, 0.0));
  entrants.back().also_by_novelty = true;
  if (parts.has_laplacian) entrants.push_back(plain(Kind::kNormal, rows, true, {1, 2, 3}, 0.0));
  return entrants;
}

static std::vector<Entrant> scaled_for_numbers(std::span<const Row> rows, std::span<const double> targets,
                                               const RaceParts& parts) {
  std::vector<Entrant> entrants;
  if (!parts.has_scales) return entrants;
  add_scaled(Kind::kDeviation, rows, targets, 0, {-1, 0, 1}, {}, entrants);
  add_scaled(Kind::kNormal, rows, targets, 0, {-1, 0, 1},
             parts.has_laplacian ? std::vector<int>{1, 2, 3} : std::vector<int>{}, entrants);
  for (Entrant& entrant : entrants) {
    entrant.handicap = 0.0;
    entrant.also_by_novelty = true;
  }
  return entrants;
}

std::vector<Entrant> second_entrants(std::span<const Row> rows, const RaceParts& parts) {
  if (parts.is_for_numbers) return second_for_numbers(rows, parts);
  const double ratio = parts.has_transforms ? unevenness(rows) : 1.0;
  std::vector<Entrant> entrants;
  if (ratio < kUneven) entrants.push_back(plain(Kind::kRaw, rows, false, {-3, -2, -1, 0, 1}, 0.0));
  if (ratio >= kEven) {
    entrants.push_back(plain(Kind::kRange, rows, false, {-2, -1, 0}, ratio < kUneven ? kHandicap : 0.0));
  }
  if (parts.has_transforms) entrants.push_back(plain(Kind::kNormal, rows, false, {-2, -1, 0}, kHandicap));
  if (parts.has_transforms && parts.has_laplacian) {
    entrants.push_back(plain(Kind::kNormal, rows, true, {0, 1}, kHandicap));
  }
  return entrants;
}

std::vector<Entrant> scaled_entrants(std::span<const Row> rows, std::span<const double> targets, std::size_t classes,
                                     const RaceParts& parts) {
  if (parts.is_for_numbers) return scaled_for_numbers(rows, targets, parts);
  std::vector<Entrant> entrants;
  if (!parts.has_scales) return entrants;
  add_scaled(Kind::kDeviation, rows, targets, classes, {-1, 0}, {}, entrants);
  add_scaled(Kind::kNormal, rows, targets, classes, {-1, 0},
             parts.has_laplacian ? std::vector<int>{0, 1} : std::vector<int>{}, entrants);
  return entrants;
}

std::vector<Entrant> challengers(std::span<const Row> rows, std::span<const double> targets, std::size_t classes,
                                 const RaceParts& parts, bool is_thrifty) {
  std::vector<Entrant> entrants;
  if (!is_thrifty) {
    entrants = second_entrants(rows, parts);
    for (Entrant& entrant : scaled_entrants(rows, targets, classes, parts)) entrants.push_back(std::move(entrant));
    return entrants;
  }
  if (parts.is_for_numbers) {
    entrants.push_back(plain(parts.has_transforms ? Kind::kDeviation : Kind::kRaw, rows, false, {-1, 0, 1, 2}, 0.0));
    for (Entrant& entrant : scaled_for_numbers(rows, targets, parts)) entrants.push_back(std::move(entrant));
    return entrants;
  }
  const bool is_raw = !parts.has_transforms || unevenness(rows) < kUneven;
  entrants.push_back(plain(is_raw ? Kind::kRaw : Kind::kRange, rows, false, {-2, -1, 0}, 0.0));
  if (parts.has_transforms) entrants.push_back(plain(Kind::kNormal, rows, false, {-1}, kHandicap));
  if (!parts.has_scales) return entrants;
  add_scaled(Kind::kDeviation, rows, targets, classes, {-1}, {}, entrants);
  add_scaled(Kind::kNormal, rows, targets, classes, {-1},
             parts.has_laplacian ? std::vector<int>{0} : std::vector<int>{}, entrants);
  return entrants;
}

}  // namespace alder
