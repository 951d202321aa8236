#include "alder/dataset.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/scaling.h"

#include "base/random.h"

namespace alder {

class Dataset::Replay final : public Stream {
 public:
  Replay(const Dataset& dataset, std::vector<std::size_t> order) : dataset_(dataset), order_(std::move(order)) {}

  Examples read(std::size_t most) override {
    const std::size_t count = std::min({most, size() - at_, kMostRead});
    at_ += count;
    if (order_.empty()) return dataset_.examples(at_ - count, count, rows_);
    rows_.clear();
    targets_.clear();
    weights_.clear();
    for (std::size_t i = at_ - count; i < at_; ++i) {
      // Rows in a random order are nowhere near each other, and each would be waited for.
      constexpr std::size_t kAhead = 16;
      if (i + 2 * kAhead < order_.size()) fetch_start(order_[i + 2 * kAhead]);
      if (i + kAhead < order_.size()) fetch(order_[i + kAhead]);
      const Example example = dataset_[order_[i]];
      rows_.push_back(example.row);
      targets_.push_back(example.target);
      if (!dataset_.weights_.empty()) weights_.push_back(example.weight);
    }
    return {rows_, targets_, weights_};
  }

 private:
  // What has been fetched should still be in the cache when it is learned.
  static constexpr std::size_t kMostRead = 64;

  [[nodiscard]] std::size_t size() const { return order_.empty() ? dataset_.size() : order_.size(); }

  // Asks for row i to be brought into the cache; before that, and some time earlier, for where the row is.
  void fetch(std::size_t i) const {
    constexpr std::size_t kLine = 64;      // bytes
    constexpr std::size_t kMostLines = 8;  // the processor goes on by itself from there
    const auto lines = [](const auto* first, const auto* end) {
      const auto* from = reinterpret_cast<const char*>(first);
      const auto* to = reinterpret_cast<const char*>(end);
      for (std::size_t line = 0; line < kMostLines && from < to; ++line, from += kLine) __builtin_prefetch(from);
    };
    const std::size_t start = dataset_.starts_[i];
    const std::size_t end = dataset_.starts_[i + 1];
    lines(dataset_.indices_.data() + start, dataset_.indices_.data() + end);
    lines(dataset_.values_.data() + start, dataset_.values_.data() + end);
  }
  void fetch_start(std::size_t i) const {
    __builtin_prefetch(dataset_.starts_.data() + i);
    __builtin_prefetch(dataset_.targets_.data() + i);
  }

  const Dataset& dataset_;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
  // What was read last:
  std::vector<Row> rows_;
  std::vector<double> targets_;
  std::vector<double> weights_;
};

Dataset Dataset::read(Stream& stream) {
  constexpr std::size_t kAtOnce = 256;
  Dataset dataset;
  for (Examples examples = stream.read(kAtOnce); !examples.empty(); examples = stream.read(kAtOnce)) {
    for (std::size_t i = 0; i < examples.size(); ++i) dataset.append(examples[i]);
  }
  return dataset;
}

Example Dataset::operator[](std::size_t i) const {
  assert(i < size());
  return {view(i), targets_[i], weights_.empty() ? 1.0 : weights_[i]};
}

Examples Dataset::examples(std::size_t first, std::size_t count, std::vector<Row>& rows) const {
  first = std::min(first, size());
  count = std::min(count, size() - first);
  rows.resize(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = view(first + i);
  return {rows, std::span(targets_).subspan(first, count),
          weights_.empty() ? std::span<const double>() : std::span(weights_).subspan(first, count)};
}

Row Dataset::view(std::size_t i) const {
  const std::size_t start = starts_[i];
  return Row::sparse(indices_.data() + start, values_.data() + start, starts_[i + 1] - start).as_checked();
}

void Dataset::append(const Example& example) {
  const Row& row = example.row;
  row.check();
  const std::size_t start = values_.size();
  indices_.resize(start + row.size());
  values_.resize(start + row.size());
  for (std::size_t j = 0; j < row.size(); ++j) {
    indices_[start + j] = row.feature(j);
    values_[start + j] = row.value(j);
  }
  if (row.size() > 0) features_ = std::max(features_, std::size_t{row.feature(row.size() - 1)} + 1);
  if (example.weight != 1.0) weights_.resize(size(), 1.0);
  if (example.weight != 1.0 || !weights_.empty()) weights_.push_back(example.weight);
  starts_.push_back(indices_.size());
  targets_.push_back(example.target);
}

void Dataset::set_target(std::size_t i, double target) {
  assert(i < size());
  targets_[i] = target;
}

void Dataset::clear() {
  starts_.resize(1);
  indices_.clear();
  values_.clear();
  targets_.clear();
  weights_.clear();
  features_ = 0;
}

void Dataset::scale(const Scaling& scaling) {
  // Built beside the old rows, so that running out of memory leaves the dataset as it was.
  Dataset scaled;
  Scaling::Buffer buffer;
  for (std::size_t i = 0; i < size(); ++i) {
    const Example example = (*this)[i];
    scaled.append({scaling.apply(example.row, buffer), example.target, example.weight});
  }
  scaled.features_ = std::max(features_, scaled.features_);
  *this = std::move(scaled);
}

void Dataset::scale_minmax() {
  scale(Scaling::fit(Scaling::Kind::kMinmax, *this));
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
  return std::make_unique<Dataset::Replay>(dataset, std::move(order));
}

}  // namespace alder
