#include "learners/alder/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/examples.h"

#include "archive/archive.h"

namespace alder {
namespace {

// What the header says, with nothing kept but the mistakes.
struct LiteralMixture {
  std::vector<double> mistakes;
  double caution = 1.0;

  [[nodiscard]] double cost(std::size_t p) const {
    return mistakes[p] + static_cast<double>(p) * caution * std::sqrt(mistakes[p] + 1.0);
  }
  [[nodiscard]] std::size_t top() const {
    std::size_t best = 0;
    for (std::size_t p = 0; p < mistakes.size(); ++p) best = cost(p) < cost(best) ? p : best;
    return best;
  }
  [[nodiscard]] double weight(std::size_t p) const {
    double sum = 0.0;
    for (std::size_t q = 0; q < mistakes.size(); ++q) sum += std::exp(-(cost(q) - cost(top())) / 2.0);
    return std::exp(-(cost(p) - cost(top())) / 2.0) / sum;
  }
  // Of one score what lies within ±most; of several how far each is below the largest, but at most so far.
  [[nodiscard]] std::vector<double> combined(const std::vector<std::vector<double>>& scores, double most) const {
    std::vector<double> out(scores[0].size(), 0.0);
    for (std::size_t p = 0; p < scores.size(); ++p) {
      const double largest = *std::max_element(scores[p].begin(), scores[p].end());
      for (std::size_t c = 0; c < out.size(); ++c) {
        const double own = scores[p][c];
        out[c] += weight(p) * (out.size() == 1 ? std::min(most, std::max(-most, own)) : std::max(own - largest, -most));
      }
    }
    return out;
  }
  static std::size_t predicted(const std::vector<double>& scores) {
    if (scores.size() == 1) return scores[0] >= 0.0 ? 1 : 0;
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
  void count(const std::vector<std::vector<double>>& scores, std::size_t target, double weight) {
    for (std::size_t p = 0; p < scores.size(); ++p) {
      mistakes[p] = 0.999 * mistakes[p] + (predicted(scores[p]) != target ? weight : 0.0);
    }
  }
};

// Predictors are right with a chance of their own, which changes now and then, so that each is the best at some time.
class MixtureOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MixtureOf, OutputsEqualsItsDefinition) {
  const std::size_t width = GetParam();
  const std::size_t classes = std::max<std::size_t>(2, width);
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-2.5, 2.5);
  Mixture mixture(3);
  LiteralMixture literal{{0.0, 0.0, 0.0}};
  std::vector<int> was_top(3);
  for (int t = 0; t < 6000; ++t) {
    if (t == 2000) {
      mixture.set_caution(0.5);
      literal.caution = 0.5;
    }
    const std::size_t target = engine() % classes;
    const double weight = t % 10 == 0 ? 2.5 : 1.0;
    std::vector<std::vector<double>> scores;
    std::vector<double> all;
    for (std::size_t p = 0; p < 3; ++p) {
      std::vector<double>& own = scores.emplace_back();
      const double gain = static_cast<std::size_t>(t / 1000) % 3 == p ? 2.0 : 0.8;
      for (std::size_t c = 0; c < width; ++c) own.push_back(uniform(engine) + (width > 1 && c == target ? gain : 0.0));
      if (width == 1) own[0] += target == 1 ? gain : -gain;
      if (t % 7 == 0) own.assign(width, 0.0);  // ties
      all.insert(all.end(), own.begin(), own.end());
    }
    std::vector<double> out(width, 99.0);
    for (const double most : {1.0, 3.0}) {
      mixture.combine(all, most, out);
      const std::vector<double> expected = literal.combined(scores, most);
      for (std::size_t c = 0; c < width; ++c) ASSERT_NEAR(out[c], expected[c], 1e-12) << t;
    }
    mixture.count(all, width, static_cast<double>(target), weight);
    literal.count(scores, target, weight);
    ASSERT_EQ(mixture.top(), literal.top()) << t;
    for (std::size_t p = 0; p < 3; ++p) ASSERT_NEAR(mixture.weights()[p], literal.weight(p), 1e-12) << t;
    ++was_top[mixture.top()];
  }
  for (const int rounds : was_top) EXPECT_GT(rounds, 100);
}

INSTANTIATE_TEST_SUITE_P(Widths, MixtureOf, ::testing::Values(1, 3, 5));

TEST(Mixture, BelievesThePredictorThatForgetsLeastAtFirst) {
  const Mixture mixture(3);
  EXPECT_EQ(mixture.top(), 0U);
  EXPECT_GT(mixture.weights()[0], mixture.weights()[1]);
  EXPECT_GT(mixture.weights()[1], mixture.weights()[2]);
}

TEST(Mixture, OfOnePredictorIsWhatItSays) {
  Mixture mixture(1);
  for (const std::vector<double>& scores : {std::vector{-17.5}, std::vector{3.0, -40.0, 7.0, 0.0}}) {
    std::vector<double> out(scores.size());
    mixture.combine(scores, 1.0, out);
    EXPECT_EQ(out, scores);
    mixture.count(scores, scores.size(), 1.0, 1.0);
  }
  EXPECT_EQ(mixture.weights(), std::vector{1.0});
}

TEST(Mixture, MayGetAPredictorThatHasMadeTheMistakesOfAnother) {
  Mixture mixture(2);
  LiteralMixture literal{{0.0, 0.0}};
  const std::vector<std::vector<double>> scores = {{1.0}, {-1.0}};
  for (int t = 0; t < 40; ++t) {
    mixture.count(std::vector{1.0, -1.0}, 1, t % 3 == 0 ? 1.0 : 0.0, 1.0);
    literal.count(scores, t % 3 == 0 ? 1 : 0, 1.0);
  }
  mixture.insert_behind(0);
  literal.mistakes.insert(literal.mistakes.begin() + 1, literal.mistakes[0]);
  ASSERT_EQ(mixture.weights().size(), 3U);
  EXPECT_EQ(mixture.top(), literal.top());
  for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(mixture.weights()[p], literal.weight(p), 1e-12);
}

TEST(Mixture, GoesOnFromAnArchiveToTheBit) {
  std::mt19937_64 engine(9);
  std::normal_distribution<double> normal;
  const auto round = [&](Mixture& mixture, const std::vector<double>& scores, double target) {
    mixture.count(scores, 1, target, 1.0);
    return mixture.weights();
  };
  Mixture mixture(3);
  mixture.set_caution(0.5);
  for (int t = 0; t < 500; ++t) round(mixture, {normal(engine), normal(engine), 1.0 + normal(engine)}, 1.0);
  Archive archive;
  mixture.save(archive, "m");
  Mixture loaded(3);
  loaded.load(Archive::decode(archive.encode()), "m");
  EXPECT_EQ(loaded.top(), mixture.top());
  EXPECT_EQ(loaded.weights(), mixture.weights());
  for (int t = 0; t < 500; ++t) {
    const std::vector<double> scores = {normal(engine), normal(engine), normal(engine)};
    ASSERT_EQ(round(mixture, scores, 0.0), round(loaded, scores, 0.0)) << t;
  }
}

TEST(Mixture, RefusesForgedNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& forged : {std::vector{-0.5, 0.0, 0.0, 0.0},
                                            {nan, 0.0, 0.0, 0.0},
                                            {1e9, 0.0, 0.0, 0.0},
                                            {1.0, 0.0, -1e-9, 0.0},
                                            {1.0, 0.0, 0.0, nan},
                                            {1.0, infinity, 0.0, 0.0},
                                            {1.0, 0.0, 1e10, 0.0},
                                            {1.0, 0.0, 0.0}}) {
    Archive archive;
    archive.put("m", forged);
    Mixture mixture(3);
    EXPECT_THROW(mixture.load(archive, "m"), Error);
  }
  Archive archive;
  archive.put("m", std::vector{1.0, 0.0, 12.0, 1e8});
  Mixture mixture(3);
  EXPECT_NO_THROW(mixture.load(archive, "m"));
  EXPECT_EQ(mixture.top(), 0U);
}

// Rows of the largest weight that are all mistakes come near the bound of what a file may say.
TEST(Mixture, StaysLoadableWhateverWeightsAre) {
  Mixture mixture(2);
  const std::vector<double> wrong = {1.0, 1.0};
  for (int t = 0; t < 50000; ++t) mixture.count(wrong, 1, 0.0, kMostWeight);
  Archive archive;
  mixture.save(archive, "m");
  Mixture loaded(2);
  EXPECT_NO_THROW(loaded.load(archive, "m"));
  EXPECT_EQ(loaded.weights(), mixture.weights());
}

}  // namespace
}  // namespace alder
