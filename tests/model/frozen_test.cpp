// Models that earlier versions have written load, and go on with the scores of those versions.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/model.h"
#include "alder/stream.h"
#include "alder/version.h"

#include "archive/archive.h"
#include "io/whole_file.h"

namespace alder {
namespace {

// Compilers order the operations of plain loops differently; the scores are those of g++ 12.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12
constexpr bool kSameCompiler = true;
#else
constexpr bool kSameCompiler = false;
#endif

// What stands beside a model: the stream that it goes on with, and its scores for two instruction sets.
struct Scores {
  std::string stream;
  std::size_t rounds = 0;
  std::string names[2];
  std::vector<double> columns[2];
};

Scores read_scores(const std::filesystem::path& path) {
  std::ifstream file(path);
  Scores scores;
  file >> scores.stream >> scores.rounds >> scores.names[0] >> scores.names[1];
  double first = 0.0;
  double second = 0.0;
  while (file >> first >> second) {
    scores.columns[0].push_back(first);
    scores.columns[1].push_back(second);
  }
  return scores;
}

TEST(Frozen, ModelsOfVersion1GoOnAsTheyDid) {
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ALDER_SOURCE_DIR "/tests/frozen/v1")) {
    if (entry.path().extension() != ".model") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++models;
    const Scores expected = read_scores(std::filesystem::path(entry.path()).replace_extension(".scores"));
    ASSERT_EQ(expected.columns[0].size(), 100U);
    const Model model = load_model(entry.path().string());
    EXPECT_EQ(model.learner->report().rounds, expected.rounds);
    const Dataset data = Dataset::read(*make_generated(expected.stream, expected.rounds + 100, 7));
    const auto* column = std::find(std::begin(expected.names), std::end(expected.names), instruction_set());
    const bool is_known = column != std::end(expected.names);
    const bool is_exact = is_known && kSameCompiler;
    const auto& scores = expected.columns[is_known ? column - expected.names : 0];
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Example example = data[expected.rounds + i];
      const double score = model.learner->learn(example.row, example.label);
      if (is_exact) {
        ASSERT_EQ(score, scores[i]) << "round " << expected.rounds + i;
      } else {  // rounding differs
        ASSERT_NEAR(score, scores[i], 0.2 * (1.0 + std::fabs(scores[i]))) << "round " << expected.rounds + i;
      }
    }
  }
  EXPECT_EQ(models, 38U);
}

}  // namespace
}  // namespace alder
