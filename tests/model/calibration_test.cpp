#include "model/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "support/throws.h"

namespace alder {
namespace {

// The definition with an inverse matrix, for a learner with logits and any number of classes: x_c has a score, a bias,
// a clipped margin and a logit.
class LiteralCalibration {
 public:
  [[nodiscard]] Eigen::VectorXd probabilities(const Eigen::MatrixXd& x) const {
    Eigen::VectorXd odds = x * theta_;
    odds = (odds.array() - odds.maxCoeff()).exp();
    return odds / odds.sum();
  }
  void learn(const Eigen::MatrixXd& x, Eigen::Index y, double weight) {
    const Eigen::VectorXd p = probabilities(x);
    const Eigen::VectorXd mean = x.transpose() * p;
    information_ *= 0.9998;
    for (Eigen::Index c = 0; c < x.rows(); ++c) {
      const Eigen::VectorXd d = x.row(c).transpose() - mean;
      information_ += weight * p[c] * d * d.transpose();
    }
    theta_ += information_.inverse() * (weight * (x.row(y).transpose() - mean));
  }

 private:
  Eigen::VectorXd theta_ = Eigen::Vector4d(1.5, 0.0, 0.3, 0.1);
  Eigen::MatrixXd information_ = Eigen::Matrix4d::Identity();
};

double clipped(double margin) {
  return std::log(std::clamp(0.5 * (1.0 + margin), 0.02, 1.0));
}

Eigen::MatrixXd parts(const std::vector<double>& scores, const std::vector<double>& logits) {
  const auto n = static_cast<Eigen::Index>(scores.size());
  Eigen::MatrixXd x(n, 4);
  const double most = *std::max_element(scores.begin(), scores.end());
  const double most_logit = *std::max_element(logits.begin(), logits.end());
  for (Eigen::Index c = 0; c < n; ++c) {
    double rival = -1e300;
    for (Eigen::Index j = 0; j < n; ++j) rival = j == c ? rival : std::max(rival, scores[static_cast<std::size_t>(j)]);
    const double score = scores[static_cast<std::size_t>(c)];
    x.row(c) << score - most, 0.0, clipped(score - rival), logits[static_cast<std::size_t>(c)] - most_logit;
  }
  return x;
}

std::size_t largest(std::span<const double> numbers) {
  return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

// Where the class that the scores predict does not have the largest probability, it shares with those above it.
void expect_favoured(const Eigen::VectorXd& expected, std::span<const double> made, std::size_t predicted, int t) {
  double pooled = expected[static_cast<Eigen::Index>(predicted)];
  double count = 1.0;
  const double least = pooled;
  for (const double p : expected) {
    if (p > least) pooled += p, count += 1.0;
  }
  for (std::size_t c = 0; c < made.size(); ++c) {
    const double p = expected[static_cast<Eigen::Index>(c)];
    ASSERT_NEAR(made[c], c == predicted || p > least ? pooled / count : p, 1e-8) << t;
  }
  ASSERT_EQ(largest(made), predicted) << t;
}

TEST(Calibration, OfManyClassesIsTheTranscription) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  Calibration calibration;
  LiteralCalibration literal;
  for (int t = 0; t < 2000; ++t) {
    std::vector<double> scores(5), logits(5), made(5);
    for (double& number : scores) number = 0.7 * normal(engine);
    for (double& number : logits) number = 2.0 * normal(engine);
    const std::size_t y = engine() % 3 == 0 ? engine() % 5 : largest(scores);
    const double weight = t % 7 == 0 ? 0.3 : 1.0;
    const Eigen::MatrixXd x = parts(scores, logits);
    const Eigen::VectorXd expected = literal.probabilities(x);
    calibration.probabilities(scores, logits, made);
    expect_favoured(expected, made, largest(scores), t);
    std::vector<double> again(5);
    calibration.learn(scores, logits, static_cast<double>(y), weight, again);
    ASSERT_EQ(made, again);
    literal.learn(x, static_cast<Eigen::Index>(y), weight);
    ASSERT_NEAR(std::accumulate(made.begin(), made.end(), 0.0), 1.0, 1e-12);
  }
}

TEST(Calibration, OfTwoClassesIsTheTranscriptionWithABias) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  Calibration calibration;
  LiteralCalibration literal;
  for (int t = 0; t < 2000; ++t) {
    const double score = normal(engine);
    const double logit = 2.0 * normal(engine);
    const double y = normal(engine) < score + 0.4 ? 1.0 : 0.0;
    Eigen::MatrixXd x(2, 4);
    x.row(0) << -0.5 * score, -0.5, clipped(-score), -0.5 * logit;
    x.row(1) << 0.5 * score, 0.5, clipped(score), 0.5 * logit;
    const Eigen::VectorXd expected = literal.probabilities(x);
    std::vector<double> made(2);
    calibration.learn(std::span(&score, 1), std::span(&logit, 1), y, 1.0, made);
    expect_favoured(expected, made, score >= 0.0 ? 1 : 0, t);
    literal.learn(x, static_cast<Eigen::Index>(y), 1.0);
  }
}

// Scores of a learner without logits may have any size.
TEST(Calibration, FindsTheProbabilitiesThatRowsWereDrawnBy) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Calibration calibration;
    std::vector<double> made(2);
    double worst = 0.0;
    for (int t = 0; t < 20000; ++t) {
      const double x = normal(engine);
      const double true_p = 1.0 / (1.0 + std::exp(-(2.5 * x - 0.7)));
      const double score = size * x;
      calibration.learn(std::span(&score, 1), {}, uniform(engine) < true_p ? 1.0 : 0.0, 1.0, made);
      // Between the boundary of the scores and that of the probabilities both classes are as likely by construction.
      if (t > 15000 && (x > 0.35 || x < -0.05)) worst = std::max(worst, std::fabs(made[1] - true_p));
    }
    EXPECT_LT(worst, 0.08) << size;
  }
}

TEST(Calibration, OfManyClassesWithoutLogitsFindsTheTemperature) {
  std::mt19937_64 engine(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Calibration calibration;
  std::vector<double> scores(4), odds(4), made(4);
  double difference = 0.0;
  for (int t = 0; t < 20000; ++t) {
    double sum = 0.0;
    for (std::size_t c = 0; c < 4; ++c) {
      scores[c] = 50.0 * normal(engine);
      sum += odds[c] = std::exp(scores[c] / 20.0);
    }
    double left = uniform(engine) * sum;
    std::size_t y = 0;
    while (y < 3 && (left -= odds[y]) > 0.0) ++y;
    calibration.learn(scores, {}, static_cast<double>(y), 1.0, made);
    if (t >= 10000) difference += std::fabs(made[y] - odds[y] / sum) / 10000.0;
  }
  EXPECT_LT(difference, 0.02);
}

TEST(Calibration, HugeScoresAndWeightsGiveProbabilities) {
  std::mt19937_64 engine(5);
  Calibration calibration;
  for (int t = 0; t < 3000; ++t) {
    const double score = (t % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, static_cast<double>(engine() % 300) - 100.0);
    const double logit = -score;
    std::vector<double> two(2), three(3);
    calibration.learn(std::span(&score, 1), std::span(&logit, 1), static_cast<double>(engine() % 2), 1e6, two);
    ASSERT_NEAR(two[0] + two[1], 1.0, 1e-12);
    calibration.learn(std::vector{score, 0.0, -score}, {}, static_cast<double>(engine() % 3), 1e-6, three);
    for (const double p : three) ASSERT_TRUE(p >= 0.0 && p <= 1.0) << t;
  }
}

TEST(Calibration, SavesAndLoadsExactly) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal;
  Calibration calibration;
  std::vector<double> made(2), other(2);
  for (int t = 0; t < 500; ++t) {
    if (t % 50 == 0) {
      Archive archive;
      calibration.save(archive);
      Calibration loaded = Calibration::load(Archive::decode(archive.encode()));
      const double score = normal(engine);
      loaded.learn(std::span(&score, 1), std::span(&score, 1), 1.0, 1.0, made);
      calibration.learn(std::span(&score, 1), std::span(&score, 1), 1.0, 1.0, other);
      ASSERT_EQ(made, other);
      loaded.learn(std::span(&score, 1), {}, 0.0, 1.0, made);
      calibration.learn(std::span(&score, 1), {}, 0.0, 1.0, other);
      ASSERT_EQ(made, other);
    }
    const double score = normal(engine);
    calibration.learn(std::span(&score, 1), std::span(&score, 1), normal(engine) > 0 ? 1.0 : 0.0, 1.0, made);
  }
}

TEST(Calibration, RefusesNumbersThatItCannotHaveWritten) {
  const auto message = [](const char* tensor, std::size_t place, double number) {
    Archive archive;
    Calibration().save(archive);
    std::vector<double> numbers = archive.get<double>(tensor);
    numbers[place] = number;
    archive.put(tensor, numbers);
    return testing::message_of([&] { Calibration::load(archive); });
  };
  const double nan = std::nan("");
  for (const auto& [tensor, place, number] : {std::tuple{"calibration.theta", 0, nan},
                                              {"calibration.theta", 2, 1e9},
                                              {"calibration.information", 0, -1.0},
                                              {"calibration.information", 1, 1e300},
                                              {"calibration.information", 9, nan},
                                              {"calibration.scale", 0, -1.0},
                                              {"calibration.scale", 0, 1.0}}) {
    EXPECT_NE(message(tensor, static_cast<std::size_t>(place), number).find("calibration is out of range"),
              std::string::npos)
        << tensor << place;
  }
}

}  // namespace
}  // namespace alder
