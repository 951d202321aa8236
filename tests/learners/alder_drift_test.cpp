#include <cmath>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "alder/learners.h"
#include "alder/stream.h"

#include "archive/archive.h"
#include "support/any_learner.h"
#include "support/made_rows.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using testing::encoded;
using testing::kSanitized;
using testing::MadeRows;
using testing::mistakes_of;
using testing::restored;
using Part = AlderOptions::Part;

// Whether a point is inside of a ring; classes are the other way round from a row on.
MadeRows::Rule flipped_from(std::size_t row) {
  return [row](const std::vector<double>& x, std::size_t t) {
    const bool is_inside = x[0] * x[0] + x[1] * x[1] < 1.4;
    return is_inside != (t >= row) ? 1.0 : 0.0;
  };
}

std::uint64_t reopened(const Learner& learner) {
  return learner.report().count("reopened").value_or(0);
}

// Rows in races that were opened again.
std::uint64_t race_rows(const Learner& learner) {
  Archive archive;
  learner.save(archive);
  return archive.get<std::uint64_t>("counts", 5)[4];
}

// Low effort has no alarm: without forgetting it is left with nothing.
TEST(AlderDrift, IsRecoveredFrom) {
  const std::size_t n = kSanitized ? 6000 : 16000;
  const MadeRows data(n, 3, 0.05, flipped_from(n / 2));
  const auto usual = make_alder({});
  AlderOptions low;
  low.effort = AlderOptions::Effort::kLow;
  const auto forgets = make_alder(low);
  low.leave_out = Part::kForgetting;
  const auto rigid = make_alder(low);
  const int before = mistakes_of(*usual, data, 0, n / 2);
  mistakes_of(*forgets, data, 0, n / 2);
  mistakes_of(*rigid, data, 0, n / 2);
  const int after = mistakes_of(*usual, data, n / 2, n);
  const int never = mistakes_of(*rigid, data, n / 2, n);
  const int forgetting = mistakes_of(*forgets, data, n / 2, n);
  EXPECT_LT(after, 2 * before);
  EXPECT_LT(2 * after, never);
  EXPECT_LT(2 * forgetting, never);
  EXPECT_GT(forgets->report().number("forgets").value_or(0.0), 0.0);
  EXPECT_EQ(rigid->report().number("forgets"), 0.0);
  EXPECT_EQ(reopened(*rigid), 0U);
}

// The alarm alone recovers, and so does forgetting alone.
TEST(AlderDrift, IsRecoveredFromByEachPart) {
  if (kSanitized) GTEST_SKIP() << "takes long under sanitizers";
  const std::size_t n = 9000;
  const MadeRows data(n, 3, 0.05, flipped_from(n / 2));
  for (const Part part : {Part::kForgetting, Part::kAlarm}) {
    AlderOptions options;
    options.leave_out = part;
    options.race = 1200;
    const auto learner = make_alder(options);
    const int before = mistakes_of(*learner, data, 0, n / 2);
    const int after = mistakes_of(*learner, data, n / 2, n);
    EXPECT_LT(after, 4 * before);
    EXPECT_EQ(reopened(*learner), part == Part::kForgetting ? 1U : 0U);
  }
}

TEST(AlderDrift, ThatIsSlowNeedsForgetting) {
  if (kSanitized) GTEST_SKIP() << "takes long under sanitizers";
  const std::size_t n = 7000;
  int mistakes[2] = {};
  for (const Part part : {Part::kNothing, Part::kForgetting}) {
    AlderOptions options;
    options.leave_out = part;
    options.race = 1200;
    const auto learner = make_alder(options);
    const auto stream = make_generated("hyperplane", n, 3);
    std::vector<double> scores;
    for (Examples some = stream->read(64); !some.empty(); some = stream->read(64)) {
      scores.assign(some.size(), 0.0);
      for (std::size_t done = 0; done < some.size();) {
        done += learner->learn(some.from(done, some.size() - done), std::span(scores).subspan(done));
      }
      for (std::size_t r = 0; r < some.size(); ++r) {
        mistakes[part == Part::kNothing ? 0 : 1] += class_of(scores[r]) == some.targets[r] ? 0 : 1;
      }
    }
  }
  EXPECT_LT(mistakes[0], 0.9 * mistakes[1]);
}

TEST(AlderDrift, IsRecoveredFromWhileTheRaceIsOn) {
  if (kSanitized) GTEST_SKIP() << "takes long under sanitizers";
  const MadeRows data(5000, 3, 0.05, flipped_from(2000));
  const auto learner = make_alder({});
  mistakes_of(*learner, data, 0, 3500);
  EXPECT_LT(mistakes_of(*learner, data, 3500, 5000), 160);
}

TEST(AlderDrift, IsNotSeenWhereThereIsNone) {
  if (kSanitized) GTEST_SKIP() << "takes long under sanitizers";
  for (const auto& [noise, rows] : {std::pair<double, std::size_t>{0.05, 30000}, {0.2, 8000}}) {
    const MadeRows data(rows, 3, noise, flipped_from(rows));
    const auto learner = make_alder({});
    mistakes_of(*learner, data, 0, rows);
    EXPECT_EQ(reopened(*learner), 0U) << noise;
  }
}

// A stream that changes for ever has alarms for ever; each race may take 3,072 rows.
TEST(AlderDrift, OpensTheRaceForATenthOfTheRowsAtMost) {
  const auto rule = [](const std::vector<double>& x, std::size_t t) {
    const std::size_t k = t / 5000;
    const double u = x[k % 3];
    const double v = x[(k + 1) % 3];
    return (k % 2 == 0 ? u * v > 0.0 : u * u + v * v < 1.4) ? 1.0 : 0.0;
  };
  const std::size_t n = kSanitized ? 8000 : 30000;
  const MadeRows data(n, 3, 0.02, rule);
  AlderOptions options;
  options.race = 300;
  const auto learner = make_alder(options);
  for (std::size_t t = 0; t < n; t += 1000) {
    mistakes_of(*learner, data, t, t + 1000);
    ASSERT_LE(static_cast<double>(race_rows(*learner)), 10000.0 + 0.1 * static_cast<double>(t + 1000));
  }
  EXPECT_GE(reopened(*learner), kSanitized ? 1U : 3U);
  EXPECT_LE(reopened(*learner), 6U);
}

// Points around centres of two classes that wander through a cube.
MadeRows wandering(std::size_t rows, double speed) {
  constexpr std::size_t kFeatures = 6;
  constexpr std::size_t kCentres = 40;
  MadeRows data(rows, kFeatures, 0.0, [](const std::vector<double>&, std::size_t) { return 0.0; });
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> centres(kCentres, std::vector<double>(kFeatures));
  std::vector<std::vector<double>> ways = centres;
  for (std::size_t k = 0; k < kCentres; ++k) {
    for (double& value : centres[k]) value = uniform(engine);
    for (double& value : ways[k]) value = speed * normal(engine);
  }
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < kCentres; ++k) {
      for (std::size_t j = 0; j < kFeatures; ++j) {
        centres[k][j] += ways[k][j];
        if (centres[k][j] < 0.0 || centres[k][j] > 1.0) ways[k][j] = -ways[k][j];
      }
    }
    const std::size_t k = engine() % kCentres;
    for (std::size_t j = 0; j < kFeatures; ++j) data.values[t][j] = centres[k][j] + 0.1 * data.values[t][j];
    data.targets[t] = static_cast<double>(k % 2);
  }
  data.view();
  return data;
}

AlderOptions high(Part left_out, Precision precision = Precision::kFloat) {
  AlderOptions options;
  options.effort = AlderOptions::Effort::kHigh;
  options.leave_out = left_out;
  options.race = 1500;
  options.precision = precision;
  return options;
}

TEST(AlderDrift, ThatIsFastIsFollowedByReplacingRows) {
  if (kSanitized) GTEST_SKIP() << "takes long under sanitizers";
  const MadeRows data = wandering(16000, 2e-4);
  const auto replaces = make_alder(high(Part::kNothing));
  const auto stays = make_alder(high(Part::kReplacement));
  const int without = mistakes_of(*stays, data, 0, 16000);
  const int with = mistakes_of(*replaces, data, 0, 16000);
  EXPECT_LT(with, 0.97 * without);
}

TEST(AlderDrift, WithReplacedRowsGoesOnToTheBitHoweverTheStreamIsCut) {
  const std::size_t n = kSanitized ? 4000 : 9000;
  const MadeRows data = wandering(n, 1e-3);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const auto whole = make_alder(high(Part::kNothing, precision));
    mistakes_of(*whole, data, 0, n);
    std::unique_ptr<Learner> cut = make_alder(high(Part::kNothing, precision));
    for (std::size_t t = 0; t < n;) {
      const std::size_t end = std::min(n, t + (t < n / 2 ? 1003 : 157));
      mistakes_of(*cut, data, t, end);
      t = end;
      cut = restored(encoded(*cut));
    }
    EXPECT_TRUE(encoded(*cut) == encoded(*whole));
    Archive archive;
    whole->save(archive);
    const auto ages = archive.get<std::uint64_t>("candidate0.ages");
    EXPECT_GT(ages[1], 0U) << "no row was replaced";
  }
}

}  // namespace
}  // namespace alder
