#include "alder/dataset.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "data/random.h"

namespace alder {
namespace {

// What scaling has to know of a column.
struct Column {
  FeatureIndex feature = 0;
  std::size_t listed = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  void include(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }

  [[nodiscard]] double scaled(double value) const {
    if (lowest == highest) return 0.0;
    const double range = highest - lowest;
    if (std::isfinite(range)) return (value - lowest) / range;
    return (0.5 * value - 0.5 * lowest) / (0.5 * highest - 0.5 * lowest);
  }
};

// The columns that are listed anywhere, in ascending order. Memory follows what is listed, not the highest index.
std::vector<Column> listed_columns(std::vector<FeatureIndex> features) {
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  std::vector<Column> columns(features.size());
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].feature = features[c];
  return columns;
}

Column& column_of(std::vector<Column>& columns, FeatureIndex feature) {
  return *std::lower_bound(columns.begin(), columns.end(), feature,
                           [](const Column& column, FeatureIndex wanted) { return column.feature < wanted; });
}

class Replay final : public Stream {
 public:
  Replay(const Dataset& dataset, std::vector<std::size_t> order) : dataset_(dataset), order_(std::move(order)) {}

  bool next(Example& example) override {
    if (at_ == (order_.empty() ? dataset_.size() : order_.size())) return false;
    example = dataset_[order_.empty() ? at_ : order_[at_]];
    ++at_;
    return true;
  }

 private:
  const Dataset& dataset_;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
};

}  // namespace

Dataset Dataset::read(Stream& stream) {
  Dataset dataset;
  Example example;
  while (stream.next(example)) {
    const Row& row = example.row;
    for (std::size_t j = 0; j < row.size(); ++j) {
      dataset.indices_.push_back(row.feature(j));
      dataset.values_.push_back(row.value(j));
    }
    if (row.size() > 0) {
      dataset.features_ = std::max(dataset.features_, std::size_t{row.feature(row.size() - 1)} + 1);
    }
    dataset.starts_.push_back(dataset.indices_.size());
    dataset.labels_.push_back(example.label);
  }
  return dataset;
}

Example Dataset::operator[](std::size_t i) const {
  assert(i < size());
  const std::size_t start = starts_[i];
  const std::size_t count = starts_[i + 1] - start;
  return {Row::sparse(std::span(indices_).subspan(start, count), std::span(values_).subspan(start, count)), labels_[i]};
}

void Dataset::scale_minmax() {
  std::vector<Column> columns = listed_columns(indices_);
  for (std::size_t k = 0; k < indices_.size(); ++k) {
    Column& column = column_of(columns, indices_[k]);
    column.include(values_[k]);
    ++column.listed;
  }
  std::vector<Column> shifted;  // those whose unlisted values do not stay 0
  for (Column& column : columns) {
    if (column.listed == size()) continue;
    column.include(0.0);
    if (column.lowest < 0.0) shifted.push_back(column);
  }

  // Built beside the old rows, so that running out of memory leaves the dataset as it was.
  std::vector<std::size_t> starts = {0};
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  const auto append = [&indices, &values](const Column& column, double value) {
    const double scaled = column.scaled(value);
    if (scaled == 0.0) return;
    indices.push_back(column.feature);
    values.push_back(scaled);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    auto absent = shifted.begin();
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
      for (; absent != shifted.end() && absent->feature < indices_[k]; ++absent) append(*absent, 0.0);
      if (absent != shifted.end() && absent->feature == indices_[k]) ++absent;
      append(column_of(columns, indices_[k]), values_[k]);
    }
    for (; absent != shifted.end(); ++absent) append(*absent, 0.0);
    starts.push_back(indices.size());
  }
  starts_ = std::move(starts);
  indices_ = std::move(indices);
  values_ = std::move(values);
}

std::vector<std::size_t> permutation(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::unique_ptr<Stream> stream(const Dataset& dataset, std::vector<std::size_t> order) {
  for (const std::size_t i : order) {
    if (i >= dataset.size()) {
      throw Error(fmt::format("an order names row {}; rows below {} are expected", i, dataset.size()));
    }
  }
  return std::make_unique<Replay>(dataset, std::move(order));
}

}  // namespace alder
