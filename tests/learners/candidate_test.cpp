#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "archive/archive.h"
#include "learners/alder/class_candidate.h"
#include "support/driven_candidate.h"

namespace alder {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using testing::DrivenCandidate;

// One predictor with a whole matrix.
struct WholeArow {
  double rate;
  VectorXd w = {};
  Eigen::MatrixXd covariance = {};

  void resize(Index n) {
    const Index old = w.size();
    w.conservativeResize(n);
    covariance.conservativeResize(n, n);
    for (Index i = old; i < n; ++i) {
      w[i] = 0.0;
      covariance.row(i).setZero();
      covariance.col(i).setZero();
      covariance(i, i) = 1.0;
    }
  }
  [[nodiscard]] double score(const VectorXd& z) const { return w.dot(z.head(w.size())); }
  void learn(double y, double score, const VectorXd& all, double weight) {
    const VectorXd z = all.head(w.size());
    const VectorXd moved = covariance * z;
    const double beta = 1.0 / (z.dot(moved) + 0.1 / weight);
    w += beta * (1.0 - y * score) * y * moved;
    covariance -= beta * moved * moved.transpose();
    covariance.diagonal() = (covariance.diagonal().array() + rate).min(1.0);
  }
};

// A candidate of two classes as its header, those of its parts and the stages of ALDER have it, without a fine layer.
struct LiteralCandidate {
  LiteralCandidate(double g, const std::vector<VectorXd>& fitted, std::size_t most, bool given)
      : gamma(g), budget(most), is_given(given) {
    mean = VectorXd::Zero(fitted[0].size());
    for (const VectorXd& x : fitted) mean += x / static_cast<double>(fitted.size());
    deviation = VectorXd::Zero(mean.size());
    for (const VectorXd& x : fitted) deviation += (x - mean).cwiseAbs2() / static_cast<double>(fitted.size());
    deviation = deviation.cwiseSqrt();
    for (WholeArow& predictor : predictors) predictor.resize(mean.size() + 1);
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(elements.size()); }
  [[nodiscard]] double cost(std::size_t p) const {
    return mistakes[p] + static_cast<double>(p) * caution * std::sqrt(mistakes[p] + 1.0);
  }
  [[nodiscard]] std::size_t top() const {
    std::size_t best = 0;
    for (std::size_t p = 1; p < 3; ++p) best = cost(p) < cost(best) ? p : best;
    return best;
  }
  [[nodiscard]] bool is_full() const {
    return elements.size() >= budget || (!is_given && elements.size() >= 200 && top() == 2);
  }

  // What is known before the class is.
  void forecast(const VectorXd& x) {
    k.resize(size());
    for (Index i = 0; i < size(); ++i)
      k[i] = std::exp(-gamma * (x - elements[static_cast<std::size_t>(i)]).squaredNorm());
    phi = factor.topLeftCorner(size(), size()).triangularView<Eigen::Lower>().solve(k);
    alpha = 1.0 - phi.squaredNorm();
    z.resize(mean.size() + 1 + size());
    const VectorXd standard = ((x - mean).array() / deviation.array()).min(3.0).max(-3.0);
    z << standard / std::sqrt(static_cast<double>(mean.size())), 0.5, phi;
    guide = guide_weights.dot(phi);
    double sum = 0.0;
    mixed = 0.0;
    for (std::size_t p = 0; p < 3; ++p) {
      scores[p] = predictors[p].score(z);
      const double say = std::exp(-(cost(p) - cost(top())) / 2.0);
      mixed += say * std::clamp(scores[p], -1.0, 1.0);
      sum += say;
    }
    mixed /= sum;
  }

  void learn(const VectorXd& x, double y, double weight) {
    const bool was_full = is_full();
    if (!was_full && alpha > 0.05 * 0.05 && y * guide < 1.0) join(x);
    if (!was_full && y * guide < 1.0) {
      guide_squares += phi.cwiseAbs2();
      guide_weights += y * (phi.array() / guide_squares.array().sqrt()).matrix();
    }
    ++rows;
    violations += y * scores[0] < 1.0 ? 1 : 0;
    for (std::size_t p = 0; p < 3; ++p) {
      if (y * scores[p] < 1.0) predictors[p].learn(y, scores[p], z, weight);
      const bool is_wrong = (scores[p] >= 0.0) != (y > 0.0);
      mistakes[p] = 0.999 * mistakes[p] + (is_wrong ? weight : 0.0);
    }
  }

  // The Gram matrix is factor·factorᵀ: its new row is φ, and what is missing to the length 1.
  void join(const VectorXd& x) {
    const Index n = size();
    factor.conservativeResize(n + 1, n + 1);
    factor.row(n).head(n) = phi.transpose();
    factor(n, n) = std::sqrt(alpha);
    elements.push_back(x);
    phi.conservativeResize(n + 1);
    phi[n] = std::sqrt(alpha);
    z.conservativeResize(z.size() + 1);
    z[z.size() - 1] = phi[n];
    guide_weights.conservativeResize(n + 1);
    guide_weights[n] = 0.0;
    guide_squares.conservativeResize(n + 1);
    guide_squares[n] = 1e-3;
    for (WholeArow& predictor : predictors) predictor.resize(z.size());
    const Index linear = mean.size() + 1;
    if (n + 1 > 200) predictors[2].resize(std::min(z.size(), static_cast<Index>(padded(linear + 200))));
  }

  double gamma;
  std::size_t budget;
  bool is_given;
  double caution = 1.0;
  VectorXd mean;
  VectorXd deviation;
  std::vector<VectorXd> elements;
  Eigen::MatrixXd factor;
  VectorXd guide_weights;
  VectorXd guide_squares;
  std::array<WholeArow, 3> predictors = {WholeArow{0.0}, WholeArow{1e-5}, WholeArow{1e-3}};
  std::array<double, 3> mistakes = {};
  int rows = 0;
  int violations = 0;
  // Of a round:
  VectorXd k;
  VectorXd phi;
  VectorXd z;
  double alpha = 0.0;
  double guide = 0.0;
  std::array<double, 3> scores = {};
  double mixed = 0.0;
};

// Points on the plane with rings as classes; `flips` turn them around again and again.
struct RingStream {
  explicit RingStream(int rows, int between_flips, std::size_t classes = 2) {
    std::mt19937_64 engine(21);
    std::normal_distribution<double> normal;
    for (int t = 0; t < rows; ++t) {
      VectorXd& x = points.emplace_back(3);
      for (double& value : x) value = normal(engine);
      const auto ring = static_cast<std::size_t>(x.head(2).norm() * 1.2);
      const bool flips = between_flips > 0 && (t / between_flips) % 2 == 1;
      const bool is_noise = engine() % 20 == 0;
      targets.push_back(static_cast<double>((ring + (flips ? 1 : 0) + (is_noise ? 1 : 0)) % classes));
      weights.push_back(t % 11 == 0 ? 3.0 : 1.0);
    }
    for (const VectorXd& x : points) {
      rows_of.push_back(Row::dense(std::span(x.data(), static_cast<std::size_t>(x.size()))).as_checked());
    }
  }

  std::vector<VectorXd> points;
  std::vector<double> targets;
  std::vector<double> weights;
  std::vector<Row> rows_of;
};

AlderOptions headless() {
  AlderOptions options;
  options.head = false;
  return options;
}

// Returns in how many rounds there was room that was not used.
int check_candidate(const AlderOptions& options, const RingStream& stream, double ratio, bool fits_budget) {
  const Kernel kernel = Kernel::gaussian_gamma(2.0);
  DrivenCandidate<double> made(options, stream, 2, kernel, ratio);
  const std::vector<VectorXd> fitted(stream.points.begin(), stream.points.begin() + 100);
  LiteralCandidate literal(2.0 * ratio, fitted, options.budget.value_or(200), options.budget.has_value());
  made.candidate.set_caution(literal.caution);
  std::array<int, 3> was_top = {};
  int held = 0;
  const std::size_t n = stream.points.size();
  const auto check = [&](std::size_t t) {
    if (::testing::Test::HasFatalFailure()) return;
    literal.forecast(stream.points[t]);
    ASSERT_EQ(made.candidate.size(), literal.elements.size()) << t;
    ASSERT_NEAR(made.forecast.alpha, literal.alpha, 1e-8) << t;
    ASSERT_NEAR(made.forecast.guide[0], literal.is_full() ? 0.0 : literal.guide, 1e-8) << t;
    for (std::size_t p = 0; p < 3; ++p) ASSERT_NEAR(made.forecast.each[p], literal.scores[p], 1e-8) << t;
    ASSERT_NEAR(made.forecast.scores[0], literal.mixed, 1e-8) << t;
    ASSERT_EQ(made.candidate.rate(), literal.predictors[literal.top()].rate) << t;
    ++was_top[literal.top()];
    held += literal.is_full() && literal.elements.size() < literal.budget ? 1 : 0;
    literal.learn(stream.points[t], stream.targets[t] == 1.0 ? 1.0 : -1.0, stream.weights[t]);
  };
  made.run(stream, 0, n / 2, 8, check);
  made.candidate.set_caution(0.5);
  literal.caution = 0.5;
  if (fits_budget) {
    const double share = static_cast<double>(literal.violations) / literal.rows;
    made.candidate.fit_budget(400);
    if (!literal.is_given) {
      literal.budget = static_cast<std::size_t>(std::clamp(200.0 * std::pow(0.8 / share, 0.6), 200.0, 400.0));
    }
    EXPECT_EQ(made.candidate.budget(), literal.budget);
    made.candidate.begin_race();
  }
  made.run(stream, n / 2, n, 8, check);
  if (::testing::Test::HasFatalFailure()) return 0;
  EXPECT_GT(was_top[2], 0);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(made.candidate.predictor(p).size(), static_cast<std::size_t>(literal.predictors[p].w.size()));
    for (Index i = 0; i < literal.predictors[p].w.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(made.candidate.predictor(p).covariance(at, at), literal.predictors[p].covariance(i, i), 1e-8);
    }
  }
  return held;
}

TEST(Candidate, EqualsItsDefinition) {
  AlderOptions options = headless();
  options.budget = 60;
  check_candidate(options, RingStream(640, 200), 1.0, false);
  check_candidate(options, RingStream(640, 200), 0.5, true);  // a budget that is given stays
}

TEST(Candidate, OneThatForgetsMuchHasTheFirstCoordinatesOnly) {
  AlderOptions options = headless();
  options.budget = 240;
  check_candidate(options, RingStream(2000, 500), 4.0, false);
}

// An easy half, after which more than 200 rows may be stored, and one that turns around again and again.
TEST(Candidate, StoresNoMoreRowsWhileTheOneThatForgetsMuchIsTheBest) {
  RingStream stream(1400, 100);
  for (std::size_t t = 0; t < 700; ++t) stream.targets[t] = stream.points[t][0] > 0.0 ? 1.0 : 0.0;
  EXPECT_GT(check_candidate(headless(), stream, 1.0, true), 0);
}

TEST(Candidate, MayStoreMoreRowsTheFewerViolateTheMargin) {
  RingStream easy(1200, 0);
  for (std::size_t t = 0; t < easy.points.size(); ++t) easy.targets[t] = easy.points[t][0] > 0.0 ? 1.0 : 0.0;
  DrivenCandidate<double> made(headless(), easy, 2, Kernel::gaussian(1.0), 1.0);
  EXPECT_EQ(made.candidate.budget(), 200U);
  int violations = 0;
  made.run(easy, 0, 200, 8, [](std::size_t) {});
  made.candidate.begin_race();
  made.run(easy, 200, 1200, 8, [&](std::size_t t) {
    const double label = easy.targets[t] == 1.0 ? 1.0 : -1.0;
    violations += label * made.forecast.each[0] < 1.0 ? 1 : 0;
  });
  const double wanted = 200.0 * std::pow(0.8 / (violations / 1000.0), 0.6);
  ASSERT_GT(wanted, 200.0);
  made.candidate.fit_budget(1600);
  EXPECT_EQ(made.candidate.budget(), static_cast<std::size_t>(std::min(1600.0, wanted)));
  made.candidate.fit_budget(210);
  EXPECT_EQ(made.candidate.budget(), 210U);
}

template <class T>
void check_blocks(std::size_t classes, bool has_fine_layer) {
  const RingStream stream(700, 250, classes);
  AlderOptions options;
  options.budget = 70;
  const Kernel kernel = Kernel::gaussian(0.7);
  DrivenCandidate<T> whole(options, stream, classes, kernel, 0.5);
  DrivenCandidate<T> single(options, stream, classes, kernel, 0.5);
  DrivenCandidate<T> uneven(options, stream, classes, kernel, 0.5);
  if (has_fine_layer) {
    for (DrivenCandidate<T>* driven : {&whole, &single, &uneven}) driven->candidate.add_fine_layer(100, 25.0);
  }
  std::vector<std::vector<double>> expected;
  const auto numbers = [](const DrivenCandidate<T>& driven) {
    std::vector<double> all = driven.forecast.each;
    for (const auto* more : {&driven.forecast.guide, &driven.forecast.extras, &driven.forecast.scores}) {
      all.insert(all.end(), more->begin(), more->end());
    }
    return all;
  };
  whole.run(stream, 0, 700, 8, [&](std::size_t) { expected.push_back(numbers(whole)); });
  single.run(stream, 0, 700, 1, [&](std::size_t t) { ASSERT_EQ(numbers(single), expected[t]) << t; });
  uneven.run(stream, 0, 700, 5, [&](std::size_t t) { ASSERT_EQ(numbers(uneven), expected[t]) << t; });
  EXPECT_EQ(whole.candidate.size(), 70U);
  EXPECT_EQ(whole.candidate.fine_rows() > 0, has_fine_layer);
}

TEST(Candidate, IsTheSameToTheBitHoweverRowsAreCutIntoBlocks) {
  for (const std::size_t classes : {2, 3, 5}) {
    check_blocks<float>(classes, false);
    check_blocks<double>(classes, false);
    check_blocks<float>(classes, true);
  }
}

template <class T>
void check_scores(std::size_t classes, bool recent_labels) {
  const RingStream stream(600, 0, classes);
  AlderOptions options;
  options.budget = 70;
  options.recent_labels = recent_labels;
  DrivenCandidate<T> driven(options, stream, classes, Kernel::gaussian(0.7), 0.5, recent_labels ? 15 : 0);
  driven.candidate.add_fine_layer(100, 25.0);
  const std::size_t width = classes == 2 ? 1 : classes;
  driven.run(stream, 0, 400, 8, [](std::size_t) {});
  for (std::size_t t = 400; t < 600; t += recent_labels ? 1 : 8) {
    const std::size_t count = recent_labels ? 1 : 8;
    ScoredRows<T> scored;
    std::vector<T> inputs;
    driven.geometry.look(std::span(stream.rows_of).subspan(t, count), scored, inputs);
    std::vector<double> scores(count * width);
    std::vector<double> logits(count * width);
    driven.candidate.score(driven.geometry, scored, inputs, count, scores, logits);
    driven.run(stream, t, t + 1, 1, [&](std::size_t) {
      for (std::size_t c = 0; c < width; ++c) {
        ASSERT_EQ(driven.forecast.scores[c], scores[c]) << t;
        ASSERT_EQ(driven.forecast.extras[c], logits[c]) << t;
      }
    });
  }
}

TEST(Candidate, ScoresWhatItForecasts) {
  for (const std::size_t classes : {2, 4}) {
    check_scores<float>(classes, false);
    check_scores<double>(classes, false);
  }
  check_scores<float>(2, true);
}

TEST(Candidate, MayGetASlowPredictorThatIsLikeTheFirst) {
  const RingStream stream(400, 0);
  DrivenCandidate<double> driven(headless(), stream, 2, Kernel::gaussian(0.7), 1.0);
  driven.candidate = ClassCandidate<double>(headless(), 2, {0.0, 1e-3}, driven.geometry);
  driven.run(stream, 0, 200, 8, [](std::size_t) {});
  driven.candidate.add_slow_predictor(1e-5);
  ASSERT_EQ(driven.candidate.predictors(), 3U);
  driven.run(stream, 200, 201, 1, [&](std::size_t) { EXPECT_EQ(driven.forecast.each[0], driven.forecast.each[1]); });
  driven.run(stream, 201, 400, 8, [](std::size_t) {});
  EXPECT_GT(driven.candidate.predictor(1).covariance(0, 0), driven.candidate.predictor(0).covariance(0, 0));
  EXPECT_LT(driven.candidate.predictor(1).covariance(0, 0), driven.candidate.predictor(2).covariance(0, 0));
}

TEST(Candidate, GoesOnFromAnArchiveToTheBit) {
  const RingStream stream(640, 200, 3);
  AlderOptions options;
  DrivenCandidate<float> made(options, stream, 3, Kernel::gaussian(0.7), 0.5);
  made.candidate.fit_budget(400);
  made.run(stream, 0, 320, 8, [](std::size_t) {});
  made.candidate.add_fine_layer(50, 25.0);
  made.run(stream, 320, 480, 8, [](std::size_t) {});
  Archive archive;
  made.geometry.save(archive, "g");
  made.candidate.save(archive, "c");
  const Archive decoded = Archive::decode(archive.encode());
  DrivenCandidate<float> loaded(options, stream, 3, Kernel::gaussian(0.7), 0.5);
  loaded.geometry = Geometry<float>::load(decoded, "g", 0, std::nullopt);
  loaded.candidate.load(decoded, "c", loaded.geometry);
  std::vector<std::vector<double>> expected;
  made.run(stream, 480, 640, 8, [&](std::size_t) { expected.push_back(made.forecast.scores); });
  loaded.run(stream, 480, 640, 8, [&](std::size_t t) { ASSERT_EQ(loaded.forecast.scores, expected[t - 480]) << t; });
}

}  // namespace
}  // namespace alder
