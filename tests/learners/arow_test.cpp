#include "learners/alder/arow.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "archive/tensors.h"
#include "support/arow.h"
#include "support/literal_alder.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::LiteralArow;

template <class T>
AlignedVector<T> padded_copy(const Eigen::VectorXd& z) {
  AlignedVector<T> copy(padded(static_cast<std::size_t>(z.size())));
  for (Eigen::Index i = 0; i < z.size(); ++i) copy[static_cast<std::size_t>(i)] = static_cast<T>(z[i]);
  return copy;
}

template <class T>
Eigen::MatrixXd covariance_of(const Arow<T>& arow) {
  const auto n = static_cast<Eigen::Index>(arow.size());
  return Eigen::MatrixXd::NullaryExpr(n, n, [&arow](Eigen::Index i, Eigen::Index j) {
    return arow.covariance(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  });
}

// As the rows of ALDER: labels in the first three numbers, then coordinates whose length is at most 1.
Eigen::VectorXd random_row(std::mt19937_64& engine, Eigen::Index n) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd z(n);
  for (double& number : z) number = normal(engine);
  z /= z.norm() + 1e-30;
  if (n > 3) z.head(3) = Eigen::Vector3d(engine() % 2 == 0 ? 1.0 : -1.0, 0.2 * normal(engine), 0.1 * normal(engine));
  return z;
}

template <class T>
void check_transcription(double tolerance) {
  for (const double forget : {0.0, 1e-4, 0.03}) {
    for (const double noise : {0.01, 0.1, 3.0}) {
      std::mt19937_64 engine(3);
      Arow<T> arow(noise, forget);
      LiteralArow literal{noise, forget};
      EXPECT_EQ(arow.score(nullptr), 0.0);
      int learned = 0;
      for (int t = 0; t < 400; ++t) {
        // Growth by ones, and by many at once.
        if (t % 8 == 0) {
          const std::size_t n = arow.size() + (t % 80 == 0 ? 9 : 1);
          arow.resize(n);
          literal.resize(static_cast<Eigen::Index>(n));
        }
        const Eigen::VectorXd z = random_row(engine, literal.w.size());
        const AlignedVector<T> numbers = padded_copy<T>(z);
        const double label = z[0] + 2.0 * std::sin(t) > 0.0 ? 1.0 : -1.0;
        const double expected = literal.score(z);
        const double score = arow.score(numbers.data());
        ASSERT_NEAR(score, expected, tolerance) << "noise " << noise << " forget " << forget << " round " << t;
        if (label * expected >= 1.0) continue;
        literal.learn(label, expected, z);
        testing::learn(arow, label, score, numbers.data());
        ++learned;
      }
      EXPECT_GT(learned, 100);
      EXPECT_LT((covariance_of(arow) - literal.covariance).cwiseAbs().maxCoeff(), tolerance);
      const auto& w = testing::weights_of(arow);
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double expected = i < arow.size() ? literal.w[static_cast<Eigen::Index>(i)] : 0.0;
        ASSERT_NEAR(static_cast<double>(w[i]), expected, i < arow.size() ? tolerance : 0.0) << i;
      }
    }
  }
}

TEST(Arow, EqualsItsTranscription) {
  check_transcription<double>(1e-9);
}

// Variances grow by 16 units in the last place in an update, 400 times.
TEST(Arow, InFloatIsCloseToItsTranscription) {
  check_transcription<float>(0.02);
}

template <class T>
void expect_positive_definite(const Arow<T>& arow, const std::string& where) {
  const Eigen::MatrixXd covariance = covariance_of(arow);
  ASSERT_TRUE(covariance.allFinite()) << where;
  ASSERT_GT(covariance.diagonal().minCoeff(), 0.0) << where;
  ASSERT_LE(covariance.diagonal().maxCoeff(), 1.0) << where;
  // Of correlations, so that small variances are looked at as closely as large ones.
  const Eigen::VectorXd scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd correlation = scale.asDiagonal() * covariance * scale.asDiagonal();
  EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(correlation).info(), Eigen::Success) << where;
  for (const T weight : testing::weights_of(arow)) ASSERT_TRUE(std::isfinite(weight)) << where;
}

// Streams that leave as little variance as can be. Every row is learned, as if all were violations.
struct Stream {
  const char* name;
  Eigen::VectorXd (*row)(std::mt19937_64& engine, Eigen::Index n, int t);
};

Eigen::VectorXd ones(Eigen::Index n) {
  return Eigen::VectorXd::Constant(n, 1.0 / std::sqrt(static_cast<double>(n)));
}

const Stream kStreams[] = {
    {"random", [](std::mt19937_64& engine, Eigen::Index n, int) { return random_row(engine, n); }},
    {"one row", [](std::mt19937_64&, Eigen::Index n, int) { return ones(n); }},
    {"two rows, nearly equal",
     [](std::mt19937_64&, Eigen::Index n, int t) {
       Eigen::VectorXd z = ones(n);
       if (t % 2 == 0) z[n / 2] += 1e-6;
       return z;
     }},
    {"rows of a plane, nearly",
     [](std::mt19937_64& engine, Eigen::Index n, int t) {
       Eigen::VectorXd z = std::cos(t) * ones(n);
       z[0] += std::sin(t);
       return Eigen::VectorXd(z + 1e-5 * random_row(engine, n));
     }},
    {"long and short rows", [](std::mt19937_64& engine, Eigen::Index n,
                               int t) { return Eigen::VectorXd(random_row(engine, n) * std::pow(10.0, t % 7 - 5)); }},
    {"units", [](std::mt19937_64&, Eigen::Index n, int t) { return Eigen::VectorXd(Eigen::VectorXd::Unit(n, t % n)); }},
    {"zeros", [](std::mt19937_64&, Eigen::Index n, int) { return Eigen::VectorXd(Eigen::VectorXd::Zero(n)); }},
};

template <class T>
void run(const Stream& stream, std::size_t n, int rounds, double noise, double forget, int look) {
  std::mt19937_64 engine(7);
  Arow<T> arow(noise, forget);
  arow.resize(n);
  const std::string where = std::string(stream.name) + ", n " + std::to_string(n) + ", noise " + std::to_string(noise) +
                            ", forget " + std::to_string(forget) + (std::is_same_v<T, float> ? ", float" : ", double");
  // The rows come round again: making them takes longer than learning them.
  std::vector<AlignedVector<T>> rows;
  for (int t = 0; t < std::min(rounds, 997); ++t) {
    rows.push_back(padded_copy<T>(stream.row(engine, static_cast<Eigen::Index>(n), t)));
  }
  for (int t = 0; t < rounds; ++t) {
    const AlignedVector<T>& z = rows[static_cast<std::size_t>(t) % rows.size()];
    testing::learn(arow, t % 2 == 0 ? 1.0 : -1.0, arow.score(z.data()), z.data());
    if ((t + 1) % look == 0) {
      expect_positive_definite(arow, where + ", round " + std::to_string(t));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Arow, StaysPositiveDefiniteForAMillionRounds) {
  run<float>(kStreams[0], 12, 1'000'000, 0.1, 0.0, 100'000);
  run<double>(kStreams[0], 12, 1'000'000, 0.1, 0.0, 100'000);
}

TEST(Arow, StaysPositiveDefiniteOnStreamsThatWearItOut) {
  for (const Stream& stream : kStreams) {
    for (const double noise : {0.1, 1e-3}) {
      for (const double forget : {0.0, 1e-4}) {
        run<float>(stream, 12, 20'000, noise, forget, 5'000);
        run<double>(stream, 12, 20'000, noise, forget, 5'000);
      }
    }
  }
}

TEST(Arow, StaysPositiveDefiniteInItsUsualSize) {
  for (const Stream& stream : kStreams) {
    run<float>(stream, 203, 3'000, 0.1, 0.0, 1'000);
    run<double>(stream, 203, 1'000, 0.1, 0.0, 1'000);
  }
}

// What rounding has left of Σ is loaded as it is, neither refused nor repaired.
void expect_same_after_loading(const Arow<float>& arow, double noise, const char* where) {
  Archive archive;
  arow.save(archive, "arow");
  Arow<float> loaded(noise, 0.0);
  loaded.load(archive, "arow", arow.size());
  Archive again;
  loaded.save(again, "arow");
  ASSERT_EQ(again.encode(), archive.encode()) << where;
}

// With little noise floats cannot hold what is left of a variance; it may be lost, but nothing runs away.
TEST(Arow, EnduresNextToNoNoise) {
  for (const Stream& stream : kStreams) {
    std::mt19937_64 engine(7);
    Arow<float> arow(1e-6, 0.0);
    arow.resize(70);
    for (int t = 0; t < 3000; ++t) {
      const AlignedVector<float> z = padded_copy<float>(stream.row(engine, 70, t));
      testing::learn(arow, t % 2 == 0 ? 1.0 : -1.0, arow.score(z.data()), z.data());
      if (t % 100 == 0) expect_same_after_loading(arow, 1e-6, stream.name);
    }
    const Eigen::MatrixXd covariance = covariance_of(arow);
    ASSERT_GT(covariance.diagonal().minCoeff(), 0.0) << stream.name;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance, Eigen::EigenvaluesOnly);
    EXPECT_GT(solver.eigenvalues().minCoeff(), -1e-6) << stream.name;
    for (const float weight : testing::weights_of(arow)) ASSERT_LT(std::fabs(weight), 1e7F) << stream.name;
  }
}

template <class T>
void check_forgetting() {
  std::mt19937_64 engine(5);
  Arow<T> keeps(0.1, 0.0);
  Arow<T> forgets(0.1, 1e-3);
  keeps.resize(10);
  forgets.resize(10);
  for (int t = 0; t < 2000; ++t) {
    const AlignedVector<T> z = padded_copy<T>(random_row(engine, 10));
    testing::learn(keeps, 1.0, keeps.score(z.data()), z.data());
    testing::learn(forgets, 1.0, forgets.score(z.data()), z.data());
    for (std::size_t i = 0; i < 10; ++i) {
      ASSERT_GT(forgets.covariance(i, i), 0.0);
      ASSERT_LE(forgets.covariance(i, i), 1.0);
      ASSERT_LE(keeps.covariance(i, i), 1.0);
      if (t > 10) {
        ASSERT_GT(forgets.covariance(i, i), keeps.covariance(i, i)) << t;
      }
    }
  }
  // Updates by nothing: variances return to 1, and covariances stay.
  const double covariance = forgets.covariance(3, 1);
  const AlignedVector<T> nothing(padded(10));
  for (int t = 0; t < 1000; ++t) testing::learn(forgets, 1.0, 0.0, nothing.data());
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(forgets.covariance(i, i), 1.0);
  const double rounding = std::is_same_v<T, float> ? 1e-8 : 1e-16;  // of updates that were not carried out yet
  EXPECT_NEAR(forgets.covariance(3, 1), covariance, rounding);
  EXPECT_EQ(forgets.covariance(1, 3), forgets.covariance(3, 1));
}

TEST(Arow, ForgettingRaisesVariancesToOneAtMost) {
  check_forgetting<float>();
  check_forgetting<double>();
}

// What the margin lacks is made up for as far as the variance allows: y·wᵀz rises to the mean of before and 1, weighted
// by r and v.
TEST(Arow, AnUpdateMovesTheMarginTowardsOne) {
  std::mt19937_64 engine(2);
  Arow<double> arow(0.1, 0.0);
  arow.resize(20);
  for (int t = 0; t < 200; ++t) {
    const Eigen::VectorXd z = random_row(engine, 20);
    const AlignedVector<double> numbers = padded_copy<double>(z);
    const double label = t % 3 == 0 ? 1.0 : -1.0;
    const double before = label * arow.score(numbers.data());
    if (before >= 1.0) continue;
    const double v = z.dot(covariance_of(arow) * z);
    testing::learn(arow, label, label * before, numbers.data());
    ASSERT_NEAR(label * arow.score(numbers.data()), (0.1 * before + v) / (0.1 + v), 1e-12);
    ASSERT_NEAR(z.dot(covariance_of(arow) * z), 0.1 * v / (0.1 + v), 1e-12);
  }
}

// Blocks of eight rows, of which some are learned; products with these, and with some that are not, are made together.
template <class T>
void check_blocks() {
  for (const std::size_t n : {1, 15, 16, 17, 40}) {
    std::mt19937_64 engine(13);
    Arow<T> alone(0.1, 1e-4);
    Arow<T> together(0.1, 1e-4);
    alone.resize(n);
    together.resize(n);
    const std::size_t room = padded(n);
    for (int block = 0; block < 40; ++block) {
      AlignedVector<T> rows(simd::kTogether * room);
      std::array<bool, simd::kTogether> wanted = {};
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        const AlignedVector<T> z = padded_copy<T>(random_row(engine, static_cast<Eigen::Index>(n)));
        std::copy(z.begin(), z.end(), rows.begin() + static_cast<std::ptrdiff_t>(r * room));
        wanted[r] = engine() % 2 == 0;
      }
      alone.begin_block();
      together.begin_block();
      together.expect(rows.data(), room, wanted);
      for (std::size_t r = 0; r < simd::kTogether; ++r) {
        if (engine() % 4 == 0) continue;
        const T* const z = rows.data() + r * room;
        const double target = static_cast<double>(engine() % 2);
        const double score = alone.score(z);
        ASSERT_EQ(together.score(z), score) << n << " " << block << " " << r;
        alone.learn(target, std::span(&score, 1), z);
        together.learn(target, std::span(&score, 1), z, 1.0, r);
      }
      together.forget_expected();
    }
    Archive one;
    Archive other;
    alone.save(one, "arow");
    together.save(other, "arow");
    ASSERT_EQ(one.encode(), other.encode()) << n;
  }
}

TEST(Arow, ProductsThatAreMadeTogetherAreTheSameToTheBit) {
  check_blocks<float>();
  check_blocks<double>();
}

template <class T>
void check_saving() {
  for (const std::size_t n : {0, 1, 3, 16, 17, 50}) {
    std::mt19937_64 engine(11);
    Arow<T> arow(0.1, 1e-4);
    arow.resize(n);
    const auto learn = [&engine](Arow<T>& learner, const AlignedVector<T>& z, int t) {
      const double score = learner.score(z.data());
      testing::learn(learner, t % 2 == 0 ? 1.0 : -1.0, score, z.data());
      return score;
    };
    const auto next = [&] { return padded_copy<T>(random_row(engine, static_cast<Eigen::Index>(arow.size()))); };
    for (int t = 0; t < 300; ++t) learn(arow, next(), t);
    Archive archive;
    arow.save(archive, "arow");
    Arow<T> loaded(0.1, 1e-4);
    loaded.load(Archive::decode(archive.encode()), "arow", n);
    for (int t = 0; t < 40; ++t) {
      if (t == 20) {
        arow.resize(n + 2);
        loaded.resize(n + 2);
      }
      const AlignedVector<T> z = next();
      ASSERT_EQ(learn(loaded, z, t), learn(arow, z, t)) << n << " " << t;
    }
    Archive one;
    Archive other;
    arow.save(one, "arow");
    loaded.save(other, "arow");
    ASSERT_EQ(one.encode(), other.encode());
  }
}

TEST(Arow, GoesOnToTheBitAfterLoading) {
  check_saving<float>();
  check_saving<double>();
}

TEST(Arow, HostileNumbersAreRefused) {
  Arow<double> arow(0.1, 0.0);
  arow.resize(4);
  std::mt19937_64 engine(1);
  for (int t = 0; t < 50; ++t) {
    const AlignedVector<double> z = padded_copy<double>(random_row(engine, 4));
    testing::learn(arow, 1.0, 0.0, z.data());
  }
  Archive sound;
  arow.save(sound, "a");
  const auto is_refused = [](const Archive& archive, std::size_t n) {
    return testing::message_of([&] { Arow<double>(0.1, 0.0).load(archive, "a", n); }) != "nothing thrown";
  };
  EXPECT_FALSE(is_refused(sound, 4));
  EXPECT_TRUE(is_refused(sound, 3));
  EXPECT_TRUE(is_refused(sound, 5));
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* name : {"a.weights", "a.variances", "a.covariances"}) {
    for (const double value : {std::nan(""), infinity, -infinity, 1e250}) {
      auto numbers = sound.get<double>(name);
      numbers[1] = value;
      Archive hostile = sound;
      hostile.put(name, numbers);
      EXPECT_TRUE(is_refused(hostile, 4)) << name << " " << value;
    }
  }
  auto variances = sound.get<double>("a.variances");
  variances[2] = -0.1;
  Archive hostile = sound;
  hostile.put("a.variances", variances);
  EXPECT_TRUE(is_refused(hostile, 4));
}

TEST(Arow, UpdatesOfNoCoordinatesAreRefused) {
  Archive archive;
  Arow<float>(0.1, 0.0).save(archive, "a");
  Arow<float>(0.1, 0.0).load(archive, "a", 0);
  archive.put("a.factors", std::vector<float>{-0.1F});
  EXPECT_NE(testing::message_of([&] { Arow<float>(0.1, 0.0).load(archive, "a", 0); }), "nothing thrown");
}

}  // namespace
}  // namespace alder
