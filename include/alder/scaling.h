#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alder/dataset.h"
#include "alder/row.h"
#include "alder/row_buffer.h"
#include "alder/stream.h"

namespace alder {

/// Maps each feature by a straight line, (value − offset) / divisor, found from rows in which a value that is not
/// listed is 0. A feature that was constant in them becomes 0, whatever its value; one that was not in them stays as it
/// is. Rows met later may leave the range of the first ones.
///
/// A value that is not listed is scaled like any other 0. Where the offset is not 0 the result is not 0, so the
/// feature is then listed in every row: min-max scaling keeps rows sparse only in features that are nowhere negative,
/// standard scaling hardly ever does.
class Scaling {
 public:
  enum class Kind {
    kMinmax,    ///< to [0, 1]: offset is the minimum, divisor the range
    kStandard,  ///< to mean 0 and variance 1: offset is the mean, divisor the standard deviation, over n rows not n − 1
  };

  /// Room for a scaled row, to be used again for the next.
  struct Buffer {
    std::vector<FeatureIndex> indices;
    std::vector<double> values;
  };

  /// One pass over the rows, for a stream to its end. Throws Error for values that are too large to be squared, if kind
  /// is kStandard. Memory follows the features listed, not the highest index.
  static Scaling fit(Kind kind, const Dataset& dataset);
  static Scaling fit(Kind kind, Stream& stream);
  static Scaling fit(Kind kind, std::span<const Row> rows);

  /// What suits a stream of which these are the first rows: standard scaling, which makes the most of every feature,
  /// if at least half of all values are listed and not 0, the features being those up to the highest one listed; else
  /// min-max, since most values should stay 0. Throws Error as `fit` does.
  static Scaling fit_first(std::span<const Row> rows);

  /// From the arrays that the getters give. Throws Error unless they have the same length, the features are strictly
  /// ascending, the offsets finite and the divisors finite and not negative; 0 marks a constant feature.
  Scaling(Kind kind, std::vector<FeatureIndex> features, std::vector<double> offsets, std::vector<double> divisors);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// "minmax" or "standard", and back; throws Error for any other name.
  [[nodiscard]] std::string_view name() const;
  static Kind kind_named(std::string_view name);

  /// The features that were in the rows, ascending, and what belongs to each.
  [[nodiscard]] const std::vector<FeatureIndex>& features() const { return features_; }
  [[nodiscard]] const std::vector<double>& offsets() const { return offsets_; }
  [[nodiscard]] const std::vector<double>& divisors() const { return divisors_; }

  /// The row, which must be sound (Row::check), scaled, without zeros; it borrows from `buffer`. Marked as checked if
  /// the row is. Allocates only while the buffer grows.
  Row apply(const Row& row, Buffer& buffer) const;
  /// Fills `out` with the rows scaled, the same to the bit; they must not be its own.
  void apply(std::span<const Row> rows, RowBuffer& out) const;

  /// What the scaled value of a feature changes by when its value does: 1/divisor, 0 for a constant feature, and 1 for
  /// one that was not in the rows.
  [[nodiscard]] double slope(FeatureIndex feature) const;

  /// A small JSON file, which gives back the same numbers. Both throw Error "path: reason".
  void save(const std::string& path) const;
  static Scaling load(const std::string& path);

 private:
  // A feature whose 0 is mapped to another value.
  struct Shifted {
    FeatureIndex feature;
    double value;
  };

  void make_table();

  // Where a feature is in the arrays, or their size.
  [[nodiscard]] std::size_t find(FeatureIndex feature) const;
  [[nodiscard]] double map(std::size_t at, double value) const;
  [[nodiscard]] double map_feature(FeatureIndex feature, double value) const;

  // The row scaled, written to arrays that have room for so many values.
  [[nodiscard]] std::size_t room(const Row& row) const { return row.size() + std::max(table_size(), shifted_.size()); }
  [[nodiscard]] Row scaled(const Row& row, FeatureIndex* indices, double* values) const;
  [[nodiscard]] Row merge(const Row& row, FeatureIndex* indices, double* values) const;
  [[nodiscard]] Row scale_complete(const Row& row, FeatureIndex* indices, double* values) const;
  [[nodiscard]] Row spread(const Row& row, FeatureIndex* indices, double* values) const;
  [[nodiscard]] std::size_t table_size() const { return table_.images.size(); }

  Kind kind_;
  std::vector<FeatureIndex> features_;
  std::vector<double> offsets_;
  std::vector<double> divisors_;
  std::vector<Shifted> shifted_;

  // What belongs to each feature up to the highest one fitted: (value − offset) / divisor is right without a question,
  // unless it is not finite. A feature that was not fitted has offset 0 and divisor 1, a constant one an infinite
  // divisor. Empty if few of these features were fitted.
  struct Table {
    std::vector<double> offsets;
    std::vector<double> divisors;
    std::vector<double> images;  // of 0
    bool has_zero = false;       // among the images
  };
  Table table_;
};

/// The rows of `source`, which must outlive it, scaled on the way.
std::unique_ptr<Stream> scaled(Stream& source, Scaling scaling);

}  // namespace alder
