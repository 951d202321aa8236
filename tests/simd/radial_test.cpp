#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

using testing::kSizes;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Beyond this exponent kernel values are next to nothing.
template <class A>
constexpr double kLast = sizeof(A) == sizeof(float) ? 125.0 : 1021.0;

// The distance of a kernel value from 2^(−q), in units of the last place of the latter.
template <class A>
double ulps(A value, A q) {
  const long double exact = std::exp2(-static_cast<long double>(q));
  const long double unit =
      std::ldexp(static_cast<long double>(std::numeric_limits<A>::epsilon()), std::ilogb(static_cast<double>(exact)));
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / unit);
}

// What a kernel value must be to go with its exponent.
template <class A>
void check_value(A value, A q) {
  if (static_cast<double>(q) <= kLast<A>) {
    ASSERT_LE(ulps(value, q), 2.0) << "q " << q;
  } else {
    ASSERT_GT(value, A{0}) << "q " << q;
    ASSERT_LE(value, 2 * std::numeric_limits<A>::min()) << "q " << q;
  }
}

// Rows and elements with features in common; everything that a primitive may write to is filled with 77 first.
template <class T, class A>
struct Rows {
  AlignedVector<T> numbers;  // column by column
  AlignedVector<A> norms;
  std::vector<std::vector<std::uint32_t>> features;  // by row
  std::vector<AlignedVector<A>> values;              // likewise, and so on; each a T
  std::vector<A> row_norms;
  std::vector<AlignedVector<A>> exponents;
  std::vector<AlignedVector<A>> kernels;
  simd::RadialElements<A> elements;

  [[nodiscard]] std::vector<simd::RadialRow<A>> views() {
    std::vector<simd::RadialRow<A>> all;
    for (std::size_t r = 0; r < values.size(); ++r) {
      exponents[r].assign(elements.n, A{77});
      kernels[r].assign(elements.n, A{77});
      all.push_back({features[r].data(), values[r].data(), features[r].size(), row_norms[r], exponents[r].data(),
                     kernels[r].data()});
    }
    return all;
  }
  [[nodiscard]] simd::ColumnsView<T> columns() const { return {numbers.data(), elements.n}; }
  [[nodiscard]] const T* column(std::size_t feature) const { return numbers.data() + feature * elements.n; }
  // κ's exponent by definition, and how far rounding may move it.
  void check(std::size_t r, std::size_t i) const {
    const A q = exponents[r][i];
    if (norms[i] == std::numeric_limits<A>::infinity()) {
      ASSERT_GT(q, A{1e30F});
      ASSERT_EQ(std::isfinite(q), sizeof(A) == sizeof(double));
      check_value(kernels[r][i], q);
      return;
    }
    double dot = 0.0;
    double magnitude = static_cast<double>(row_norms[r]) + static_cast<double>(norms[i]);
    for (std::size_t j = 0; j < features[r].size(); ++j) {
      const double product = static_cast<double>(values[r][j]) * static_cast<double>(column(features[r][j])[i]);
      dot += product;
      magnitude += 2.0 * std::fabs(product);
    }
    const auto gamma = static_cast<double>(elements.gamma);
    const double squared = std::max(0.0, static_cast<double>(row_norms[r]) + static_cast<double>(norms[i]) - 2.0 * dot);
    const auto epsilon = static_cast<double>(std::numeric_limits<A>::epsilon());
    const double off = static_cast<double>(features[r].size() + 3) * epsilon * magnitude;
    const double exact = gamma * (elements.root ? std::sqrt(squared) : squared);
    const double root_off = squared > off ? off / std::sqrt(squared) : std::sqrt(2.0 * off);
    ASSERT_NEAR(static_cast<double>(q), exact, gamma * (elements.root ? root_off : off) + 4.0 * epsilon * exact);
    check_value(kernels[r][i], q);
  }
};

class Radial : public testing::EveryTarget {
 protected:
  template <class T, class A>
  Rows<T, A> random_rows(std::size_t count, std::size_t n, std::size_t features, bool root) {
    Rows<T, A> rows;
    rows.numbers = random<T>(features * n, -1.0, 1.0);
    rows.norms = random<A>(n, 0.0, 3.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (engine_() % 5 == 0) rows.norms[i] = std::numeric_limits<A>::infinity();
    }
    for (std::size_t r = 0; r < count; ++r) {
      rows.features.emplace_back();
      std::vector<A> values;
      for (std::size_t j = 0; j < features; ++j) {
        if (engine_() % 3 == 0) continue;
        rows.features[r].push_back(static_cast<std::uint32_t>(j));
        values.push_back(static_cast<A>(random<T>(1, -1.0, 1.0)[0]));
      }
      rows.values.emplace_back(values.begin(), values.end());
      rows.row_norms.push_back(random<A>(1, 0.0, 3.0)[0]);
    }
    rows.exponents.resize(count);
    rows.kernels.resize(count);
    rows.elements = {rows.norms.data(), n, A{2.5F}, root};
    return rows;
  }

  template <class T, class A>
  void check_rows(bool root) {
    for (std::size_t n = kLanes; n <= 448; n += kLanes) {
      for (std::size_t count = 1; count <= 9; ++count) {
        Rows<T, A> rows = random_rows<T, A>(count, n, n % 3 == 0 ? 2 : 14, root);
        const auto views = rows.views();
        simd::radial_rows(rows.elements, rows.columns(), views.data(), count);
        for (std::size_t r = 0; r < count; ++r) {
          for (std::size_t i = 0; i < n; ++i) {
            rows.check(r, i);
            ASSERT_FALSE(HasFatalFailure()) << "n " << n << " row " << r << " of " << count << " i " << i;
          }
        }
      }
    }
  }

  // Rows with anything from no column to all of them, together and alone.
  template <class T, class A>
  void check_lengths() {
    for (const std::size_t n : {16, 80, 96, 400}) {
      for (std::size_t count = 2; count <= 12; ++count) {
        Rows<T, A> rows = random_rows<T, A>(count, n, 50, false);
        for (std::size_t r = 0; r < count; ++r) {
          rows.features[r].resize(rows.features[r].size() * (engine_() % 4) / 3);
        }
        auto views = rows.views();
        simd::radial_rows(rows.elements, rows.columns(), views.data(), count);
        const auto exponents = rows.exponents;
        const auto kernels = rows.kernels;
        views = rows.views();
        for (const auto& view : views) simd::radial_rows(rows.elements, rows.columns(), &view, 1);
        ASSERT_EQ(rows.exponents, exponents) << "n " << n << " rows " << count;
        ASSERT_EQ(rows.kernels, kernels) << "n " << n << " rows " << count;
      }
    }
  }

  // The same rows by the other ways: from dot products, and as a product of matrices.
  template <class T, class A>
  void check_other_ways(bool root) {
    for (std::size_t n = kLanes; n <= 448; n += kLanes) {
      for (const std::size_t features : {0, 1, 2, 30}) {
        Rows<T, A> rows = random_rows<T, A>(simd::kTogether, n, features, root);
        auto views = rows.views();
        simd::radial_rows(rows.elements, rows.columns(), views.data(), simd::kTogether);
        const auto exponents = rows.exponents;
        const auto kernels = rows.kernels;

        views = rows.views();
        for (std::size_t r = 0; r < simd::kTogether; ++r) {
          std::vector<const T*> columns;
          for (const std::uint32_t feature : rows.features[r]) columns.push_back(rows.column(feature));
          const std::vector<T> values(rows.values[r].begin(), rows.values[r].end());
          simd::dots(columns.data(), values.data(), views[r].count, n, views[r].exponents);
          simd::radial_of_dots(rows.elements, views[r]);
        }
        ASSERT_EQ(rows.exponents, exponents) << "n " << n << " features " << features;
        ASSERT_EQ(rows.kernels, kernels) << "n " << n << " features " << features;

        std::vector<std::uint32_t> columns(features);
        std::iota(columns.begin(), columns.end(), 0U);
        std::vector<A> values(features * simd::kTogether);  // starts anywhere, in between rows
        for (std::size_t r = 0; r < simd::kTogether; ++r) {
          for (std::size_t j = 0; j < rows.features[r].size(); ++j) {
            values[rows.features[r][j] * simd::kTogether + r] = rows.values[r][j];
          }
        }
        views = rows.views();
        for (auto& view : views) view.columns = nullptr;  // not to be looked at
        simd::radial_rows_together(rows.elements, rows.columns(), {columns.data(), values.data(), features},
                                   views.data());
        ASSERT_EQ(rows.exponents, exponents) << "n " << n << " features " << features;
        ASSERT_EQ(rows.kernels, kernels) << "n " << n << " features " << features;
      }
    }
  }

  // Integers whose dot products come up to 2^24: the same bits as in double, at every size.
  void check_integers(bool root) {
    for (std::size_t n = kLanes; n <= 448; n += kLanes) {
      for (const int largest : {1, 3, 700}) {
        Rows<float, double> rows = random_rows<float, double>(5, n, 30, root);
        const auto integer = [&] {
          return static_cast<float>(static_cast<int>(engine_() % (2 * largest + 1)) - largest);
        };
        std::generate(rows.numbers.begin(), rows.numbers.end(), integer);
        for (auto& values : rows.values) std::generate(values.begin(), values.end(), integer);
        auto views = rows.views();
        simd::radial_rows(rows.elements, rows.columns(), views.data(), views.size());
        const auto exponents = rows.exponents;
        const auto kernels = rows.kernels;
        views = rows.views();
        simd::radial_rows_of_integers(rows.elements, rows.columns(), views.data(), views.size());
        ASSERT_EQ(rows.exponents, exponents) << "n " << n << " largest " << largest;
        ASSERT_EQ(rows.kernels, kernels) << "n " << n << " largest " << largest;
      }
    }
  }

  // The same numbers as bytes and as floats; of rows up to 255 values.
  template <class A>
  void check_ones(bool root) {
    for (std::size_t n = kLanes; n <= 600; n += kLanes) {
      const std::size_t features = n % 48 == 0 ? 380 : 14;
      Rows<float, A> rows = random_rows<float, A>(5, n, features, root);
      const std::size_t stride = (n + kAlignment - 1) / kAlignment * kAlignment;
      AlignedVector<std::uint8_t> bytes(features * stride);
      for (std::size_t j = 0; j < features; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
          bytes[j * stride + i] = engine_() % 8 > 0 ? 1 : 0;
          rows.numbers[j * n + i] = bytes[j * stride + i];
        }
      }
      for (auto& values : rows.values) std::fill(values.begin(), values.end(), 1.0F);
      for (auto& wanted : rows.features) wanted.resize(std::min<std::size_t>(wanted.size(), 255));
      auto views = rows.views();
      simd::radial_rows(rows.elements, rows.columns(), views.data(), views.size());
      const auto exponents = rows.exponents;
      const auto kernels = rows.kernels;
      views = rows.views();
      simd::radial_rows_of_ones(rows.elements, {bytes.data(), stride}, views.data(), views.size());
      ASSERT_EQ(rows.exponents, exponents) << "n " << n;
      ASSERT_EQ(rows.kernels, kernels) << "n " << n;
    }
  }

  // Kernel values for given exponents, which a row at the origin has with elements of these squared norms.
  template <class T, class A>
  void check_exponentials(const std::vector<double>& wanted) {
    AlignedVector<A> norms(padded(wanted.size()));
    std::transform(wanted.begin(), wanted.end(), norms.begin(), [](double q) { return static_cast<A>(q); });
    AlignedVector<A> exponents(norms.size());
    AlignedVector<A> kernel(norms.size(), A{77});
    simd::radial_of_dots(simd::RadialElements<A>{norms.data(), norms.size(), A{1}, false},
                         simd::RadialRow<A>{nullptr, nullptr, 0, A{0}, exponents.data(), kernel.data()});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(exponents[i], static_cast<A>(std::min(wanted[i], std::numeric_limits<double>::max() / 4)));
      check_value(kernel[i], exponents[i]);
      ASSERT_LE(kernel[i], A{1}) << wanted[i];
      ASSERT_FALSE(HasFatalFailure());
    }
  }

  // From 0 to the last, densely, most of all where the reduction changes over and at the ends; and beyond.
  template <class A>
  std::vector<double> exponents_to_try() {
    const double last = kLast<A>;
    std::vector<double> all = {0.0, last, static_cast<double>(std::nextafter(static_cast<A>(last), A{0}))};
    for (int i = 0; i <= 300000; ++i) all.push_back(last * i / 300000.0);
    for (double q = last; q > 1e-45; q /= 1.01) all.push_back(q);
    for (double middle = 0.5; middle < last; middle += 0.5) {
      A near = static_cast<A>(middle);
      for (int i = 0; i < 8; ++i) near = std::nextafter(near, A{0});
      for (int i = 0; i < 16; ++i, near = std::nextafter(near, A{2000})) all.push_back(static_cast<double>(near));
    }
    for (double q = last; q < 1e38; q *= 1.1) all.push_back(q);
    return all;
  }

  template <class A>
  void check_shifted() {
    for (const std::size_t n : kSizes) {
      for (const double from : {0.0, 50.0, 5000.0, 1e9}) {
        auto weights = random<double>(n, -1.0, 1.0);
        auto exponents = random<A>(n, from, from + 30.0);
        std::fill(exponents.begin() + static_cast<std::ptrdiff_t>(n), exponents.end(), A{0});
        // Without a weight anything may be nearer or further away.
        for (std::size_t i = 0; i < n; ++i) {
          if (engine_() % 3 == 0) weights[i] = 0.0;
          if (weights[i] == 0.0 && engine_() % 2 == 0) exponents[i] = A{0};
          if (weights[i] == 0.0 && engine_() % 2 == 0) exponents[i] = std::numeric_limits<A>::infinity();
        }
        double least = kInfinity;
        for (std::size_t i = 0; i < n; ++i) {
          if (weights[i] != 0.0) least = std::min(least, static_cast<double>(exponents[i]));
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          if (weights[i] != 0.0) sum += weights[i] * std::exp2(least - static_cast<double>(exponents[i]));
        }
        const simd::ShiftedSum shifted = simd::shifted_sum(weights.data(), exponents.data(), n);
        ASSERT_EQ(shifted.least, least == kInfinity ? 0.0 : least) << n;
        ASSERT_NEAR(shifted.sum, sum, 1e-15 * static_cast<double>(n + 1)) << n;
      }
    }
  }
};

TEST_P(Radial, RowsMatchTheDefinition) {
  for (const bool root : {false, true}) {
    check_rows<float, float>(root);
    check_rows<float, double>(root);
    check_rows<double, double>(root);
  }
}

TEST_P(Radial, RowsOfAnyLengthAreTheSameToTheBitAbreastAndAlone) {
  check_lengths<float, float>();
  check_lengths<float, double>();
  check_lengths<double, double>();
}

TEST_P(Radial, TogetherAndFromDotsRowsAreTheSameToTheBit) {
  for (const bool root : {false, true}) {
    check_other_ways<float, float>(root);
    check_other_ways<float, double>(root);
    check_other_ways<double, double>(root);
  }
}

TEST_P(Radial, RowsOfIntegersAreTheSameToTheBit) {
  check_integers(false);
  check_integers(true);
}

TEST_P(Radial, RowsOfOnesAreTheSameToTheBit) {
  for (const bool root : {false, true}) {
    check_ones<float>(root);
    check_ones<double>(root);
  }
}

TEST_P(Radial, FloatKernelValuesAreWithinTwoUnitsInTheLastPlace) {
  check_exponentials<float, float>(exponents_to_try<float>());
}
TEST_P(Radial, DoubleKernelValuesAreWithinTwoUnitsInTheLastPlace) {
  check_exponentials<float, double>(exponents_to_try<double>());
  check_exponentials<double, double>(exponents_to_try<double>());
}

TEST_P(Radial, AnExponentOfZeroIsAKernelValueOfExactlyOne) {
  AlignedVector<float> floats(kLanes);
  AlignedVector<float> kernel(kLanes);
  simd::radial_of_dots(simd::RadialElements<float>{floats.data(), kLanes, 1.0F, false},
                       simd::RadialRow<float>{nullptr, nullptr, 0, 0.0F, floats.data(), kernel.data()});
  for (const float value : kernel) EXPECT_EQ(value, 1.0F);
}

TEST_P(Radial, ShiftedSumMatchesTheDefinition) {
  check_shifted<float>();
  check_shifted<double>();
}

TEST_P(Radial, ShiftedSumWithoutWeightsIsNothing) {
  const AlignedVector<double> weights(48);
  const AlignedVector<float> floats(48, 3.0F);
  const AlignedVector<double> doubles(48, kInfinity);
  for (std::size_t n = 0; n <= 48; ++n) {
    EXPECT_EQ(simd::shifted_sum(weights.data(), floats.data(), n).sum, 0.0);
    EXPECT_EQ(simd::shifted_sum(weights.data(), floats.data(), n).least, 0.0);
    EXPECT_EQ(simd::shifted_sum(weights.data(), doubles.data(), n).sum, 0.0);
    EXPECT_EQ(simd::shifted_sum(weights.data(), doubles.data(), n).least, 0.0);
  }
}

// All equally far: as many times 1 as there are weights.
TEST_P(Radial, HugeDistancesStayUsable) {
  for (const bool root : {false, true}) {
    for (const std::size_t n : {1, 3, 16, 17, 100}) {
      AlignedVector<double> norms(padded(n), kInfinity);
      AlignedVector<double> exponents(padded(n), -1e300);
      std::fill_n(norms.begin(), n, 1e300);
      AlignedVector<double> kernel(padded(n));
      simd::radial_of_dots(simd::RadialElements<double>{norms.data(), padded(n), 1e300, root},
                           simd::RadialRow<double>{nullptr, nullptr, 0, 1e300, exponents.data(), kernel.data()});
      AlignedVector<double> weights(padded(n));
      std::fill_n(weights.begin(), n, 1.0);
      const simd::ShiftedSum shifted = simd::shifted_sum(weights.data(), exponents.data(), n);
      EXPECT_EQ(shifted.sum, static_cast<double>(n));
      EXPECT_TRUE(std::isfinite(shifted.least));
      EXPECT_GT(shifted.least, 1e300);
      for (const double value : kernel) check_value(value, exponents[0]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Radial, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
