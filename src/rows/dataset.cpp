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

  bool next(Example& example) override {
    if (at_ == size()) return false;
    example = dataset_[row(at_)];
    advance(1);
    return true;
  }

  std::span<const Example> ahead(std::size_t most) override {
    ahead_.clear();
    const std::size_t end = std::min(size(), at_ + most);
    for (std::size_t i = at_; i < end; ++i) ahead_.push_back(dataset_[row(i)]);
    return ahead_;
  }

  void advance(std::size_t count) override {
    at_ += count;
    // Rows in a random order are nowhere near each other, and each would be waited for.
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = at_ - count; i < at_; ++i) {
      if (i + 2 * kAhead < order_.size()) fetch_start(order_[i + 2 * kAhead]);
      if (i + kAhead < order_.size()) fetch(order_[i + kAhead]);
    }
  }

 private:
  [[nodiscard]] std::size_t size() const { return order_.empty() ? dataset_.size() : order_.size(); }
  [[nodiscard]] std::size_t row(std::size_t i) const { return order_.empty() ? i : order_[i]; }

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
    __builtin_prefetch(dataset_.labels_.data() + i);
  }

  const Dataset& dataset_;
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
  std::vector<Example> ahead_;  // what was shown
};

Dataset Dataset::read(Stream& stream) {
  Dataset dataset;
  Example example;
  while (stream.next(example)) dataset.append(example);
  return dataset;
}

Example Dataset::operator[](std::size_t i) const {
  assert(i < size());
  const std::size_t start = starts_[i];
  const std::size_t count = starts_[i + 1] - start;
  return {Row::sparse(indices_.data() + start, values_.data() + start, count).as_checked(), labels_[i]};
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
  starts_.push_back(indices_.size());
  labels_.push_back(example.label);
}

void Dataset::set_label(std::size_t i, double label) {
  assert(i < size());
  labels_[i] = label;
}

void Dataset::clear() {
  starts_.resize(1);
  indices_.clear();
  values_.clear();
  labels_.clear();
  features_ = 0;
}

void Dataset::scale(const Scaling& scaling) {
  // Built beside the old rows, so that running out of memory leaves the dataset as it was.
  Dataset scaled;
  Scaling::Buffer buffer;
  for (std::size_t i = 0; i < size(); ++i) {
    const Example example = (*this)[i];
    scaled.append({scaling.apply(example.row, buffer), example.label});
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
