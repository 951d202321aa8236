#include "rows/width.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alder/dataset.h"

namespace alder {

namespace {

// The sum of what `term` makes of the differences of all features.
template <class Term>
double sum_of_differences(const Row& a, const Row& b, const Term& term) {
  double sum = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const FeatureIndex feature = a.feature(i);
    const FeatureIndex other = b.feature(j);
    sum += term((feature <= other ? a.value(i) : 0.0) - (other <= feature ? b.value(j) : 0.0));
    i += feature <= other ? 1 : 0;
    j += other <= feature ? 1 : 0;
  }
  for (; i < a.size(); ++i) sum += term(a.value(i));
  for (; j < b.size(); ++j) sum += term(b.value(j));
  return sum;
}

}  // namespace

double squared_distance(const Row& a, const Row& b) {
  return sum_of_differences(a, b, [](double difference) { return difference * difference; });
}

double absolute_distance(const Row& a, const Row& b) {
  return sum_of_differences(a, b, [](double difference) { return std::fabs(difference); });
}

double median_root(std::vector<double>& squares) {
  if (squares.empty()) return 1.0;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  double square = *middle;
  if (square == 0.0) {
    square = std::numeric_limits<double>::infinity();
    for (const double candidate : squares) {
      if (candidate > 0.0) square = std::min(square, candidate);
    }
    if (std::isinf(square)) return 1.0;
  }
  return std::sqrt(std::min(square, std::numeric_limits<double>::max()));
}

double median_distance(std::span<const Row> rows) {
  std::vector<double> squares;
  squares.reserve(rows.size() * (rows.size() - std::min<std::size_t>(rows.size(), 1)) / 2);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) squares.push_back(squared_distance(rows[i], rows[j]));
  }
  return median_root(squares);
}

double median_distance(const Dataset& dataset, std::size_t rows) {
  std::vector<Row> first;
  return median_distance(dataset.examples(0, rows, first).rows);
}

double automatic_width(std::span<const Row> rows) {
  return 0.5 * median_distance(rows.first(std::min(rows.size(), kRowsForWidth)));
}

}  // namespace alder
