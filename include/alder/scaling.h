#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alder/dataset.h"
#include "alder/row.h"
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

  /// The row scaled, without zeros; it borrows from `buffer`. Allocates only while the buffer grows.
  Row apply(const Row& row, Buffer& buffer) const;

  /// A small JSON file, which gives back the same numbers. Both throw Error "path: reason".
  void save(const std::string& path) const;
  static Scaling load(const std::string& path);

 private:
  // A feature whose 0 is mapped to another value.
  struct Shifted {
    FeatureIndex feature;
    double value;
  };

  // Where a feature is in the arrays, or their size.
  [[nodiscard]] std::size_t find(FeatureIndex feature) const;
  [[nodiscard]] double map(std::size_t at, double value) const;

  Kind kind_;
  std::vector<FeatureIndex> features_;
  std::vector<double> offsets_;
  std::vector<double> divisors_;
  std::vector<Shifted> shifted_;
};

/// The rows of `source`, which must outlive it, scaled on the way.
std::unique_ptr<Stream> scaled(Stream& source, Scaling scaling);

}  // namespace alder
