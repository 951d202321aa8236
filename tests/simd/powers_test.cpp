#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "simd/every_target.h"

namespace alder {
namespace {

using testing::kSizes;

class Powers : public testing::EveryTarget {
 protected:
  // What is smaller than this is 0.
  template <class A>
  static constexpr double kSmallest = sizeof(A) == sizeof(float) ? 1e-20 : 1e-150;

  template <class A>
  void check_power(A exponent, A ratio, A power) {
    const long double exact = std::exp2(-static_cast<long double>(exponent) * static_cast<long double>(ratio));
    if (exact > 1.0001L * static_cast<long double>(kSmallest<A>)) {
      const long double unit = std::ldexp(static_cast<long double>(std::numeric_limits<A>::epsilon()),
                                          std::ilogb(static_cast<double>(exact)));
      ASSERT_LE(static_cast<double>(std::fabs(static_cast<long double>(power) - exact) / unit), 2.0)
          << exponent << " " << ratio;
      ASSERT_LE(power, A{1});
    } else if (exact < 0.9999L * static_cast<long double>(kSmallest<A>)) {
      ASSERT_EQ(power, A{0}) << exponent << " " << ratio;
    }
  }

  // Densely over what is not 0 and beyond, for ratios with all their digits.
  template <class A>
  void check_range() {
    const double last = -1.1 * std::log2(kSmallest<A>);
    for (const double ratio : {1.0, 0.5, 2.0, 1.0 / 3.0, 0.07, 3.3, 1e-3, 1e6, 1e-30, 1e30}) {
      const A own = static_cast<A>(ratio);
      std::vector<A> exponents;
      for (int i = 0; i <= 50000; ++i) exponents.push_back(static_cast<A>(last / ratio * i / 50000.0));
      for (double q = last; q > 1e-6; q /= 1.01) exponents.push_back(static_cast<A>(q / ratio));
      for (double q = last; q < 1e6; q *= 1.5) exponents.push_back(static_cast<A>(q / ratio));
      for (double middle = 0.5; middle < last; middle += 0.5) {
        A near = static_cast<A>(middle / ratio);
        for (int i = 0; i < 8; ++i, near = std::nextafter(near, A{0})) exponents.push_back(near);
      }
      std::vector<A> powers(exponents.size(), A{77});
      simd::powers(exponents.data(), own, exponents.size(), powers.data());
      for (std::size_t i = 0; i < exponents.size(); ++i) {
        check_power(exponents[i], own, powers[i]);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }

  // From any address to any other, or in place; what lies beyond is neither looked at nor changed.
  template <class A>
  void check_sizes() {
    for (const std::size_t n : kSizes) {
      for (const std::size_t shift : {0, 1, 5}) {
        std::vector<A> exponents(n + shift);
        for (A& exponent : exponents) exponent = static_cast<A>(engine_() % 4000) / A{100};
        std::vector<A> powers(n + 3, A{77});
        simd::powers(exponents.data() + shift, A{1.3F}, n, powers.data() + 1);
        for (std::size_t i = 0; i < n; ++i) check_power(exponents[shift + i], A{1.3F}, powers[i + 1]);
        EXPECT_EQ(powers[0], A{77});
        EXPECT_EQ(powers[n + 1], A{77});
        simd::powers(exponents.data() + shift, A{1.3F}, n, exponents.data() + shift);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(exponents[shift + i], powers[i + 1]);
      }
    }
  }

  template <class A>
  void check_ends() {
    const std::vector<A> exponents = {A{0}, std::numeric_limits<A>::infinity(), std::numeric_limits<A>::max() / 4,
                                      std::numeric_limits<A>::denorm_min()};
    for (const A ratio : {std::numeric_limits<A>::min(), A{0.5F}, A{1}, A{1e30F}}) {
      std::vector<A> powers(exponents.size());
      simd::powers(exponents.data(), ratio, exponents.size(), powers.data());
      EXPECT_EQ(powers[0], A{1});
      EXPECT_EQ(powers[1], A{0});
      if (ratio >= A{0.5F}) {
        EXPECT_EQ(powers[2], A{0});
      }
      EXPECT_EQ(powers[3], A{1});
    }
  }
};

TEST_P(Powers, FloatsAreWithinTwoUnitsInTheLastPlace) {
  check_range<float>();
}
TEST_P(Powers, DoublesAreWithinTwoUnitsInTheLastPlace) {
  check_range<double>();
}
TEST_P(Powers, AnyNumberOfThemMayStartAnywhere) {
  check_sizes<float>();
  check_sizes<double>();
}
TEST_P(Powers, ThoseOfNoDistanceAreOneAndThoseOfFreePlacesNothing) {
  check_ends<float>();
  check_ends<double>();
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Powers, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
