// Every kind of learner on streams and options that are legal but trying: an Error that changes nothing, or numbers
// that are finite.
#include <cmath>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/sanitized.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::learn_one;
using testing::options_of;
using testing::small_options;
using testing::SparseVector;
using testing::Tally;
using testing::Vector;

constexpr const char* kPrecisions[] = {"float", "double"};

std::vector<Json> kernels_of(const std::string& name) {
  if (learner_info(name).find("kernel") == nullptr) return {Json()};
  std::vector<Json> kernels = {Json{{"name", "gaussian"}, {"sigma", 1.0}}, Json{{"name", "gaussian"}, {"sigma", 1e-40}},
                               Json{{"name", "gaussian"}, {"sigma", 1e60}}, Json{{"name", "laplacian"}, {"sigma", 1.0}},
                               Json{{"name", "laplacian"}, {"sigma", 1e-60}}};
  if (name == "fogd") return kernels;
  kernels.push_back(Json{{"name", "linear"}});
  kernels.push_back(Json{{"name", "polynomial"}, {"gamma", 1.0}, {"degree", 3}, {"coef0", 1.0}});
  return kernels;
}

// A stream of 60 rows; its name is for messages.
struct Trouble {
  const char* name;
  bool may_be_refused;  // as too large for a precision or a kernel
  Vector (*row)(int t);
};

const Trouble kTroubles[] = {
    {"huge in float", true,
     [](int t) {
       return Vector{1e30 * (t % 7), -1e30, 1.0};
     }},
    {"the largest floats", true,
     [](int t) {
       return Vector{3.4e38, t % 2 == 0 ? -3.4e38 : 3.4e38};
     }},
    {"long for the linear kernel", true,
     [](int t) {
       return Vector{1e25 * (1 + t % 3), 1e24};
     }},
    {"huge in double", true,
     [](int t) {
       return Vector{1e140, -1e140 * (t % 5)};
     }},
    {"as long as the linear kernel allows", true,
     [](int t) {
       return Vector{9e49, 1e49 * (t % 4)};
     }},
    {"tiny", false,
     [](int t) {
       return Vector{1e-300 * t, 1e-300};
     }},
    {"denormal in float", false,
     [](int t) {
       return Vector{1e-42 * (1 + t % 5), 1e-44};
     }},
    {"small for the linear kernel", false,
     [](int t) {
       return Vector{1e-25 * (1 + t % 3), 1e-20};
     }},
    {"huge and tiny", true,
     [](int t) {
       return Vector{t % 3 == 0 ? 1e30 : 1e-30, std::sin(t)};
     }},
    {"empty", false, [](int) { return Vector(); }},
    {"zeros", false, [](int) { return Vector(3); }},
    {"identical", false,
     [](int) {
       return Vector{0.3, -1.0, 2.0};
     }},
    {"nearly identical", false,
     [](int t) {
       return Vector{1.0, 1e-9 * t};
     }},
    {"usual", false,
     [](int t) {
       return Vector{std::sin(t), std::cos(1.7 * t), t % 3 - 1.0};
     }},
};

double alternating(int t) {
  return t % 2 == 0 ? 1.0 : -1.0;
}

void expect_finite(const Learner& learner, const Tally& tally, const std::string& where) {
  const Report report = learner.report();
  EXPECT_TRUE(std::isfinite(report.norm.value_or(0.0))) << where;
  EXPECT_TRUE(std::isfinite(tally.hinge_loss())) << where;
  EXPECT_TRUE(std::isfinite(report.learning_rate.value_or(0.0))) << where;
}

// Runs the stream, and says whether all went well.
bool endures(const std::string& name, const std::string& options, const Trouble& trouble) {
  const std::string where = name + " " + options + ", rows: " + trouble.name;
  const auto learner = make_learner(name, options);
  Tally tally;
  for (int t = 0; t < 60; ++t) {
    const Vector x = trouble.row(t);
    const SparseVector sparse(x);
    const Row row = t % 2 == 0 ? Row::dense(x) : sparse.row();
    const double label = alternating(t / 2);
    const std::string before = t % 20 == 0 ? encoded(*learner) : "";
    try {
      const double score = tally.learn(*learner, row, label);
      EXPECT_TRUE(std::isfinite(score)) << where << ", round " << t;
      if (!std::isfinite(score)) return false;
    } catch (const Error& error) {
      EXPECT_TRUE(trouble.may_be_refused) << where << ", round " << t << ": " << error.what();
      EXPECT_TRUE(before.empty() || encoded(*learner) == before) << where;
      if (t == 20) break;  // they are all refused
    }
  }
  expect_finite(*learner, tally, where);
  // A model that can be written can be read.
  try {
    EXPECT_EQ(encoded(*testing::restored(encoded(*learner))), encoded(*learner)) << where;
  } catch (const Error& error) {
    ADD_FAILURE() << where << ": " << error.what();
  }
  return true;
}

class LearnerInput : public ::testing::TestWithParam<std::string> {};

TEST_P(LearnerInput, ExtremeRowsAreRefusedOrHarmless) {
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    for (const Json& kernel : kernels_of(name)) {
      for (const Trouble& trouble : kTroubles) {
        Json options = small_options(precision);
        options["kernel"] = kernel;
        endures(name, options_of(name, options), trouble);
      }
    }
  }
}

// The ends of an option's range, and with the counts that memory is made of, what a test can wait for.
std::vector<Json> ends_of(const OptionInfo& info) {
  const bool is_size = info.name == "frequencies" || info.name == "sketch" || info.name == "nonzeros";
  if (info.type == OptionInfo::Type::kNumber) return {info.low, info.high};
  if (info.type == OptionInfo::Type::kChoice) return {info.choices.begin(), info.choices.end()};
  if (info.type == OptionInfo::Type::kKernel) return {};
  return {static_cast<std::uint64_t>(info.low), is_size ? std::uint64_t{40} : static_cast<std::uint64_t>(info.high)};
}

TEST_P(LearnerInput, OptionsAtTheEndsOfTheirRangesAreRefusedOrHarmless) {
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    for (const OptionInfo& info : learner_info(name).options) {
      for (const Json& end : ends_of(info)) {
        for (const char* kernel : {"gaussian", "linear"}) {
          if ((name == "fogd" || testing::kSanitized) && kernel != std::string("gaussian")) continue;
          Json options = small_options(precision);
          options["kernel"] = {{"name", kernel}, {"sigma", 1.0}};
          options[info.name] = end;
          std::string text = options_of(name, options);
          try {
            (void)make_learner(name, text);
          } catch (const Error&) {
            continue;  // it contradicts another option
          }
          for (const Trouble& trouble : kTroubles) endures(name, text, trouble);
        }
      }
    }
  }
}

// All numbers at once at their low ends, and at their high ends.
TEST_P(LearnerInput, AllNumbersAtTheEndsOfTheirRangesAreRefusedOrHarmless) {
  const std::string& name = GetParam();
  for (const char* precision : kPrecisions) {
    for (const bool high : {false, true}) {
      for (const char* kernel : {"gaussian", "linear"}) {
        if (name == "fogd" && kernel != std::string("gaussian")) continue;
        Json options = small_options(precision);
        options["kernel"] = {{"name", kernel}, {"sigma", 1.0}};
        options["horizon"] = 1;
        for (const OptionInfo& info : learner_info(name).options) {
          // Those of numbers: numbers_test.cpp.
          if (info.name == "loss_parameter" || info.name.starts_with("target_")) continue;
          if (info.type == OptionInfo::Type::kNumber) options[info.name] = high ? info.high : info.low;
        }
        for (const Trouble& trouble : kTroubles) endures(name, options_of(name, options), trouble);
      }
    }
  }
}

TEST_P(LearnerInput, FeaturesMayHaveAnyIndex) {
  const std::string& name = GetParam();
  const Vector two = {1.0, -0.5};
  for (const char* precision : kPrecisions) {
    const auto learner = testing::small_learner(name, precision);
    Tally tally;
    for (std::uint32_t t = 0; t < 200; ++t) {
      const std::vector<FeatureIndex> indices = {t * 1000U, 4294967295U - t % 50};
      ASSERT_TRUE(std::isfinite(tally.learn(*learner, Row::sparse(indices, two), alternating(static_cast<int>(t)))));
    }
    expect_finite(*learner, tally, name);
    EXPECT_LT(learner->report().bytes, 20000000U);
    EXPECT_EQ(encoded(*testing::restored(encoded(*learner))), encoded(*learner));
  }
}

TEST_P(LearnerInput, ARejectedRowChangesNothing) {
  const std::string& name = GetParam();
  const auto stream = testing::random_stream(2, 100, 4);
  const Vector not_a_number = {1.0, std::nan("")};
  const Vector too_large = {1e200, 1e39};
  const std::vector<FeatureIndex> unsorted = {2, 1};
  const Vector two = {1.0, 1.0};
  for (const char* precision : kPrecisions) {
    const auto disturbed = testing::small_learner(name, precision);
    const auto quiet = testing::small_learner(name, precision);
    for (std::size_t t = 0; t < 100; ++t) {
      const Row good = Row::dense(stream.rows[t]);
      const std::string before = encoded(*disturbed);
      EXPECT_THROW(learn_one(*disturbed, Row::dense(not_a_number), 1.0), Error);
      EXPECT_THROW(learn_one(*disturbed, Row::dense(too_large), 1.0), Error);
      EXPECT_THROW(learn_one(*disturbed, Row::sparse(unsorted, two), 1.0), Error);
      EXPECT_THROW(learn_one(*disturbed, good, 0.5), Error);
      EXPECT_THROW((void)disturbed->score(Row::dense(too_large)), Error);
      ASSERT_EQ(encoded(*disturbed), before) << t;
      ASSERT_EQ(learn_one(*disturbed, good, stream.labels[t]), learn_one(*quiet, good, stream.labels[t])) << t;
    }
    EXPECT_EQ(encoded(*disturbed), encoded(*quiet));
  }
}

TEST_P(LearnerInput, BeforeAnyRoundTheScoreIsZero) {
  const Vector x = {1.0, 2.0};
  EXPECT_EQ(make_learner(GetParam())->score(Row::dense(x)), 0.0);
  EXPECT_EQ(make_learner(GetParam())->report().rounds, 0U);
}

INSTANTIATE_TEST_SUITE_P(Learners, LearnerInput, ::testing::ValuesIn(learner_names()), [](const auto& tested) {
  std::string name;
  for (const char letter : tested.param) name += letter == '+' ? 'P' : letter;
  return name;
});

}  // namespace
}  // namespace alder
