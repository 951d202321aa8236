#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/model.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "kernel/expansion.h"
#include "learners/core/hypothesis.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::learn_one;

constexpr std::size_t kRows = 120;

// The usual learner of its kind after some rows, whose features have the numbers 0 to 2, moved by `shift`.
std::unique_ptr<Learner> trained(const LearnerInfo& info, FeatureIndex shift = 0, std::size_t rows = kRows,
                                 double sigma = 1.0) {
  nlohmann::ordered_json options = {{"precision", "double"}};
  if (info.find("kernel") != nullptr) options["kernel"] = {{"name", "gaussian"}, {"sigma", sigma}};
  auto learner = make_learner(info.name, options.dump());
  const auto stream = testing::random_stream(3, rows, 3);
  const std::vector<FeatureIndex> features = {shift, shift + 1, shift + 2};
  for (std::size_t t = 0; t < rows; ++t) learn_one(*learner, Row::sparse(features, stream.rows[t]), stream.labels[t]);
  return learner;
}

const std::vector<double> kRow = {0.3, -0.2, 0.5};

double score_of(const Learner& learner, FeatureIndex shift = 0) {
  const std::vector<FeatureIndex> features = {shift, shift + 1, shift + 2};
  return learner.score(Row::sparse(features, kRow));
}

TEST(Traits, OfSnapshotsIsThatHypothesesCanBeKept) {
  for (const LearnerInfo& info : learner_infos()) {
    const auto learner = make_learner(info.name);
    EXPECT_EQ(dynamic_cast<Hypotheses*>(learner.get()) != nullptr, info.traits.has_snapshots) << info.name;
  }
}

TEST(Traits, OfNumbersIsThatOtherNumbersOfFeaturesGiveOtherScores) {
  for (const LearnerInfo& info : learner_infos()) {
    const bool differs = score_of(*trained(info)) != score_of(*trained(info, 1000), 1000);
    EXPECT_EQ(differs, info.traits.numbers_matter) << info.name;
  }
}

// The sum of the saved coefficients with the kernel values of the saved rows.
TEST(Traits, OfCoefficientsIsHowTheyMakeTheScore) {
  using Coefficients = LearnerTraits::Coefficients;
  for (const LearnerInfo& info : learner_infos()) {
    // Beyond a budget of 400, so that those who change to features have done so.
    const auto learner = trained(info, 0, info.traits.coefficients == Coefficients::kOther ? 3000 : kRows);
    Archive archive;
    learner->save(archive);
    const auto sizes = archive.sizes();
    const bool has_coefficients =
        std::any_of(sizes.begin(), sizes.end(), [](const auto& s) { return s.first == "coefficients"; });
    if (info.traits.coefficients == Coefficients::kOther && !has_coefficients) continue;
    ASSERT_TRUE(has_coefficients) << info.name;
    Expansion<double> function(Kernel::gaussian(1.0));
    function.load(archive, 100000);
    PreparedRow<double> x;
    x.assign(Row::dense(kRow), Kernel::gaussian(1.0));
    KernelValues values;
    double sum = add(function.value(x, Accuracy::kExact, values), {});
    if (info.traits.coefficients == Coefficients::kBeforeScale) sum *= learner->report().learning_rate.value();
    const bool is_score = std::fabs(sum - score_of(*learner)) <= 1e-9 * (1.0 + std::fabs(sum));
    EXPECT_EQ(is_score, info.traits.coefficients != Coefficients::kOther) << info.name;
  }
}

TEST(Traits, OfPhasesAndBoundsIsThatTheReportHasWhatTheyNeed) {
  for (const LearnerInfo& info : learner_infos()) {
    const auto learner = trained(info, 0, 3000, 0.05);  // so narrow that phase 1 does not suffice
    EXPECT_EQ(learner->report().find("switch_round") != nullptr, info.traits.has_phases) << info.name;
    EXPECT_EQ(learner->report().find("sum_delta") != nullptr, info.traits.has_bounds) << info.name;
  }
}

TEST(Traits, AreFoundByName) {
  EXPECT_EQ(default_learner(), learner_names().front());
  EXPECT_EQ(find_learner("none"), nullptr);
  EXPECT_EQ(find_learner(default_learner()), &learner_info(default_learner()));
  const auto hinted = learners_with(&LearnerTraits::has_hint);
  for (const LearnerInfo& info : learner_infos()) {
    EXPECT_EQ(std::find(hinted.begin(), hinted.end(), info.name) != hinted.end(), info.traits.has_hint) << info.name;
    const auto learner = trained(info, 0, 1);
    const bool has_kernel = nlohmann::ordered_json::parse(make_learner(info.name)->options()).contains("kernel");
    EXPECT_EQ(info.finds_width(), info.find("kernel") != nullptr && !has_kernel) << info.name;
  }
}

}  // namespace
}  // namespace alder
