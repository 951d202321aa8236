#include "learners/core/nearest_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "rows/width.h"

namespace alder {
namespace {

constexpr std::size_t kNeighbours = 5;
// Squares of these can be added up.
constexpr double kLargestDifference = 1e150;

double deviation_of(std::span<const double> numbers) {
  double mean = 0.0;
  for (const double number : numbers) mean += number / static_cast<double>(numbers.size());
  double squares = 0.0;
  for (const double number : numbers) {
    const double difference = std::clamp(number - mean, -kLargestDifference, kLargestDifference);
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(numbers.size()));
}

}  // namespace

void predict_by_nearest(const Row& row, std::span<const Row> rows, std::span<const double> targets, bool is_logarithm,
                        Outputs out) {
  out.scores[0] = 0.0;
  std::fill(out.extras.begin(), out.extras.end(), 0.0);
  if (targets.empty()) return;
  static thread_local std::vector<std::pair<double, std::size_t>> near;  // squared distances, and of which row
  near.clear();
  for (std::size_t i = 0; i < targets.size(); ++i) near.emplace_back(squared_distance(row, rows[i]), i);
  const std::size_t count = std::min(kNeighbours, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
  double mean = 0.0;
  for (std::size_t i = 0; i < count; ++i) mean += targets[near[i].second] / static_cast<double>(count);
  out.scores[0] = is_logarithm ? std::log(mean > 0.0 ? mean : 1.0 / static_cast<double>(near.size() + 1)) : mean;
  if (!out.extras.empty()) out.extras[0] = deviation_of(targets);
}

}  // namespace alder
