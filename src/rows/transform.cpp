#include "rows/transform.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "rows/transform_limits.h"

namespace alder {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"raw", "range", "deviation", "normal"};
constexpr double kNone = std::numeric_limits<double>::infinity();  // a knot that no value reaches
constexpr double kUnknown = 0.5;  // what a positive value of an unknown feature becomes
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// The index is at most this many times as long as the features are many, but for a few.
constexpr std::size_t kMostIndexLonger = 4;
constexpr std::size_t kFewIndexMore = 64;
// A search among fewer knots takes no longer than looking into a grid.
constexpr std::uint32_t kLeastWithGrid = 8;
constexpr std::size_t kCellsPerKnot = 2;

double bounded(double value) {
  value = value < -kLargestMapped ? -kLargestMapped : value;
  return value > kLargestMapped ? kLargestMapped : value;
}

void multiply(const double* __restrict from, const double* __restrict multipliers, std::size_t count,
              double* __restrict to) {
  for (std::size_t j = 0; j < count; ++j) to[j] = bounded(multipliers[j] * from[j]);
}

// Does not fall as the value grows, however it is rounded.
std::size_t cell_of(double value, double first, double cells_per_unit) {
  return static_cast<std::size_t>(static_cast<std::int32_t>((value - first) * cells_per_unit));
}

double on_line(double image, double slope, double distance) {
  return image + slope * distance;
}

// The slope from one point to the next, rounded such that no value before the next point gets above it.
double slope_between(double knot, double image, double next_knot, double next_image) {
  const double distance = next_knot - knot;
  double slope = std::min((next_image - image) / distance, std::numeric_limits<double>::max());
  while (on_line(image, slope, distance) > next_image) slope = std::nextafter(slope, 0.0);
  return slope;
}

}  // namespace

Transform::Transform(Kind kind, std::vector<FeatureIndex> features)
    : kind_(kind), features_(std::move(features)), multipliers_(features_.size(), 1.0) {
  make_index();
  if (kind_ == Kind::kNormal) {
    is_identity_ = false;
    knots_ = {-kTiny, 0.0, kTiny, kNone};
    grid_ = {0};
    lines_ = {{-kUnknown, 0.0}, {0.0, 0.0}, {kUnknown, 0.0}, {}};
  }
}

std::string_view Transform::name() const {
  return kNames[static_cast<std::size_t>(kind_)];
}

void Transform::add_curve(std::span<const double> knots, std::span<const double> images) {
  if (knots.empty()) {
    curves_.push_back({});
    return;
  }
  Curve curve;
  curve.start = static_cast<std::uint32_t>(knots_.size());
  curve.last = knots.back();
  curve.width = static_cast<std::uint32_t>(std::bit_ceil(knots.size()));
  for (std::size_t k = 0; k < knots.size(); ++k) {
    const bool is_last = k + 1 == knots.size();
    knots_.push_back(knots[k]);
    lines_.push_back({images[k], is_last ? 0.0 : slope_between(knots[k], images[k], knots[k + 1], images[k + 1])});
  }
  knots_.resize(curve.start + curve.width, kNone);
  lines_.resize(knots_.size());
  add_grid(curve, knots.size());
  curves_.push_back(curve);
}

void Transform::add_grid(Curve& curve, std::size_t knots) {
  if (curve.width < kLeastWithGrid) return;
  const double* knot = knots_.data() + curve.start;
  const std::size_t cells = kCellsPerKnot * curve.width;
  const double cells_per_unit = static_cast<double>(cells) / (curve.last - knot[0]);
  if (!std::isfinite(cells_per_unit)) return;
  std::array<std::uint8_t, kCellsPerKnot * kMostKnots + 2> before{};  // knots in the cells before
  for (std::size_t k = 0; k < knots; ++k) ++before[cell_of(knot[k], knot[0], cells_per_unit) + 1];
  const std::uint32_t width = std::bit_ceil(std::uint32_t{*std::max_element(before.begin(), before.end())} + 1);
  if (width >= curve.width) return;
  for (std::size_t c = 1; c < before.size(); ++c) before[c] = static_cast<std::uint8_t>(before[c] + before[c - 1]);
  curve.grid = static_cast<std::uint32_t>(grid_.size());
  curve.cells_per_unit = cells_per_unit;
  for (std::size_t c = 0; c <= cells; ++c) {
    // The last knot before the cell, but such that the search stays among the curve's own.
    const std::size_t from = before[c] > 0 ? before[c] - 1U : 0U;
    grid_.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(from, curve.width - width)));
  }
  curve.width = width;
}

std::size_t Transform::knot_count(const Curve& curve) const {
  if (curve.start == 0) return 0;
  const auto first = knots_.begin() + curve.start;
  return static_cast<std::size_t>(std::find(first, knots_.end(), curve.last) - first) + 1;
}

void Transform::make_index() {
  index_.clear();
  leading_ = 0;
  if (features_.empty()) return;
  const std::size_t most = kMostIndexLonger * features_.size() + kFewIndexMore;
  shift_ = 0;
  while ((features_.back() >> shift_) >= most) ++shift_;
  index_.assign((std::size_t{features_.back()} >> shift_) + 2, 0);
  for (const FeatureIndex feature : features_) ++index_[(feature >> shift_) + 1];
  for (std::size_t i = 1; i < index_.size(); ++i) index_[i] += index_[i - 1];
  while (leading_ < features_.size() && features_[leading_] == leading_) ++leading_;
}

void Transform::note_identity() {
  is_identity_ = kind_ == Kind::kRaw && other_ == 1.0 &&
                 std::all_of(multipliers_.begin(), multipliers_.end(), [](double number) { return number == 1.0; });
}

std::size_t Transform::find(FeatureIndex feature) const {
  if (features_.empty() || feature > features_.back()) return features_.size();
  const std::size_t bucket = feature >> shift_;
  const auto first = features_.begin() + index_[bucket];
  const auto last = features_.begin() + index_[bucket + 1];
  const auto found = std::lower_bound(first, last, feature);
  return found != last && *found == feature ? static_cast<std::size_t>(found - features_.begin()) : features_.size();
}

void Transform::scale(std::span<const FeatureIndex> features, std::span<const double> factors, double other) {
  assert(features.size() == factors.size());
  const auto product = [](double multiplier, double factor) {
    assert(std::isfinite(factor) && factor >= 0.0);
    return std::clamp(multiplier * factor, kLeastMultiplier, kLargestMultiplier);
  };
  std::vector<FeatureIndex> all;
  std::vector<double> multipliers;
  std::vector<Curve> curves;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < features_.size() || j < features.size()) {
    const bool is_ours = j == features.size() || (i < features_.size() && features_[i] <= features[j]);
    const bool is_given = i == features_.size() || (j < features.size() && features[j] <= features_[i]);
    assert(!is_given || j == 0 || features[j - 1] < features[j]);
    all.push_back(is_ours ? features_[i] : features[j]);
    multipliers.push_back(product(is_ours ? multipliers_[i] : other_, is_given ? factors[j] : other));
    if (kind_ == Kind::kNormal) curves.push_back(is_ours ? curves_[i] : Curve());
    i += is_ours ? 1 : 0;
    j += is_given ? 1 : 0;
  }
  features_ = std::move(all);
  multipliers_ = std::move(multipliers);
  curves_ = std::move(curves);
  other_ = product(other_, other);
  make_index();
  note_identity();
}

// Several values of one feature at once: the steps of one search wait for each other, those of different ones do not.
template <std::size_t kCount>
inline void Transform::put_on_curve(const Curve& curve, std::array<double, kCount>& values) const {
  const double* knots = knots_.data() + curve.start;
  const std::uint8_t* grid = grid_.data() + curve.grid;
  std::array<std::size_t, kCount> at;
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = std::min(std::max(values[i], knots[0]), curve.last);
    at[i] = grid[cell_of(values[i], knots[0], curve.cells_per_unit)];
  }
  for (std::size_t half = curve.width / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < kCount; ++i) {
      at[i] += half & (std::size_t{0} - static_cast<std::size_t>(knots[at[i] + half] <= values[i]));
    }
  }
  const Line* lines = lines_.data() + curve.start;
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = on_line(lines[at[i]].image, lines[at[i]].slope, values[i] - knots[at[i]]);
  }
}

inline double Transform::on_curve(const Curve& curve, double value) const {
  std::array<double, 1> values = {value};
  put_on_curve(curve, values);
  return values[0];
}

template <bool kIsNormal>
inline double Transform::map_at(std::size_t at, double value) const {
  const bool is_known = at < features_.size();
  const double multiplier = is_known ? multipliers_[at] : other_;
  if constexpr (kIsNormal) value = on_curve(is_known ? curves_[at] : Curve(), value);
  return bounded(multiplier * value);
}

double Transform::map(FeatureIndex feature, double value) const {
  if (is_identity_) return value;
  return kind_ == Kind::kNormal ? map_at<true>(find(feature), value) : map_at<false>(find(feature), value);
}

double Transform::slope(FeatureIndex feature, double value) const {
  if (is_identity_) return 1.0;
  const std::size_t at = find(feature);
  const double multiplier = at < features_.size() ? multipliers_[at] : other_;
  if (kind_ != Kind::kNormal) return multiplier;
  const std::size_t count = at < features_.size() ? knot_count(curves_[at]) : 0;
  if (count == 0) return 0.0;  // ±0.5 by the sign
  const Curve& curve = curves_[at];
  const auto first = knots_.begin() + curve.start;
  if (value < *first || value >= curve.last) return 0.0;
  const auto behind = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(count), value);
  return multiplier * lines_[static_cast<std::size_t>(behind - knots_.begin()) - 1].slope;
}

template <bool kIsNormal>
void Transform::apply_to(const Row& row, double* to) const {
  const double* from = row.values();
  std::size_t j = 0;
  if (!row.is_sparse()) {
    const std::size_t known = std::min(row.size(), leading_);
    if constexpr (kIsNormal) {
      for (; j < known; ++j) to[j] = map_at<true>(j, from[j]);
    } else {
      multiply(from, multipliers_.data(), known, to);
      j = known;
    }
  }
  for (; j < row.size(); ++j) to[j] = map_at<kIsNormal>(find(row.feature(j)), from[j]);
}

// Dense rows of the same size, feature by feature where that helps.
template <bool kIsNormal>
void Transform::apply_to_block(const Row* rows, double* to) const {
  const std::size_t size = rows[0].size();
  const std::size_t known = std::min(size, leading_);
  if constexpr (kIsNormal) {
    for (std::size_t j = 0; j < known; ++j) {
      std::array<double, kBlock> values;
      for (std::size_t r = 0; r < kBlock; ++r) values[r] = rows[r].values()[j];
      put_on_curve(curves_[j], values);
      const double multiplier = multipliers_[j];
      for (std::size_t r = 0; r < kBlock; ++r) to[r * size + j] = bounded(multiplier * values[r]);
    }
  } else {
    for (std::size_t r = 0; r < kBlock; ++r) multiply(rows[r].values(), multipliers_.data(), known, to + r * size);
  }
  for (std::size_t j = known; j < size; ++j) {
    const std::size_t at = find(static_cast<FeatureIndex>(j));
    for (std::size_t r = 0; r < kBlock; ++r) to[r * size + j] = map_at<kIsNormal>(at, rows[r].values()[j]);
  }
}

void Transform::apply(std::span<const Row> rows, RowBuffer& out) const {
  out.clear();
  while (!rows.empty()) {
    const Row& row = rows[0];
    std::size_t count = 1;
    const auto is_like_first = [&row](const Row& other) { return !other.is_sparse() && other.size() == row.size(); };
    if (is_identity_) {
      out.append(row);
    } else if (rows.size() >= kBlock && std::all_of(rows.begin(), rows.begin() + kBlock, is_like_first)) {
      count = kBlock;
      double* to = out.room(count * row.size()).values.data();
      if (kind_ == Kind::kNormal) {
        apply_to_block<true>(rows.data(), to);
      } else {
        apply_to_block<false>(rows.data(), to);
      }
      for (std::size_t r = 0; r < count; ++r) {
        const Row mapped = Row::dense({to + r * row.size(), row.size()});
        out.append_written(rows[r].is_checked() ? mapped.as_checked() : mapped);
      }
    } else {
      const RowBuffer::Room to = out.room(row.size());
      if (kind_ == Kind::kNormal) {
        apply_to<true>(row, to.values.data());
      } else {
        apply_to<false>(row, to.values.data());
      }
      if (row.is_sparse()) std::copy_n(row.indices(), row.size(), to.indices.data());
      const Row mapped =
          row.is_sparse() ? Row::sparse(to.indices.data(), to.values.data(), row.size()) : Row::dense(to.values);
      out.append_written(row.is_checked() ? mapped.as_checked() : mapped);
    }
    rows = rows.subspan(count);
  }
}

void Transform::save(Archive& archive, const std::string& name) const {
  archive.put(name + ".kind", std::vector<std::uint32_t>{static_cast<std::uint32_t>(kind_)});
  archive.put(name + ".features", features_);
  archive.put(name + ".multipliers", multipliers_);
  archive.put(name + ".other", std::vector<double>{other_});
  if (kind_ != Kind::kNormal) return;
  std::vector<std::uint32_t> counts;
  std::vector<double> knots;
  std::vector<double> images;
  for (const Curve& curve : curves_) {
    const std::size_t count = knot_count(curve);
    counts.push_back(static_cast<std::uint32_t>(count));
    for (std::size_t k = curve.start; k < curve.start + count; ++k) {
      knots.push_back(knots_[k]);
      images.push_back(lines_[k].image);
    }
  }
  archive.put(name + ".counts", counts);
  archive.put(name + ".knots", knots);
  archive.put(name + ".images", images);
}

namespace {

bool is_multiplier(double number) {
  return number >= kLeastMultiplier && number <= kLargestMultiplier;
}

// Whether they are of one curve: ascending, bounded, and 0 at 0.
bool is_curve(std::span<const double> knots, std::span<const double> images) {
  double at_zero = images.front();
  for (std::size_t k = 0; k < knots.size(); ++k) {
    if (!(std::fabs(knots[k]) <= kLargestKnot && std::fabs(images[k]) <= kLargestImage)) return false;
    if (k > 0 && !(knots[k - 1] < knots[k] && images[k - 1] <= images[k])) return false;
    if (knots[k] <= 0.0) at_zero = images[k];
    if (k > 0 && knots[k - 1] < 0.0 && knots[k] > 0.0) return false;
  }
  return at_zero == 0.0;
}

}  // namespace

Transform Transform::load(const Archive& archive, const std::string& name) {
  const std::uint32_t kind = archive.get<std::uint32_t>(name + ".kind", 1)[0];
  if (kind >= kNames.size()) throw_bad_archive(fmt::format("{}.kind is {}; expected 0 to 3", name, kind));
  auto features = archive.get<FeatureIndex>(name + ".features");
  if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) != features.end()) {
    throw_bad_archive(name + ".features do not ascend");
  }
  Transform loaded(static_cast<Kind>(kind), std::move(features));
  loaded.multipliers_ = archive.get<double>(name + ".multipliers", loaded.features_.size());
  loaded.other_ = archive.get<double>(name + ".other", 1)[0];
  if (!std::all_of(loaded.multipliers_.begin(), loaded.multipliers_.end(), is_multiplier) ||
      !is_multiplier(loaded.other_)) {
    throw_bad_archive("a multiplier of " + name + " is out of range");
  }
  loaded.note_identity();
  if (loaded.kind_ != Kind::kNormal) return loaded;
  const auto counts = archive.get<std::uint32_t>(name + ".counts", loaded.features_.size());
  const auto knots = archive.get<double>(name + ".knots");
  const auto images = archive.get<double>(name + ".images", knots.size());
  std::size_t start = 0;
  for (const std::uint32_t count : counts) {
    if (count == 1 || count > kMostKnots || count > knots.size() - start) {
      throw_bad_archive(fmt::format("{}.counts has {}, which does not fit", name, count));
    }
    const auto its_knots = std::span(knots).subspan(start, count);
    const auto its_images = std::span(images).subspan(start, count);
    if (count > 0 && !is_curve(its_knots, its_images)) throw_bad_archive("knots of " + name + " are no curve");
    loaded.add_curve(its_knots, its_images);
    start += count;
  }
  if (start != knots.size()) throw_bad_archive(name + ".knots has more than " + name + ".counts says");
  return loaded;
}

std::size_t Transform::bytes() const {
  return features_.capacity() * sizeof(FeatureIndex) + multipliers_.capacity() * sizeof(double) +
         curves_.capacity() * sizeof(Curve) + knots_.capacity() * sizeof(double) + lines_.capacity() * sizeof(Line) +
         grid_.capacity() + index_.capacity() * sizeof(std::uint32_t);
}

}  // namespace alder
