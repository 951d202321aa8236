#include "learners/alder/rls.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/examples.h"

#include "archive/archive.h"

namespace alder {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct LiteralLook {
  double score = 0.0;
  double head = 0.0;
  double spread = 0.0;
};

// As the header of Rls has it, with whole matrices.
struct LiteralRls {
  double noise;
  double forget;
  VectorXd w = {};
  VectorXd h = {};
  MatrixXd covariance = {};
  double square = 1.0;
  double log_mean = 0.0;
  double head_square = 0.0;
  double head_hits = 0.0;
  double rows = 0.0;
  int huber = 0;  // how many errors were far beyond their deviation

  void resize(Index n) {
    const Index old = w.size();
    w.conservativeResize(n);
    h.conservativeResize(n);
    covariance.conservativeResize(n, n);
    for (Index i = old; i < n; ++i) {
      w[i] = h[i] = 0.0;
      covariance.row(i).setZero();
      covariance.col(i).setZero();
      covariance(i, i) = 1.0;
    }
  }
  [[nodiscard]] LiteralLook look(const VectorXd& z) const { return {w.dot(z), h.dot(z), z.dot(covariance * z)}; }
  [[nodiscard]] double level(const LiteralLook& look) const {
    const double trust = head_square > 0.0 ? std::clamp(head_hits / head_square, 0.0, 1.0) : 0.0;
    return std::exp(std::clamp(trust * look.head, -4.0, 3.0));
  }
  [[nodiscard]] double variance(const LiteralLook& look) const { return square * (level(look) + look.spread / noise); }
  void learn(const VectorXd& z, double y, double predicted, double weight) {
    const LiteralLook seen = look(z);
    const VectorXd u = covariance * z;
    const double v = seen.spread;
    const double e = y - predicted;
    const double limit = 1.345 * std::sqrt(variance(seen));
    const bool is_far = rows >= 30.0 && std::fabs(e) > limit;
    huber += is_far ? 1 : 0;
    const double omega = weight * (is_far ? limit / std::fabs(e) : 1.0);
    const double tau = std::log(std::min(e * e / (square * (1.0 + v / noise)), 1e4) + 0.05) - log_mean;
    rows += 1.0;
    const double slow = std::min(1.0, weight * std::max(1.0 / rows, 1.0 / 2000.0));
    if (rows > 50.0) {
      head_square += slow * (seen.head * seen.head - head_square);
      head_hits += slow * (seen.head * tau - head_hits);
    }
    log_mean += slow * tau;
    const double own = std::min(e * e / (level(seen) + v / noise), 16.0 * square);
    square += std::min(1.0, weight * std::max(1.0 / rows, 1.0 / 500.0)) * (own - square);
    w += u * (y - seen.score) / (v + noise / omega);
    h += u * (tau - seen.head) / (v + noise);
    covariance -= u * u.transpose() / (v + noise / omega);
    covariance.diagonal() = (covariance.diagonal().array() + forget).min(1.0);
  }
};

// Numbers whose noise depends on the second coordinate; one in fifty is far off.
struct Targets {
  std::mt19937_64 engine{7};
  std::normal_distribution<double> normal;

  VectorXd inputs(Index n) {
    VectorXd z(n);
    for (double& number : z) number = normal(engine);
    z[0] = 1.0;
    return z;
  }
  double of(const VectorXd& z) {
    double y = 0.5;
    for (Index i = 0; i < z.size(); ++i) y += z[i] * std::cos(static_cast<double>(i));
    const double noise = z.size() > 1 && z[1] > 0.0 ? 0.5 : 0.05;
    return y + noise * normal(engine) + (engine() % 50 == 0 ? 40.0 : 0.0);
  }
  double weight() {
    constexpr double kWeights[] = {1.0, 1.0, 1.0, 0.25, 3.0};
    return kWeights[engine() % std::size(kWeights)];
  }
};

template <class T>
AlignedVector<T> padded_numbers(const VectorXd& z) {
  AlignedVector<T> copy(padded(static_cast<std::size_t>(z.size())));
  for (Index i = 0; i < z.size(); ++i) copy[static_cast<std::size_t>(i)] = static_cast<T>(z[i]);
  return copy;
}

template <class T>
std::string encoded_rls(const Rls<T>& rls) {
  Archive archive;
  rls.save(archive, "r");
  return archive.encode();
}

// Coordinates join now and then, at any place of a block; every other block is looked at ahead.
template <class T>
void check_rls(double noise, double forget, double tolerance) {
  Targets targets;
  Rls<T> rls(noise, forget);
  LiteralRls literal{noise, forget};
  Index n = 2;
  rls.resize(2);
  literal.resize(2);
  constexpr std::size_t kRoom = 64;
  std::vector<VectorXd> block;
  for (int t = 0; t < 1200; ++t) {
    const auto place = static_cast<std::size_t>(t % 8);
    const bool is_ahead = (t / 8) % 2 == 1;
    if (place == 0) {
      rls.forget_ahead();
      rls.begin_block();
      block.clear();
      AlignedVector<T> ahead(8 * kRoom);
      for (std::size_t r = 0; r < 8; ++r) {
        block.push_back(targets.inputs(n));
        const AlignedVector<T> z = padded_numbers<T>(block.back());
        std::copy(z.begin(), z.end(), ahead.data() + r * kRoom);
      }
      if (is_ahead) rls.look_ahead(ahead.data(), kRoom);
    }
    VectorXd z = VectorXd::Zero(n);
    z.head(block[place].size()) = block[place];
    for (Index i = block[place].size(); i < n; ++i) z[i] = targets.normal(targets.engine);
    const AlignedVector<T> copy = padded_numbers<T>(z);
    const VectorXd rounded =
        Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(copy.data(), n).template cast<double>();
    const auto same = std::as_const(rls).look(copy.data());
    const auto look = rls.look(copy.data(), is_ahead ? place : ~std::size_t{0});
    ASSERT_EQ(look.score, same.score) << t;
    ASSERT_EQ(look.head, same.head) << t;
    ASSERT_EQ(look.spread, same.spread) << t;
    const LiteralLook expected = literal.look(rounded);
    ASSERT_NEAR(look.score, expected.score, tolerance * (1.0 + std::fabs(expected.score))) << t;
    ASSERT_NEAR(look.head, expected.head, tolerance * (1.0 + std::fabs(expected.head))) << t;
    ASSERT_NEAR(look.spread, expected.spread, tolerance * (1.0 + expected.spread)) << t;
    const double variance = literal.variance(expected);
    ASSERT_NEAR(rls.variance(look), variance, tolerance * (1.0 + variance)) << t;
    const double y = targets.of(rounded);
    const double weight = targets.weight();
    const double cut = 3.0 * static_cast<double>(n);
    rls.learn(copy.data(), y, std::clamp(look.score, -cut, cut), look, weight, is_ahead ? place : ~std::size_t{0});
    literal.learn(rounded, y, std::clamp(expected.score, -cut, cut), weight);
    if (t % 29 == 28 && n < 40) {
      ++n;
      rls.resize(static_cast<std::size_t>(n));
      literal.resize(n);
    }
    if (t % 101 == 100) {
      Rls<T> loaded(noise, forget);
      Archive archive;
      rls.save(archive, "r");
      loaded.load(Archive::decode(archive.encode()), "r", static_cast<std::size_t>(n));
      ASSERT_EQ(encoded_rls(loaded), encoded_rls(rls)) << t;
      if (t % 202 == 100) rls = std::move(loaded);
    }
  }
  EXPECT_GT(literal.huber, 20);
  const double trust = literal.head_hits / literal.head_square;
  EXPECT_GT(trust, 0.1);  // there was something to foretell
}

TEST(Rls, IsItsDefinition) {
  for (const double noise : {1.0, 0.1, 0.01}) {
    for (const double forget : {0.0, 1e-3}) check_rls<double>(noise, forget, 1e-6);
  }
}

TEST(Rls, InFloatIsNearTheSame) {
  check_rls<float>(1.0, 0.0, 2e-2);
  check_rls<float>(0.1, 1e-3, 2e-2);
}

TEST(Rls, OfNoCoordinatesPredictsNothing) {
  Rls<float> rls(0.1, 0.0);
  const float none = 0.0F;
  EXPECT_EQ(rls.look(&none, 0).score, 0.0);
  EXPECT_EQ(std::as_const(rls).look(&none).spread, 0.0);
  rls.learn(&none, 3.0, 0.0, {}, 1.0, 0);
  EXPECT_EQ(rls.size(), 0U);
}

// Deviations follow a noise that depends on the row: the head has learned it.
TEST(Rls, VarianceFollowsTheNoise) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  Rls<double> rls(0.1, 0.0);
  rls.resize(3);
  for (int t = 0; t < 4000; ++t) {
    const double x = normal(engine);
    const AlignedVector<double> z = padded_numbers<double>(VectorXd{{1.0, x, x > 0.0 ? 1.0 : -1.0}});
    const double y = 2.0 * x + (x > 0.0 ? 0.5 : 0.05) * normal(engine);
    const auto look = rls.look(z.data(), ~std::size_t{0});
    rls.learn(z.data(), y, look.score, look, 1.0, ~std::size_t{0});
    if (t % 8 == 0) rls.begin_block();
  }
  const auto deviation = [&](double x) {
    return std::sqrt(rls.variance(rls.look(padded_numbers<double>(VectorXd{{1.0, x, x > 0.0 ? 1.0 : -1.0}}).data())));
  };
  EXPECT_NEAR(deviation(0.7), 0.5, 0.15);
  EXPECT_NEAR(deviation(-0.7), 0.05, 0.05);
}

// Inputs as large as linear inputs may be, targets and weights as large as they may be.
template <class T>
void check_extremes() {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  for (const double most : {1.0, 30.0}) {
    for (const double target : {1e-30, 1.0, 1e10, 1e30, 1e100}) {
      for (const double weight : {1e-6, 1.0, kMostWeight}) {
        Rls<T> rls(0.01, 1e-3);
        rls.resize(20);
        for (int t = 0; t < 300; ++t) {
          VectorXd z(20);
          for (double& number : z) number = std::clamp(most * normal(engine), -most, most);
          const AlignedVector<T> copy = padded_numbers<T>(z);
          const auto look = rls.look(copy.data(), ~std::size_t{0});
          ASSERT_TRUE(std::isfinite(look.score) && std::isfinite(look.head) && std::isfinite(look.spread));
          ASSERT_TRUE(std::isfinite(rls.variance(look)) && rls.variance(look) > 0.0);
          rls.learn(copy.data(), target * normal(engine), look.score, look, weight, ~std::size_t{0});
          if (t % 8 == 0) rls.begin_block();
        }
        Archive archive;
        rls.save(archive, "r");
        Rls<T> loaded(0.01, 1e-3);
        ASSERT_NO_THROW(loaded.load(archive, "r", 20)) << most << " " << target << " " << weight;
      }
    }
  }
}

TEST(Rls, StaysFiniteWhateverItLearns) {
  check_extremes<float>();
  check_extremes<double>();
}

// What is written is sound, and need not be repaired when it is read: inputs that are nearly dependent, weights from
// the least to the largest.
TEST(Rls, WeightsOfAnySizeLeaveTheCovariancesSound) {
  std::mt19937_64 engine(9);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double noise : {1.0, 0.1, 0.01}) {
    for (int stream = 0; stream < 10; ++stream) {
      Rls<float> rls(noise, 0.0);
      rls.resize(12);
      for (int t = 0; t < 1000; ++t) {
        VectorXd z(12);
        const double x = uniform(engine);
        for (Index i = 0; i < 12; ++i) z[i] = i == 0 ? 1.0 : (i == 1 ? 30.0 : 0.3) * std::pow(x, i);
        const AlignedVector<float> copy = padded_numbers<float>(z);
        const auto look = rls.look(copy.data(), ~std::size_t{0});
        rls.learn(copy.data(), x, look.score, look, std::pow(10.0, 6.0 * uniform(engine)), ~std::size_t{0});
        if (t % 8 == 0) rls.begin_block();
        if (t % 100 != 99) continue;
        Archive archive;
        rls.save(archive, "r");
        Rls<float> loaded(noise, 0.0);
        ASSERT_NO_THROW(loaded.load(archive, "r", 12)) << noise << " " << t;
        ASSERT_EQ(encoded_rls(loaded), encoded_rls(rls)) << noise << " " << stream << " " << t;
      }
    }
  }
}

TEST(Rls, RefusesForgedNumbers) {
  Rls<double> rls(0.1, 0.0);
  rls.resize(2);
  const auto load = [&](const char* name, std::vector<double> forged) {
    Archive archive;
    rls.save(archive, "r");
    archive.put(name, forged);
    Rls<double> loaded(0.1, 0.0);
    loaded.load(archive, "r", 2);
  };
  const double nan = std::nan("");
  EXPECT_NO_THROW(load("r.errors", {1.0, 0.0, 0.0, 0.0}));
  EXPECT_THROW(load("r.errors", {0.0, 0.0, 0.0, 0.0}), Error);
  EXPECT_THROW(load("r.errors", {nan, 0.0, 0.0, 0.0}), Error);
  EXPECT_THROW(load("r.errors", {1.0, nan, 0.0, 0.0}), Error);
  EXPECT_THROW(load("r.errors", {1.0, 0.0, -1.0, 0.0}), Error);
  EXPECT_THROW(load("r.errors", {1.0, 0.0, 0.0, nan}), Error);
  EXPECT_THROW(load("r.errors", {1.0, 0.0, 0.0}), Error);
  EXPECT_THROW(load("r.functions", {1.0, nan, 0.0, 0.0}), Error);
  EXPECT_THROW(load("r.functions", {1.0, 0.0}), Error);
  EXPECT_THROW(load("r.variances", {1.0, -0.5}), Error);
}

// With updates that are carried out and some that are not, while it grows.
template <class T>
void check_spread(bool is_diagonal) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  Covariance<T> covariance(0.1, 1e-4, is_diagonal);
  for (std::size_t n = 1; n < 70; n += 1 + n / 8) {
    covariance.resize(n);
    for (int t = 0; t < 13; ++t) {
      VectorXd z(static_cast<Index>(n));
      for (double& number : z) number = normal(engine);
      const AlignedVector<T> copy = padded_numbers<T>(z);
      const double v = std::as_const(covariance).spread(copy.data());
      ASSERT_EQ(v, covariance.along(copy.data()).v) << n << " " << t;
      covariance.shrink(1.0 / (v + 0.1));
      if (t % 8 == 3) covariance.begin_block();
    }
  }
}

TEST(Covariance, SpreadIsThatAlongTheSameRowToTheBit) {
  check_spread<float>(false);
  check_spread<float>(true);
  check_spread<double>(false);
  check_spread<double>(true);
}

}  // namespace
}  // namespace alder
