// The facts that define ALDER: three stages, first rows, race and alone, of which its user notices nothing.
#include "learners/alder/alder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"
#include "alder/stream.h"

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/race.h"

namespace alder {
namespace {

using testing::encoded;
using testing::restored;
using testing::Vector;

constexpr Precision kPrecisions[] = {Precision::kFloat, Precision::kDouble};
constexpr std::size_t kFirstRows = 32;

// A race that ends in the middle of a short stream, by its last round or by all but one leaving.
AlderOptions short_race(Precision precision, std::uint64_t race = 120) {
  AlderOptions options;
  options.budget = 20;
  options.race = race;
  options.precision = precision;
  return options;
}

std::uint64_t mistakes_of(Learner& learner, const testing::LabelledVectors& stream) {
  for (std::size_t t = 0; t < stream.rows.size(); ++t) learner.learn(Row::dense(stream.rows[t]), stream.labels[t]);
  return learner.report().mistakes;
}

TEST(Alder, NeedsNoOption) {
  struct Case {
    const char* generator;
    double most;  // mistakes of 1000 rows; a fifth or more above what it makes
  };
  for (const Case& c : {Case{"rings", 0.025}, Case{"blobs", 0.06}, Case{"checkerboard", 0.17}}) {
    const auto learner = make_learner("alder");
    evaluate(*make_generated(c.generator, 1000, 1), *learner);
    EXPECT_LT(learner->report().mistake_rate(), c.most) << c.generator;
    EXPECT_LE(learner->report().support, 200U);
  }
}

TEST(Alder, ScoreIsWhatLearnReturnsAtEveryStage) {
  const auto stream = testing::random_stream(2, 200, 4);
  for (const Precision precision : kPrecisions) {
    const auto learner = make_alder(short_race(precision));
    for (std::size_t t = 0; t < 200; ++t) {
      const Row row = Row::dense(stream.rows[t]);
      const double score = learner->score(row);
      ASSERT_EQ(learner->score(row), score) << t;
      ASSERT_EQ(learner->learn(row, stream.labels[t]), score) << t;
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
        learner->learn(Row::dense(stream.rows[t]), stream.labels[t]);
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
  for (const Precision precision : kPrecisions) {
    for (const double forget : {0.0, 0.01}) {
      for (const std::uint64_t race : {1, 31, 32, 33, 120}) {
        AlderOptions options = short_race(precision, race);
        options.forget = forget;
        const auto whole = make_alder(options);
        auto split = make_alder(options);
        for (std::size_t t = 0; t < (race < 120 ? 50 : 140); ++t) {
          if (race == 120 || t >= 28) {
            const std::string bytes = encoded(*split);
            split = restored(bytes);
            ASSERT_EQ(encoded(*split), bytes) << t;
          }
          const Row row = Row::dense(stream.rows[t]);
          ASSERT_EQ(split->score(row), whole->score(row)) << t;
          ASSERT_EQ(split->learn(row, stream.labels[t]), whole->learn(row, stream.labels[t])) << t;
        }
        EXPECT_EQ(encoded(*split), encoded(*whole));
        EXPECT_EQ(split->report().number("sigma"), whole->report().number("sigma"));
      }
    }
  }
}

// Runners that left are not saved.
TEST(Alder, ResumesToTheBitWhenRunnersHaveLeft) {
  const Dataset data = Dataset::read(*make_generated("blobs", 700, 3));
  const auto whole = make_alder(short_race(Precision::kFloat, 650));
  auto split = make_alder(short_race(Precision::kFloat, 650));
  bool some_left = false;
  for (std::size_t t = 0; t < data.size(); ++t) {
    if (t % 13 == 0) split = restored(encoded(*split));
    ASSERT_EQ(split->learn(data[t].row, data[t].label), whole->learn(data[t].row, data[t].label)) << t;
    int left = 0;
    for (const WidthTrial& runner : testing::race_of(whole->report())) left += runner.is_out ? 1 : 0;
    some_left = some_left || (left > 0 && left < 13);
  }
  EXPECT_TRUE(some_left);
  EXPECT_EQ(encoded(*split), encoded(*whole));
}

// Blocks of eight in every position to the rounds that end a stage.
TEST(Alder, ExpectedRowsChangeNothingAtAnyStage) {
  const auto stream = testing::random_stream(5, 160, 5);
  std::vector<Row> rows;
  for (const Vector& x : stream.rows) rows.push_back(Row::dense(x));
  for (const Precision precision : kPrecisions) {
    std::vector<double> scores;
    const auto alone = make_alder(short_race(precision, 120));
    for (std::size_t t = 0; t < 160; ++t) scores.push_back(alone->learn(rows[t], stream.labels[t]));
    for (std::size_t shift = 0; shift < 8; ++shift) {
      auto ahead = make_alder(short_race(precision, 120));
      for (std::size_t t = 0; t < 160; ++t) {
        if (t % 8 == shift) ahead->expect(std::span(rows).subspan(t, std::min<std::size_t>(8, 160 - t)));
        ASSERT_EQ(ahead->score(rows[t]), scores[t]) << shift << " " << t;
        ASSERT_EQ(ahead->learn(rows[t], stream.labels[t]), scores[t]) << shift << " " << t;
        // Stopped in the middle of what was expected.
        if (t % 37 == 20) ahead = restored(encoded(*ahead));
      }
      EXPECT_EQ(encoded(*ahead), encoded(*alone)) << shift;
    }
  }
}

TEST(Alder, SparseRowsEqualDenseRowsToTheBit) {
  const auto stream = testing::random_stream(6, 160, 6);
  for (const Precision precision : kPrecisions) {
    const auto sparse = make_alder(short_race(precision));
    const auto dense = make_alder(short_race(precision));
    for (std::size_t t = 0; t < 160; ++t) {
      const testing::SparseVector x(stream.rows[t]);
      ASSERT_EQ(sparse->learn(x.row(), stream.labels[t]), dense->learn(Row::dense(stream.rows[t]), stream.labels[t]));
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
      ASSERT_EQ(scaled->learn(Row::dense(x), stream.labels[t]),
                learner->learn(Row::dense(stream.rows[t]), stream.labels[t]))
          << power << " " << t;
    }
    EXPECT_EQ(*scaled->report().number("sigma"), std::ldexp(*learner->report().number("sigma"), power));
  }
}

// Distances that are small beside the rows: floats can hold the features, but not squared distances from dot products.
TEST(Alder, WhereTheOriginIsHardlyMatters) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 600, 1));
  const auto mistakes = [&data](Precision precision, double unit, double origin) {
    const auto learner = make_alder(short_race(precision, 4000));
    for (std::size_t t = 0; t < data.size(); ++t) {
      Vector x(2);
      for (std::size_t j = 0; j < data[t].row.size(); ++j) x[data[t].row.feature(j)] = data[t].row.value(j);
      for (double& value : x) value = static_cast<float>(origin + unit * value);
      learner->learn(Row::dense(x), data[t].label);
    }
    return std::pair(static_cast<double>(learner->report().mistakes), *learner->report().number("sigma") / unit);
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
  const auto stream = testing::random_stream(8, 150, 4);
  const auto learner = make_alder(short_race(Precision::kFloat));
  for (std::size_t t = 0; t < 150; ++t) {
    learner->learn(Row::dense(stream.rows[t]), stream.labels[t]);
    const Report report = learner->report();
    const std::vector<WidthTrial> race = testing::race_of(report);
    if (t + 1 < kFirstRows) {
      ASSERT_FALSE(report.number("sigma").has_value());
      ASSERT_TRUE(race.empty());
      continue;
    }
    // Seven widths, each half the next, with and without forgetting.
    ASSERT_EQ(race.size(), 14U);
    std::size_t in = 0;
    bool is_one_of_them = false;
    for (std::size_t r = 0; r < 14; ++r) {
      ASSERT_EQ(race[r].forgets, r % 2 == 1);
      ASSERT_EQ(race[r].sigma, std::ldexp(race[0].sigma, static_cast<int>(r / 2)));
      in += race[r].is_out ? 0 : 1;
      is_one_of_them = is_one_of_them || (!race[r].is_out && race[r].sigma == report.number("sigma"));
      ASSERT_EQ(race[r].rounds, std::min<std::size_t>(t + 1, 120));
    }
    ASSERT_TRUE(is_one_of_them);
    ASSERT_EQ(in, t + 1 < 120 ? 14U : 1U) << t;
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

TEST(Alder, ForgettingThatIsSetIsThatOfAllRunners) {
  AlderOptions options = short_race(Precision::kFloat);
  options.forget = 0.01;
  const auto learner = make_alder(options);
  mistakes_of(*learner, testing::random_stream(9, 150, 4));
  EXPECT_EQ(testing::race_of(learner->report()).size(), 7U);
  for (const WidthTrial& runner : testing::race_of(learner->report())) EXPECT_FALSE(runner.forgets);
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
    if (has_kernel) options.kernel = Kernel::gaussian(0.5);
    EXPECT_LT(mistakes_of(*make_alder(options), stream), 20U) << has_kernel;
    // Sorted by class altogether.
    testing::LabelledVectors sorted = stream;
    for (std::size_t t = 0; t < 1000; ++t) sorted.labels[t] = t < 500 ? -1.0 : 1.0;
    EXPECT_LT(mistakes_of(*make_alder(options), sorted), 12U) << has_kernel;
  }
}

// Rows that are legal but trying; each is told apart, where it can be, by the sign of its first feature.
struct Trouble {
  const char* name;
  Vector (*row)(int t, double label);
};

const Trouble kTroubles[] = {
    {"one class, one feature", [](int t, double) { return Vector{std::sin(t)}; }},
    {"all the same",
     [](int, double) {
       return Vector{0.3, -1.0};
     }},
    {"two rows",
     [](int, double label) {
       return Vector{label, 1.0};
     }},
    {"zeros", [](int, double) { return Vector(3); }},
    {"empty", [](int, double) { return Vector(); }},
    {"zeros first",
     [](int t, double label) {
       return t < 40 ? Vector(2) : Vector{label, std::sin(t)};
     }},
    {"constant features",
     [](int t, double label) {
       return Vector{label + 0.1 * std::sin(t), 5.0, 1e6};
     }},
    {"huge",
     [](int t, double label) {
       return Vector{1e30 * label, 1e29 * std::sin(t)};
     }},
    {"as large as floats",
     [](int t, double label) {
       return Vector{3e38 * label, 3e38 * std::sin(t)};
     }},
    {"tiny",
     [](int t, double label) {
       return Vector{1e-30 * label, 1e-31 * std::sin(t)};
     }},
    {"denormal in float",
     [](int t, double label) {
       return Vector{1e-42 * label, 1e-43 * std::sin(t)};
     }},
    {"huge after usual",
     [](int t, double label) {
       return Vector{(t < 50 ? 1.0 : 1e20) * label, std::sin(t)};
     }},
    {"usual after huge",
     [](int t, double label) {
       return Vector{(t < 50 ? 1e20 : 1.0) * label, std::sin(t)};
     }},
    {"nearly the same",
     [](int t, double label) {
       return Vector{1.0 + 1e-9 * label, 1e-9 * std::sin(t)};
     }},
    {"all scales",
     [](int t, double label) {
       return Vector{std::pow(10.0, t % 41 - 20) * label, std::cos(t)};
     }},
};

TEST(Alder, EnduresRowsOfAnyKind) {
  for (const Trouble& trouble : kTroubles) {
    for (const Precision precision : kPrecisions) {
      auto learner = make_alder(short_race(precision, 90));
      for (int t = 0; t < 130; ++t) {
        const double label = t % 3 == 0 || std::string(trouble.name).starts_with("one class") ? 1.0 : -1.0;
        const Vector x = trouble.row(t, label);
        ASSERT_TRUE(std::isfinite(learner->score(Row::dense(x)))) << trouble.name << " " << t;
        ASSERT_TRUE(std::isfinite(learner->learn(Row::dense(x), label))) << trouble.name << " " << t;
        if (t % 17 == 0) learner = restored(encoded(*learner));
      }
      EXPECT_TRUE(std::isfinite(learner->report().hinge_loss)) << trouble.name;
      EXPECT_EQ(encoded(*restored(encoded(*learner))), encoded(*learner)) << trouble.name;
    }
  }
}

TEST(Alder, ABadRowChangesNothingAtAnyStage) {
  const auto stream = testing::random_stream(10, 160, 2);
  const Vector bad = {1.0, std::nan("")};
  const Vector far = {1e39, 0.0};
  const auto learner = make_alder(short_race(Precision::kFloat));
  const auto other = make_alder(short_race(Precision::kFloat));
  for (std::size_t t = 0; t < 160; ++t) {
    for (const Vector& x : {bad, far}) {
      EXPECT_THROW((void)learner->score(Row::dense(x)), Error);
      EXPECT_THROW(learner->learn(Row::dense(x), 1.0), Error);
    }
    EXPECT_THROW(learner->learn(Row::dense(stream.rows[t]), 0.5), Error);
    const Row row = Row::dense(stream.rows[t]);
    ASSERT_EQ(learner->learn(row, stream.labels[t]), other->learn(row, stream.labels[t])) << t;
  }
  EXPECT_EQ(encoded(*learner), encoded(*other));
}

TEST(Alder, ThePredictorIsThatOfTheLeader) {
  const auto stream = testing::random_stream(11, 160, 4);
  Alder<double> learner(short_race(Precision::kDouble));
  for (std::size_t t = 0; t < 160; ++t) {
    static_cast<Learner&>(learner).learn(Row::dense(stream.rows[t]), stream.labels[t]);
    ASSERT_EQ(learner.predictor() == nullptr, t + 1 < kFirstRows);
    if (learner.predictor() != nullptr) {
      ASSERT_EQ(learner.predictor()->size(), learner.report().support + 3);
    }
  }
}

}  // namespace
}  // namespace alder
