#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "alder/model.h"
#include "alder/row_buffer.h"

#include "model/calibration.h"
#include "model/class_table.h"

namespace alder {

/// What a model consists of.
class Model::Pipeline {
 public:
  explicit Pipeline(std::unique_ptr<Learner> its_learner) : learner(std::move(its_learner)), metrics(learner->task()) {}

  std::shared_ptr<const Encoding> encoding;  ///< null: rows have no columns
  bool is_zero_based = false;
  std::optional<Scaling> scaling;
  std::unique_ptr<Learner> learner;
  ClassTable classes;
  std::optional<Calibration> calibration = Calibration();  ///< empty: there are no probabilities
  std::optional<double> threshold;
  ClassWeights class_weights;
  Metrics metrics;
  Counts earlier;  ///< of rows before `metrics` began: those that a file of version 1 knew of
  std::size_t features = 0;

  void load_threshold(const Archive& archive);
  std::span<const double> weigh(const Examples& examples);
  void calibrate(const Examples& learned, std::span<const double> scores, std::span<const double> extras,
                 std::span<double> probabilities);
  void apply_threshold(std::span<const double> probabilities, std::size_t outputs,
                       std::span<std::uint32_t> predicted) const;

  // Of the examples in hand:
  RowBuffer scaled;
  std::vector<double> numbers;
  std::vector<double> weights;
  std::vector<double> logits;
  std::vector<double> by_number;  // probabilities of a row
  Predictions made;
};

}  // namespace alder
