#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "alder/learner.h"

#include "learners/core/one_vs_rest.h"
#include "support/dense.h"

/// For tests of more than two classes.
namespace alder::testing {

/// Gaussian blobs, one for each class. Class c is not met before row c·every, and classes are numbered in the order in
/// which they are met, as learners want it.
struct ClassRows {
  ClassRows(std::uint64_t seed, std::size_t count, std::size_t classes, std::size_t features = 3, std::size_t every = 1,
            double spread = 0.35) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<Vector> centers(classes, Vector(features));
    for (Vector& center : centers) {
      for (double& value : center) value = normal(engine);
    }
    std::vector<std::size_t> met;  // blobs by the number of their class
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t blob = engine() % std::clamp<std::size_t>(1 + t / every, 1, classes);
      const auto found = std::find(met.begin(), met.end(), blob);
      targets.push_back(static_cast<double>(found - met.begin()));
      if (found == met.end()) met.push_back(blob);
      Vector x = centers[blob];
      for (double& value : x) value += spread * normal(engine);
      values.push_back(x);
    }
    for (const Vector& x : values) rows.push_back(Row::dense(x));
  }
  [[nodiscard]] std::size_t size() const { return rows.size(); }
  [[nodiscard]] Examples all() const { return {rows, targets, weights}; }
  [[nodiscard]] Examples from(std::size_t first, std::size_t count) const { return all().from(first, count); }

  std::vector<Vector> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;  // empty: all are 1
};

/// Scores of a row, as many as the learner has outputs.
inline std::vector<double> scores_of(const Learner& learner, const Row& row) {
  std::vector<double> scores(learner.outputs());
  learner.score(std::span(&row, 1), scores);
  return scores;
}

/// Learns the first of the examples as a Model does, which makes room for its class. Returns the scores made before.
inline std::vector<double> learn_next(std::unique_ptr<Learner>& learner, const Examples& examples) {
  make_room_for(examples[0], examples.weight(0), learner);
  std::vector<double> scores(learner->outputs());
  learner->learn(examples.from(0, 1), scores);
  return scores;
}

/// All of them, one after the other.
inline std::vector<std::vector<double>> learn_each(std::unique_ptr<Learner>& learner, const Examples& examples) {
  std::vector<std::vector<double>> scores;
  for (std::size_t t = 0; t < examples.size(); ++t) scores.push_back(learn_next(learner, examples.from(t, 1)));
  return scores;
}

}  // namespace alder::testing
