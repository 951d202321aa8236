#include "alder/stream_checks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace alder {
namespace {

constexpr std::size_t kMostLabels = 4096;
constexpr std::uint64_t kRowsOfOneLabel = 100;
constexpr double kFewestChangesExpected = 20.0;
// Real sets in their order have 0.55 times the changes expected and more, unless they are sorted or autocorrelated:
// those have 0.3 times and fewer.
constexpr double kShareOfChanges = 0.5;
constexpr double kDeviations = 5.0;

constexpr std::size_t kFewestRowsForSpans = 50;
// Of real sets whose columns are scaled, or are indicators, none has a feature below a hundredth of the widest span; of
// tables with units as they are, 30 % of the features and more are.
constexpr double kHiddenBelow = 0.01;
constexpr double kShareOfHidden = 0.25;

}  // namespace

void LabelRuns::add(double label) {
  if (!are_classes_) return;
  if (last_.count == nullptr || label != last_.label) {
    if (rows_ > 0) ++changes_;
    std::swap(last_, other_);
    if (last_.count == nullptr || label != last_.label) last_ = {label, &counts_[label]};
    if (counts_.size() > kMostLabels) {
      are_classes_ = false;
      counts_.clear();
      return;
    }
  }
  ++rows_;
  ++*last_.count;
}

// With n rows, n_k of class k, two neighbours of a random permutation differ with probability
// 1 − Σ n_k(n_k − 1)/(n(n − 1)).
double LabelRuns::expected_changes() const {
  if (rows_ == 0) return 0.0;
  const auto n = static_cast<double>(rows_);
  double squares = 0.0;
  for (const auto& [label, count] : counts_) squares += static_cast<double>(count) * static_cast<double>(count);
  return n - squares / n;
}

// Of the number of runs in a random permutation of several classes (Barton and David, 1957): with s_j = Σ n_k^j,
// (s₂(s₂ + n(n + 1)) − 2n·s₃ − n³) / (n²(n − 1)).
double LabelRuns::variance_of_changes() const {
  if (rows_ < 2) return 0.0;
  const auto n = static_cast<double>(rows_);
  double squares = 0.0;
  double cubes = 0.0;
  for (const auto& [label, count] : counts_) {
    const double share = static_cast<double>(count) / n;
    squares += share * share;
    cubes += share * share * share;
  }
  // Divided by n⁴ above and n² below, so that large counts lose nothing.
  const double variance = n * n / (n - 1.0) * (squares * (squares + (n + 1.0) / n) - 2.0 * cubes - 1.0 / n);
  return std::max(0.0, variance);
}

std::optional<std::string> LabelRuns::warning() const {
  if (!are_classes_) return std::nullopt;
  if (counts_.size() == 1 && rows_ >= kRowsOfOneLabel) {
    return fmt::format("all {} rows have the same label", rows_);
  }
  const double expected = expected_changes();
  const auto found = static_cast<double>(changes_);
  if (expected < kFewestChangesExpected || found >= kShareOfChanges * expected) return std::nullopt;
  if (expected - found < kDeviations * std::sqrt(variance_of_changes())) return std::nullopt;
  return fmt::format("labels come in runs: {} {} in {} rows; in random order about {:.0f} would be expected", changes_,
                     changes_ == 1 ? "change" : "changes", rows_, expected);
}

void FeatureSpans::look_at(const Row& row) {
  ++rows_;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const FeatureIndex feature = row.feature(j);
    if (feature >= kFeatures) break;  // they ascend
    if (feature >= ranges_.size()) ranges_.resize(feature + std::size_t{1});
    Range& range = ranges_[feature];
    const double value = row.value(j);
    range.smallest = range.rows == 0 ? value : std::min(range.smallest, value);
    range.largest = range.rows == 0 ? value : std::max(range.largest, value);
    ++range.rows;
  }
}

std::optional<std::string> FeatureSpans::warning(const std::function<std::string(FeatureIndex)>& name) const {
  if (rows_ < kFewestRowsForSpans) return std::nullopt;
  struct Span {
    double width;
    FeatureIndex feature;
  };
  std::vector<Span> spans;  // of the features that vary
  for (std::size_t feature = 0; feature < ranges_.size(); ++feature) {
    const Range& range = ranges_[feature];
    const bool has_zeros = range.rows < rows_;
    const double smallest = has_zeros ? std::min(0.0, range.smallest) : range.smallest;
    const double largest = has_zeros ? std::max(0.0, range.largest) : range.largest;
    if (largest > smallest) spans.push_back({largest - smallest, static_cast<FeatureIndex>(feature)});
  }
  if (spans.empty()) return std::nullopt;
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.width < b.width; });
  const Span& widest = spans.back();
  const auto end = std::find_if(spans.begin(), spans.end(),
                                [&](const Span& span) { return span.width >= kHiddenBelow * widest.width; });
  const auto hidden = static_cast<std::size_t>(end - spans.begin());
  if (hidden == 0 || static_cast<double>(hidden) < kShareOfHidden * static_cast<double>(spans.size())) {
    return std::nullopt;
  }
  const Span& typical = spans[hidden / 2];
  const auto called = [&name](FeatureIndex feature) {
    return name ? name(feature) : fmt::format("feature {}", feature + std::uint64_t{1});
  };
  return fmt::format(
      "scales of features differ: {} spans {:.3g}, {} only {:.3g}; distances between rows hardly depend on {} of {} "
      "features",
      called(widest.feature), widest.width, called(typical.feature), typical.width, hidden, spans.size());
}

}  // namespace alder
