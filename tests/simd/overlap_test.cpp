#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

double overlap(double a, double b) {
  return a * b > 0.0 ? std::min(std::fabs(a), std::fabs(b)) : 0.0;
}

// Some rows with values in some of the columns, and what is found for them, 77 before.
template <class T, class A>
struct OverlapRows {
  std::size_t n;
  std::size_t features;
  AlignedVector<T> numbers;  // column by column
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<std::vector<A>> values;
  std::vector<AlignedVector<A>> found;

  [[nodiscard]] simd::ColumnsView<T> view() const { return {numbers.data(), n}; }
  [[nodiscard]] std::vector<simd::RadialRow<A>> rows() {
    std::vector<simd::RadialRow<A>> all;
    found.assign(columns.size(), AlignedVector<A>(n, A{77}));
    for (std::size_t r = 0; r < columns.size(); ++r) {
      all.push_back({columns[r].data(), values[r].data(), columns[r].size(), A{0}, found[r].data(), nullptr});
    }
    return all;
  }
};

class Overlaps : public testing::EveryTarget {
 protected:
  // A third of all numbers is 0, of either sign, and some are equal.
  template <class T>
  T number() {
    const std::uint64_t kind = engine_() % 12;
    if (kind < 4) return kind == 0 ? -T{0} : T{0};
    if (kind < 6) return kind == 4 ? T{0.5F} : -T{0.5F};
    return random<T>(1, -1.0, 1.0)[0];
  }

  template <class T, class A>
  OverlapRows<T, A> random_rows(std::size_t count, std::size_t n, std::size_t features) {
    OverlapRows<T, A> rows = {n, features, AlignedVector<T>(features * n), {}, {}, {}};
    for (T& value : rows.numbers) value = number<T>();
    rows.columns.resize(count);
    rows.values.resize(count);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t j = 0; j < features; ++j) {
        if (engine_() % 3 == 0) continue;
        rows.columns[r].push_back(static_cast<std::uint32_t>(j));
        rows.values[r].push_back(static_cast<A>(number<T>()));
      }
    }
    return rows;
  }

  template <class T, class A>
  void check_definition() {
    for (std::size_t n = kLanes; n <= 448; n += kLanes) {
      for (const std::size_t features : {0, 1, 2, 30}) {
        OverlapRows<T, A> rows = random_rows<T, A>(3, n, features);
        const auto views = rows.rows();
        simd::overlaps(n, rows.view(), views.data(), views.size());
        for (std::size_t r = 0; r < views.size(); ++r) {
          for (std::size_t i = 0; i < n; ++i) {
            double exact = 0.0;
            for (std::size_t j = 0; j < rows.columns[r].size(); ++j) {
              exact += overlap(static_cast<double>(rows.values[r][j]),
                               static_cast<double>(rows.numbers[rows.columns[r][j] * n + i]));
            }
            ASSERT_NEAR(static_cast<double>(rows.found[r][i]), exact,
                        static_cast<double>(features) * static_cast<double>(std::numeric_limits<A>::epsilon()) * exact)
                << "n " << n << " row " << r << " i " << i;
          }
        }
      }
    }
  }

  // As a block, where a row has zeros for what it lacks, and from pieces.
  template <class T, class A>
  void check_other_ways() {
    for (std::size_t n = kLanes; n <= 448; n += kLanes) {
      for (const std::size_t features : {0, 1, 2, 30}) {
        OverlapRows<T, A> rows = random_rows<T, A>(simd::kTogether, n, features);
        auto views = rows.rows();
        simd::overlaps(n, rows.view(), views.data(), views.size());
        const auto alone = rows.found;

        std::vector<std::uint32_t> columns(features);
        std::iota(columns.begin(), columns.end(), 0U);
        std::vector<A> values(features * simd::kTogether);
        for (std::size_t r = 0; r < simd::kTogether; ++r) {
          for (std::size_t j = 0; j < rows.columns[r].size(); ++j) {
            values[rows.columns[r][j] * simd::kTogether + r] = rows.values[r][j];
          }
        }
        views = rows.rows();
        for (auto& view : views) view.columns = nullptr;  // not to be looked at
        simd::overlaps_together(n, rows.view(), {columns.data(), values.data(), features}, views.data());
        ASSERT_EQ(rows.found, alone) << "n " << n << " features " << features;

        views = rows.rows();
        for (std::size_t r = 0; r < simd::kTogether; ++r) {
          std::fill(rows.found[r].begin(), rows.found[r].end(), A{0});
          std::vector<simd::Piece<T, A>> pieces;
          for (std::size_t j = 0; j < rows.columns[r].size(); ++j) {
            for (std::size_t i = 0; i < n; i += kLanes) {
              pieces.push_back({rows.numbers.data() + rows.columns[r][j] * n + i, rows.found[r].data() + i,
                                static_cast<T>(rows.values[r][j])});
            }
          }
          simd::overlap_pieces(pieces.data(), pieces.size());
        }
        ASSERT_EQ(rows.found, alone) << "n " << n << " features " << features;
      }
    }
  }

  // Elements that are the rows themselves: what one row has in common with another is what that has with it, and with
  // itself its norm, alone and as one of a block.
  template <class T, class A>
  void check_symmetry() {
    for (const std::size_t features : {1, 2, 7, 50, 300}) {
      OverlapRows<T, A> rows = random_rows<T, A>(kLanes, kLanes, features);
      std::fill(rows.numbers.begin(), rows.numbers.end(), T{0});
      for (std::size_t r = 0; r < kLanes; ++r) {
        for (std::size_t j = 0; j < rows.columns[r].size(); ++j) {
          rows.numbers[rows.columns[r][j] * kLanes + r] = static_cast<T>(rows.values[r][j]);
        }
      }
      const auto views = rows.rows();
      simd::overlaps(kLanes, rows.view(), views.data(), views.size());
      std::vector<T> block(simd::kTogether * features);
      for (std::size_t j = 0; j < features; ++j) {
        std::copy_n(rows.numbers.data() + j * kLanes, simd::kTogether, block.data() + j * simd::kTogether);
      }
      simd::SquaredNorms together[simd::kTogether];
      simd::absolute_sums_together(block.data(), features, together);
      for (std::size_t r = 0; r < kLanes; ++r) {
        for (std::size_t s = 0; s < r; ++s) ASSERT_EQ(rows.found[r][s], rows.found[s][r]) << r << " " << s;
        const std::vector<T> values(rows.values[r].begin(), rows.values[r].end());
        const simd::SquaredNorms norms = simd::absolute_sums(values.data(), values.size());
        ASSERT_EQ(rows.found[r][r],
                  sizeof(A) == sizeof(float) ? static_cast<A>(norms.in_float) : static_cast<A>(norms.in_double));
        if (r >= simd::kTogether) continue;
        ASSERT_EQ(norms.in_double, together[r].in_double);
        ASSERT_EQ(norms.in_float, together[r].in_float);
      }
    }
  }
};

TEST_P(Overlaps, MatchTheDefinition) {
  check_definition<float, float>();
  check_definition<float, double>();
  check_definition<double, double>();
}

TEST_P(Overlaps, TogetherAndFromPiecesTheyAreTheSameToTheBit) {
  check_other_ways<float, float>();
  check_other_ways<float, double>();
  check_other_ways<double, double>();
}

TEST_P(Overlaps, AreSymmetricToTheBitAndThatOfARowWithItselfIsItsNorm) {
  check_symmetry<float, float>();
  check_symmetry<float, double>();
  check_symmetry<double, double>();
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Overlaps, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
