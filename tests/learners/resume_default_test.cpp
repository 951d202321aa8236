// Every kind of learner with its default options: a stream cut anywhere and resumed from the saved model gives the same
// scores and the same bytes as one that was never cut. Small budgets would hide what happens when matrices grow, when
// ALDER's race ends and when a budget is full.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/evaluate.h"
#include "alder/stream.h"

#include "support/any_learner.h"
#include "support/sanitized.h"
#include "support/test_name.h"

namespace alder {
namespace {

using testing::encoded;
using testing::options_of;
using testing::restored;

// In calls of up to 100 rows.
void learn(Learner& learner, const Dataset& data, std::size_t begin, std::size_t end, std::vector<double>& scores) {
  std::vector<Row> rows;
  std::vector<double> found;
  while (begin < end) {
    const Examples next = data.examples(begin, std::min<std::size_t>(100, end - begin), rows);
    found.clear();
    learn_all(learner, next, found);
    std::copy(found.begin(), found.end(), scores.begin() + static_cast<std::ptrdiff_t>(begin));
    begin += next.size();
  }
}

class ResumeAtDefaults : public ::testing::TestWithParam<std::string> {};

TEST_P(ResumeAtDefaults, AnyCutGivesTheSameScoresAndBytes) {
  const std::string& name = GetParam();
  // ALDER, which takes longest, is cut in all of its stages in alder_stages_test.cpp.
  const std::size_t most_cuts = testing::kSanitized ? 3 : name == "alder" ? 5 : 12;
  std::mt19937_64 random(2023);
  for (const std::string& generator : generator_names()) {
    // FOGD draws frequencies for each feature of sparse rows.
    const std::size_t rows = (generator == "sparse" ? 400 : 2500) / (testing::kSanitized ? 4 : 1);
    const Dataset data = Dataset::read(*make_generated(generator, rows, 1));
    for (const char* precision : {"float", "double"}) {
      std::vector<std::size_t> cuts = {std::min<std::size_t>(300, rows / 2)};
      while (cuts.size() < most_cuts) cuts.push_back(1 + random() % (rows - 1));
      std::sort(cuts.begin(), cuts.end());
      const auto whole = make_learner(name, options_of(name, {{"precision", precision}}));
      std::vector<double> scores(rows);
      std::vector<std::string> models;
      std::size_t begin = 0;
      for (const std::size_t cut : cuts) {
        learn(*whole, data, begin, cut, scores);
        models.push_back(encoded(*whole));
        begin = cut;
      }
      learn(*whole, data, begin, rows, scores);
      for (std::size_t c = 0; c < cuts.size(); ++c) {
        const auto resumed = restored(models[c]);
        ASSERT_EQ(encoded(*resumed), models[c]) << generator << ", " << precision << ", cut at " << cuts[c];
        std::vector<double> again = scores;
        learn(*resumed, data, cuts[c], rows, again);
        const auto differs = std::mismatch(scores.begin(), scores.end(), again.begin()).first;
        ASSERT_EQ(differs - scores.begin(), static_cast<std::ptrdiff_t>(rows))
            << generator << ", " << precision << ", cut at " << cuts[c] << ": the first row with another score";
        ASSERT_TRUE(encoded(*resumed) == encoded(*whole)) << generator << ", " << precision << ", cut at " << cuts[c];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Learners, ResumeAtDefaults, ::testing::ValuesIn(learner_names()), testing::test_name);

}  // namespace
}  // namespace alder
