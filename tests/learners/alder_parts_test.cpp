// What ALDER is made of, against plain loops over arrays: small, and without matrices of others, so that the sanitizers
// see it, too. (arow_test.cpp and coordinates_test.cpp compare with Eigen, which takes them too long to compile.)
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/evaluate.h"
#include "alder/learners.h"

#include "archive/archive.h"
#include "kernel/coordinates.h"
#include "learners/alder/arow.h"
#include "support/any_learner.h"
#include "support/arow.h"
#include "support/learning.h"
#include "support/race.h"

namespace alder {
namespace {

using testing::learn_one;

using Numbers = std::vector<double>;

template <class T>
AlignedVector<T> padded_copy(const Numbers& numbers) {
  AlignedVector<T> copy(padded(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) copy[i] = static_cast<T>(numbers[i]);
  return copy;
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double gaussian(const Numbers& a, const Numbers& b) {
  double square = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::exp(-square);
}

Numbers random_numbers(std::mt19937_64& engine, std::size_t n) {
  std::normal_distribution<double> normal;
  Numbers numbers(n);
  for (double& number : numbers) number = normal(engine);
  return numbers;
}

template <class T>
bool same_bytes(const T& one, const T& other) {
  Archive a;
  Archive b;
  one.save(a, "x");
  other.save(b, "x");
  return a.encode() == b.encode();
}

// AROW as its paper has it, with the whole of Σ.
struct PlainArow {
  double noise;
  double forget;
  Numbers w;
  std::vector<Numbers> covariance;

  void resize(std::size_t n) {
    w.resize(n);
    covariance.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t old = covariance[i].size();
      covariance[i].resize(n);
      if (old <= i) covariance[i][i] = 1.0;
    }
  }
  void learn(double label, const Numbers& z) {
    const double score = dot(w, z);
    Numbers moved;
    for (const Numbers& row : covariance) moved.push_back(dot(row, z));
    const double beta = 1.0 / (dot(z, moved) + noise);
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] += beta * (1.0 - label * score) * label * moved[i];
      for (std::size_t j = 0; j < w.size(); ++j) covariance[i][j] -= beta * moved[i] * moved[j];
      covariance[i][i] = std::min(1.0, covariance[i][i] + forget);
    }
  }
};

// Grows through the sizes at which arrays are made anew, with updates pending, and goes through an archive each time.
template <class T>
void check_arow(double tolerance) {
  std::mt19937_64 engine(1);
  Arow<T> arow(0.5, 1e-4);
  PlainArow plain{0.5, 1e-4, {}, {}};
  for (const std::size_t n : {1, 2, 15, 16, 17, 31, 32, 33, 50}) {
    arow.resize(n);
    plain.resize(n);
    for (int t = 0; t < 21; ++t) {  // 8 updates are carried out at a time
      const Numbers z = random_numbers(engine, n);
      const AlignedVector<T> copy = padded_copy<T>(z);
      const double label = t % 3 == 0 ? 1.0 : -1.0;
      ASSERT_NEAR(arow.score(copy.data()), dot(plain.w, z), tolerance) << n << " " << t;
      testing::learn(arow, label, arow.score(copy.data()), copy.data());
      plain.learn(label, z);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(arow.covariance(i, j), plain.covariance[i][j], tolerance);
    }
    Archive archive;
    arow.save(archive, "x");
    Arow<T> loaded(0.5, 1e-4);
    loaded.load(Archive::decode(archive.encode()), "x", n);
    ASSERT_TRUE(same_bytes(arow, loaded));
    arow = std::move(loaded);
  }
}

TEST(AlderParts, ArowIsItsDefinition) {
  check_arow<double>(1e-9);
  check_arow<float>(1e-2);
}

// φ(x)ᵀφ(s) = κ(x,s) for every element s, and φ of an element has nothing left outside the span.
template <class T>
void check_coordinates(double tolerance) {
  std::mt19937_64 engine(2);
  Coordinates<T> coordinates;
  std::vector<Numbers> elements;
  const auto kernel_row = [&elements](const Numbers& x) {
    Numbers k;
    for (const Numbers& element : elements) k.push_back(gaussian(element, x));
    return padded_copy<T>(k);
  };
  const auto project = [&](const Numbers& x, AlignedVector<T>& phi) {
    phi.resize(padded(elements.size()));
    return coordinates.project(kernel_row(x).data(), phi.data());
  };
  while (elements.size() < 40) {
    const Numbers x = random_numbers(engine, 5);
    AlignedVector<T> phi;
    if (project(x, phi) < 0.3) continue;
    ASSERT_GT(coordinates.append(kernel_row(x).data()), 0.0);
    elements.push_back(x);
    const Numbers other = random_numbers(engine, 5);
    project(other, phi);
    for (const Numbers& element : elements) {
      AlignedVector<T> own;
      ASSERT_NEAR(project(element, own), 0.0, tolerance) << elements.size();
      double sum = 0.0;
      for (std::size_t i = 0; i < elements.size(); ++i)
        sum += static_cast<double>(phi[i]) * static_cast<double>(own[i]);
      ASSERT_NEAR(sum, gaussian(element, other), tolerance) << elements.size();
    }
    Archive archive;
    coordinates.save(archive, "x");
    Coordinates<T> loaded;
    loaded.load(Archive::decode(archive.encode()), "x", elements.size());
    ASSERT_TRUE(same_bytes(coordinates, loaded));
    coordinates = std::move(loaded);
  }
}

TEST(AlderParts, CoordinatesHaveTheInnerProductsOfTheKernel) {
  check_coordinates<double>(1e-9);
  check_coordinates<float>(1e-3);
}

// The first rows, the races with runners that leave, the duel, and growth up to the budget; saved and loaded on the
// way.
TEST(AlderParts, ALearnerGoesThroughAllItsPhasesAndThroughArchives) {
  const auto generated = make_generated("rings", 600, 3);
  const Dataset rows = Dataset::read(*generated);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    AlderOptions options;
    options.precision = precision;
    options.race = 400;
    options.budget = 40;
    const auto whole = make_alder(options);
    auto parts = make_alder(options);
    const auto all = stream(rows);
    const Outcome outcome = evaluate(*all, *whole);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      learn_one(*parts, rows[i]);
      if (i % 50 == 10) parts = testing::restored(testing::encoded(*parts));
    }
    EXPECT_EQ(testing::encoded(*whole), testing::encoded(*parts));
    EXPECT_LT(static_cast<double>(outcome.metrics.mistakes()), 0.2 * 600.0);
    EXPECT_LE(testing::race_of(whole->report()).size(), 2U);
  }
}

}  // namespace
}  // namespace alder
