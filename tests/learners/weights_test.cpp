// Weights of examples: what they mean for each learner that takes them, and who refuses which.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/learners.h"

#include "learners/alder/arow.h"
#include "learners/alder/race.h"
#include "support/any_learner.h"
#include "support/any_options.h"
#include "support/any_rows.h"
#include "support/arow.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/literal_pomdr.h"
#include "support/test_name.h"
#include "support/throws.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_one;
using testing::options_of;
using testing::restored;
using testing::Rows;
using testing::some_rows;
using testing::Vector;

constexpr const char* kPrecisions[] = {"float", "double"};

class Weights : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static bool takes_weights() { return make_learner(GetParam())->takes_weights(); }
};

TEST_P(Weights, OfOneAreAsNone) {
  const std::string& name = GetParam();
  const Dataset data = some_rows(Rows::kDense, 21, 200);
  std::vector<Row> rows;
  const Examples all = data.examples(0, 200, rows);
  const std::vector<double> ones(200, 1.0);
  for (const char* precision : kPrecisions) {
    const auto without = testing::small_learner(name, precision);
    const auto with = testing::small_learner(name, precision);
    std::vector<double> expected;
    std::vector<double> scores;
    learn_all(*without, all, expected);
    learn_all(*with, {all.rows, all.targets, ones}, scores);
    EXPECT_EQ(scores, expected) << name;
    EXPECT_TRUE(encoded(*with) == encoded(*without)) << name;
  }
}

TEST_P(Weights, ThatAreNoneAreRefused) {
  const std::string& name = GetParam();
  const Dataset data = some_rows(Rows::kDense, 22, 30);
  std::vector<Row> rows;
  const Examples all = data.examples(0, 30, rows);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, -1e-300, std::nan(""), infinity, -infinity, 1.0001 * kMostWeight}) {
    const auto learner = testing::small_learner(name, "float");
    std::vector<double> scores(30);
    const std::string untouched = encoded(*learner);
    std::vector<double> weights(30, 1.0);
    weights[0] = bad;
    EXPECT_THROW(learner->learn({all.rows, all.targets, weights}, scores), Error) << name << " " << bad;
    EXPECT_TRUE(encoded(*learner) == untouched) << name << " " << bad;
    weights[0] = 1.0;
    weights[13] = bad;
    EXPECT_EQ(learner->learn({all.rows, all.targets, weights}, scores), 13U) << name << " " << bad;
    EXPECT_EQ(learner->rounds(), 13U);
  }
}

TEST_P(Weights, AreRefusedByNameWhereThereIsNoPlaceForThem) {
  const std::string& name = GetParam();
  const auto learner = testing::small_learner(name, "float");
  const std::vector<double> x = {0.5, -0.2};
  const std::string untouched = encoded(*learner);
  const std::string message = testing::message_of([&] { learn_one(*learner, Example{Row::dense(x), 1.0}, 0.5); });
  if (learner->takes_weights()) {
    EXPECT_EQ(message, "nothing thrown");
    EXPECT_EQ(learner->rounds(), 1U);
    return;
  }
  EXPECT_EQ(message, "the weight is 0.5; expected 0 or 1, since " + name + " has no place for weights");
  EXPECT_TRUE(encoded(*learner) == untouched);
  try {
    learn_one(*learner, Example{Row::dense(x), 1.0}, 0.5);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUnsupported);
  }
}

// The largest and the smallest, mixed: scores stay finite, and what is saved can be loaded and goes on to the bit.
TEST_P(Weights, MayBeOfAnySize) {
  if (!takes_weights()) return;
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    for (const bool is_small : {false, true}) {
      Json settings = is_small ? testing::small_options(precision) : Json{{"precision", precision}};
      settings["race"] = 150;
      const Dataset data = some_rows(Rows::kDense, 23, 400);
      const auto whole = make_learner(name, options_of(name, settings));
      auto split = make_learner(name, options_of(name, settings));
      std::mt19937_64 engine(24);
      for (std::size_t t = 0; t < data.size(); ++t) {
        constexpr double kSizes[] = {kMostWeight, 1e3, 1.0, 1e-3, 1e-20, 1e-300, 5e-324};
        // A phase of each size, and then all of them.
        const double weight = kSizes[t < 280 ? t / 40 : engine() % 7];
        const double score = learn_one(*whole, data[t], weight);
        ASSERT_TRUE(std::isfinite(score)) << name << " " << precision << " round " << t;
        if (t % 9 == 4) {
          const std::string bytes = encoded(*split);
          split = restored(bytes);
          ASSERT_TRUE(encoded(*split) == bytes) << name << " " << precision << " round " << t;
        }
        ASSERT_EQ(learn_one(*split, data[t], weight), score) << name << " " << precision << " round " << t;
      }
      EXPECT_TRUE(encoded(*split) == encoded(*whole)) << name << " " << precision;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, Weights, ::testing::ValuesIn(learner_names()), testing::test_name);

// Learners whose update is a step along the gradient: the step is so many times as long.
class GradientWeights : public ::testing::TestWithParam<std::string> {};

std::vector<double> function_after(const std::string& bytes, const Example& example, double weight,
                                   const Dataset& probes) {
  const auto learner = restored(bytes);
  learn_one(*learner, example, weight);
  std::vector<Row> rows;
  std::vector<double> scores(probes.size());
  learner->score(probes.examples(0, probes.size(), rows).rows, scores);
  return scores;
}

TEST_P(GradientWeights, MultiplyTheStep) {
  const std::string& name = GetParam();
  const Dataset data = some_rows(Rows::kDense, 25, 80);
  const Dataset probes = some_rows(Rows::kDense, 26, 30);
  Json settings = {{"kernel", {{"name", "gaussian"}, {"sigma", 0.7}}}, {"radius", 1e6}, {"precision", "double"}};
  if (name == "bogd") settings["regularization"] = 0.0;  // or it would shrink the function, whatever the weight
  const auto learner = make_learner(name, options_of(name, settings));
  int moved = 0;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const std::string bytes = encoded(*learner);
    std::vector<Row> rows;
    std::vector<double> before(probes.size());
    learner->score(probes.examples(0, probes.size(), rows).rows, before);
    const std::vector<double> one = function_after(bytes, data[t], 1.0, probes);
    const std::vector<double> two = function_after(bytes, data[t], 2.0, probes);
    for (const double weight : {0.001, 0.5, 3.0, 70.0}) {
      const std::vector<double> found = function_after(bytes, data[t], weight, probes);
      for (std::size_t i = 0; i < probes.size(); ++i) {
        const double expected = one[i] + (weight - 1.0) * (two[i] - one[i]);
        ASSERT_NEAR(found[i], expected, 1e-10 * (1.0 + std::fabs(expected))) << name << " round " << t;
      }
    }
    double step = 0.0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      // Pegasos shrinks the function in every round, by the number of rounds.
      const double shrunk = name == "pegasos" ? static_cast<double>(t) / static_cast<double>(t + 1) : 1.0;
      ASSERT_NEAR(2.0 * one[i] - two[i], shrunk * before[i], 1e-10 * (1.0 + std::fabs(before[i]))) << name;
      step = std::max(step, std::fabs(two[i] - one[i]));
    }
    moved += step > 1e-6 ? 1 : 0;
    learn_one(*learner, data[t]);
  }
  EXPECT_GT(moved, 10) << name;
}

INSTANTIATE_TEST_SUITE_P(Learners, GradientWeights,
                         ::testing::Values("ogd", "pegasos", "perceptron", "projectron", "bogd", "fogd", "nogd",
                                           "skegd"),
                         testing::test_name);

// AdaGrad with gradients that are so many times as long, in plain loops.
TEST(LinearWeights, MultiplyTheGradient) {
  const auto stream = testing::random_stream(27, 300, 5);
  LinearOptions options;
  options.precision = Precision::kDouble;
  const auto learner = make_linear(options);
  Vector w(6);
  Vector squares(6);
  std::mt19937_64 engine(28);
  for (std::size_t t = 0; t < 300; ++t) {
    Vector x = stream.rows[t];
    x.push_back(1.0);
    double expected = 0.0;
    for (std::size_t j = 0; j < 6; ++j) expected += w[j] * x[j];
    const double weight = std::pow(10.0, static_cast<double>(engine() % 5) - 2.0);
    const double label = stream.labels[t];
    ASSERT_NEAR(learn_one(*learner, Example{Row::dense(stream.rows[t]), testing::target_of(label)}, weight), expected,
                1e-10)
        << t;
    if (label * expected >= 1.0) continue;
    for (std::size_t j = 0; j < 6; ++j) {
      const double gradient = weight * x[j];
      if (gradient == 0.0) continue;
      squares[j] += gradient * gradient;
      w[j] += options.step.value_or(0.1) * label * gradient / std::sqrt(squares[j]);
    }
  }
}

// Gradients, their hints and the largest of them are so many times as long.
RC_GTEST_PROP(PomdrWeights, EqualTheTranscription, ()) {
  PomdrOptions options = testing::small_budget();
  options.ald = *rc::gen::element(0.5, 3.0);  // 0 would leave what is independent to rounding
  options.precision = Precision::kDouble;
  const auto fast = make_pomdr(options);
  testing::LiteralPomdr literal(options);
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 120, 5);
  double scale = 1.0;
  for (std::size_t t = 0; t < 120; ++t) {
    const double weight = *rc::gen::element(0.25, 1.0, 1.0, 2.0, 9.0);
    const double expected = literal.learn(stream.rows[t], stream.labels[t], weight);
    const double score =
        learn_one(*fast, Example{Row::dense(stream.rows[t]), testing::target_of(stream.labels[t])}, weight);
    scale = std::max(scale, std::fabs(expected));
    RC_ASSERT(std::fabs(score - expected) <= 1e-7 * scale);
    const Report report = fast->report();
    RC_ASSERT(report.support == literal.size());
    RC_ASSERT((report.removals() > 0) == literal.removed());
    RC_ASSERT((literal.lambda() == 0.0 || std::fabs(*report.learning_rate / literal.lambda() - 1.0) <= 1e-9));
  }
  RC_ASSERT(std::fabs(*fast->report().number("sum_delta") - literal.proxy()) <= 1e-8 * (1.0 + literal.proxy()));
}

AlignedVector<double> random_input(std::mt19937_64& engine, std::size_t n) {
  std::normal_distribution<double> normal(0.0, 1.0 / std::sqrt(static_cast<double>(n)));
  AlignedVector<double> z(padded(n));
  for (std::size_t i = 0; i < n; ++i) z[i] = normal(engine);
  return z;
}

// Σ⁻¹ grows by k·zzᵀ/r either way, and the margin never gets beyond 1 on the way.
TEST(ArowWeights, AreAsGoodAsSoManyUpdates) {
  constexpr std::size_t kSize = 12;
  std::mt19937_64 engine(29);
  Arow<double> weighted(0.1, 0.0);
  Arow<double> repeated(0.1, 0.0);
  weighted.resize(kSize);
  repeated.resize(kSize);
  int learned = 0;
  for (int t = 0; t < 200; ++t) {
    const AlignedVector<double> z = random_input(engine, kSize);
    const double label = engine() % 2 == 0 ? 1.0 : -1.0;
    const double score = weighted.score(z.data());
    ASSERT_NEAR(repeated.score(z.data()), score, 1e-9) << t;
    if (label * score >= 1.0 - 1e-6) continue;
    const int times = 1 + t % 4;
    testing::learn(weighted, label, score, z.data(), times);
    for (int i = 0; i < times; ++i) testing::learn(repeated, label, repeated.score(z.data()), z.data());
    ++learned;
    for (std::size_t i = 0; i < kSize; ++i) {
      ASSERT_NEAR(testing::weights_of(weighted)[i], testing::weights_of(repeated)[i], 1e-9) << t;
      for (std::size_t j = 0; j <= i; ++j) ASSERT_NEAR(weighted.covariance(i, j), repeated.covariance(i, j), 1e-9);
    }
  }
  EXPECT_GT(learned, 150);
}

// Half of a weight twice is the whole.
TEST(ArowWeights, CanBeFractions) {
  std::mt19937_64 engine(30);
  for (const double weight : {0.1, 1.0, 30.0}) {
    Arow<double> whole(0.1, 0.0);
    Arow<double> halves(0.1, 0.0);
    whole.resize(5);
    halves.resize(5);
    for (int t = 0; t < 20; ++t) {
      const AlignedVector<double> z = random_input(engine, 5);
      testing::learn(whole, 1.0, whole.score(z.data()), z.data(), weight);
      for (int i = 0; i < 2; ++i) testing::learn(halves, 1.0, halves.score(z.data()), z.data(), 0.5 * weight);
      for (std::size_t i = 0; i < 5; ++i)
        ASSERT_NEAR(testing::weights_of(whole)[i], testing::weights_of(halves)[i], 1e-9) << weight;
    }
  }
}

TEST(RaceWeights, MultiplyWhatIsCharged) {
  Race one({{.sigma = 1.0}, {.sigma = 2.0}}, {.rounds = 100});
  Race three({{.sigma = 1.0}, {.sigma = 2.0}}, {.rounds = 100});
  const std::vector<double> charges = {0.25, 1.5};
  for (int t = 0; t < 5; ++t) {
    one.after_round(charges);
    three.after_round(charges, 3.0);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_GT(one.runners()[r].charge, 0.0);
    EXPECT_NEAR(three.runners()[r].charge, 3.0 * one.runners()[r].charge, 1e-12);
  }
}

// The first rows of ALDER wait until there is a kernel, and their weights with them.
TEST(AlderWeights, OfTheFirstRowsCount) {
  const Dataset data = some_rows(Rows::kDense, 31, 60);
  for (const double weight : {0.1, 25.0}) {
    AlderOptions options;
    options.precision = Precision::kDouble;
    const auto plain = make_alder(options);
    const auto weighted = make_alder(options);
    for (std::size_t t = 0; t < 31; ++t) {
      learn_one(*plain, data[t]);
      learn_one(*weighted, data[t], t % 2 == 0 ? weight : 1.0);
      ASSERT_EQ(plain->score(data[40].row), weighted->score(data[40].row));
    }
    learn_one(*plain, data[31]);
    learn_one(*weighted, data[31]);
    // More weight for the examples of even rounds: the function is nearer to their labels.
    double nearer = 0.0;
    for (std::size_t t = 0; t < 31; t += 2) {
      const double label = sign_of(data[t].target);
      nearer += label * (weighted->score(data[t].row) - plain->score(data[t].row));
    }
    EXPECT_EQ(nearer > 0.0, weight > 1.0) << nearer;
    EXPECT_GT(std::fabs(nearer), 0.05);
  }
}

}  // namespace
}  // namespace alder
