// Rows that a learner is told of beforehand are computed together; that changes no bit of any result.
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/evaluate.h"

#include "support/any_learner.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;
using testing::encoded;
using testing::options_of;
using testing::restored;
using testing::small_options;

// Learns the rows one after the other, told of none of them.
std::vector<double> scores_alone(Learner& learner, const Dataset& data) {
  std::vector<double> scores;
  for (std::size_t t = 0; t < data.size(); ++t) scores.push_back(learner.learn(data[t].row, data[t].label));
  return scores;
}

std::vector<double> scores_ahead(Learner& learner, const Dataset& data) {
  std::vector<double> scores;
  const auto rows = stream(data);
  evaluate(*rows, learner, [&scores](const Example&, double score) {
    scores.push_back(score);
    return true;
  });
  return scores;
}

// Dense rows, sparse ones, some of more features than any table, and lengths that differ.
Dataset any_rows(std::uint64_t seed, std::size_t count) {
  Dataset data;
  std::mt19937_64 engine(seed);
  const std::uint32_t features = std::uint32_t{1} << *rc::gen::inRange(2, 30);
  const double density = *rc::gen::element(0.1, 0.5, 0.9, 1.0);
  const double reach = *rc::gen::element(0.1, 1.0, 100.0, 1e4);
  for (std::size_t t = 0; t < count; ++t) {
    std::vector<FeatureIndex> indices;
    std::vector<double> values;
    for (FeatureIndex j = 0; j < 12; ++j) {
      if (std::uniform_real_distribution<double>(0.0, 1.0)(engine) > density) continue;
      indices.push_back(static_cast<FeatureIndex>(j * std::uint64_t{features} / 12));
      if (indices.size() > 1 && indices[indices.size() - 2] >= indices.back()) {
        indices.pop_back();
        continue;
      }
      values.push_back(reach * std::uniform_int_distribution<int>(-3, 3)(engine));
    }
    data.append({Row::sparse(indices, values), engine() % 2 == 0 ? 1.0 : -1.0});
  }
  return data;
}

RC_GTEST_PROP(Ahead, ChangesNoBitOfAnyLearner, ()) {
  const std::string name = *rc::gen::elementOf(learner_names());
  Json settings = small_options(*rc::gen::element<std::string>("float", "double"));
  settings["kernel"]["name"] = *rc::gen::element<std::string>("gaussian", "laplacian", "polynomial");
  settings["kernel"]["gamma"] = *rc::gen::element(0.05, 5.0);
  settings["kernel"].erase("sigma");
  if (settings["kernel"]["name"] == "polynomial") settings["kernel"].update({{"degree", 2}, {"coef0", 1.0}});
  if (name == "fogd") settings["kernel"] = {{"name", "gaussian"}, {"sigma", 1.0}};
  settings["window"] = *rc::gen::element(1, 2, 15, 40);
  settings["seed"] = 5;
  const std::string options = options_of(name, settings);
  const Dataset data = any_rows(*rc::gen::inRange<std::uint64_t>(0, 1000000), 150);
  const auto alone = make_learner(name, options);
  const auto ahead = make_learner(name, options);
  RC_ASSERT(scores_alone(*alone, data) == scores_ahead(*ahead, data));
  RC_ASSERT(encoded(*alone) == encoded(*ahead));
}

// Whole runs through both phases and several removals, on streams that the program makes.
TEST(Ahead, ChangesNoBitOfALongRun) {
  for (const char* generator : {"checkerboard", "blobs"}) {
    const Dataset data = Dataset::read(*make_generated(generator, 1000, 3));
    for (const std::string& name : learner_names()) {
      for (const char* precision : {"float", "double"}) {
        Json settings = {{"kernel", {{"name", "gaussian"}, {"sigma", 0.2}}},
                         {"horizon", data.size()},
                         {"budget", 60},
                         {"b0", 40},
                         {"seed", 1},
                         {"precision", precision}};
        const std::string options = options_of(name, settings);
        const auto alone = make_learner(name, options);
        const auto ahead = make_learner(name, options);
        ASSERT_EQ(scores_alone(*alone, data), scores_ahead(*ahead, data))
            << name << " " << precision << " " << generator;
        ASSERT_EQ(encoded(*alone), encoded(*ahead)) << name << " " << precision << " " << generator;
      }
    }
  }
}

TEST(Ahead, NobodyHasToKeepToWhatWasSaid) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 600, 3));
  for (const std::string& name : learner_names()) {
    const std::string options = options_of(name, small_options("float"));
    const auto alone = make_learner(name, options);
    auto ahead = make_learner(name, options);
    std::vector<Row> rows;
    for (std::size_t t = 0; t + 8 < data.size(); ++t) {
      if (t % 5 == 0) {
        rows.clear();
        for (std::size_t k = 0; k < 8; ++k) rows.push_back(data[t + (t % 3 == 0 ? 7 - k : k)].row);
        ahead->expect(rows);
      }
      ASSERT_EQ(alone->score(data[t].row), ahead->score(data[t].row)) << name << " " << t;
      if (t % 31 == 0) ahead = restored(encoded(*ahead));
      ASSERT_EQ(alone->learn(data[t].row, data[t].label), ahead->learn(data[t].row, data[t].label)) << name << " " << t;
    }
    EXPECT_EQ(encoded(*alone), encoded(*ahead)) << name;
  }
}

// A run that ends in the middle of a block, and then rows that lie where the expected ones were.
TEST(Ahead, NothingIsExpectedAfterAnEvaluation) {
  const Dataset data = Dataset::read(*make_generated("blobs", 40, 3));
  for (const std::string& name : learner_names()) {
    const std::string options = options_of(name, small_options("double"));
    const auto alone = make_learner(name, options);
    const auto ahead = make_learner(name, options);
    Dataset changing = Dataset::read(*make_generated("blobs", 40, 3));
    int rounds = 0;
    evaluate(*stream(changing), *ahead, [&rounds](const Example&, double) { return ++rounds < 27; });
    for (std::size_t t = 0; t < 27; ++t) alone->learn(data[t].row, data[t].label);
    changing.clear();
    for (std::size_t t = 0; t < 40; ++t) changing.append(data[39 - t]);  // of the same length, in the same memory
    ASSERT_EQ(alone->learn(changing[27].row, 1.0), ahead->learn(changing[27].row, 1.0)) << name;
  }
}

TEST(Ahead, ARowThatCannotBeLearnedIsAnErrorWhenItsTurnComes) {
  const double nan = std::nan("");
  const std::vector<std::vector<double>> values = {{1.0, 2.0}, {0.5, 0.1},  {1.0, nan},
                                                   {0.2, 0.3}, {1e39, 0.0}, {0.4, 1.0}};
  std::vector<Row> rows;
  for (const auto& row : values) rows.push_back(Row::dense(row));
  for (const std::string& name : learner_names()) {
    const std::string options = options_of(name, small_options("float"));
    const auto alone = make_learner(name, options);
    const auto ahead = make_learner(name, options);
    ahead->expect(rows);
    for (const Row& row : rows) {
      std::string errors[2];
      double scores[2] = {0.0, 0.0};
      Learner* const learners[2] = {alone.get(), ahead.get()};
      for (int i = 0; i < 2; ++i) {
        try {
          scores[i] = learners[i]->learn(row, 1.0);
        } catch (const Error& error) {
          errors[i] = error.what();
        }
      }
      EXPECT_EQ(errors[0], errors[1]) << name;
      EXPECT_EQ(scores[0], scores[1]) << name;
    }
    EXPECT_EQ(ahead->report().rounds, alone->report().rounds) << name;
    EXPECT_LT(ahead->report().rounds, rows.size()) << name;
  }
}

}  // namespace
}  // namespace alder
