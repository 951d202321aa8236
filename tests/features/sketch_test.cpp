#include "features/sketch.h"

#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "support/dense.h"
#include "support/literal_function.h"

namespace alder {
namespace {

using testing::Vector;

constexpr std::size_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

// Rows, their Gram matrix and a sketch of both.
template <class T>
struct Sketched {
  Sketched(const Kernel& kernel, SketchSizes sizes) : rows(kernel), map(kernel, sizes) {}

  void append(const Vector& x) {
    KernelValues row;
    PreparedRow<T> query;
    query.assign(Row::dense(x), rows.kernel());
    rows.kernel_row(query, Accuracy::kExact, row);
    gram.append(row, query.self());
    rows.append(query);
  }
  void extend(const Vector& x, LearnerRandom& random) {
    KernelValues row;
    KernelValues sampled_row;
    PreparedRow<T> query;
    query.assign(Row::dense(x), rows.kernel());
    rows.kernel_row(query, Accuracy::kExact, row);
    map.kernel_row(query, sampled_row);
    map.extend(row, query.self(), sampled_row, random);
    rows.append(query);
  }
  [[nodiscard]] Eigen::VectorXd features(const Vector& x) const {
    KernelValues row;
    PreparedRow<T> query;
    query.assign(Row::dense(x), rows.kernel());
    map.kernel_row(query, row);
    AlignedVector<double> phi;
    map.map(row, phi);
    EXPECT_EQ(phi.size(), padded(map.features()));
    return Eigen::Map<const Eigen::VectorXd>(phi.data(), static_cast<Eigen::Index>(map.features()));
  }

  Dictionary<T> rows;
  Gram gram;
  SketchMap<T> map;
};

std::vector<Vector> different_rows(std::size_t count) {
  std::vector<Vector> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto t = static_cast<double>(i);
    rows.push_back({std::sin(1.3 * t), std::cos(0.7 * t * t), std::sin(2.9 * t + 1.0)});
  }
  return rows;
}

// The part of the kernel matrix, in its Frobenius norm, that φ(x)ᵀφ(z) misses.
template <class T>
double relative_error(const Kernel& kernel, std::size_t count, SketchSizes sizes, std::uint64_t seed) {
  Sketched<T> sketched(kernel, sizes);
  const auto rows = different_rows(count);
  for (const Vector& x : rows) sketched.append(x);
  LearnerRandom random(seed);
  sketched.map.draw(sketched.rows, sketched.gram, random);
  sketched.map.build(kUnlimited);
  const Eigen::MatrixXd k = testing::literal_gram(kernel, rows);
  Eigen::MatrixXd phi(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(sketched.map.features()));
  for (std::size_t i = 0; i < count; ++i) {
    phi.row(static_cast<Eigen::Index>(i)) = sketched.features(rows[i]).transpose();
  }
  return (phi * phi.transpose() - k).norm() / k.norm();
}

// With s_b = n the map sees all of K, and with many columns S_a S_aᵀ is near a multiple of the identity.
TEST(Sketch, LargeSketchesReproduceTheKernelOnTheStoredRows) {
  const Kernel kernel = Kernel::gaussian(0.5);
  double mean = 0.0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_LT(relative_error<double>(kernel, 24, {24, 240, 16}, seed), 1e-6) << seed;
    EXPECT_LT(relative_error<float>(kernel, 24, {24, 240, 16}, seed), 1e-3) << seed;
    // Columns as many as rows: S_a is singular for some seeds, and a part of K is lost.
    mean += relative_error<double>(kernel, 24, {24, 24, 4}, seed) / 8.0;
  }
  EXPECT_LT(mean, 0.5);
}

// K has the rank 10, so twelve sampled rows and 40 columns are enough.
TEST(Sketch, AKernelOfLowRankNeedsFewSamples) {
  const Kernel kernel = Kernel::polynomial(2, 0.5, 1.0);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_LT(relative_error<double>(kernel, 60, {14, 40, 4}, seed), 1e-6) << seed;
  }
}

TEST(Sketch, ExtendingEqualsDrawingTheSketchesOfAllRowsAtOnce) {
  const Kernel kernel = Kernel::gaussian(0.7);
  const auto rows = different_rows(30);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Sketched<double> grown(kernel, {6, 15, 4});
    for (std::size_t i = 0; i < 20; ++i) grown.append(rows[i]);
    LearnerRandom random(seed);
    grown.map.draw(grown.rows, grown.gram, random);
    for (std::size_t i = 20; i < 30; ++i) grown.extend(rows[i], random);
    Archive archive;
    grown.map.save(archive);

    // Φ_aa and Φ_ab from scratch, with the S_a and the sampled rows that were drawn.
    Eigen::MatrixXd s_a = Eigen::MatrixXd::Zero(30, 15);
    const auto columns = archive.get<std::uint64_t>("sketch.entry_columns", 120);
    const auto values = archive.get<double>("sketch.entry_values", 120);
    for (std::size_t e = 0; e < 120; ++e) {
      EXPECT_EQ(std::fabs(values[e]), 0.5);
      s_a(static_cast<Eigen::Index>(e / 4), static_cast<Eigen::Index>(columns[e])) = values[e];
    }
    // Four different columns per row.
    EXPECT_TRUE((s_a.rowwise().squaredNorm().array() == 1.0).all());
    Dictionary<double> sampled(kernel);
    sampled.load(archive, "sketch");
    Eigen::MatrixXd c_b(30, 6);
    for (std::size_t j = 0; j < 6; ++j) {
      c_b.col(static_cast<Eigen::Index>(j)) =
          testing::literal_kernel_row(kernel, rows, testing::dense_element(sampled, j));
    }
    const Eigen::MatrixXd k = testing::literal_gram(kernel, rows);
    const auto aa = archive.get<double>("sketch.aa", 225);
    const auto ab = archive.get<double>("sketch.ab", 90);
    EXPECT_LT((Eigen::Map<const Eigen::MatrixXd>(aa.data(), 15, 15) - s_a.transpose() * k * s_a).norm(), 1e-12);
    EXPECT_LT((Eigen::Map<const Eigen::MatrixXd>(ab.data(), 15, 6) - s_a.transpose() * c_b).norm(), 1e-12);

    // Q Qᵀ = Φ_ab⁺ Φ_aa Φ_ab⁺ᵀ does not depend on which eigenvectors there are.
    grown.map.build(kUnlimited);
    const Eigen::MatrixXd q = grown.map.matrix();
    const Eigen::MatrixXd inverse = (s_a.transpose() * c_b).completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::MatrixXd expected = inverse * (s_a.transpose() * k * s_a) * inverse.transpose();
    EXPECT_LT((q * q.transpose() - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(Sketch, SampledRowsAreDifferentRowsOfThoseGiven) {
  const Kernel kernel = Kernel::linear();
  const auto rows = different_rows(10);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Sketched<double> sketched(kernel, {7, 5, 2});
    for (const Vector& x : rows) sketched.append(x);
    LearnerRandom random(seed);
    EXPECT_FALSE(sketched.map.is_drawn());
    sketched.map.draw(sketched.rows, sketched.gram, random);
    EXPECT_TRUE(sketched.map.is_drawn());
    Archive archive;
    sketched.map.save(archive);
    Dictionary<double> sampled(kernel);
    sampled.load(archive, "sketch");
    ASSERT_EQ(sampled.size(), 7U);
    std::vector<int> seen(10, 0);
    for (std::size_t j = 0; j < 7; ++j) {
      const auto found = std::find(rows.begin(), rows.end(), testing::dense_element(sampled, j));
      ASSERT_NE(found, rows.end());
      EXPECT_EQ(seen[static_cast<std::size_t>(found - rows.begin())]++, 0);
    }
  }
}

TEST(Sketch, SizesBeyondTheRowsAreCutAndTheRankIsLimited) {
  const auto rows = different_rows(8);
  Sketched<double> sketched(Kernel::gaussian(0.5), {100, 3, 50});
  for (const Vector& x : rows) sketched.append(x);
  LearnerRandom random(1);
  sketched.map.draw(sketched.rows, sketched.gram, random);
  EXPECT_FALSE(sketched.map.is_built());
  sketched.map.build(kUnlimited);
  EXPECT_TRUE(sketched.map.is_built());
  EXPECT_EQ(sketched.map.matrix().rows(), 8);
  EXPECT_EQ(sketched.map.features(), 3U);
  sketched.map.build(2);
  EXPECT_EQ(sketched.map.features(), 2U);
}

}  // namespace
}  // namespace alder
