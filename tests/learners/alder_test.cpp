// The facts that define ALDER: stages from first rows over races to one candidate, of which its user notices nothing.
#include "learners/alder/alder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/stream.h"

#include "learners/alder/class_candidate.h"
#include "support/alder_options.h"
#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/race.h"
#include "support/sanitized.h"

namespace alder {
namespace {

const ClassCandidate<double>& class_candidate(const Alder<double>& learner) {
  return dynamic_cast<const ClassCandidate<double>&>(*learner.leading());
}

using testing::encoded;
using testing::learn_one;
using testing::restored;
using testing::short_race;
using testing::short_races;
using testing::Tally;
using testing::Vector;

constexpr std::size_t kFirstRows = 32;

std::uint64_t mistakes_of(Learner& learner, const testing::LabelledVectors& stream) {
  Tally tally;
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    tally.learn(learner, Row::dense(stream.rows[t]), stream.labels[t]);
  }
  return tally.mistakes();
}

TEST(Alder, NeedsNoOption) {
  struct Case {
    const char* generator;
    double most;  // mistakes of 1000 rows; a fifth or more above what it makes
  };
  for (const Case& c : {Case{"rings", 0.025}, Case{"blobs", 0.06}, Case{"checkerboard", 0.17}}) {
    const auto learner = make_learner("alder");
    const Outcome outcome = evaluate(*make_generated(c.generator, 1000, 1), *learner);
    EXPECT_LT(static_cast<double>(outcome.metrics.mistakes()), c.most * 1000.0) << c.generator;
    EXPECT_LE(learner->report().support, 400U);
  }
}

TEST(Alder, ScoreIsWhatLearnReturnsAtEveryStage) {
  const auto stream = testing::random_stream(2, 200, 4);
  for (const AlderOptions& options : short_races()) {
    const auto learner = make_alder(options);
    for (std::size_t t = 0; t < 200; ++t) {
      const Row row = Row::dense(stream.rows[t]);
      const double score = learner->score(row);
      ASSERT_EQ(learner->score(row), score) << t;
      ASSERT_EQ(learn_one(*learner, row, stream.labels[t]), score) << t;
    }
  }
}

TEST(Alder, NeverHasMoreElementsThanItsBudget) {
  const auto stream = testing::random_stream(3, 300, 5);
  for (const std::size_t budget : {1, 2, 15, 16, 17, 29, 30}) {
    for (const bool has_kernel : {true, false}) {
      AlderOptions options = short_race(Precision::kFloat);
      options.budget = budget;
      if (has_kernel) options.kernel = Kernel::gaussian(0.3);
      const auto learner = make_alder(options);
      for (std::size_t t = 0; t < 300; ++t) {
        learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
        const bool is_collecting = !has_kernel && t + 1 < kFirstRows;
        ASSERT_LE(learner->report().support, is_collecting ? t + 1 : budget) << t;
      }
      if (has_kernel) {
        EXPECT_EQ(learner->report().support, budget);
      }
    }
  }
}

TEST(Alder, ResumesToTheBitAfterEveryRound) {
  const auto stream = testing::random_stream(4, 200, 5);
  for (const double forget : {0.0, 0.01}) {
    for (const std::uint64_t race : {1, 31, 32, 33, 120}) {
      for (AlderOptions options : short_races(race)) {
        options.forget = forget;
        const auto whole = make_alder(options);
        auto split = make_alder(options);
        for (std::size_t t = 0; t < (race < 120 ? 50 : 140); ++t) {
          if ((race == 120 || t >= 28) && (!testing::kSanitized || t % 5 == 0)) {
            const std::string bytes = encoded(*split);
            split = restored(bytes);
            ASSERT_EQ(encoded(*split), bytes) << t;
          }
          const Row row = Row::dense(stream.rows[t]);
          ASSERT_EQ(split->score(row), whole->score(row)) << t;
          ASSERT_EQ(learn_one(*split, row, stream.labels[t]), learn_one(*whole, row, stream.labels[t])) << t;
        }
        EXPECT_EQ(encoded(*split), encoded(*whole));
        EXPECT_EQ(split->report().number("sigma"), whole->report().number("sigma"));
      }
    }
  }
}

// Runners that left are not saved.
TEST(Alder, ResumesToTheBitWhenRunnersHaveLeft) {
  const Dataset data = Dataset::read(*make_generated("blobs", 900, 3));
  const auto whole = make_alder(short_race(Precision::kFloat, 850));
  auto split = make_alder(short_race(Precision::kFloat, 850));
  bool some_left = false;
  for (std::size_t t = 0; t < data.size(); ++t) {
    if (t % 13 == 0) split = restored(encoded(*split));
    ASSERT_EQ(learn_one(*split, data[t]), learn_one(*whole, data[t])) << t;
    const std::vector<Runner> race = testing::race_of(whole->report());
    const auto left = std::count_if(race.begin(), race.end(), [](const Runner& runner) { return runner.is_out; });
    some_left = some_left || (left > 0 && static_cast<std::size_t>(left) + 1 < race.size());
  }
  EXPECT_TRUE(some_left);
  EXPECT_EQ(encoded(*split), encoded(*whole));
}

// Blocks that end at every place to the rounds that end a stage.
TEST(Alder, HowRowsAreCutIntoCallsChangesNothingAtAnyStage) {
  const auto stream = testing::random_stream(5, 160, 5);
  std::vector<Row> rows;
  std::vector<double> targets;
  for (std::size_t t = 0; t < 160; ++t) {
    rows.push_back(Row::dense(stream.rows[t]));
    targets.push_back(testing::target_of(stream.labels[t]));
  }
  for (const AlderOptions& options : short_races()) {
    std::vector<double> scores;
    const auto alone = make_alder(options);
    for (std::size_t t = 0; t < 160; ++t) scores.push_back(learn_one(*alone, rows[t], stream.labels[t]));
    for (std::size_t shift = 0; shift < 8; ++shift) {
      auto together = make_alder(options);
      std::vector<double> found;
      for (std::size_t t = 0; t < 160;) {
        const std::size_t count = std::min<std::size_t>(t == 0 && shift > 0 ? shift : 8, 160 - t);
        ASSERT_EQ(together->score(rows[t]), scores[t]) << shift << " " << t;
        learn_all(*together, Examples{rows, targets}.from(t, count), found);
        t += count;
        if (t % 5 == 0) together = restored(encoded(*together));
      }
      ASSERT_EQ(found, scores) << shift;
      EXPECT_EQ(encoded(*together), encoded(*alone)) << shift;
    }
  }
}

TEST(Alder, SparseRowsEqualDenseRowsToTheBit) {
  const auto stream = testing::random_stream(6, 160, 6);
  for (const AlderOptions& options : short_races()) {
    const auto sparse = make_alder(options);
    const auto dense = make_alder(options);
    for (std::size_t t = 0; t < 160; ++t) {
      const testing::SparseVector x(stream.rows[t]);
      ASSERT_EQ(learn_one(*sparse, x.row(), stream.labels[t]),
                learn_one(*dense, Row::dense(stream.rows[t]), stream.labels[t]));
    }
    EXPECT_EQ(encoded(*sparse), encoded(*dense));
  }
}

// Widths are found relative to distances; powers of two round nothing.
TEST(Alder, TheUnitOfTheFeaturesDoesNotMatter) {
  const auto stream = testing::random_stream(7, 200, 5);
  for (const int power : {-40, -7, 9, 50}) {
    const auto learner = make_alder(short_race(Precision::kDouble));
    const auto scaled = make_alder(short_race(Precision::kDouble));
    for (std::size_t t = 0; t < 200; ++t) {
      Vector x = stream.rows[t];
      for (double& value : x) value = std::ldexp(value, power);
      ASSERT_EQ(learn_one(*scaled, Row::dense(x), stream.labels[t]),
                learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]))
          << power << " " << t;
    }
    const std::vector<Runner> race = testing::race_of(learner->report());
    const std::vector<Runner> other = testing::race_of(scaled->report());
    ASSERT_EQ(other.size(), race.size());
    for (std::size_t r = 0; r < race.size(); ++r) {
      EXPECT_EQ(other[r].transform, race[r].transform);
      EXPECT_EQ(other[r].sigma, std::ldexp(race[r].sigma, race[r].transform == "raw" ? power : 0));
    }
  }
}

// Distances that are small beside the rows: floats can hold the features, but not squared distances from dot products.
TEST(Alder, WhereTheOriginIsHardlyMatters) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 600, 1));
  const auto mistakes = [&data](Precision precision, double unit, double origin) {
    const auto learner = make_alder(short_race(precision, 4000));
    Tally tally;
    for (std::size_t t = 0; t < data.size(); ++t) {
      Vector x(2);
      for (std::size_t j = 0; j < data[t].row.size(); ++j) x[data[t].row.feature(j)] = data[t].row.value(j);
      for (double& value : x) value = static_cast<float>(origin + unit * value);
      tally.learn(*learner, {Row::dense(x), data[t].target});
    }
    return std::pair(static_cast<double>(tally.mistakes()), *learner->report().number("sigma") / unit);
  };
  const auto [expected, sigma] = mistakes(Precision::kDouble, 1.0, 0.0);
  EXPECT_LT(expected, 250.0);
  for (const double origin : {1.0, 7.0, 15.0, 30.0}) {
    for (const double unit : {1.0, 1e-3}) {
      const auto [found, width] = mistakes(Precision::kFloat, unit, origin);
      EXPECT_NEAR(found, expected, 15.0) << origin << " " << unit;
      EXPECT_NEAR(width, sigma, 0.01 * sigma) << origin << " " << unit;
    }
  }
}

TEST(Alder, ReportsItsRace) {
  const auto stream = testing::random_stream(8, 450, 4);
  AlderOptions options = short_race(Precision::kFloat, 400);
  const auto learner = make_alder(options);
  std::size_t raced = 0;
  for (std::size_t t = 0; t < 450; ++t) {
    learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    const Report report = learner->report();
    const std::vector<Runner> race = testing::race_of(report);
    if (t + 1 < kFirstRows) {
      ASSERT_FALSE(report.number("sigma").has_value());
      ASSERT_TRUE(race.empty());
      continue;
    }
    ASSERT_EQ(report.count("reopened"), 0U);
    std::size_t in = 0;
    bool is_one_of_them = false;
    for (const Runner& runner : race) {
      ASSERT_GT(runner.sigma, 0.0);
      in += runner.is_out ? 0 : 1;
      is_one_of_them = is_one_of_them || (!runner.is_out && runner.sigma == report.number("sigma"));
    }
    ASSERT_TRUE(is_one_of_them);
    if (t + 1 == kFirstRows || t + 1 == 256 || t + 1 == 400) raced = 0;  // another race
    if (t + 1 < 256) {
      // Two geometries with three widths each, each half the next.
      ASSERT_EQ(race.size(), 6U);
      ASSERT_EQ(in, 6U);
      for (std::size_t r = 0; r < 6; ++r) {
        ASSERT_EQ(race[r].sigma, std::ldexp(race[r / 3 * 3].sigma, static_cast<int>(r % 3)));
        ASSERT_EQ(race[r].transform == "normal", r >= 3);
        ASSERT_EQ(race[r].kernel, "gaussian");
        ASSERT_FALSE(race[r].is_scaled);
      }
      ASSERT_EQ(report.count("tried"), 6U);
    } else if (t + 1 < 400) {
      ASSERT_GE(race.size(), 8U);
      ASSERT_EQ(report.count("tried"), 6U + race.size());
    } else {
      ASSERT_LE(race.size(), 2U);
    }
    for (const Runner& runner : race) ASSERT_TRUE(runner.is_out || runner.rounds == raced) << t;
    ++raced;
  }
}

TEST(Alder, WithAKernelThereIsNoRace) {
  const auto stream = testing::random_stream(9, 100, 4);
  for (const Kernel& kernel :
       {Kernel::gaussian(0.7), Kernel::laplacian(1.0), Kernel::polynomial(2), Kernel::linear()}) {
    AlderOptions options = short_race(Precision::kFloat);
    options.kernel = kernel;
    const auto learner = make_alder(options);
    EXPECT_EQ(learner->score(Row::dense(stream.rows[0])), 0.0);
    mistakes_of(*learner, stream);
    EXPECT_FALSE(learner->report().number("sigma").has_value());
    EXPECT_TRUE(testing::race_of(learner->report()).empty());
    EXPECT_GT(learner->report().support, 2U);
  }
}

TEST(Alder, ForgettingThatIsSetIsTheOnlyRate) {
  AlderOptions options = short_race(Precision::kDouble);
  const auto stream = testing::random_stream(9, 150, 4);
  for (const double forget : {0.0, 0.01}) {
    options.forget = forget;
    Alder<double> learner(options);
    mistakes_of(learner, stream);
    ASSERT_NE(learner.leading(), nullptr);
    EXPECT_EQ(class_candidate(learner).mixture().weights().size(), forget > 0.0 ? 1U : 3U);
    if (forget > 0.0) {
      EXPECT_EQ(learner.report().number("forgets"), forget);
    }
  }
}

// Features that tell nothing: only the labels before do.
TEST(Alder, LabelsThatComeInRunsAreLearned) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  testing::LabelledVectors stream;
  for (std::size_t t = 0; t < 1000; ++t) {
    stream.rows.push_back({uniform(engine), uniform(engine), uniform(engine)});
    stream.labels.push_back(t / 100 % 2 == 0 ? -1.0 : 1.0);
  }
  for (const bool has_kernel : {true, false}) {
    AlderOptions options;
    options.budget = 50;
    options.recent_labels = true;
    if (has_kernel) options.kernel = Kernel::gaussian(0.5);
    EXPECT_LT(mistakes_of(*make_alder(options), stream), 20U) << has_kernel;
    // Sorted by class altogether.
    testing::LabelledVectors sorted = stream;
    for (std::size_t t = 0; t < 1000; ++t) sorted.labels[t] = t < 500 ? -1.0 : 1.0;
    EXPECT_LT(mistakes_of(*make_alder(options), sorted), 12U) << has_kernel;
  }
}

// Inputs beside the coordinates: what recent labels say, and the features with one more. (Two are not 0 at first.)
TEST(Alder, TheLeadersPredictorHasAWeightForEveryInput) {
  const auto stream = testing::random_stream(11, 160, 4);
  for (const bool recent_labels : {false, true}) {
    for (const bool has_linear : {false, true}) {
      AlderOptions options = short_race(Precision::kDouble);
      options.recent_labels = recent_labels;
      if (!has_linear) options.leave_out = AlderOptions::Part::kLinear;
      Alder<double> learner(options);
      for (std::size_t t = 0; t < 160; ++t) {
        learn_one(learner, Row::dense(stream.rows[t]), stream.labels[t]);
        ASSERT_EQ(learner.leading() == nullptr, t + 1 < kFirstRows);
        if (learner.leading() != nullptr) {
          ASSERT_EQ(class_candidate(learner).predictor(0).size(),
                    learner.report().support + (recent_labels ? 3 : 0) + (has_linear ? 3 : 0));
        }
      }
    }
  }
}

}  // namespace
}  // namespace alder
