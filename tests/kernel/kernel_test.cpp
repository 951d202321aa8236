#include "alder/kernel.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

TEST(Kernel, ValuesMatchTheDefinitions) {
  // x = (1, 2), z = (3, −1): ⟨x,z⟩ = 1, ‖x‖² = 5, ‖z‖² = 10, ‖x−z‖² = 13.
  EXPECT_DOUBLE_EQ(Kernel::gaussian(2.0).value(1.0, 5.0, 10.0), std::exp(-13.0 / 8.0));
  EXPECT_DOUBLE_EQ(Kernel::gaussian_gamma(0.125).value(1.0, 5.0, 10.0), std::exp(-13.0 / 8.0));
  EXPECT_DOUBLE_EQ(Kernel::laplacian(2.0).value(1.0, 5.0, 10.0), std::exp(-std::sqrt(13.0) / 2.0));
  EXPECT_DOUBLE_EQ(Kernel::polynomial(3, 0.5, 2.0).value(1.0, 5.0, 10.0), 2.5 * 2.5 * 2.5);
  EXPECT_DOUBLE_EQ(Kernel::linear().value(1.0, 5.0, 10.0), 1.0);
}

TEST(Kernel, SelfIsTheValueOfARowWithItself) {
  EXPECT_EQ(Kernel::gaussian(0.3).self(5.0), 1.0);
  EXPECT_EQ(Kernel::laplacian(0.3).self(5.0), 1.0);
  EXPECT_DOUBLE_EQ(Kernel::polynomial(2, 1.0, 1.0).self(5.0), 36.0);
  EXPECT_EQ(Kernel::linear().self(5.0), 5.0);
}

TEST(Kernel, SigmaAndGammaBelongTogether) {
  EXPECT_DOUBLE_EQ(Kernel::gaussian(4.0).gamma(), 1.0 / 32.0);
  EXPECT_DOUBLE_EQ(Kernel::gaussian_gamma(1.0 / 32.0).sigma(), 4.0);
  EXPECT_DOUBLE_EQ(Kernel::laplacian(4.0).gamma(), 0.25);
  EXPECT_DOUBLE_EQ(Kernel::laplacian_gamma(0.25).sigma(), 4.0);
}

TEST(Kernel, RejectsWhatIsNoKernel) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(Kernel::gaussian(bad), Error) << bad;
    EXPECT_THROW(Kernel::gaussian_gamma(bad), Error) << bad;
    EXPECT_THROW(Kernel::laplacian(bad), Error) << bad;
    EXPECT_THROW(Kernel::laplacian_gamma(bad), Error) << bad;
    EXPECT_THROW(Kernel::polynomial(2, bad), Error) << bad;
  }
  EXPECT_THROW(Kernel::gaussian(1e-200), Error);  // its square is 0
  EXPECT_THROW(Kernel::gaussian(1e200), Error);   // its square is infinite
  EXPECT_THROW(Kernel::polynomial(0), Error);
  EXPECT_THROW(Kernel::polynomial(-3), Error);
  EXPECT_THROW(Kernel::polynomial(101), Error);
  EXPECT_THROW(Kernel::polynomial(2, 1.0, -0.5), Error);
  EXPECT_THROW(Kernel::polynomial(2, 1.0, nan), Error);
  EXPECT_EQ(message_of([] { (void)Kernel::gaussian(-2.0); }), "sigma is -2; expected a finite number above 0");
}

}  // namespace
}  // namespace alder
