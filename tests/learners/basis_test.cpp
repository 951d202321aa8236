#include "learners/alder/basis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "learners/alder/geometry.h"

namespace alder {
namespace {

using Point = std::vector<double>;

std::vector<Point> random_points(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Point> points(n, Point(3));
  for (Point& point : points) {
    for (double& value : point) value = normal(engine);
  }
  return points;
}

double value_by_definition(const Kernel& kernel, double ratio, const Point& a, const Point& b) {
  double dot = 0.0;
  double square = 0.0;
  double sum = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    dot += a[j] * b[j];
    aa += a[j] * a[j];
    bb += b[j] * b[j];
    square += (a[j] - b[j]) * (a[j] - b[j]);
    sum += std::fabs(a[j] - b[j]);
  }
  switch (kernel.kind()) {
    case Kernel::Kind::kGaussian:
      return std::exp(-ratio * kernel.gamma() * square);
    case Kernel::Kind::kLaplacianL1:
      return std::exp(-ratio * kernel.gamma() * sum);
    case Kernel::Kind::kLaplacian:
      return std::exp(-ratio * kernel.gamma() * std::sqrt(square));
    default:
      return kernel.value(dot, aa, bb) / std::sqrt(kernel.value(aa, aa, aa) * kernel.value(bb, bb, bb));
  }
}

// Rows of a geometry become its elements, one after the other.
template <class T>
void store(Geometry<T>& geometry, const std::vector<Point>& points) {
  for (const Point& point : points) {
    const Row row = Row::dense(point).as_checked();
    geometry.begin_block(std::span(&row, 1));
    geometry.begin();
    geometry.append();
    geometry.end(1.0);
    geometry.end_block();
  }
}

template <class T>
void expect_definition(const Geometry<T>& geometry, const Basis<T>& basis, const std::vector<Point>& stored,
                       const std::vector<std::size_t>& elements, const Kernel& kernel, double ratio, double tolerance) {
  ASSERT_EQ(basis.size(), elements.size());
  ScoredRows<T> scored;
  std::vector<T> inputs;
  for (const Point& point : random_points(8, 99)) {
    const Row row = Row::dense(point).as_checked();
    geometry.look(std::span(&row, 1), scored, inputs);
    std::vector<T> k(padded(basis.size()), T{7});
    basis.copy(scored.values[0], scored.rows[0].self(), k.data());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double expected = value_by_definition(kernel, ratio, stored[elements[i]], point);
      ASSERT_NEAR(static_cast<double>(k[i]), expected, tolerance) << kernel.name() << " " << ratio << " " << i;
    }
    ASSERT_EQ(k.size() > basis.size() ? k[basis.size()] : T{7}, T{7});
  }
}

template <class T>
void check_basis(double tolerance) {
  const std::vector<Point> stored = random_points(40, 1);
  for (const Kernel& kernel : {Kernel::gaussian(0.8), Kernel::laplacian_l1(1.5), Kernel::laplacian(1.0),
                               Kernel::polynomial(3, 0.5, 1.0), Kernel::linear()}) {
    Geometry<T> geometry({}, {}, kernel, 0);
    store(geometry, stored);
    for (const double ratio : {1.0, 0.25, 0.5, 25.0}) {
      if (!kernel.is_radial() && ratio != 1.0) continue;
      Basis<T> basis(kernel.is_radial(), ratio);
      std::vector<std::size_t> elements;
      const auto append = [&](std::size_t element) {
        basis.append(element, geometry.dictionary().self(element));
        elements.push_back(element);
      };
      const auto remove = [&](std::size_t place) {
        basis.remove(place);
        elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(place));
      };
      const auto check = [&] { expect_definition(geometry, basis, stored, elements, kernel, ratio, tolerance); };
      check();
      for (std::size_t e = 0; e < 9; ++e) append(e);  // the first ones, in order
      check();
      remove(8);  // the last one: they still are
      check();
      for (const std::size_t e : {8, 20, 13, 39}) append(e);
      check();
      remove(0);
      remove(4);
      check();
    }
  }
}

TEST(Basis, HasTheKernelValuesOfItsElements) {
  check_basis<double>(1e-9);
}

TEST(Basis, InFloatIsClose) {
  check_basis<float>(2e-5);
}

TEST(Basis, MovesWithItsElements) {
  const std::vector<Point> stored = random_points(20, 1);
  const Kernel wide = Kernel::gaussian_gamma(0.5);
  Geometry<double> geometry({}, {}, wide, 0);
  store(geometry, stored);
  Basis<double> basis(true, 0.5);
  for (const std::size_t e : {3, 4, 11, 19}) basis.append(e, 1.0);
  // Only these are left, and γ is four times as large.
  const std::vector<std::size_t> left = {3, 4, 11, 19};
  std::vector<std::uint32_t> places(20, 77);
  std::vector<Point> stored_now;
  for (std::size_t e = 0; e < left.size(); ++e) {
    places[left[e]] = static_cast<std::uint32_t>(e);
    stored_now.push_back(stored[left[e]]);
  }
  geometry.rebuild(Kernel::gaussian_gamma(2.0), left);
  basis.move(places, basis.ratio() / 4.0);
  EXPECT_EQ(basis.ratio(), 0.125);
  expect_definition(geometry, basis, stored_now, {0, 1, 2, 3}, wide, 0.5, 1e-9);
}

TEST(Basis, TakesNextToNothingAsZero) {
  Geometry<float> geometry({}, {}, Kernel::gaussian(0.01), 0);
  store(geometry, {{0.0, 0.0, 0.0}, {0.09, 0.0, 0.0}});
  for (const double ratio : {1.0, 2.0}) {
    Basis<float> basis(true, ratio);
    basis.append(0, 1.0);
    basis.append(1, 1.0);
    ScoredRows<float> scored;
    std::vector<float> inputs;
    for (int i = 0; i < 60; ++i) {
      const Point point = {0.003 * i, 0.0, 0.0};
      const Row row = Row::dense(point).as_checked();
      geometry.look(std::span(&row, 1), scored, inputs);
      std::vector<float> k(padded(2));
      basis.copy(scored.values[0], 1.0, k.data());
      for (const float value : k) {
        EXPECT_TRUE(value == 0.0F || value * value >= std::numeric_limits<float>::min()) << ratio << " " << i;
      }
    }
  }
}

TEST(Basis, OfARowOfLengthZeroHasOnlyZeros) {
  Geometry<double> geometry({}, {}, Kernel::linear(), 0);
  store(geometry, {{1.0, 2.0, 0.0}, {1e40, 1e40, 1e40}});
  Basis<double> basis(false);
  for (const std::size_t e : {0, 1}) basis.append(e, geometry.dictionary().self(e));
  ScoredRows<double> scored;
  std::vector<double> inputs;
  const Point zero = {0.0, 0.0, 0.0};
  const Row row = Row::dense(zero).as_checked();
  geometry.look(std::span(&row, 1), scored, inputs);
  std::vector<double> k(padded(2), 5.0);
  basis.copy(scored.values[0], scored.rows[0].self(), k.data());
  EXPECT_EQ(k[0], 0.0);
  EXPECT_EQ(k[1], 0.0);
}

}  // namespace
}  // namespace alder
