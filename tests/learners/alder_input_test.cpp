// Rows that are trying for ALDER, at every stage.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/learners.h"

#include "support/alder_options.h"
#include "support/any_learner.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::encoded;
using testing::learn_one;
using testing::restored;
using testing::short_races;
using testing::Tally;
using testing::Vector;

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

TEST(AlderInput, EnduresRowsOfAnyKind) {
  for (const Trouble& trouble : kTroubles) {
    for (const AlderOptions& options : short_races(90)) {
      auto learner = make_alder(options);
      Tally tally;
      for (int t = 0; t < 130; ++t) {
        const double label = t % 3 == 0 || std::string(trouble.name).starts_with("one class") ? 1.0 : -1.0;
        const Vector x = trouble.row(t, label);
        ASSERT_TRUE(std::isfinite(learner->score(Row::dense(x)))) << trouble.name << " " << t;
        ASSERT_TRUE(std::isfinite(tally.learn(*learner, Row::dense(x), label))) << trouble.name << " " << t;
        if (t % 17 == 0) learner = restored(encoded(*learner));
      }
      EXPECT_TRUE(std::isfinite(tally.hinge_loss())) << trouble.name;
      EXPECT_EQ(encoded(*restored(encoded(*learner))), encoded(*learner)) << trouble.name;
    }
  }
}

TEST(AlderInput, ABadRowChangesNothingAtAnyStage) {
  const auto stream = testing::random_stream(10, 160, 2);
  const Vector bad = {1.0, std::nan("")};
  const Vector far = {1e39, 0.0};
  for (AlderOptions options : short_races()) {
    options.precision = Precision::kFloat;
    const auto learner = make_alder(options);
    const auto other = make_alder(options);
    for (std::size_t t = 0; t < 160; ++t) {
      for (const Vector& x : {bad, far}) {
        EXPECT_THROW((void)learner->score(Row::dense(x)), Error);
        EXPECT_THROW(learn_one(*learner, Row::dense(x), 1.0), Error);
      }
      EXPECT_THROW(learn_one(*learner, Row::dense(stream.rows[t]), 0.5), Error);
      const Row row = Row::dense(stream.rows[t]);
      ASSERT_EQ(learn_one(*learner, row, stream.labels[t]), learn_one(*other, row, stream.labels[t])) << t;
    }
    EXPECT_EQ(encoded(*learner), encoded(*other));
  }
}

}  // namespace
}  // namespace alder
