#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "alder/row.h"
#include "alder/stream.h"

namespace alder {

class Scaling;

/// Rows with targets and weights held in memory, as compressed sparse rows: for what needs a stream more than once, or
/// in another order. Costs 12 bytes for every listed value and 16 for every row, 24 unless all weights are 1.
class Dataset {
 public:
  /// Reads the stream to its end; its Errors pass through.
  static Dataset read(Stream& stream);

  /// The number of rows.
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  /// The highest feature listed in any row as read, plus 1.
  [[nodiscard]] std::size_t features() const { return features_; }
  /// What the rows cost.
  [[nodiscard]] std::size_t bytes() const { return 12 * values_.size() + 16 * targets_.size() + 8 * weights_.size(); }
  /// Row i < size(), valid until the dataset is changed or gone.
  [[nodiscard]] Example operator[](std::size_t i) const;
  /// The rows from `first` on, at most `count` of them, as views that are put into `rows` and marked as checked: valid
  /// until that or the dataset is changed or gone.
  [[nodiscard]] Examples examples(std::size_t first, std::size_t count, std::vector<Row>& rows) const;
  /// The target of every row.
  [[nodiscard]] std::span<const double> targets() const { return targets_; }
  /// The weight of every row; empty if all are 1.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }

  /// Adds a row at the end. Throws Error for one that Row::check rejects.
  void append(const Example& example);
  /// Changes the target of row i < size().
  void set_target(std::size_t i, double target);
  /// Removes all rows, and keeps the memory for the next ones.
  void clear();

  /// Scales every row; afterwards zeros are not listed.
  void scale(const Scaling& scaling);
  /// Scales by what Scaling::fit finds in these very rows: every column to [0, 1].
  void scale_minmax();

 private:
  class Replay;
  friend std::unique_ptr<Stream> stream(const Dataset& dataset, std::vector<std::size_t> order);

  [[nodiscard]] Row view(std::size_t i) const;

  std::vector<std::size_t> starts_ = {0};  // row i is [starts_[i], starts_[i + 1]) of the next two
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
  std::vector<double> targets_;
  std::vector<double> weights_;  // empty: all are 1
  std::size_t features_ = 0;
};

/// The numbers 0 … n − 1 in an order that depends on the seed alone, every order being as likely.
std::vector<std::size_t> permutation(std::size_t n, std::uint64_t seed);

/// Replays the rows named by `order`, which may leave out or repeat rows; an empty one means all as they come. The
/// dataset must outlive the stream and not be changed meanwhile. Throws Error for a row that does not exist.
std::unique_ptr<Stream> stream(const Dataset& dataset, std::vector<std::size_t> order = {});

/// The median of the Euclidean distances between the first rows, at most `rows` of them, taken in pairs: a scale for
/// the width of a kernel. Of an even number of pairs the upper median. If that is 0, the smallest distance that is not;
/// if there is none, 1. Costs rows²/2 merges of two rows: 5 ms for 500 rows of 8
/// values, 75 ms for rows of 50 sparse ones.
double median_distance(const Dataset& dataset, std::size_t rows = 500);
/// The same of all these rows.
double median_distance(std::span<const Row> rows);

/// A width for a Gaussian kernel on a stream of which these are the first rows: half the median distance, since
/// neighbours are nearer than most pairs. Of more than kRowsForWidth rows, the first are looked at.
double automatic_width(std::span<const Row> rows);
inline constexpr std::size_t kRowsForWidth = 500;

}  // namespace alder
