#include "features/nystrom.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "support/dense.h"
#include "support/literal_function.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::Vector;

template <class T>
void append(NystromMap<T>& map, const Vector& x) {
  PreparedRow<T> query;
  KernelValues row;
  query.assign(Row::dense(x), map.rows().kernel());
  map.rows().kernel_row(query, Accuracy::kExact, row);
  map.append(query, row);
}

template <class T>
AlignedVector<double> mapped(const NystromMap<T>& map, const Vector& x) {
  PreparedRow<T> query;
  KernelValues row;
  query.assign(Row::dense(x), map.rows().kernel());
  map.rows().kernel_row(query, Accuracy::kExact, row);
  AlignedVector<double> phi;
  map.map(row, phi);
  EXPECT_EQ(phi.size(), padded(map.features()));
  return phi;
}

double inner(const AlignedVector<double>& a, const AlignedVector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<Vector> different_rows(std::size_t count) {
  std::vector<Vector> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    rows.push_back({std::sin(1.3 * t), std::cos(0.7 * t * t), std::sin(2.9 * t + 1.0)});
  }
  return rows;
}

std::vector<double> eigenvalues_of(const Archive& archive) {
  return archive.get<double>("nystrom.eigenvalues");
}

template <class T>
void check_exact_on_its_rows(const Kernel& kernel, std::size_t count, double tolerance) {
  NystromMap<T> map(kernel, count);
  const auto rows = different_rows(count);
  for (const Vector& x : rows) append(map, x);
  EXPECT_FALSE(map.is_built());
  map.build();
  EXPECT_TRUE(map.is_built());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double expected = kernel_value(kernel, rows[i], rows[j]);
      ASSERT_NEAR(inner(mapped(map, rows[i]), mapped(map, rows[j])), expected, tolerance * (1.0 + expected)) << count;
    }
  }
}

TEST(Nystrom, AllDirectionsReproduceTheKernelOnTheStoredRows) {
  for (const std::size_t count : {1, 7, 15, 16, 17, 40}) {
    check_exact_on_its_rows<double>(Kernel::gaussian(0.5), count, 1e-8);
    check_exact_on_its_rows<double>(Kernel::laplacian(1.0), count, 1e-8);
    check_exact_on_its_rows<double>(Kernel::polynomial(2), count, 1e-8);
    // Eigenvalues below 1e-6 are left out, and the map multiplies float rounding by up to 1e3.
    check_exact_on_its_rows<float>(Kernel::gaussian(0.5), count, 1e-3);
    check_exact_on_its_rows<float>(Kernel::laplacian(1.0), count, 1e-3);
  }
}

TEST(Nystrom, FunctionsOfTheStoredRowsBecomeWeights) {
  const Kernel kernel = Kernel::gaussian(0.6);
  const auto rows = different_rows(18);
  NystromMap<double> map(kernel, 18);
  testing::LiteralFunction f(kernel);
  AlignedVector<double> a(padded(18));
  for (std::size_t i = 0; i < 18; ++i) {
    append(map, rows[i]);
    a[i] = std::sin(5.0 * static_cast<double>(i));
    f.add(rows[i], a[i]);
  }
  map.build();
  const AlignedVector<double> w = map.weights(a);
  for (const Vector& x : rows) EXPECT_NEAR(inner(w, mapped(map, x)), f.at(x), 1e-8);
  // ‖w‖ is the norm of f, and a row that is not stored sees the projection, which is f itself.
  EXPECT_NEAR(std::sqrt(inner(w, w)), f.norm(), 1e-8);
  const Vector other = {0.2, 0.1, -0.3};
  EXPECT_NEAR(inner(w, mapped(map, other)), f.at(other), 1e-8);
}

TEST(Nystrom, EigenvaluesFallAndTheRankIsLimited) {
  const Kernel kernel = Kernel::laplacian(0.8);
  const auto rows = different_rows(24);
  const Eigen::VectorXd expected =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(testing::literal_gram(kernel, rows)).eigenvalues().reverse();
  for (const std::size_t rank : {1, 5, 16, 17, 24, 100}) {
    NystromMap<double> map(kernel, rank);
    for (const Vector& x : rows) append(map, x);
    map.build();
    EXPECT_EQ(map.features(), std::min<std::size_t>(rank, 24));
    Archive archive;
    map.save(archive);
    const auto values = eigenvalues_of(archive);
    ASSERT_EQ(values.size(), map.features());
    for (std::size_t f = 0; f < values.size(); ++f) {
      EXPECT_NEAR(values[f], expected[static_cast<Eigen::Index>(f)], 1e-12 * expected[0]);
    }
  }
}

// In r directions the kernel is that of projections, so no length grows.
TEST(Nystrom, FewerDirectionsShortenTheFeatures) {
  const auto rows = different_rows(20);
  double last = 0.0;
  for (const std::size_t rank : {1, 4, 9, 20}) {
    NystromMap<double> map(Kernel::gaussian(0.5), rank);
    for (const Vector& x : rows) append(map, x);
    map.build();
    double total = 0.0;
    for (const Vector& x : rows) {
      const auto phi = mapped(map, x);
      EXPECT_LE(inner(phi, phi), 1.0 + 1e-9);
      total += inner(phi, phi);
    }
    EXPECT_GT(total, last);
    last = total;
  }
  EXPECT_NEAR(last, 20.0, 1e-8);
}

template <class T>
std::size_t features_of(const Kernel& kernel, const std::vector<Vector>& rows) {
  NystromMap<T> map(kernel, 100);
  for (const Vector& x : rows) append(map, x);
  map.build();
  return map.features();
}

TEST(Nystrom, DirectionsThatAreRoundingErrorsAreLeftOut) {
  auto rows = different_rows(6);
  EXPECT_EQ(features_of<double>(Kernel::linear(), rows), 3U);
  EXPECT_EQ(features_of<float>(Kernel::linear(), rows), 3U);
  EXPECT_EQ(features_of<double>(Kernel::gaussian(0.5), rows), 6U);
  for (std::size_t i = 0; i < 6; ++i) rows.push_back(Vector(rows[i]));
  EXPECT_EQ(features_of<double>(Kernel::gaussian(0.5), rows), 6U);
  EXPECT_EQ(features_of<float>(Kernel::gaussian(0.5), rows), 6U);
  // Two rows at the distance d give the eigenvalues 2 and about d²/2.
  for (const double distance : {1e-2, 1e-4, 1e-5, 1e-7}) {
    const std::vector<Vector> pair = {{0.0}, {distance}};
    const double ratio = distance * distance / 4.0;
    EXPECT_EQ(features_of<double>(Kernel::gaussian(1.0), pair), ratio > 1e-12 ? 2U : 1U) << distance;
    EXPECT_EQ(features_of<float>(Kernel::gaussian(1.0), pair), ratio > 1e-6 ? 2U : 1U) << distance;
  }
  EXPECT_EQ(features_of<double>(Kernel::linear(), {{0.0}, {0.0}}), 0U);
}

// The scratch memory of a thread serves maps of all sizes.
TEST(Nystrom, PaddingIsZeroAfterALargerMap) {
  const auto rows = different_rows(40);
  NystromMap<double> large(Kernel::gaussian(0.3), 40);
  NystromMap<double> small(Kernel::gaussian(0.3), 1);
  for (const Vector& x : rows) {
    append(large, x);
    append(small, x);
  }
  large.build();
  small.build();
  for (const Vector& x : rows) {
    (void)mapped(large, x);
    const auto phi = mapped(small, x);
    for (std::size_t f = 1; f < phi.size(); ++f) ASSERT_EQ(phi[f], 0.0) << f;
  }
}

}  // namespace
}  // namespace alder
