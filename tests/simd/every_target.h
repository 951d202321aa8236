#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "simd/simd.h"

namespace alder::testing {

/// Around the widths of every target's vectors and tiles, and a typical budget.
inline constexpr std::size_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15,  16,
                                         17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 400};

/// Runs a check once for every instruction set that this processor has.
class EveryTarget : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    use(GetParam());
    ASSERT_STREQ(simd::target(), hwy::TargetName(GetParam()));
  }
  void TearDown() override { use(0); }

  std::mt19937_64 engine_{17};

  template <class T>
  AlignedVector<T> random(std::size_t n, double low, double high) {
    std::uniform_real_distribution<double> uniform(low, high);
    AlignedVector<T> values(padded(n));
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(uniform(engine_));
    return values;
  }

  static void use(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// Columns of numbers, and a row of values for them.
template <class T>
struct Matrix {
  std::vector<AlignedVector<T>> storage;
  std::vector<const T*> columns;
  AlignedVector<T> values;

  void add(AlignedVector<T> column) {
    storage.push_back(std::move(column));
    columns.push_back(storage.back().data());
  }
  [[nodiscard]] double dot(std::size_t i) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < storage.size(); ++j) {
      sum += static_cast<double>(values[j]) * static_cast<double>(storage[j][i]);
    }
    return sum;
  }
};

inline auto every_target() {
  return ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets());
}
inline std::string target_name(const ::testing::TestParamInfo<std::int64_t>& target) {
  return hwy::TargetName(target.param);
}

}  // namespace alder::testing
