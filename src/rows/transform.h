#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alder/row.h"
#include "alder/row_buffer.h"

namespace alder {

class Archive;

/// A map of every feature by itself, found from some rows, which keeps 0 at 0, so that sparse rows stay sparse:
///   raw        x
///   range      x / (max − min); 0 counts as a value of a feature that some row lacks
///   deviation  x / standard deviation, likewise
///   normal     0.3·(Φ⁻¹(F(x)) − Φ⁻¹(F(0))), F being the share of the rows below x and half of those at x, with at most
///              64 knots, straight between them and constant beyond the first and the last
///
/// The knots of `normal` are the distinct values of the feature (0 for the rows that lack it); if there are more than
/// 64, those at ranks that are evenly spaced, the least and the largest among them. 0 between the first and the last is
/// always one of the 64, with the height that it has on the line through the others unless it is one of the values:
/// what 0 becomes is 0 to the bit, and no value becomes less than a smaller one.
///
/// A feature that was not met when fitting, or that was the same in all rows, is multiplied by the median of the other
/// features' multipliers (range, deviation; 1 if there are none), or becomes ±0.5 by its sign (normal).
///
/// Multipliers, and their products with what `scale` got, stay within 1e-30 … 1e30, and what values become within ±1e30
/// unless nothing is changed at all (`is_identity`): finite rows become finite ones. Between knots that differ by less
/// than about 1e-308 `normal` rises in steps. Equal values of a feature become equal bits, be the rows dense or sparse
/// (those that it was fitted on, too), and whatever stands beside them.
class Transform {
 public:
  enum class Kind : std::uint8_t { kRaw, kRange, kDeviation, kNormal };

  /// Raw: rows stay as they are.
  Transform() = default;
  /// The rows must be sound (Row::check). Time and memory follow the values that they list, not the highest feature.
  static Transform fit(Kind kind, std::span<const Row> rows);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// "raw", "range", "deviation", "normal".
  [[nodiscard]] std::string_view name() const;
  /// Whether it changes no row: raw, and whatever `scale` got has the product 1.
  [[nodiscard]] bool is_identity() const { return is_identity_; }
  /// The features that were met when it was fitted, or given to `scale`, ascending.
  [[nodiscard]] const std::vector<FeatureIndex>& features() const { return features_; }

  /// From now on what a feature becomes is multiplied: features[j] (ascending) by factors[j], all others by `other`.
  /// The factors must be finite and not negative; one that is too small or too large counts as the nearest that is not.
  void scale(std::span<const FeatureIndex> features, std::span<const double> factors, double other);

  /// What one value becomes, as by `apply` to the bit; for tests and for reports.
  [[nodiscard]] double map(FeatureIndex feature, double value) const;
  /// What it changes by when the value does: the slope of the line that the value is on.
  [[nodiscard]] double slope(FeatureIndex feature, double value) const;
  /// Fills `out` with the rows, mapped; they must be sound (Row::check) and not its own. Dense rows stay dense, sparse
  /// ones stay sparse with the same features; rows marked as checked stay so.
  void apply(std::span<const Row> rows, RowBuffer& out) const;

  /// Writes the tensors name.kind, name.features, name.multipliers and name.other (the multiplier of all other
  /// features); of `normal` also name.counts (how many knots each feature has; 0: it becomes ±0.5), name.knots and
  /// name.images (what the knots become before they are multiplied).
  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote: it maps to the same bits. An Error for what it cannot have written.
  static Transform load(const Archive& archive, const std::string& name);
  /// What its numbers take in memory.
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// Of `normal`: where a feature's knots stand in knots_ and lines_. Their number is filled up to a power of two with
  /// knots that no value reaches. A value x between the first and the last knot has the cell
  /// ⌊(x − first)·cells_per_unit⌋ of an even grid; the last knot that is not above x is one of `width` knots, a power
  /// of two, from the one on that grid_[grid + cell] says, so that the search takes no branch. The default is the curve
  /// of a feature that is not known.
  struct Curve {
    double last = std::numeric_limits<double>::denorm_min();
    double cells_per_unit = 0.0;
    std::uint32_t start = 0;
    std::uint32_t grid = 0;
    std::uint32_t width = 4;
  };
  /// From a knot on: image + slope·(x − knot).
  struct Line {
    double image = 0.0;
    double slope = 0.0;
  };

  static constexpr std::size_t kBlock = 8;  // rows that are mapped together

  explicit Transform(Kind kind, std::vector<FeatureIndex> features);
  void fit_linear(std::span<const std::size_t> starts, std::span<double> values, std::size_t rows);
  void fit_normal(std::span<const std::size_t> starts, std::span<double> values, std::size_t rows);
  /// Adds the curve through these points, ascending; none: ±0.5.
  void add_curve(std::span<const double> knots, std::span<const double> images);
  /// Lays a grid over the curve of so many knots, which stand at the end of knots_, if that shortens the search.
  void add_grid(Curve& curve, std::size_t knots);
  [[nodiscard]] std::size_t knot_count(const Curve& curve) const;
  void make_index();
  void note_identity();
  /// The place of a feature in features_, or its size.
  [[nodiscard]] std::size_t find(FeatureIndex feature) const;
  template <std::size_t kCount>
  void put_on_curve(const Curve& curve, std::array<double, kCount>& values) const;
  [[nodiscard]] double on_curve(const Curve& curve, double value) const;
  /// What the value of the feature at that place becomes; of one that is not known if `at` is the size.
  template <bool kIsNormal>
  [[nodiscard]] double map_at(std::size_t at, double value) const;
  template <bool kIsNormal>
  void apply_to(const Row& row, double* to) const;
  template <bool kIsNormal>
  void apply_to_block(const Row* rows, double* to) const;

  Kind kind_ = Kind::kRaw;
  bool is_identity_ = true;
  std::vector<FeatureIndex> features_;
  std::vector<double> multipliers_;  // of the features
  double other_ = 1.0;               // of all other ones
  // Of `normal`: one curve for every feature. The first knots and lines are those of a feature that is not known.
  std::vector<Curve> curves_;
  std::vector<double> knots_;
  std::vector<Line> lines_;
  std::vector<std::uint8_t> grid_;  // the first cell is that of all curves without a grid
  // Of the features f with the same f >> shift_ the places begin at index_[f >> shift_] and end before the next. The
  // index is at most a few times as long as the features are many.
  std::vector<std::uint32_t> index_;
  unsigned shift_ = 0;
  std::size_t leading_ = 0;  // features 0 … leading_ − 1 have these places
};

}  // namespace alder
