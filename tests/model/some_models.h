#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "alder/model.h"

namespace alder::testing {

/// Dense rows with targets, which it owns.
struct Listed {
  std::deque<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;

  Listed() = default;
  Listed(const Listed& other) {
    for (std::size_t i = 0; i < other.targets.size(); ++i) add(other.values[i], other.targets[i]);
  }
  Listed& operator=(const Listed&) = delete;
  Listed(Listed&&) = default;
  Listed& operator=(Listed&&) = delete;
  ~Listed() = default;

  void add(std::vector<double> row, double target) {
    values.push_back(std::move(row));
    rows.push_back(Row::dense(values.back()));
    targets.push_back(target);
  }
  [[nodiscard]] Examples examples(std::size_t first, std::size_t count) const {
    return Examples{rows, targets}.from(first, count);
  }
};

/// Learns all of them, and returns the scores made before.
inline std::vector<double> learn_all_of(Model& model, const Listed& rows) {
  std::vector<double> scores;
  Predictions before;
  for (std::size_t done = 0; done < rows.rows.size();) {
    done += model.learn(rows.examples(done, rows.rows.size() - done), &before);
    scores.insert(scores.end(), before.scores.begin(), before.scores.end());
  }
  return scores;
}

inline Predictions predicted(const Model& model, const Listed& rows) {
  Predictions made;
  model.predict(rows.rows, made);
  return made;
}

}  // namespace alder::testing
