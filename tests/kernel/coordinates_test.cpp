#include "kernel/coordinates.h"

#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "support/dense.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::kernel_value;
using testing::Vector;

Eigen::Index index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

// κ(x,z)/sqrt(κ(x,x) κ(z,z)).
double normalised(const Kernel& kernel, const Vector& x, const Vector& z) {
  return kernel_value(kernel, x, z) / std::sqrt(kernel_value(kernel, x, x) * kernel_value(kernel, z, z));
}

// Coordinates with the rows that made them.
template <class T>
struct Grown {
  explicit Grown(const Kernel& k) : kernel(k) {}

  [[nodiscard]] AlignedVector<T> row(const Vector& x) const {
    AlignedVector<T> k(padded(elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) k[i] = static_cast<T>(normalised(kernel, elements[i], x));
    return k;
  }
  [[nodiscard]] double alpha(const Vector& x, AlignedVector<T>& phi) const {
    phi.assign(padded(elements.size()), T{77});
    return coordinates.project(row(x).data(), phi.data());
  }
  // Appends x if it is further than this from the span.
  void offer(const Vector& x, double threshold) {
    AlignedVector<T> phi;
    if (alpha(x, phi) <= threshold * threshold) return;
    ASSERT_GT(coordinates.append(row(x).data()), 0.0);
    elements.push_back(x);
  }
  [[nodiscard]] Eigen::MatrixXd gram() const {
    Eigen::MatrixXd gram(index(elements.size()), index(elements.size()));
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      for (Eigen::Index j = 0; j < gram.cols(); ++j) {
        gram(i, j) = normalised(kernel, elements[static_cast<std::size_t>(i)], elements[static_cast<std::size_t>(j)]);
      }
    }
    return gram;
  }

  Kernel kernel;
  Coordinates<T> coordinates;
  std::vector<Vector> elements;
};

Vector random_point(std::mt19937_64& engine, std::size_t features) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Vector x(features);
  for (double& value : x) value = uniform(engine);
  return x;
}

template <class T>
Grown<T> grown(const Kernel& kernel, std::size_t wanted, std::uint64_t seed, double threshold = 0.05) {
  Grown<T> result(kernel);
  std::mt19937_64 engine(seed);
  for (int t = 0; t < 5000 && result.elements.size() < wanted; ++t) result.offer(random_point(engine, 4), threshold);
  return result;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Kernel::gaussian(0.5), Kernel::laplacian(1.0),
                                          Kernel::polynomial(3, 0.7, 1.0)};
  return all;
}

// A kernel value that is off by ε moves φ by ε/sqrt(smallest eigenvalue) and more, the condition of L being what the
// threshold allows. For float all values are; for double only sums.
template <class T>
constexpr double kTolerance = std::is_same_v<T, float> ? 2e-3 : 1e-10;

template <class T>
void check_against_cholesky() {
  for (const Kernel& kernel : kernels()) {
    for (const std::size_t wanted : {1, 2, 15, 16, 17, 33, 64, 65}) {
      const Grown<T> g = grown<T>(kernel, wanted, 5);
      const auto n = g.elements.size();
      if (kernel.is_radial()) {
        ASSERT_EQ(n, wanted) << kernel.name();
      }
      const Eigen::LLT<Eigen::MatrixXd> llt(g.gram());
      ASSERT_EQ(llt.info(), Eigen::Success);
      std::mt19937_64 engine(9);
      for (int t = 0; t < 20; ++t) {
        const Vector x = random_point(engine, 4);
        Eigen::VectorXd k(index(n));
        for (std::size_t i = 0; i < n; ++i) k[index(i)] = normalised(kernel, g.elements[i], x);
        const Eigen::VectorXd expected = llt.matrixL().solve(k);
        AlignedVector<T> phi;
        const double alpha = g.alpha(x, phi);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_NEAR(static_cast<double>(phi[i]), expected[index(i)], kTolerance<T>) << kernel.name() << " n " << n;
        }
        for (std::size_t i = n; i < phi.size(); ++i) ASSERT_EQ(phi[i], T{0}) << n;
        ASSERT_GE(alpha, 0.0);
        // α = min over c of ‖κ(x,·) − Σ c_i κ(s_i,·)‖², where c = K⁻¹k.
        ASSERT_NEAR(alpha, std::max(0.0, 1.0 - k.dot(llt.solve(k))), kTolerance<T>) << kernel.name() << " n " << n;
      }
    }
  }
}

TEST(Coordinates, AreThoseOfTheCholeskyFactor) {
  check_against_cholesky<double>();
  check_against_cholesky<float>();
}

template <class T>
void check_inner_products() {
  for (const Kernel& kernel : kernels()) {
    const Grown<T> g = grown<T>(kernel, 50, 3);
    std::vector<AlignedVector<T>> phi(g.elements.size());
    for (std::size_t i = 0; i < phi.size(); ++i) {
      // An element is in the span.
      ASSERT_NEAR(g.alpha(g.elements[i], phi[i]), 0.0, kTolerance<T>) << kernel.name();
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (std::size_t m = 0; m < phi[i].size(); ++m) {
          sum += static_cast<double>(phi[i][m]) * static_cast<double>(phi[j][m]);
        }
        ASSERT_NEAR(sum, normalised(kernel, g.elements[i], g.elements[j]), kTolerance<T>) << kernel.name();
      }
    }
  }
}

TEST(Coordinates, HaveTheInnerProductsOfTheKernel) {
  check_inner_products<double>();
  check_inner_products<float>();
}

// To the bit in double: rows of M do not change.
TEST(Coordinates, AppendingOnlyAppendsACoordinate) {
  std::mt19937_64 engine(4);
  const Vector probe = random_point(engine, 4);
  Grown<double> g(Kernel::gaussian(0.5));
  AlignedVector<double> before;
  double alpha_before = g.alpha(probe, before);
  EXPECT_EQ(alpha_before, 1.0);
  for (int t = 0; t < 70; ++t) {
    const std::size_t n = g.elements.size();
    const Vector x = random_point(engine, 4);
    AlignedVector<double> own;
    const double alpha = g.alpha(x, own);
    if (alpha < 1e-3) continue;
    const double root = g.coordinates.append(g.row(x).data());
    g.elements.push_back(x);
    ASSERT_EQ(g.coordinates.size(), n + 1);
    // The element's own coordinate is how far it was.
    ASSERT_NEAR(root, std::sqrt(alpha), 1e-9);
    AlignedVector<double> own_after;
    ASSERT_LT(g.alpha(x, own_after), 1e-9);
    ASSERT_NEAR(own_after[n], root, 1e-9);
    AlignedVector<double> after;
    const double alpha_after = g.alpha(probe, after);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(after[i], before[i], 1e-14) << n;
    ASSERT_NEAR(alpha_before - alpha_after, after[n] * after[n], 1e-12);
    before = after;
    alpha_before = alpha_after;
  }
  EXPECT_GT(g.elements.size(), 40U);
}

template <class T>
void check_duplicates() {
  Grown<T> g = grown<T>(Kernel::gaussian(0.5), 40, 6);
  const std::size_t bytes = g.coordinates.bytes();
  for (const Vector& x : g.elements) {
    ASSERT_EQ(g.coordinates.append(g.row(x).data()), 0.0);
    Vector near = x;
    near[0] += 1e-5;
    ASSERT_EQ(g.coordinates.append(g.row(near).data()), 0.0);
  }
  EXPECT_EQ(g.coordinates.size(), 40U);
  EXPECT_EQ(g.coordinates.bytes(), bytes);
  std::mt19937_64 engine(1);
  g.offer(random_point(engine, 4), 0.05);
  EXPECT_EQ(g.coordinates.size(), 41U);
}

TEST(Coordinates, RefuseWhatTheyHaveAlready) {
  check_duplicates<double>();
  check_duplicates<float>();
}

// A row with κ = 0 to all of them is a direction of its own.
TEST(Coordinates, OfFarRowsAreTheRowsThemselves) {
  Coordinates<float> coordinates;
  for (std::size_t n = 0; n < 40; ++n) {
    const AlignedVector<float> k(padded(n));
    AlignedVector<float> phi(padded(n));
    ASSERT_EQ(coordinates.project(k.data(), phi.data()), 1.0);
    ASSERT_EQ(coordinates.append(k.data()), 1.0);
  }
}

template <class T>
void check_saving() {
  for (const std::size_t n : {0, 1, 2, 16, 17, 40}) {
    Grown<T> g = grown<T>(Kernel::gaussian(0.5), n, 8);
    Archive archive;
    g.coordinates.save(archive, "here");
    Coordinates<T> loaded;
    loaded.load(Archive::decode(archive.encode()), "here", n);
    ASSERT_EQ(loaded.size(), n);
    Archive again;
    loaded.save(again, "here");
    ASSERT_EQ(again.encode(), archive.encode());
    std::mt19937_64 engine(2);
    for (int t = 0; t < 10; ++t) {
      const Vector x = random_point(engine, 4);
      AlignedVector<T> phi(padded(g.elements.size()));
      AlignedVector<T> same(padded(g.elements.size()));
      const AlignedVector<T> k = g.row(x);
      ASSERT_EQ(loaded.project(k.data(), same.data()), g.coordinates.project(k.data(), phi.data()));
      ASSERT_EQ(same, phi);
      const double root = g.coordinates.append(k.data());
      ASSERT_EQ(loaded.append(k.data()), root);
      if (root > 0.0) g.elements.push_back(x);
    }
  }
}

// The vector φ of x in the coordinates of the Cholesky factor.
Eigen::VectorXd phi_of(const Grown<double>& made, const Vector& x) {
  AlignedVector<double> phi;
  static_cast<void>(made.alpha(x, phi));
  return Eigen::Map<Eigen::VectorXd>(phi.data(), index(made.elements.size()));
}

// One element after the other is replaced. What is left are the coordinates of what is stored, in its new order, and
// turns that lead there from the old ones.
TEST(Coordinates, AreThoseOfWhatIsStoredAfterReplacements) {
  for (const Kernel& kernel : kernels()) {
    Grown<double> made = grown<double>(kernel, 30, 4, 0.2);
    const std::size_t n = made.elements.size();
    ASSERT_GT(n, 12U);
    std::mt19937_64 engine(5);
    for (int t = 0, replaced = 0; replaced < 60; ++t) {
      ASSERT_LT(t, 20000);
      const Vector x = random_point(engine, 4);
      AlignedVector<double> old;
      if (made.alpha(x, old) < 0.03) continue;
      const std::size_t v =
          replaced < 3 ? std::array<std::size_t, 3>{0, n - 1, n - 2}[static_cast<std::size_t>(replaced)] : engine() % n;
      ++replaced;
      made.elements.erase(made.elements.begin() + static_cast<std::ptrdiff_t>(v));
      Turns turns;
      const double root = made.coordinates.replace(v, made.row(x).data(), turns);
      made.elements.push_back(x);
      ASSERT_EQ(made.coordinates.size(), n);

      const Eigen::VectorXd expected =
          made.gram().llt().matrixL().solve(made.gram().col(index(n - 1)));  // φ of x itself
      EXPECT_NEAR(root, expected[index(n - 1)], 1e-8);
      turns.apply(old.data());
      for (std::size_t i = 0; i + 1 < n; ++i) ASSERT_NEAR(old[i], expected[index(i)], 1e-8) << i;
      const Vector other = random_point(engine, 4);
      Eigen::VectorXd k(index(n));
      for (std::size_t i = 0; i < n; ++i) k[index(i)] = normalised(kernel, made.elements[i], other);
      const Eigen::VectorXd phi = made.gram().llt().matrixL().solve(k);
      ASSERT_LT((phi_of(made, other) - phi).norm(), 1e-8);
    }
  }
}

// By the definition: the squared distance of the function to the span of the other elements.
TEST(Coordinates, TellWhatAFunctionLosesWithAnElement) {
  const Grown<double> made = grown<double>(Kernel::gaussian(0.5), 25, 6, 0.2);
  const std::size_t n = made.elements.size();
  AlignedVector<double> w(padded(n));
  std::mt19937_64 engine(7);
  for (std::size_t i = 0; i < n; ++i) w[i] = std::normal_distribution<double>()(engine);
  const std::vector<double> losses = made.coordinates.losses(w.data());
  const Eigen::MatrixXd gram = made.gram();
  const Eigen::VectorXd c =
      gram.llt().matrixU().solve(Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(w.data(), index(n))));
  for (std::size_t v = 0; v < n; ++v) {
    std::vector<Eigen::Index> rest;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != v) rest.push_back(index(j));
    }
    const Eigen::VectorXd products = (gram * c)(rest);
    const double length = c.dot(gram * c);
    const double kept = products.dot(gram(rest, rest).llt().solve(products));
    EXPECT_NEAR(losses[v], length - kept, 1e-8 * length);
  }
}

TEST(Coordinates, GoOnToTheBitAfterLoading) {
  check_saving<double>();
  check_saving<float>();
}

// Rows that are as near as can be are still read again.
TEST(Coordinates, OfNearRowsCanBeLoaded) {
  Grown<double> g = grown<double>(Kernel::gaussian(2.0), 200, 3, 1e-3);
  ASSERT_GT(g.elements.size(), 30U);
  Archive archive;
  g.coordinates.save(archive, "near");
  Coordinates<double> loaded;
  loaded.load(archive, "near", g.elements.size());
  EXPECT_EQ(loaded.size(), g.elements.size());
}

TEST(Coordinates, HostileNumbersAreRefused) {
  const Grown<float> g = grown<float>(Kernel::gaussian(0.5), 5, 8);
  Archive archive;
  g.coordinates.save(archive, "m");
  const auto numbers = archive.get<double>("m", 15);
  const auto message = [](const Archive& changed, std::size_t size) {
    return testing::message_of([&] { Coordinates<float>().load(changed, "m", size); });
  };
  EXPECT_EQ(message(archive, 5), "nothing thrown");
  for (const std::size_t size : {0, 4, 6}) EXPECT_NE(message(archive, size), "nothing thrown") << size;
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_on_diagonal = i == 0 || i == 2 || i == 5 || i == 9 || i == 14;
    for (const double value : {std::nan(""), infinity, -infinity, 1e40, -1e40}) {
      auto changed = numbers;
      changed[i] = value;
      Archive hostile;
      hostile.put("m", changed);
      EXPECT_NE(message(hostile, 5), "nothing thrown") << i << " " << value;
    }
    for (const double value : {0.0, -1.0, 0.5, 1e7}) {
      auto changed = numbers;
      changed[i] = value;
      Archive hostile;
      hostile.put("m", changed);
      if (is_on_diagonal) {
        EXPECT_NE(message(hostile, 5), "nothing thrown") << i << " " << value;
      }
    }
  }
}

}  // namespace
}  // namespace alder
