// ALDER for numbers through all stages that a stream brings about. Where the stream is cut changes neither predictions
// nor bytes, be it into calls or into models that are saved and go on.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/learners.h"

#include "support/any_learner.h"
#include "support/number_rows.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using testing::encoded;
using testing::Foretold;
using testing::learn_numbers;
using testing::NumberRows;
using testing::of_numbers;
using testing::restored;

enum NumberStage {
  kNumbersCollecting,
  kNumbersFirst,
  kNumbersSecond,
  kNumbersScaled,
  kNumbersReopened,
  kNumbersDuel,
  kNumbersSettled
};

int number_stage_of(const Learner& learner) {
  Archive archive;
  learner.save(archive);
  return static_cast<int>(archive.setting<std::uint64_t>("state", "stage"));
}

struct NumberCase {
  const char* name;
  AlderOptions options;
  std::size_t change;  // the row in which the function changes
  std::vector<std::size_t> cuts;
  std::vector<int> stages;
};

class AlderNumbers : public ::testing::TestWithParam<NumberCase> {};

// The part up to the next cut is learned by the learner that goes on and by one that was loaded.
TEST_P(AlderNumbers, ResumeToTheBit) {
  const NumberCase& c = GetParam();
  const NumberRows data(c.cuts.back(), 5, 0.5, testing::changing_function(c.change));
  const auto whole = make_alder(c.options);
  EXPECT_EQ(whole->task(), Task::kRegression);
  std::map<int, int> met;
  std::string bytes = encoded(*whole);
  for (const std::size_t cut : c.cuts) {
    if (testing::kSanitized && cut > 1100) break;
    const auto split = restored(bytes);
    ASSERT_EQ(split->task(), Task::kRegression);
    ASSERT_EQ(encoded(*split) == bytes, true) << cut;
    const Foretold expected = learn_numbers(*whole, data.all(), cut, 256);
    ASSERT_TRUE(expected.are_finite()) << cut;
    ASSERT_EQ(learn_numbers(*split, data.all(), cut, 100).bits(), expected.bits()) << cut;
    bytes = encoded(*whole);
    ASSERT_EQ(encoded(*split) == bytes, true) << cut;
    ASSERT_EQ(split->score(data.rows[0]), whole->score(data.rows[0])) << cut;
    ++met[number_stage_of(*whole)];
  }
  for (const int stage : c.stages) {
    if (testing::kSanitized && stage > kNumbersSecond) continue;
    EXPECT_GT(met[stage], 0) << stage;
  }
}

std::vector<NumberCase> number_cases() {
  using Effort = AlderOptions::Effort;
  const std::vector<std::size_t> first = {1, 13, 31, 32, 33, 100, 255, 256, 257, 300, 612, 1023, 1024, 1025, 1331};
  const auto with = [&first](std::initializer_list<std::size_t> more) {
    std::vector<std::size_t> cuts = first;
    cuts.insert(cuts.end(), more);
    return cuts;
  };
  const auto options = [](Precision precision, Effort effort, std::uint64_t race, bool recent) {
    AlderOptions made = of_numbers(precision);
    made.effort = effort;
    made.race = race;
    made.recent_labels = recent;
    return made;
  };
  const auto given = [](const Kernel& kernel, Precision precision, bool recent) {
    AlderOptions made = of_numbers(precision);
    made.kernel = kernel;
    made.recent_labels = recent;
    return made;
  };
  const std::vector<int> all = {kNumbersCollecting, kNumbersFirst, kNumbersSecond,
                                kNumbersScaled,     kNumbersDuel,  kNumbersReopened};
  const std::vector<int> low = {kNumbersCollecting, kNumbersFirst, kNumbersSecond, kNumbersSettled};
  const std::vector<int> kernel = {kNumbersCollecting, kNumbersSettled};
  const std::vector<std::size_t> few = {1, 20, 31, 32, 33, 100, 257, 611, 700};
  return {
      {"normal_float", of_numbers(), 4900, with({4095, 4096, 4097, 4203, 5100, 5399, 5405, 6103, 6200}), all},
      {"normal_double", options(Precision::kDouble, Effort::kNormal, 1200, false), 1900, with({1900, 2405, 2520}), all},
      {"recent_float", options(Precision::kFloat, Effort::kNormal, 1200, true), 1900, with({1900, 2405, 2520}), all},
      {"high_float", options(Precision::kFloat, Effort::kHigh, 1200, false), 1900, with({1900, 2405, 2520}), all},
      {"low_float", options(Precision::kFloat, Effort::kLow, 1200, false), 1900, with({1900, 2405}), low},
      {"low_recent_double", options(Precision::kDouble, Effort::kLow, 700, true), 1900, with({}), low},
      {"gaussian", given(Kernel::gaussian(1.0), Precision::kFloat, false), 400, few, kernel},
      {"gaussian_recent_double", given(Kernel::gaussian(1.0), Precision::kDouble, true), 400, few, kernel},
      {"laplacian", given(Kernel::laplacian(2.0), Precision::kDouble, false), 400, few, kernel},
      {"polynomial", given(Kernel::polynomial(3), Precision::kFloat, true), 400, few, kernel},
      {"linear", given(Kernel::linear(), Precision::kFloat, false), 400, few, kernel},
  };
}

INSTANTIATE_TEST_SUITE_P(Options, AlderNumbers, ::testing::ValuesIn(number_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// Whole blocks are computed together, parts of them row by row, wherever a stage begins.
TEST(AlderNumbersIn, CallsOfAnySizeAreTheSameToTheBit) {
  const std::size_t rows = testing::kSanitized ? 300 : 2450;
  const NumberRows data(rows, 5, 0.5, testing::changing_function(1900));
  for (const bool recent_labels : {false, true}) {
    AlderOptions options = of_numbers();
    options.race = 1200;
    options.recent_labels = recent_labels;
    std::string expected;
    std::uint64_t bits = 0;
    for (const std::size_t most : {256U, 1U, 9U}) {
      if (recent_labels && most == 9) continue;
      const auto learner = make_alder(options);
      const Foretold found = learn_numbers(*learner, data.all(), rows, most);
      if (expected.empty()) {
        expected = encoded(*learner);
        bits = found.bits();
      }
      EXPECT_EQ(found.bits(), bits) << most;
      EXPECT_TRUE(encoded(*learner) == expected) << most;
    }
  }
}

// To the bit; but a deviation may be rounded otherwise when a block begins, before which updates are carried out.
TEST(AlderNumbersIn, ScoresAreThoseThatLearningPredicts) {
  const std::size_t rows = testing::kSanitized ? 300 : 1300;
  const NumberRows data(rows, 5, 0.5, testing::smooth_function);
  for (const bool recent_labels : {false, true}) {
    AlderOptions options = of_numbers();
    options.race = 1100;
    options.recent_labels = recent_labels;
    const auto learner = make_alder(options);
    for (std::size_t t = 0; t < rows; ++t) {
      double value = 0.0;
      double deviation = 0.0;
      learner->score(std::span(&data.rows[t], 1), {std::span(&value, 1), std::span(&deviation, 1)});
      const Foretold made = learn_numbers(*learner, data.all(), t + 1);
      ASSERT_EQ(made.values[0], value) << t;
      ASSERT_NEAR(made.deviations[0], deviation, t % 8 == 0 ? 1e-4 * deviation : 0.0) << t;
    }
  }
}

// The last target and the mean of the latest ones are inputs only if recent labels are.
TEST(AlderNumbersIn, ScoresDependOnTheLastTargetsOnlyIfAsked) {
  const NumberRows data(100, 5, 0.5, testing::smooth_function);
  for (const bool recent_labels : {false, true}) {
    AlderOptions options = of_numbers();
    options.recent_labels = recent_labels;
    const auto learner = make_alder(options);
    learn_numbers(*learner, data.all(), 100);
    Archive archive;
    learner->save(archive);
    auto frame = archive.get<double>("frame", 7);
    frame[4] += 1.0;
    frame[5] -= 1.0;
    archive.put("frame", frame);
    const auto other = restored(archive.encode());
    for (int t = 0; t < 20; ++t) {
      EXPECT_EQ(other->score(data.rows[t]) == learner->score(data.rows[t]), !recent_labels) << t;
    }
  }
}

TEST(AlderNumbersIn, SparseRowsAreTheSameAsDenseOnesToTheBit) {
  const std::size_t rows = testing::kSanitized ? 300 : 1300;
  NumberRows data(rows, 5, 0.5, testing::smooth_function);
  std::vector<std::vector<FeatureIndex>> indices(rows);
  std::vector<std::vector<double>> values(rows);
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < 5; ++j) {
      if ((t + 3 * j) % 4 == 0) data.values[t][j] = 0.0;
      if (data.values[t][j] == 0.0) continue;
      indices[t].push_back(static_cast<FeatureIndex>(j));
      values[t].push_back(data.values[t][j]);
    }
  }
  data.view();
  AlderOptions options = of_numbers();
  options.race = 1100;
  const auto of_dense = make_alder(options);
  const Foretold expected = learn_numbers(*of_dense, data.all(), rows);
  for (std::size_t t = 0; t < rows; ++t) data.rows[t] = Row::sparse(indices[t], values[t]);
  const auto of_sparse = make_alder(options);
  EXPECT_EQ(learn_numbers(*of_sparse, data.all(), rows).bits(), expected.bits());
  EXPECT_TRUE(encoded(*of_sparse) == encoded(*of_dense));
}

TEST(AlderNumbersIn, RowsOfNoWeightChangeNothing) {
  const std::size_t rows = 400;
  const NumberRows data(rows, 5, 0.5, testing::smooth_function);
  for (const bool is_given : {false, true}) {
    AlderOptions options = of_numbers();
    if (is_given) options.kernel = Kernel::gaussian(1.0);
    const auto alone = make_alder(options);
    const auto between = make_alder(options);
    const Foretold expected = learn_numbers(*alone, data.all(), rows);
    const std::vector<double> weights = {1.0, 0.0, 0.0};
    for (std::size_t t = 0; t < rows; ++t) {
      const std::vector<Row> all = {data.rows[t], data.rows[rows - 1 - t], data.rows[t]};
      const std::vector<double> targets = {data.targets[t], 1e9, -1e149};
      std::vector<double> scores(3);
      std::vector<double> deviations(3);
      ASSERT_EQ(between->learn({all, targets, weights}, {scores, deviations}), 3U);
      ASSERT_EQ(scores[0], expected.values[t]) << t;
      ASSERT_EQ(deviations[0], expected.deviations[t]) << t;
    }
    EXPECT_EQ(encoded(*between) == encoded(*alone), true);
  }
}

TEST(AlderNumbersIn, TargetsThatAreTooLargeAreRefusedAndChangeNothing) {
  const NumberRows data(400, 5, 0.5, testing::smooth_function);
  const auto learner = make_alder(of_numbers());
  for (const std::size_t rows : {0U, 5U, 31U, 40U, 300U}) {
    learn_numbers(*learner, data.all(), rows);
    const std::string before = encoded(*learner);
    for (const double target : {1.01e150, -1e300, std::nan(""), HUGE_VAL}) {
      double score = 0.0;
      try {
        learner->learn({std::span(&data.rows[rows], 1), std::span(&target, 1)}, std::span(&score, 1));
        ADD_FAILURE() << target;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Error::Kind::kTarget);
      }
      EXPECT_TRUE(encoded(*learner) == before) << rows << " " << target;
    }
    // Those before it are learned.
    std::vector<double> targets(data.targets.begin() + static_cast<std::ptrdiff_t>(rows),
                                data.targets.begin() + static_cast<std::ptrdiff_t>(rows) + 4);
    targets[2] = 1e200;
    std::vector<double> scores(4);
    EXPECT_EQ(learner->learn({std::span(data.rows).subspan(rows, 4), targets}, scores), 2U);
    const auto other = restored(before);
    learn_numbers(*other, data.all(), rows + 2);
    EXPECT_TRUE(encoded(*other) == encoded(*learner)) << rows;
  }
}

// While rows are only kept, too.
TEST(AlderNumbersIn, RowsThatAKernelCannotTakeAreRefusedAndChangeNothing) {
  const NumberRows data(60, 3, 0.5, [](const std::vector<double>& x, std::size_t) { return x[0]; });
  const std::vector<double> huge = {1e200, 1.0, -1e200};
  const Row row = Row::dense(huge);
  const double target = 1.0;
  for (const std::string kernel : {"", "gaussian", "polynomial"}) {
    AlderOptions options = of_numbers();
    if (kernel == "gaussian") options.kernel = Kernel::gaussian(1.0);
    if (kernel == "polynomial") options.kernel = Kernel::polynomial(3);
    const auto learner = make_alder(options);
    for (const std::size_t rows : {0U, 7U, 31U, 32U, 60U}) {
      learn_numbers(*learner, data.all(), rows);
      const std::string before = encoded(*learner);
      double score = 0.0;
      EXPECT_THROW(learner->learn({std::span(&row, 1), std::span(&target, 1)}, std::span(&score, 1)), Error);
      EXPECT_THROW((void)learner->score(row), Error);
      EXPECT_TRUE(encoded(*learner) == before) << kernel << " " << rows;
      EXPECT_TRUE(encoded(*restored(before)) == before) << kernel << " " << rows;
    }
  }
}

}  // namespace
}  // namespace alder
