#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "alder/scaling.h"

namespace alder {
namespace {

constexpr double kLargestScaled = std::numeric_limits<double>::max();

// There is a table if it is at most this many times as long as the features fitted, but for a few.
constexpr std::size_t kMostLonger = 4;
constexpr std::size_t kFewMore = 64;
// A row is scaled in the table's length if that is at most this many times as long as what it may have afterwards.
constexpr std::size_t kMostSpread = 4;

// What is seen of numbers on the way.
struct Seen {
  bool has_zero = false;
  bool has_unsuited = false;  // one that is not finite
};

// The straight line of every value. What is seen is collected in the sign bits of integers: comparisons would keep the
// compiler from making vectors of the loop.
Seen scale_values(const double* from, const double* offsets, const double* divisors, std::size_t count, double* to) {
  constexpr unsigned kSign = 63;
  constexpr std::uint64_t kMagnitude = ~std::uint64_t{0} >> 1U;
  constexpr std::uint64_t kLowestExponent = std::uint64_t{1} << 52U;  // added to the highest, it reaches the sign
  std::uint64_t zero = 0;
  std::uint64_t unsuited = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double scaled = (from[j] - offsets[j]) / divisors[j];
    to[j] = scaled;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(scaled) & kMagnitude;
    zero |= bits - 1;
    unsuited |= bits + kLowestExponent;
  }
  return {(zero >> kSign) != 0, (unsuited >> kSign) != 0};
}

// Lists those values of features 0 … count−1 that are not 0, in place; returns how many. Without a branch.
std::size_t leave_out_zeros(std::size_t count, FeatureIndex* indices, double* values) {
  std::size_t size = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double value = values[j];
    indices[size] = static_cast<FeatureIndex>(j);
    values[size] = value;
    size += value != 0.0 ? 1 : 0;
  }
  return size;
}

}  // namespace

Row Scaling::apply(const Row& row, Buffer& buffer) const {
  const std::size_t most = room(row);
  if (buffer.values.size() < most) {
    buffer.indices.resize(std::max(most, 2 * buffer.indices.size()));
    buffer.values.resize(buffer.indices.size());
  }
  return scaled(row, buffer.indices.data(), buffer.values.data());
}

void Scaling::apply(std::span<const Row> rows, RowBuffer& out) const {
  out.clear();
  for (const Row& row : rows) {
    const RowBuffer::Room to = out.room(room(row));
    out.append_written(scaled(row, to.indices.data(), to.values.data()));
  }
}

Row Scaling::scaled(const Row& row, FeatureIndex* indices, double* values) const {
  // Of ascending features the last of which is size − 1 there is only one list.
  const bool is_complete = row.size() > 0 && row.feature(row.size() - 1) == row.size() - 1;
  const bool stays_sparse = table_size() > kMostSpread * (row.size() + shifted_.size());
  Row result;
  if (table_size() == 0 || stays_sparse) {
    result = merge(row, indices, values);
  } else if (is_complete) {
    result = scale_complete(row, indices, values);
  } else {
    result = spread(row, indices, values);
  }
  return row.is_checked() ? result.as_checked() : result;
}

// The listed values among those that are not listed and become other than 0.
Row Scaling::merge(const Row& row, FeatureIndex* indices, double* values) const {
  std::size_t size = 0;
  const auto append = [&](FeatureIndex feature, double value) {
    indices[size] = feature;
    values[size] = value;
    size += value != 0.0 ? 1 : 0;
  };
  auto absent = shifted_.begin();
  for (std::size_t j = 0; j < row.size(); ++j) {
    const FeatureIndex feature = row.feature(j);
    for (; absent != shifted_.end() && absent->feature < feature; ++absent) append(absent->feature, absent->value);
    if (absent != shifted_.end() && absent->feature == feature) ++absent;
    append(feature, map_feature(feature, row.value(j)));
  }
  for (; absent != shifted_.end(); ++absent) append(absent->feature, absent->value);
  return Row::sparse(indices, values, size);
}

// A row that lists its first features, all of them.
Row Scaling::scale_complete(const Row& row, FeatureIndex* indices, double* values) const {
  const std::size_t fitted = std::min(row.size(), table_size());
  const Seen seen = scale_values(row.values(), table_.offsets.data(), table_.divisors.data(), fitted, values);
  bool has_zero = seen.has_zero || seen.has_unsuited;
  if (seen.has_unsuited) {
    for (std::size_t j = 0; j < fitted; ++j) values[j] = map_feature(static_cast<FeatureIndex>(j), row.value(j));
  }
  for (std::size_t j = fitted; j < row.size(); ++j) {
    values[j] = row.value(j);
    has_zero |= values[j] == 0.0;
  }
  if (row.size() < table_size()) {
    std::copy(table_.images.begin() + static_cast<std::ptrdiff_t>(row.size()), table_.images.end(),
              values + row.size());
    has_zero |= table_.has_zero;
  }
  const std::size_t count = std::max(row.size(), table_size());
  if (!has_zero) return Row::dense({values, count});
  return Row::sparse(indices, values, leave_out_zeros(count, indices, values));
}

// A row of which most features become other than 0, whether they are listed or not.
Row Scaling::spread(const Row& row, FeatureIndex* indices, double* values) const {
  std::copy(table_.images.begin(), table_.images.end(), values);
  bool has_zero = table_.has_zero;
  std::size_t j = 0;
  for (; j < row.size() && row.feature(j) < table_size(); ++j) {
    const double scaled = map_feature(row.feature(j), row.value(j));
    values[row.feature(j)] = scaled;
    has_zero |= scaled == 0.0;
  }
  if (!has_zero && j == row.size()) return Row::dense({values, table_size()});
  std::size_t size = leave_out_zeros(table_size(), indices, values);
  for (; j < row.size(); ++j) {
    indices[size] = row.feature(j);
    values[size] = row.value(j);
    size += values[size] != 0.0 ? 1 : 0;
  }
  return Row::sparse(indices, values, size);
}

void Scaling::make_table() {
  if (features_.empty()) return;
  const std::size_t size = std::size_t{features_.back()} + 1;
  if (size > kMostLonger * features_.size() + kFewMore) return;
  table_.offsets.assign(size, 0.0);
  table_.divisors.assign(size, 1.0);
  table_.images.assign(size, 0.0);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const FeatureIndex feature = features_[i];
    table_.offsets[feature] = offsets_[i];
    table_.divisors[feature] = divisors_[i] == 0.0 ? std::numeric_limits<double>::infinity() : divisors_[i];
    table_.images[feature] = map(i, 0.0);
  }
  table_.has_zero = shifted_.size() < size;
}

std::size_t Scaling::find(FeatureIndex feature) const {
  if (features_.empty() || feature > features_.back()) return features_.size();
  const auto found = std::lower_bound(features_.begin(), features_.end(), feature);
  return *found == feature ? static_cast<std::size_t>(found - features_.begin()) : features_.size();
}

double Scaling::map(std::size_t at, double value) const {
  const double divisor = divisors_[at];
  if (divisor == 0.0) return 0.0;
  const double difference = value - offsets_[at];
  const double scaled =
      std::isfinite(difference) ? difference / divisor : (0.5 * value - 0.5 * offsets_[at]) / (0.5 * divisor);
  return std::clamp(scaled, -kLargestScaled, kLargestScaled);
}

double Scaling::slope(FeatureIndex feature) const {
  const std::size_t at = find(feature);
  if (at == features_.size()) return 1.0;
  return divisors_[at] == 0.0 ? 0.0 : 1.0 / divisors_[at];
}

double Scaling::map_feature(FeatureIndex feature, double value) const {
  if (feature < table_size()) {
    const double scaled = (value - table_.offsets[feature]) / table_.divisors[feature];
    if (std::fabs(scaled) <= kLargestScaled) return scaled;
  }
  const std::size_t at = find(feature);
  return at == features_.size() ? value : map(at, value);
}

}  // namespace alder
