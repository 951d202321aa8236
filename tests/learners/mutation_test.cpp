// Model files of every learner, changed at random and with a right checksum: each is refused, or is a learner that
// makes finite scores and whose model can be read again. ALDER_MUTATIONS sets how many are tried for each learner.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/learners.h"
#include "alder/stream.h"

#include "support/any_learner.h"
#include "support/class_rows.h"
#include "support/learning.h"
#include "support/sanitized.h"
#include "support/test_name.h"

namespace alder {
namespace {

using testing::encoded;
using testing::learn_one;
using testing::options_of;
using testing::restored;
using testing::small_options;

using Random = std::mt19937_64;

int mutations() {
  const char* wanted = std::getenv("ALDER_MUTATIONS");
  if (wanted != nullptr) return std::atoi(wanted);
  return testing::kSanitized ? 40 : 400;
}

// Bytes that mean something as part of a number, of JSON or of neither.
char any_byte(Random& random) {
  constexpr char kBytes[] = "\x00\x01\x7f\x80\xff\xf0\x3f\x40\xc0 \"\\{}[]:,0123456789eE+-.tfn";
  return random() % 2 == 0 ? kBytes[random() % (sizeof(kBytes) - 1)] : static_cast<char>(random());
}

double any_number(Random& random) {
  constexpr double kNumbers[] = {0.0,  -0.0, 1.0,  -1.0,  0.5,   2.0,   1e-3, 1e3,   1e-9,   1e9,    -1e9,
                                 1e15, 1e20, 1e29, -1e30, 1e-45, 1e-38, 3e38, 1e100, -1e150, 1e-300, 1e308};
  switch (random() % 4) {
    case 0:
      return kNumbers[random() % std::size(kNumbers)];
    case 1:
      return std::ldexp(1.0, static_cast<int>(random() % 400) - 200);
    case 2:
      return std::uniform_real_distribution<>(-2.0, 2.0)(random);
    default:
      return std::nan("");
  }
}

// Some numbers of the data, taken as floats or doubles, become others.
void change_numbers(std::string& bytes, std::size_t data, Random& random) {
  const std::size_t size = random() % 2 == 0 ? sizeof(float) : sizeof(double);
  const std::size_t count = (bytes.size() - data) / size;
  if (count == 0) return;
  const double common = any_number(random);
  const std::size_t first = random() % count;
  const std::size_t most = random() % 3 == 0 ? count : 1 + random() % 16;
  for (std::size_t i = first; i < std::min(count, first + most); ++i) {
    const double number = random() % 4 == 0 ? any_number(random) : common;
    const auto narrow = static_cast<float>(number);
    std::memcpy(bytes.data() + data + i * size, size == sizeof(float) ? static_cast<const void*>(&narrow) : &number,
                size);
  }
}

void change_bytes(std::string& bytes, std::size_t begin, std::size_t end, Random& random) {
  for (std::uint64_t n = 1 + random() % 4; n > 0 && begin < end; --n) {
    bytes[begin + random() % (end - begin)] = any_byte(random);
  }
}

std::string changed(std::string bytes, Random& random) {
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::size_t data = sizeof(header) + header;
  switch (random() % 5) {
    case 0:
      change_bytes(bytes, sizeof(header), data, random);
      break;
    case 1:
      change_bytes(bytes, data, bytes.size(), random);
      break;
    case 2:
      bytes.resize(random() % bytes.size());
      break;
    default:
      change_numbers(bytes, data, random);
  }
  const std::size_t key = bytes.find(R"("checksum":")");
  try {
    if (key != std::string::npos) bytes.replace(key + 12, 16, Archive::checksum(bytes));
  } catch (const Error&) {  // there is nothing left that could have a checksum
  }
  return bytes;
}

// Its scores, and what it gives beside them.
std::vector<double> numbers_of(const Learner& learner, const Row& row) {
  std::vector<double> scores(learner.outputs());
  std::vector<double> extras(learner.extras());
  learner.score(std::span(&row, 1), {scores, extras});
  scores.insert(scores.end(), extras.begin(), extras.end());
  return scores;
}

class Mutations : public ::testing::TestWithParam<std::string> {
 protected:
  // Models of several phases, with small and with default options.
  std::vector<std::string> models() {
    std::vector<std::string> all;
    for (const char* precision : {"float", "double"}) {
      for (const bool is_small : {true, false}) {
        const auto learner = is_small ? testing::small_learner(GetParam(), precision)
                                      : make_learner(GetParam(), options_of(GetParam(), {{"precision", precision}}));
        for (std::size_t t = 0; t < 700; ++t) {
          if (t == 20 || t == 90 || t == 300) all.push_back(encoded(*learner));
          learn_one(*learner, data_[t]);
        }
        all.push_back(encoded(*learner));
      }
      auto of_three = testing::small_learner(GetParam(), precision);
      for (std::size_t t = 0; t < 120; ++t) {
        const Row row = data_[t].row;
        const auto target = static_cast<double>(t % 3);
        testing::learn_next(of_three, {std::span(&row, 1), std::span(&target, 1)});
        if (t == 7 || t == 119) all.push_back(encoded(*of_three));
      }
    }
    return all;
  }

  const Dataset data_ = Dataset::read(*make_generated("checkerboard", 700, 1));
};

// What is tried of each mutation; `next` gives rows to learn. A covariance matrix that was forged may become one that
// is repaired when it is read (Covariance), once.
void check_mutations(const std::vector<std::string>& sound, const Dataset& next, bool may_be_repaired) {
  Random random(2023);
  int accepted = 0;
  for (int m = 0; m < mutations(); ++m) {
    const std::string bytes = changed(sound[random() % sound.size()], random);
    std::unique_ptr<Learner> learner;
    try {
      learner = restored(bytes);
    } catch (const Error&) {
      continue;
    }
    ++accepted;
    for (std::size_t t = 0; t < 20; ++t) {
      try {
        for (const double number : numbers_of(*learner, next[t].row)) {
          ASSERT_TRUE(std::isfinite(number)) << "mutation " << m << ", round " << t;
        }
        ASSERT_TRUE(std::isfinite(learn_one(*learner, next[t]))) << "mutation " << m << ", round " << t;
      } catch (const Error&) {  // a row that its kernel cannot take
      }
    }
    for (const FeatureShare& share : learner->importances()) {
      ASSERT_TRUE(std::isfinite(share.share)) << "mutation " << m;
    }
    std::string written = encoded(*learner);
    try {
      if (may_be_repaired) written = encoded(*restored(written));
      ASSERT_EQ(encoded(*restored(written)) == written, true) << "mutation " << m;
    } catch (const Error& error) {
      FAIL() << "mutation " << m << ": what it wrote cannot be read: " << error.what();
    }
  }
  EXPECT_GT(accepted, mutations() / 100);  // else nothing but refusals was tried
}

TEST_P(Mutations, AreRefusedOrHarmless) {
  check_mutations(models(), data_, false);
}

// Of ALDER in all its stages, in both precisions; the function is another one towards the end, for which the race opens
// again.
TEST(MutationsOfNumbers, AreRefusedOrHarmless) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 2200, 1));
  std::vector<std::string> sound;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const bool recent_labels : {false, true}) {
      for (const std::uint64_t race : {0U, 60U, 1100U}) {
        AlderOptions options;
        options.loss = Loss::of(Loss::Kind::kSquared);
        options.precision = precision;
        options.recent_labels = recent_labels;
        options.budget = 6;
        if (race > 0) {
          options.race = race;
        } else {
          options.kernel = Kernel::gaussian(0.5);
        }
        const auto learner = make_alder(options);
        const std::size_t rows = race < 1100 ? 400 : testing::kSanitized ? 1050 : 2200;
        for (std::size_t t = 0; t < rows; ++t) {
          if (t == 20 || t == 50 || t == 300 || t == 1040 || t == 1150) sound.push_back(encoded(*learner));
          const double x = data[t].row.size() > 0 ? data[t].row.value(0) : 0.0;
          learn_one(*learner, {data[t].row, t < 1800 ? 20.0 + x + data[t].target : 500.0 * data[t].target});
        }
        sound.push_back(encoded(*learner));
        if (race < 1100 || testing::kSanitized) continue;
        EXPECT_EQ(learner->report().count("reopened"), 1U);
      }
    }
  }
  check_mutations(sound, data, true);
}

INSTANTIATE_TEST_SUITE_P(Learners, Mutations, ::testing::ValuesIn(learner_names()), testing::test_name);

}  // namespace
}  // namespace alder
