// ALDER with its default options and its efforts, through all stages that a long stream brings about: collecting, the
// first, the second and the scaled race, the duel, one candidate alone, and a race that is opened again. Where the
// stream is cut changes neither scores nor bytes, be it into calls or into models that are saved and go on.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/learners.h"

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using testing::encoded;
using testing::restored;
using testing::Vector;

// Blobs of points that overlap, several for each class. After `change` rows features have changed places and scales,
// and classes theirs.
struct ChangingStream {
  ChangingStream(std::uint64_t seed, std::size_t count, std::size_t classes, std::size_t change) {
    constexpr std::size_t kFeatures = 5;
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<Vector> centres(4 * classes, Vector(kFeatures));
    for (Vector& centre : centres) {
      for (double& value : centre) value = normal(engine);
    }
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t c = t < classes ? t : engine() % classes;  // in the order of their numbers
      Vector x = centres[4 * c + engine() % 4];
      for (double& value : x) value += 0.4 * normal(engine);
      if (t >= change) {
        std::rotate(x.begin(), x.begin() + 2, x.end());
        for (std::size_t j = 0; j < kFeatures; ++j) x[j] = std::ldexp(x[j], 2 * static_cast<int>(j)) + 1.0;
      }
      values.push_back(x);
      targets.push_back(static_cast<double>(t < change ? c : (c + 1) % classes));
    }
    for (const Vector& x : values) rows.push_back(Row::dense(x));
  }
  [[nodiscard]] Examples from(std::size_t first, std::size_t count) const {
    return Examples{rows, targets, {}}.from(first, count);
  }

  std::vector<Vector> values;
  std::vector<Row> rows;
  std::vector<double> targets;
};

// Learns rows up to `end`, at most `most` in a call. Returns a number made of the bits of all scores and logits.
std::uint64_t learn_to(Learner& learner, const ChangingStream& stream, std::size_t end, std::size_t most) {
  std::uint64_t sum = 0;
  std::vector<double> scores;
  std::vector<double> logits;
  for (std::size_t begin = learner.rounds(); begin < end;) {
    const std::size_t count = std::min(most, end - begin);
    scores.assign(count * learner.outputs(), 0.0);
    logits.assign(count * learner.extras(), 0.0);
    const std::size_t width = learner.outputs();
    const std::size_t done = learner.learn(stream.from(begin, count), {scores, logits});
    for (std::size_t i = 0; i < done * width; ++i) {
      for (const double number : {scores[i], logits[i]}) {
        EXPECT_TRUE(std::isfinite(number));
        std::uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof(bits));
        sum = 0x9e3779b97f4a7c15U * (sum ^ bits);
        sum ^= sum >> 29U;
      }
    }
    begin += done;
  }
  return sum;
}

int stage_of(const Learner& learner) {
  Archive archive;
  learner.save(archive);
  return static_cast<int>(archive.setting<std::uint64_t>("state", "stage"));
}

enum Stage { kCollecting, kFirst, kSecond, kScaled, kReopened, kDuel, kSettled };

struct Case {
  AlderOptions::Effort effort;
  Precision precision;
  std::size_t classes;
  bool has_duel = true;
};

class AlderStages : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t kChange = 7000;
  static constexpr std::size_t kRows = 9000;
};

// Cuts in every stage; the part up to the next cut is learned by the learner that goes on and by one that was loaded.
TEST_P(AlderStages, ResumeToTheBit) {
  const ChangingStream stream(1, kRows, GetParam().classes, kChange);
  AlderOptions options;
  options.effort = GetParam().effort;
  options.precision = GetParam().precision;
  if (!GetParam().has_duel) options.leave_out = AlderOptions::Part::kDuel;
  const auto whole = make_alder(options);
  std::map<int, int> met;
  const std::vector<std::size_t> cuts = {1,    13,   31,   32,   33,   100,  255,  256,  257,  300,  612,
                                         1023, 1024, 1025, 1331, 1700, 3000, 4095, 4096, 4097, 4200, 5003,
                                         6000, 7005, 7400, 7604, 7810, 8007, 8400, 8603, kRows};
  std::string bytes = encoded(*whole);
  std::size_t end = 0;
  for (const std::size_t cut : cuts) {
    end = testing::kSanitized && cut > 1400 ? end : cut;
    const auto split = restored(bytes);
    ASSERT_EQ(encoded(*split), bytes) << cut;
    ASSERT_EQ(learn_to(*split, stream, end, 100), learn_to(*whole, stream, end, 256)) << cut;
    bytes = encoded(*whole);
    ASSERT_EQ(encoded(*split) == bytes, true) << cut;
    ASSERT_EQ(split->report().json("race"), whole->report().json("race")) << cut;
    ++met[stage_of(*whole)];
  }
  const bool is_low = GetParam().effort == AlderOptions::Effort::kLow;
  std::vector<int> expected = {kCollecting, kFirst, kSecond};
  if (!is_low) expected.push_back(kScaled);
  if (!testing::kSanitized) expected.push_back(is_low || !GetParam().has_duel ? kSettled : kDuel);
  if (!testing::kSanitized && !is_low) expected.push_back(kReopened);
  for (const int stage : expected) EXPECT_GT(met[stage], 0) << stage;
  if (!is_low && !testing::kSanitized) {
    EXPECT_GE(whole->report().count("reopened").value(), 1U);
  }
}

std::vector<Case> cases() {
  using Effort = AlderOptions::Effort;
  return {{Effort::kNormal, Precision::kFloat, 2}, {Effort::kNormal, Precision::kDouble, 2},
          {Effort::kNormal, Precision::kFloat, 3}, {Effort::kNormal, Precision::kFloat, 2, false},
          {Effort::kLow, Precision::kFloat, 2},    {Effort::kLow, Precision::kDouble, 3},
          {Effort::kHigh, Precision::kFloat, 2},   {Effort::kHigh, Precision::kDouble, 2}};
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const char* const efforts[] = {"low", "normal", "high"};
  return std::string(efforts[static_cast<int>(info.param.effort)]) +
         (info.param.precision == Precision::kFloat ? "_float_" : "_double_") + std::to_string(info.param.classes) +
         (info.param.has_duel ? "" : "_no_duel");
}

INSTANTIATE_TEST_SUITE_P(Efforts, AlderStages, ::testing::ValuesIn(cases()), case_name);

// Whole blocks are computed together, parts of them row by row, wherever a stage begins.
TEST(AlderStagesOf, CallsOfAnySizeAreTheSameToTheBit) {
  for (const std::size_t classes : {2U, 3U}) {
    const std::size_t rows = testing::kSanitized ? 1100 : 9000;
    const ChangingStream stream(2, rows, classes, 7000);
    std::string expected;
    std::uint64_t sum = 0;
    for (const std::size_t most : {1U, 7U, 8U, 9U, 64U, 256U}) {
      if (classes > 2 && most != 1 && most != 9) continue;  // takes longer
      const auto learner = make_alder({});
      const std::uint64_t found = learn_to(*learner, stream, rows, most);
      if (expected.empty()) {
        expected = encoded(*learner);
        sum = found;
      }
      EXPECT_EQ(found, sum) << classes << " " << most;
      EXPECT_TRUE(encoded(*learner) == expected) << classes << " " << most;
    }
  }
}

}  // namespace
}  // namespace alder
