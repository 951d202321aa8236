#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "alder/row.h"
#include "alder/stream.h"

namespace alder {

/// Labelled rows held in memory, as compressed sparse rows: for what needs a stream more than once, or in another
/// order. Costs 12 bytes for every listed value and 16 for every row.
class Dataset {
 public:
  /// Reads the stream to its end; its Errors pass through.
  static Dataset read(Stream& stream);

  /// The number of rows.
  [[nodiscard]] std::size_t size() const { return labels_.size(); }
  /// The highest feature listed in any row as read, plus 1.
  [[nodiscard]] std::size_t features() const { return features_; }
  /// Row i < size(), valid until the dataset is scaled or gone.
  [[nodiscard]] Example operator[](std::size_t i) const;

  /// Maps every column to [0, 1] by its minimum and maximum over the rows, a value that is not listed being 0; a
  /// column that is constant becomes 0. Afterwards zeros are not listed. A column with negative values makes its
  /// unlisted values positive, so that it is then listed in nearly every row: sparse data may grow.
  void scale_minmax();

 private:
  std::vector<std::size_t> starts_ = {0};  // row i is [starts_[i], starts_[i + 1]) of the next two
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
  std::vector<double> labels_;
  std::size_t features_ = 0;
};

/// The numbers 0 … n − 1 in an order that depends on the seed alone, every order being as likely.
std::vector<std::size_t> permutation(std::size_t n, std::uint64_t seed);

/// Replays the rows named by `order`, which may leave out or repeat rows; an empty one means all as they come. The
/// dataset must outlive the stream and not be scaled meanwhile. Throws Error for a row that does not exist.
std::unique_ptr<Stream> stream(const Dataset& dataset, std::vector<std::size_t> order = {});

}  // namespace alder
