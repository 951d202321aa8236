#include "learners/alder/alarm.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "support/sanitized.h"

namespace alder {
namespace {

// Looks at the whole past since the last alarm anew whenever it decides.
struct LiteralAlarm {
  std::vector<bool> past;

  bool after_row(bool is_mistake) {
    past.push_back(is_mistake);
    if (past.size() % 200 != 0) return false;  // nothing is decided then
    double rows = 0.0;
    double mistakes = 0.0;
    const auto made = [this](std::size_t from, std::size_t count) {
      const auto first = past.begin() + static_cast<std::ptrdiff_t>(from);
      return static_cast<double>(std::count(first, first + static_cast<std::ptrdiff_t>(count), true));
    };
    for (std::size_t at = 0; at + 400 <= past.size();) {
      const double b = made(at, 400);
      at += 400;
      const double expected = rows > 0.0 ? 400.0 * mistakes / rows : b;
      const bool is_quiet =
          rows == 0.0 || b <= 1.25 * expected || b - expected <= 3.0 * std::sqrt(expected * (1.0 + 400.0 / rows) + 1.0);
      if (is_quiet) {
        rows += 400.0;
        mistakes += b;
        continue;
      }
      if (at + 200 > past.size()) return false;
      if (made(at, 200) > 1.25 * 200.0 * mistakes / rows) {
        past.clear();
        return true;
      }
      at += 200;
    }
    return false;
  }
};

// Mistakes with a chance that jumps every now and then; some of the jumps are over before they can be an alarm.
struct Jumps {
  explicit Jumps(std::uint64_t seed) : engine(seed) {}

  bool next() {
    if (left-- == 0) {
      chance = std::vector{0.01, 0.05, 0.1, 0.2, 0.4, 0.9}[engine() % 6];
      left = engine() % 3 == 0 ? 100 + engine() % 500 : engine() % 4000;
    }
    return std::bernoulli_distribution(chance)(engine);
  }

  std::mt19937_64 engine;
  double chance = 0.1;
  std::uint64_t left = 2000;
};

TEST(Alarm, EqualsItsDefinition) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Jumps stream(seed);
    Alarm alarm;
    LiteralAlarm literal;
    for (int t = 0; t < 10000; ++t) {
      const bool is_mistake = stream.next();
      const bool is_alarm = alarm.after_row(is_mistake);
      ASSERT_EQ(is_alarm, literal.after_row(is_mistake)) << "stream " << seed << " row " << t;
      alarms += is_alarm ? 1 : 0;
    }
  }
  EXPECT_GT(alarms, 20);
}

TEST(Alarm, NeedsAQuietBlockFirst) {
  Alarm alarm;
  for (int t = 0; t < 400; ++t) EXPECT_FALSE(alarm.after_row(false));
  for (int t = 0; t < 599; ++t) ASSERT_FALSE(alarm.after_row(true)) << t;
  EXPECT_TRUE(alarm.after_row(true));
  // What the level is now is not known.
  for (int t = 0; t < 400; ++t) ASSERT_FALSE(alarm.after_row(t % 2 == 0)) << t;
  for (int t = 0; t < 400; ++t) ASSERT_FALSE(alarm.after_row(t % 2 == 0)) << t;
}

TEST(Alarm, IsCancelledByPredictorsThatRecover) {
  Alarm alarm;
  const auto rows = [&alarm](int count, int every) {
    bool is_alarm = false;
    for (int t = 0; t < count; ++t) is_alarm = alarm.after_row(t % every == 0) || is_alarm;
    return is_alarm;
  };
  EXPECT_FALSE(rows(2000, 10));
  EXPECT_FALSE(rows(400, 2));   // a block that is not quiet
  EXPECT_FALSE(rows(200, 8));   // 25 mistakes, where 20 are expected: just few enough
  EXPECT_FALSE(rows(400, 10));  // the level is what it was, and a new block began
  EXPECT_FALSE(rows(400, 2));
  EXPECT_TRUE(rows(200, 7));
}

TEST(Alarm, ResetBeginsALevelAnew) {
  Alarm alarm;
  for (int t = 0; t < 1000; ++t) alarm.after_row(false);
  alarm.reset();
  for (int t = 0; t < 5000; ++t) ASSERT_FALSE(alarm.after_row(t % 2 == 0)) << t;
}

// The rarer mistakes are, the more often three deviations are exceeded by chance; 20,000 rows have 50 blocks. Of 200
// streams 12, 9, 2 and none had one.
TEST(Alarm, IsRareInStreamsThatDoNotChange) {
  const int streams = testing::kSanitized ? 50 : 200;
  for (const auto& [chance, most] : {std::pair{0.01, 0.12}, {0.05, 0.1}, {0.15, 0.04}, {0.4, 0.01}}) {
    std::mt19937_64 engine(17);
    std::bernoulli_distribution mistake(chance);
    int alarms = 0;
    for (int s = 0; s < streams; ++s) {
      Alarm alarm;
      for (int t = 0; t < 20000; ++t) alarms += alarm.after_row(mistake(engine)) ? 1 : 0;
    }
    EXPECT_LE(alarms, most * streams) << chance;
  }
}

TEST(Alarm, FindsAJumpWithinAThousandRows) {
  std::mt19937_64 engine(4);
  for (int s = 0; s < 100; ++s) {
    Alarm alarm;
    std::bernoulli_distribution before(0.05);
    std::bernoulli_distribution after(0.3);
    const int jump = 1000 + 57 * s;
    for (int t = 0; t < jump; ++t) alarm.after_row(before(engine));
    int waited = 0;
    while (waited < 3000 && !alarm.after_row(after(engine))) ++waited;
    EXPECT_LT(waited, 1000) << "stream " << s;
  }
}

TEST(Alarm, GoesOnFromAnArchive) {
  for (const int rows : {0, 1, 399, 400, 401, 1234, 5000}) {
    Jumps stream(3);
    Alarm alarm;
    for (int t = 0; t < rows; ++t) alarm.after_row(stream.next());
    Archive archive;
    alarm.save(archive, "a");
    Alarm loaded;
    loaded.load(Archive::decode(archive.encode()), "a");
    for (int t = 0; t < 20000; ++t) {
      const bool is_mistake = stream.next();
      ASSERT_EQ(alarm.after_row(is_mistake), loaded.after_row(is_mistake)) << rows << " and " << t;
    }
  }
}

TEST(Alarm, RefusesForgedNumbers) {
  const std::uint64_t huge = ~std::uint64_t{0};
  using Numbers = std::vector<std::uint64_t>;
  for (const Numbers& forged : {Numbers{400, 401, 0, 0, 0},
                                {huge, 0, 0, 0, 0},
                                {400, 0, 2, 0, 0},
                                {0, 0, 1, 0, 0},
                                {400, 0, 0, 400, 0},
                                {400, 0, 1, 200, 0},
                                {400, 0, 0, 10, 11},
                                {400, 0, 0, huge, huge},
                                {400, 0, 0, 0}}) {
    Archive archive;
    archive.put("a", forged);
    Alarm alarm;
    EXPECT_THROW(alarm.load(archive, "a"), Error);
  }
}

// Looks at all blocks of 300 rows since the last alarm anew.
struct LiteralErrorAlarm {
  std::vector<double> past;

  bool after_row(double error, double usual) {
    past.push_back(std::min(std::fabs(error), 3.0 * usual));
    if (past.size() % 300 != 0) return false;
    std::vector<double> means;
    for (std::size_t t = 0; t < past.size(); ++t) {
      if (t % 300 == 0) means.push_back(0.0);
      means.back() += past[t] / 300.0;
    }
    double sum = 0.0;
    for (std::size_t b = 0; b + 1 < means.size(); ++b) sum += means[b];
    if (means.size() < 3 || means.back() <= 1.25 * sum / static_cast<double>(means.size() - 1)) return false;
    past.clear();
    return true;
  }
};

TEST(ErrorAlarm, EqualsItsDefinitionAndGoesOnFromAnArchive) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    ErrorAlarm alarm;
    LiteralErrorAlarm literal;
    double size = 1.0;
    for (int t = 0; t < 8000; ++t) {
      if (engine() % 1500 == 0) size = std::ldexp(1.0, static_cast<int>(engine() % 5) - 2);
      const double error = size * normal(engine) * (engine() % 50 == 0 ? 100.0 : 1.0);
      const bool is_alarm = alarm.after_row(error, 1.5);
      ASSERT_EQ(is_alarm, literal.after_row(error, 1.5)) << seed << " " << t;
      alarms += is_alarm ? 1 : 0;
      if (engine() % 100 != 0) continue;
      Archive archive;
      alarm.save(archive, "a");
      alarm = ErrorAlarm();
      alarm.load(Archive::decode(archive.encode()), "a");
    }
  }
  EXPECT_GT(alarms, 10);
}

TEST(ErrorAlarm, NeedsTwoQuietBlocksAndNoMoreThanOneThatIsNot) {
  const auto alarms = [](ErrorAlarm& alarm, int rows, double error) {
    int count = 0;
    for (int t = 0; t < rows; ++t) count += alarm.after_row(t % 2 == 0 ? error : -error, 1.0) ? 1 : 0;
    return count;
  };
  ErrorAlarm alarm;
  EXPECT_EQ(alarms(alarm, 300, 0.1), 0);
  EXPECT_EQ(alarms(alarm, 300, 1.0), 0);  // the second one, which counts as quiet
  EXPECT_EQ(alarms(alarm, 300, 0.68), 0);
  EXPECT_EQ(alarms(alarm, 299, 2.0), 0);
  EXPECT_EQ(alarms(alarm, 1, 2.0), 1);
  EXPECT_EQ(alarms(alarm, 600, 5.0), 0);
  alarm.reset();
  EXPECT_EQ(alarms(alarm, 600, 0.0), 0);
  EXPECT_EQ(alarms(alarm, 300, 1e300), 1);
}

// Few errors that are very large are none of the function.
TEST(ErrorAlarm, IsRareInStreamsThatDoNotChange) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    ErrorAlarm alarm;
    for (int t = 0; t < 12000; ++t) {
      alarms += alarm.after_row(normal(engine) * (engine() % 100 == 0 ? 1000.0 : 1.0), 1.0) ? 1 : 0;
    }
  }
  EXPECT_LE(alarms, 1);
}

TEST(ErrorAlarm, RefusesForgedNumbers) {
  const double nan = std::nan("");
  const auto load = [](std::vector<std::uint64_t> counts, std::vector<double> errors) {
    Archive archive;
    archive.put("a", counts);
    archive.put("a.errors", errors);
    ErrorAlarm alarm;
    alarm.load(archive, "a");
  };
  EXPECT_NO_THROW(load({3, 299}, {1.0, 0.5}));
  EXPECT_THROW(load({3, 300}, {1.0, 0.5}), Error);
  EXPECT_THROW(load({~std::uint64_t{0}, 0}, {1.0, 0.5}), Error);
  EXPECT_THROW(load({3, 299}, {nan, 0.5}), Error);
  EXPECT_THROW(load({3, 299}, {1.0, HUGE_VAL}), Error);
  EXPECT_THROW(load({3, 299}, {-1.0, 0.5}), Error);
  EXPECT_THROW(load({3}, {1.0, 0.5}), Error);
}

}  // namespace
}  // namespace alder
