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
  // |x|₁ = 3, |z|₁ = 4, |x−z|₁ = 5, and 1 of the first feature is common to both.
  EXPECT_DOUBLE_EQ(Kernel::laplacian_l1(2.0).value(1.0, 3.0, 4.0), std::exp(-2.5));
  EXPECT_DOUBLE_EQ(Kernel::polynomial(3, 0.5, 2.0).value(1.0, 5.0, 10.0), 2.5 * 2.5 * 2.5);
  EXPECT_DOUBLE_EQ(Kernel::linear().value(1.0, 5.0, 10.0), 1.0);
}

TEST(Kernel, SelfIsTheValueOfARowWithItself) {
  EXPECT_EQ(Kernel::gaussian(0.3).self(5.0), 1.0);
  EXPECT_EQ(Kernel::laplacian(0.3).self(5.0), 1.0);
  EXPECT_EQ(Kernel::laplacian_l1(0.3).self(5.0), 1.0);
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
    EXPECT_THROW(Kernel::laplacian_l1(bad), Error) << bad;
    EXPECT_THROW(Kernel::laplacian_l1_gamma(bad), Error) << bad;
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

// Each kind is made from its defaults, with a width where it must have one, and says again what it was made from.
TEST(KernelInfos, AreInTheOrderOfTheirKindsAndMakeThem) {
  for (std::size_t k = 0; k < kernel_infos().size(); ++k) {
    const KernelInfo& info = kernel_infos()[k];
    EXPECT_EQ(static_cast<std::size_t>(info.kind), k) << info.name;
    EXPECT_EQ(find_kernel(info.name), &info);
    KernelSettings settings;
    if (info.is_radial) settings.sigma = 2.0;
    const Kernel kernel = info.make(settings);
    EXPECT_EQ(kernel.kind(), info.kind);
    EXPECT_EQ(kernel.name(), info.name);
    EXPECT_EQ(kernel.is_radial(), info.is_radial);
    EXPECT_EQ(info.is_radial, info.find("sigma") != nullptr);
    for (const KernelParameter& parameter : info.parameters) {
      const double value = kernel.parameter(parameter.name);
      EXPECT_TRUE(value >= parameter.low && value <= parameter.high) << info.name << " " << parameter.name;
      EXPECT_EQ(value, parameter.fallback.value_or(value)) << info.name << " " << parameter.name;
    }
    EXPECT_NEAR(kernel.sigma(), info.is_radial ? 2.0 : 0.0, 1e-15);
    EXPECT_THROW((void)kernel.parameter("none"), Error);
  }
  EXPECT_EQ(find_kernel("none"), nullptr);
  EXPECT_EQ(kernel_names(), "gaussian, laplacian, polynomial or linear");
}

TEST(KernelInfos, OfAKernelThatIsNotOfferedIsFoundByTheKernelAlone) {
  const Kernel kernel = Kernel::laplacian_l1(4.0);
  EXPECT_EQ(kernel.name(), "laplacian-l1");
  EXPECT_TRUE(kernel.is_radial());
  EXPECT_EQ(kernel.gamma(), 0.25);
  EXPECT_EQ(kernel.sigma(), 4.0);
  EXPECT_EQ(kernel.parameter("sigma"), 4.0);
  EXPECT_EQ(kernel_info(kernel).kind, kernel.kind());
  EXPECT_EQ(find_kernel(kernel.name()), nullptr);
  for (const KernelInfo& info : kernel_infos()) EXPECT_NE(info.kind, kernel.kind());
}

TEST(KernelInfos, RejectWhatTheirParametersCannotBe) {
  const KernelInfo& gaussian = *find_kernel("gaussian");
  KernelSettings width;
  EXPECT_EQ(message_of([&] { (void)gaussian.make(width); }), "the kernel has no width; expected sigma or gamma");
  width.gamma = -1.0;
  EXPECT_THROW((void)gaussian.make(width), Error);
  width.gamma = 3.0;
  width.sigma = 1.0;
  EXPECT_EQ(gaussian.make(width).gamma(), 3.0);

  const KernelInfo& polynomial = *find_kernel("polynomial");
  KernelSettings degree;
  degree.degree = 101.0;
  EXPECT_EQ(message_of([&] { (void)polynomial.make(degree); }), "the polynomial degree is 101; expected 1 to 100");
  for (const double bad : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    degree.degree = bad;
    EXPECT_THROW((void)polynomial.make(degree), Error) << bad;
  }
}

}  // namespace
}  // namespace alder
