#include "alder/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// What one pass keeps of the listed values of a feature.
struct Column {
  FeatureIndex feature = 0;
  std::uint64_t listed = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  double mean = 0.0;
  double squares = 0.0;  // Σ (value − mean)², updated as by Welford (1962)

  void add(double value) {
    ++listed;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    const double difference = value - mean;
    mean += difference / static_cast<double>(listed);
    squares += difference * (value - mean);
  }

  // Joins the listed values with `zeros` others (Chan, Golub and LeVeque 1979).
  void add_zeros(std::uint64_t zeros) {
    if (zeros == 0) return;
    lowest = std::min(lowest, 0.0);
    highest = std::max(highest, 0.0);
    const auto n = static_cast<double>(listed + zeros);
    squares += mean * mean * static_cast<double>(listed) * (static_cast<double>(zeros) / n);
    mean *= static_cast<double>(listed) / n;
    listed += zeros;
  }
};

// The columns that are listed anywhere in some rows.
class Measured {
 public:
  void add(const Row& row) {
    ++rows_;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const FeatureIndex feature = row.feature(j);
      // Dense rows put the columns in order at once.
      std::size_t place = feature;
      if (place >= columns_.size() || columns_[place].feature != feature) {
        place = places_.try_emplace(feature, columns_.size()).first->second;
        if (place == columns_.size()) columns_.push_back({.feature = feature});
      }
      columns_[place].add(row.value(j));
    }
  }

  // The end: nothing can be added afterwards.
  Scaling fit(Scaling::Kind kind) {
    for (Column& column : columns_) column.add_zeros(rows_ - column.listed);
    std::sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) { return a.feature < b.feature; });
    std::vector<FeatureIndex> features;
    std::vector<double> offsets;
    std::vector<double> divisors;
    for (const Column& column : columns_) {
      features.push_back(column.feature);
      if (kind == Scaling::Kind::kMinmax) {
        offsets.push_back(column.lowest);
        divisors.push_back(std::min(column.highest - column.lowest, kLargest));
      } else {
        if (!std::isfinite(column.mean) || !std::isfinite(column.squares)) {
          throw Error(
              fmt::format("feature {} has values up to {:g}; standard scaling expects values that can be squared",
                          std::uint64_t{column.feature} + 1, std::max(-column.lowest, column.highest)));
        }
        offsets.push_back(column.mean);
        divisors.push_back(std::sqrt(column.squares / static_cast<double>(column.listed)));
      }
    }
    return {kind, std::move(features), std::move(offsets), std::move(divisors)};
  }

 private:
  std::vector<Column> columns_;
  std::unordered_map<FeatureIndex, std::size_t> places_;
  std::uint64_t rows_ = 0;
};

}  // namespace

Scaling Scaling::fit(Kind kind, const Dataset& dataset) {
  return fit(kind, *stream(dataset));
}

Scaling Scaling::fit(Kind kind, Stream& stream) {
  Measured columns;
  Example example;
  while (stream.next(example)) columns.add(example.row);
  return columns.fit(kind);
}

Scaling Scaling::fit(Kind kind, std::span<const Row> rows) {
  Measured columns;
  for (const Row& row : rows) columns.add(row);
  return columns.fit(kind);
}

Scaling Scaling::fit_first(std::span<const Row> rows) {
  std::size_t listed = 0;
  std::size_t features = 0;
  for (const Row& row : rows) {
    if (row.size() > 0) features = std::max(features, std::size_t{row.feature(row.size() - 1)} + 1);
    for (std::size_t j = 0; j < row.size(); ++j) listed += row.value(j) != 0.0 ? 1 : 0;
  }
  return fit(2 * listed >= rows.size() * features ? Kind::kStandard : Kind::kMinmax, rows);
}

Scaling::Scaling(Kind kind, std::vector<FeatureIndex> features, std::vector<double> offsets,
                 std::vector<double> divisors)
    : kind_(kind), features_(std::move(features)), offsets_(std::move(offsets)), divisors_(std::move(divisors)) {
  if (offsets_.size() != features_.size() || divisors_.size() != features_.size()) {
    throw Error(fmt::format("a scaling of {} features with {} offsets and {} divisors; expected as many of each",
                            features_.size(), offsets_.size(), divisors_.size()));
  }
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (i > 0 && features_[i] <= features_[i - 1]) {
      throw Error(fmt::format("a scaling with feature {} after {}; expected ascending features", features_[i],
                              features_[i - 1]));
    }
    if (!std::isfinite(offsets_[i]) || !std::isfinite(divisors_[i]) || divisors_[i] < 0.0) {
      throw Error(
          fmt::format("a scaling with offset {} and divisor {}; expected finite numbers, the divisor not "
                      "negative",
                      offsets_[i], divisors_[i]));
    }
    const double zero = map(i, 0.0);
    if (zero != 0.0) shifted_.push_back({features_[i], zero});
  }
  make_table();
}

std::string_view Scaling::name() const {
  return kind_ == Kind::kMinmax ? "minmax" : "standard";
}

Scaling::Kind Scaling::kind_named(std::string_view name) {
  if (name == "minmax") return Kind::kMinmax;
  if (name == "standard") return Kind::kStandard;
  throw Error(fmt::format("unknown scaling {}; expected minmax or standard", in_quotes(name)));
}

namespace {

class ScaledStream final : public Stream {
 public:
  ScaledStream(Stream& source, Scaling scaling) : source_(source), scaling_(std::move(scaling)) {}

  Examples read(std::size_t most) override {
    const Examples examples = source_.read(std::min(most, kAtOnce));
    for (const Row& row : examples.rows) row.check();
    scaling_.apply(examples.rows, buffer_);
    return {buffer_.rows(), examples.targets, examples.weights};
  }

 private:
  static constexpr std::size_t kAtOnce = 64;  // scaled rows should still be in the cache when they are used

  Stream& source_;
  Scaling scaling_;
  RowBuffer buffer_;
};

}  // namespace

std::unique_ptr<Stream> scaled(Stream& source, Scaling scaling) {
  return std::make_unique<ScaledStream>(source, std::move(scaling));
}

}  // namespace alder
