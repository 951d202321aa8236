#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "alder/dataset.h"

namespace alder::testing {

/// Kinds of rows that are stored and computed in different ways.
enum class Rows {
  kDense,   ///< 6 features, all listed
  kSparse,  ///< a few of 100
  kOneHot,  ///< ones only, a few of 40
  kWide,    ///< a few of 2³¹ features, more than any table has
  kFar,     ///< dense, some of them far from the origin
};

inline constexpr Rows kAllRows[] = {Rows::kDense, Rows::kSparse, Rows::kOneHot, Rows::kWide, Rows::kFar};

inline const char* name_of(Rows kind) {
  static constexpr const char* kNames[] = {"dense", "sparse", "one-hot", "wide", "far"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Rows of two noisy classes, some of which come again.
inline Dataset some_rows(Rows kind, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, 0.4);
  Dataset data;
  for (std::size_t t = 0; t < count; ++t) {
    if (t > 10 && engine() % 10 == 0) {
      const Example again = data[engine() % t];
      const std::vector<FeatureIndex> indices(again.row.indices(), again.row.indices() + again.row.size());
      const std::vector<double> values(again.row.values(), again.row.values() + again.row.size());
      data.append({Row::sparse(indices, values), again.target});
      continue;
    }
    const double target = engine() % 2 == 0 ? 1.0 : 0.0;
    std::vector<FeatureIndex> indices;
    std::vector<double> values;
    const bool is_dense = kind == Rows::kDense || kind == Rows::kFar;
    const std::uint64_t features = is_dense ? 6 : kind == Rows::kOneHot ? 40 : kind == Rows::kSparse ? 100 : 1U << 31U;
    for (std::uint64_t feature = 0; feature < features; feature += is_dense ? 1 : 1 + engine() % (features / 4)) {
      indices.push_back(static_cast<FeatureIndex>(feature));
      values.push_back(kind == Rows::kOneHot ? 1.0 : normal(engine) + (indices.size() == 1 ? 0.5 * target : 0.0));
    }
    if (kind == Rows::kFar && engine() % 9 == 0) values[engine() % 6] = 3e3;
    data.append({Row::sparse(indices, values), target});
  }
  return data;
}

}  // namespace alder::testing
